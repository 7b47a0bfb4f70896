"""Bytes made for the purpose: what engines do with each byte at each draw, and with each draw.

Three things together prove that a deck of uniform bytes is uniform. Each of the 157 draws takes its
values from equally many of the 256 bytes and drops the rest (`scaling`, all of them); what is
dropped is followed by the next byte, however often (`bounds`); and the draws of a shuffle give each
permutation once (`permutations`, all draws of 3 to 6 cards, in each of the three shuffles).
"""

from __future__ import annotations

import math
from functools import lru_cache
from hashlib import shake_256
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.derive import DECK_SIZE, STREAM_BYTES, StreamExhaustedError
from audit_cli.rng.code import model
from audit_cli.rng.code.check import Check, make_check
from audit_cli.rng.hands import DRAWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from audit_cli.rng.hands import Engine

SMALL: Final = (3, 4, 5, 6)
_SWAPS: Final = DECK_SIZE - 1
#: The first draw of each shuffle among the 157.
_SHUFFLES: Final = (0, _SWAPS + 1, 2 * _SWAPS + 4)
_BOUNDS: Final = tuple(256 - 256 % n for n in DRAWS)
# Draws that leave every card where it is, and cut at the first place.
_STILL: Final = tuple(n - 1 for n in DRAWS)
_MIXED: Final = 1000
# What is offered before bound - 1: bytes so far above the bound, 255 at most.
_DROPPED: Final = ((), (0,), (1,), (0, 1, 255), (255, 0, 255, 0))


def check_engine(engine: Engine) -> tuple[Check, ...]:
    """Check an engine by crafted bytes."""
    return (
        _check_scaling(engine),
        _check_bounds(engine),
        _check_permutations(engine),
        _check_cuts(engine),
        _check_mixed(engine),
        _check_exhaustion(engine),
    )


def check_small_words() -> Check:
    """Count all sequences of words of 3 bits for 3 to 6 cards, also those with a word to spare.

    Every permutation comes from equally many sequences.
    """
    cases = [(n, n - 1) for n in SMALL] + [(n, n) for n in SMALL[:-1]]
    found = []
    for n, words in cases:
        counted = model.small_permutations(n, 3, words)
        if len(counted) != math.factorial(n) or len(set(counted.values())) != 1:
            found.append(f"{n} cards of {words} words: {sorted(set(counted.values()))}")
    title = "shuffles of 3 to 6 cards by all sequences of words of 3 bits"
    return make_check("B0.small", title, "model", len(cases), found)


