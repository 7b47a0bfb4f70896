"""The formats that hands are exported in, by the names of `--format`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from audit_cli.export.ohh import bind_ohh, write_ohh
from audit_cli.export.phh import bind_phh, bind_phhs, write_phh
from audit_cli.export.pokerstars import bind_pokerstars, write_pokerstars

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from audit_cli.export.money import Money
    from audit_cli.problem import Problem
    from audit_cli.told.hand import Game, Hand


class Write(Protocol):
    """Writes one hand, or says why the format can not say it."""

    def __call__(self, game: Game, hand: Hand, money: Money, /) -> str | Problem:
        """Return the hand's text."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """How hands are written: each one, several in one file, and how such a file's name ends."""

    write: Write
    bind: Callable[[Sequence[str]], str]
    suffix: str


FORMATS = {
    "pokerstars": Format(write_pokerstars, bind_pokerstars, ".txt"),
    "ohh": Format(write_ohh, bind_ohh, ".ohh"),
    "phh": Format(write_phh, bind_phhs, ".phhs"),
}

OF_ONE_HAND = {"phh": Format(write_phh, bind_phh, ".phh")}
"""Formats with a file of its own kind for one hand that is asked for."""
