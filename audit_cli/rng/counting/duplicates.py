"""S19: pairs of decks with the same first five cards, and decks that came again.

Digests (`digests.digest`) of any number of hands are gone through in bounded memory: what does not
fit is split by ranges of digests into files, and those that still do not fit are split again. The
figures do not depend on the memory, and the order of hands does not matter to them.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.counting.digests import FIVES, HASH_BITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import BinaryIO

    from numpy.typing import NDArray

    Digests = NDArray[np.uint64]

#: Bytes of memory that are used for digests unless the caller says otherwise.
MEMORY: Final = 128 << 20
#: How many digests that came again are named, and how many hands of each.
NAMED: Final = 100

# A sorted digest needs itself, and what is made of it to count runs.
_BYTES_EACH = 32
# Into how many ranges digests are split at once: their numbers are bytes.
_FILES = 200
_ONE_FIVE = 1 << HASH_BITS
_END = FIVES * _ONE_FIVE
_NONE = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class DigestFile:
    """The digests of hands `first`, `first` + 1, ...: eight bytes each, the lowest byte first."""

    path: Path
    first: int


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What came again among `hands` hands.

    `five_pairs` counts the pairs of hands with the same first five cards in the same order,
    `equal_pairs` those of them with equal digests. `groups` names hands with one digest each, in
    rising order; `whole` tells that none is left out (at most
    `NAMED` groups of `NAMED` hands are named).
    """

    hands: int
    five_pairs: int
    equal_pairs: int
    groups: tuple[tuple[int, ...], ...] = ()
    whole: bool = True


@dataclass(slots=True)
class _Found:
    """What was counted so far, of digests in rising order."""

    five_pairs: int = 0
    equal_pairs: int = 0
    digests: list[int] = field(default_factory=list)
    whole: bool = True

    def count_sorted(self, digests: Digests, *, fives: bool) -> None:
        """Count among sorted digests, which hold all that are equal to one of them."""
        if fives:
            places = digests >> np.uint64(HASH_BITS)
            self.five_pairs += _count_pairs(places[1:] == places[:-1])
        same = digests[1:] == digests[:-1]
        self.equal_pairs += _count_pairs(same)
        self.name(np.unique(digests[1:][same])[: NAMED + 1].tolist())

    def name(self, digests: list[int]) -> None:
        """Keep the lowest digests that came again."""
        self.digests += digests
        if len(self.digests) > NAMED:
            self.whole = False
            del self.digests[NAMED:]