def _table(streams: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return streams as rows of 1,024 bytes, zeros after their ends."""
    table = np.zeros((len(streams), STREAM_BYTES), np.uint8)
    for row, stream in zip(table, streams, strict=True):
        row[: len(stream)] = np.frombuffer(stream, np.uint8)
    return table


def _differences(
    engine: Engine, streams: Sequence[bytes], draws: Sequence[Sequence[int]], used: Sequence[int]
) -> Iterator[str]:
    """Deal crafted streams and tell each that did not give the draws, bytes used and deck."""
    try:
        hands = engine.deal(0, _table(streams))
    except StreamExhaustedError as error:
        yield f"a stream that was long enough was not: {error}"
        return
    if hands.draws is None or hands.used is None:
        yield "the engine does not tell its draws"
        return
    drawn = hands.draws.tolist()
    for row, (expected, taken) in enumerate(zip(draws, used, strict=True)):
        if drawn[row] != list(expected):
            at = next(k for k, value in enumerate(expected) if drawn[row][k] != value)
            yield (
                f"stream {row}, draw {at} below {DRAWS[at]}: {drawn[row][at]}, not {expected[at]}"
            )
        elif hands.used[row] != taken:
            yield f"stream {row}: {hands.used[row]} bytes used, not {taken}"
        elif hands.decks[row].tobytes() != _deal(tuple(expected)):
            yield f"stream {row}: another deck than its draws give"


@lru_cache(maxsize=8192)
def _deal(draws: tuple[int, ...]) -> bytes:
    """Return the deck that the model makes of draws: once for all engines."""
    return bytes(model.deal(draws))


def _check_scaling(engine: Engine) -> Check:
    """Offer each of the 256 bytes to each draw; 0 follows where it has to be dropped."""
    streams, draws = [], []
    for byte in range(256):
        stream = bytearray()
        row = []
        for n, bound in zip(DRAWS, _BOUNDS, strict=True):
            stream.append(byte)
            if byte >= bound:
                stream.append(0)
            row.append(byte % n if byte < bound else 0)
        streams.append(bytes(stream))
        draws.append(row)
    failures = list(_differences(engine, streams, draws, [len(each) for each in streams]))
    failures += _uneven(engine, streams)
    title = "each byte at each draw: equally many give each value"
    return make_check("B0.scaling", title, engine.name, 256 * len(DRAWS), failures)


def _uneven(engine: Engine, streams: Sequence[bytes]) -> Iterator[str]:
    """Count what the engine itself made of all bytes: dropped ones took a byte more."""
    try:
        drawn = engine.deal(0, _table(streams)).draws
    except StreamExhaustedError:
        return
    if drawn is None:
        return
    for at, (n, bound) in enumerate(zip(DRAWS, _BOUNDS, strict=True)):
        counted = np.bincount(drawn[:bound, at], minlength=n)
        if len(counted) != n or len(set(counted.tolist())) != 1:
            yield f"draw {at}: values below {n} come from {sorted(set(counted.tolist()))} bytes"


def _check_bounds(engine: Engine) -> Check:
    """Offer bound - 1, bound and bound + 1 to each draw, and many to be dropped in a row."""
    streams, draws = [], []
    for dropped in _DROPPED:
        stream = b""
        row = []
        for n, bound in zip(DRAWS, _BOUNDS, strict=True):
            beyond = [min(bound + above, 255) for above in dropped] if bound < 256 else []
            stream += bytes([*beyond, bound - 1])
            row.append((bound - 1) % n)
        streams.append(stream)
        draws.append(row)
    failures = _differences(engine, streams, draws, [len(each) for each in streams])
    title = "bytes at the bound of each draw, one below and one above"
    return make_check("B0.bounds", title, engine.name, len(streams) * len(DRAWS), failures)


def _check_permutations(engine: Engine) -> Check:
    """Give the last draws of each shuffle all their values, and no card moves otherwise."""
    failures = []
    cases = 0
    for first in _SHUFFLES:
        for n in SMALL:
            rows = []
            for values in product(*(range(i + 1) for i in range(n - 1, 0, -1))):
                row = list(_STILL)
                end = first + _SWAPS
                row[end - n + 1 : end] = values
                rows.append(row)
            cases += len(rows)
            streams = [bytes(row) for row in rows]
            failures += list(_differences(engine, streams, rows, [len(DRAWS)] * len(rows)))
            if len({_deal(tuple(row)) for row in rows}) != math.factorial(n):
                failures.append(f"shuffles of {n} cards do not give every permutation")
    title = "all draws of 3 to 6 cards in each shuffle give each permutation once"
    return make_check("B0.permutations", title, engine.name, cases, failures)


def _check_cuts(engine: Engine) -> Check:
    """Give the four draws of the cuts all their values."""
    rows = []
    for cut, x, y, turned in product(range(13), range(5), range(5), range(2)):
        row = list(_STILL)
        row[_SWAPS] = cut
        row[2 * _SWAPS + 1 : 2 * _SWAPS + 4] = x, y, turned
        rows.append(row)
    failures = _differences(engine, [bytes(row) for row in rows], rows, [len(DRAWS)] * len(rows))
    return make_check("B0.cuts", "all cuts", engine.name, len(rows), failures)


def _check_mixed(engine: Engine) -> Check:
    """Deal a thousand streams of SHAKE256, with the draws that the protocol's text gives."""
    streams, draws, used = [], [], []
    for number in range(_MIXED):
        stream = shake_256(b"cutcard/b0" + number.to_bytes(2, "big")).digest(STREAM_BYTES)
        row = []
        at = 0
        for n, bound in zip(DRAWS, _BOUNDS, strict=True):
            while stream[at] >= bound:
                at += 1
            row.append(stream[at] % n)
            at += 1
        streams.append(stream)
        draws.append(row)
        used.append(at)
    failures = _differences(engine, streams, draws, used)
    title = "decks of a thousand streams of SHAKE256"
    return make_check("B0.mixed", title, engine.name, _MIXED, failures)


def _check_exhaustion(engine: Engine) -> Check:
    """Fill the stream with bytes to be dropped, up to its last byte and beyond it."""
    room = STREAM_BYTES - len(DRAWS)
    failures = []
    # 255 is dropped by the first draw, below 52, and by the last but one, below 3.
    for place in (0, len(DRAWS) - 2):
        fits = bytes(_STILL[:place]) + b"\xff" * room + bytes(_STILL[place:])
        failures += list(_differences(engine, [fits], [_STILL], [STREAM_BYTES]))
        over = bytes(_STILL[:place]) + b"\xff" * (room + 1) + bytes(_STILL[place:])
        try:
            engine.deal(0, np.frombuffer(over[:STREAM_BYTES], np.uint8)[None, :])
        except StreamExhaustedError:
            continue
        failures.append(f"a deck was dealt beyond the stream's {STREAM_BYTES:,} bytes")
    title = "the last byte of a stream is used, and none beyond it"
    return make_check("B0.exhaustion", title, engine.name, 4, failures)
