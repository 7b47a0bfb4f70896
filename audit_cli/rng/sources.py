"""Where hands come from: small values that a worker process, anywhere, turns into arrays.

Nothing is believed of a file: hands are derived again, and decks are looked at card by card.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from audit_cli.derive import DECK_SIZE
from audit_cli.inputs import reason, shown
from audit_cli.rng.hands import Hands
from audit_cli.rng.hands_file import HandsFileError, read_header, read_records

if TYPE_CHECKING:
    from audit_cli.rng.hands import Engine


class NotDerivedError(Exception):
    """A hand of a file has another deck than its secret and mix give; `hand` counts from 0."""

    def __init__(self, path: str, hand: int) -> None:
        super().__init__(path, hand)
        self.path = path
        self.hand = hand

    def __str__(self) -> str:
        return f"{shown(self.path)}: the deck of hand {self.hand:,} (from 0) does not derive"


@dataclass(frozen=True, slots=True)
class Lab:
    """Hands without end, of one laboratory secret of 32 bytes (`lab`)."""

    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class HandsFile:
    """`count` collected hands (`hands_file`)."""

    path: str
    count: int


@dataclass(frozen=True, slots=True)
class DeckFile:
    """`count` decks of anyone's shuffle, 52 bytes each: the numbers 0 to 51 from the top."""

    path: str
    count: int


Source = Lab | HandsFile | DeckFile


def open_hands(path: str) -> HandsFile:
    """Return a finished file of hands. HandsFileError where it is none."""
    return HandsFile(path, read_header(Path(path)).count)


def open_decks(path: str) -> DeckFile:
    """Return a file of decks by its size. HandsFileError where it is none."""
    try:
        size = Path(path).stat().st_size
    except (OSError, ValueError) as error:
        message = f"{shown(path)}: {reason(error)}"
        raise HandsFileError(message) from None
    count, rest = divmod(size, DECK_SIZE)
    if rest or not count:
        message = f"{shown(path)} is no file of decks: {size:,} bytes are not 52 for each deck"
        raise HandsFileError(message)
    return DeckFile(path, count)


def read_hands(
    source: Source, engine: Engine, first: int, count: int, *, streams: bool = False
) -> Hands:
    """Return hands `first` to `first + count - 1` of a source, counted from 0.

    HandsFileError where a file can not be read or holds what is no deck, NotDerivedError naming
    the first hand whose deck differs, ValueError for hands beyond the source, or for streams of
    decks alone.
    """
    if isinstance(source, Lab):
        return engine.lab(source.secret, first, count, streams=streams)
    if not 0 <= first <= first + count <= source.count:
        message = f"{shown(source.path)} has {source.count:,} hands, not {first + count:,}"
        raise ValueError(message)
    if isinstance(source, HandsFile):
        return _derive_again(source, engine, first, count, streams)
    if streams:
        message = "decks alone have no streams"
        raise ValueError(message)
    return _read_decks(source, first, count)


def _derive_again(
    source: HandsFile, engine: Engine, first: int, count: int, streams: bool
) -> Hands:
    records = read_records(Path(source.path), first, count)
    hands = engine.derive(first, records.secrets, records.mixes, streams=streams)
    different = np.flatnonzero((hands.decks != records.decks).any(axis=1))
    if different.size:
        raise NotDerivedError(source.path, first + int(different[0]))
    return replace(hands, secrets=records.secrets)


def _read_decks(source: DeckFile, first: int, count: int) -> Hands:
    try:
        decks = np.fromfile(
            source.path, np.uint8, count * DECK_SIZE, offset=first * DECK_SIZE
        ).reshape(count, DECK_SIZE)
    except (OSError, ValueError) as error:
        message = f"{shown(source.path)}: {reason(error)}"
        raise HandsFileError(message) from None
    wrong = np.flatnonzero((np.sort(decks, axis=1) != np.arange(DECK_SIZE)).any(axis=1))
    if wrong.size:
        message = (
            f"{shown(source.path)}: deck {first + int(wrong[0]):,} (from 0) does not hold "
            "the numbers 0 to 51 once each"
        )
        raise HandsFileError(message)
    return Hands(first, decks)
