"""The operating system's randomness, which a test can make to fail."""

import os

import pytest

from dealer_service.fairness.randomness import Entropy
from dealer_service.fairness.refusal import FairnessError
from tests.support.service import Service


class Source:
    """A source of randomness that gives nothing but zeros once it `fails`."""

    def __init__(self) -> None:
        self.fails = False

    def __call__(self, size: int) -> bytes:
        return bytes(size) if self.fails else os.urandom(size)


def shut(service: Service, source: Source) -> None:
    """Let the source fail, and draw until that is noticed."""
    source.fails = True
    with pytest.raises(FairnessError):
        draw(service.dealer._vigil.gate, 100)


def draw(gate: Entropy, times: int) -> None:
    """Draw from a gate so many times."""
    for _ in range(times):
        gate(32)