def find_duplicates(
    files: Sequence[DigestFile], scratch: Path | None = None, *, memory: int = MEMORY
) -> Duplicates:
    """Return what came again among the hands of all files.

    Beyond `memory` bytes, digests are sorted in a folder that is made in `scratch` (or where
    temporary files belong) and removed: as large as the files. OSError where one can not be read or
    written, ValueError where one holds something else than digests.
    """
    hands = sum(_count_digests(file.path) for file in files)
    room = max(memory // _BYTES_EACH, 1)
    found = _Found()
    with TemporaryDirectory(prefix="digests-", dir=scratch) as folder:
        division = _Division(Path(folder), room, found)
        division.count([file.path for file in files], hands, 0, _END)
    parts = (
        (first, block) for file in files for first, block in _read(file.path, room, file.first)
    )
    groups, whole = _name_hands(parts if found.digests else (), found.digests)
    return Duplicates(hands, found.five_pairs, found.equal_pairs, groups, found.whole and whole)


def count_duplicates(digests: Digests) -> Duplicates:
    """Return what came again among hands 0, 1, ... whose digests (n,) are at hand."""
    found = _Found()
    found.count_sorted(np.sort(digests), fives=True)
    groups, whole = _name_hands([(0, digests)], found.digests)
    named = found.whole and whole
    return Duplicates(len(digests), found.five_pairs, found.equal_pairs, groups, named)


def confirm(found: Duplicates, read: Callable[[int], bytes]) -> int:
    """Return how many pairs of hands have equal decks; `read` returns the deck of a hand.

    Pairs whose digests are equal by chance are taken out of `equal_pairs`: all of them where
    `found` is whole.
    """
    pairs = found.equal_pairs
    for group in found.groups:
        decks = [read(hand) for hand in group]
        pairs -= sum(deck != other for place, deck in enumerate(decks) for other in decks[:place])
    return pairs


@dataclass(frozen=True, slots=True)
class _Division:
    """Counts files by splitting them into ranges of digests that fit the memory."""

    folder: Path
    room: int
    found: _Found

    def count(self, paths: list[Path], hands: int, low: int, high: int) -> None:
        """Count the digests of files, all at least `low` and below `high`."""
        span = high - low
        if hands <= self.room:
            blocks = [block for path in paths for _, block in _read(path, self.room)]
            digests = np.concatenate([_NONE, *blocks])
            _check_ends(digests, low, high)
            digests.sort()
            self.found.count_sorted(digests, fives=span >= _ONE_FIVE)
            return
        if span == _ONE_FIVE:
            self.found.five_pairs += hands * (hands - 1) // 2
        if span == 1:
            self.found.equal_pairs += hands * (hands - 1) // 2
            self.found.name([low])
            return
        width = -(-span // _FILES)
        if span > _ONE_FIVE:
            # No two files share a five, so that each can be counted by itself.
            width = -(-width // _ONE_FIVE) * _ONE_FIVE
        for path, start in self._split(paths, low, high, width):
            self.count([path], _count_digests(path), start, min(start + width, high))
            path.unlink()

    def _split(self, paths: list[Path], low: int, high: int, width: int) -> list[tuple[Path, int]]:
        """Write the digests of each range of `width` that has any into a file.

        Returns where it is, and the range's start.
        """
        starts = range(low, high, width)
        streams: dict[int, BinaryIO] = {}
        with ExitStack() as stack:
            for path in paths:
                for _, block in _read(path, self.room):
                    _check_ends(block, low, high)
                    numbers = ((block - np.uint64(low)) // np.uint64(width)).astype(np.uint8)
                    ends = np.cumsum(np.bincount(numbers, minlength=len(starts)))[:-1]
                    # A stable order of bytes is found by counting, which is faster than sorting.
                    parts = np.split(block[np.argsort(numbers, kind="stable")], ends)
                    for number, part in enumerate(parts):
                        if not part.size:
                            continue
                        if number not in streams:
                            name = self._name(width, starts[number])
                            streams[number] = stack.enter_context(name.open("wb"))
                        part.tofile(streams[number])
        return [(self._name(width, starts[number]), starts[number]) for number in sorted(streams)]

    def _name(self, width: int, start: int) -> Path:
        return self.folder / f"{width:x}-{start:x}"


def _count_digests(path: Path) -> int:
    size = path.stat().st_size
    if size % 8:
        message = f"{path.name} does not hold a whole number of digests"
        raise ValueError(message)
    return size // 8


def _read(path: Path, room: int, first: int = 0) -> Iterator[tuple[int, Digests]]:
    """Yield a file's digests in blocks of at most `room`, each with the hand of its first."""
    with path.open("rb") as stream:
        while (block := np.fromfile(stream, "<u8", room)).size:
            yield first, block.astype(np.uint64, copy=False)
            first += block.size


def _check_ends(digests: Digests, low: int, high: int) -> None:
    if digests.size and not (low <= digests.min() and digests.max() < high):
        message = f"{digests.max():x} is no digest of a deck"
        raise ValueError(message)


def _count_pairs(same: NDArray[np.bool_]) -> int:
    """Return how many pairs are equal, where each value of a sorted row is its predecessor's."""
    edges = np.flatnonzero(np.diff(same, prepend=False, append=False))
    runs = edges[1::2] - edges[::2]
    return int((runs * (runs + 1) // 2).sum())


def _name_hands(
    parts: Iterable[tuple[int, Digests]], digests: list[int]
) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Return the hands that have each of these digests, and whether none is left out."""
    if not digests:
        return (), True
    wanted = np.array(digests, np.uint64)
    groups: list[list[int]] = [[] for _ in digests]
    whole = True
    for first, block in parts:
        places = np.searchsorted(wanted, block)
        places[places == len(wanted)] = 0
        for at in np.flatnonzero(wanted[places] == block).tolist():
            group = groups[places[at]]
            if len(group) < NAMED:
                group.append(first + at)
            else:
                whole = False
    return tuple(tuple(group) for group in groups), whole
