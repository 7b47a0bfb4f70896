"""The plain engine: hand after hand by the very functions that `derive` and `verify` call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from audit_cli import drbg
from audit_cli.derive import STREAM_BYTES, StreamExhaustedError, run_ceremony
from audit_cli.hashing import hkdf
from audit_cli.rng.engines.drawing import (
    BOUNDED,
    DECK_INFO,
    check_rows,
    check_run,
    exhausted,
    no_draws,
)
from audit_cli.rng.hands import Hands
from audit_cli.rng.lab import hand_mix, hand_secret

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Plain:
    """Python and `cryptography` alone: what the other engines are held against."""

    name: str = "plain"

    def lab(self, secret: bytes, first: int, count: int, *, streams: bool = False) -> Hands:
        """Derive decks `first`, ... of the laboratory secret (`lab`)."""
        check_run(secret, first, count)
        secrets = [hand_secret(secret, index) for index in range(first, first + count)]
        mixes = [hand_mix(index, own) for index, own in enumerate(secrets, first)]
        return self.derive(first, _rows(secrets, 32), _rows(mixes, 32), streams=streams)

    def derive(
        self,
        first: int,
        secrets: NDArray[np.uint8],
        mixes: NDArray[np.uint8],
        *,
        streams: bool = False,
    ) -> Hands:
        """Derive decks from secrets and mixes, (n, 32) each. Raises StreamExhaustedError."""
        check_rows("secrets", secrets, 32)
        check_rows("mixes", mixes, 32, len(secrets))
        pairs = zip(map(bytes, secrets), map(bytes, mixes), strict=True)
        seeds = [hkdf(secret, mix, DECK_INFO, drbg.SEED_BYTES) for secret, mix in pairs]
        expanded = [drbg.stream(seed, STREAM_BYTES) for seed in seeds]
        hands = _deal(first, expanded)
        kept = _rows(expanded, STREAM_BYTES) if streams else None
        return replace(hands, streams=kept, secrets=secrets)

    def expand(self, seeds: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the streams, (n, 1024), of seeds, (n, 48)."""
        check_rows("seeds", seeds, drbg.SEED_BYTES)
        return _rows([drbg.stream(bytes(seed), STREAM_BYTES) for seed in seeds], STREAM_BYTES)

    def deal(self, first: int, streams: NDArray[np.uint8]) -> Hands:
        """Shuffle decks from the bytes of their streams, (n, 1024 or fewer)."""
        check_rows("streams", streams, min(streams.shape[-1], STREAM_BYTES))
        return replace(_deal(first, [bytes(row) for row in streams]), streams=streams)


def _deal(first: int, streams: list[bytes]) -> Hands:
    decks, draws, used = no_draws(len(streams))
    for place, stream in enumerate(streams):
        try:
            ceremony = run_ceremony(stream)
        except StreamExhaustedError:
            raise exhausted(first + place, len(stream)) from None
        decks[place] = ceremony.deck
        draws[place] = _accepted(stream)
        used[place] = ceremony.bytes_used
    return Hands(first, decks, draws, used)


def _accepted(stream: bytes) -> list[int]:
    """Return the draws of a stream that is long enough, in their order."""
    draws = []
    read = iter(stream)
    for n, bound in BOUNDED:
        x = next(read)
        while x >= bound:
            x = next(read)
        draws.append(x % n)
    return draws


def _rows(values: list[bytes], width: int) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), width)
