"""Holds what an audit has to remember, beside memory: a long game has many hands.

Bytes are only added, and read again by their place. Beyond a small buffer they go into a file
without a name that the system drops with the process; it holds nothing that the input does not.
Where no such file can be made, or the disk is full, they stay in memory.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from typing import TYPE_CHECKING

from audit_cli.merkle import HASH_BYTES, Frontier

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

_PIECE = 64 * 1024
_LENGTH_BITS = 24
_MOST = (1 << _LENGTH_BITS) - 1
# So much is read beside memory at once: what is asked for next mostly stands right behind.
_AHEAD = 4096
# Hands up to this number have a place in a row of numbers; a game rarely has as many.
_DENSE = 1 << 20
# So much of a value's hash is kept beside its place.
_MARK_BITS = 24
_MARK = (1 << _MARK_BITS) - 1
_VALUE = HASH_BYTES + 1


class _Pieces:
    """Pieces of one size in one file, which is made for the first of them."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._count = 0
        self._failed = False

    def save(self, piece: bytes) -> int | None:
        """Write a piece; its number, or None where it can not be kept."""
        if self._failed:
            return None
        try:
            if self._file is None:
                # Closed, and with it gone, when the process ends.
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
            self._file.seek(self._count * _PIECE)
            if self._file.write(piece) != _PIECE:
                self._failed = True
                return None
        except OSError:
            self._failed = True
            return None
        self._count += 1
        return self._count - 1

    def read(self, number: int, start: int, length: int) -> bytes:
        """Return a part of a piece."""
        assert self._file is not None
        return os.pread(self._file.fileno(), length, number * _PIECE + start)


_pieces = _Pieces()


class Spool:
    """Bytes by their place; places are the sum of the lengths before.

    Who adds often may add to `buffer` itself, and call `settle` now and then.
    """

    __slots__ = ("_near", "_near_at", "_numbers", "_saved", "buffer")

    def __init__(self) -> None:
        self.buffer = bytearray()
        self._saved = 0
        self._numbers = array("Q")
        # What was read last beside memory, which never changes, and its place.
        self._near = b""
        self._near_at = 0

    def __len__(self) -> int:
        """How many bytes were added."""
        return self._saved + len(self.buffer)

    def add(self, data: bytes) -> int:
        """Add bytes; where they are from now on."""
        at = self._saved + len(self.buffer)
        self.buffer += data
        if len(self.buffer) >= _PIECE:
            self.settle()
        return at

    def settle(self) -> None:
        """Take what fills whole pieces out of memory."""
        while len(self.buffer) >= _PIECE:
            number = _pieces.save(bytes(self.buffer[:_PIECE]))
            if number is None:
                return
            del self.buffer[:_PIECE]
            self._numbers.append(number)
            self._saved += _PIECE

    def read(self, at: int, length: int) -> bytes:
        """Return `length` bytes from a place on; fewer at the end."""
        start = at - self._near_at
        if start >= 0 and start + length <= len(self._near):
            return self._near[start : start + length]
        if at >= self._saved:
            start = at - self._saved
            return bytes(self.buffer[start : start + length])
        piece, start = divmod(at, _PIECE)
        here = min(max(length, _AHEAD), _PIECE - start)
        data = _pieces.read(self._numbers[piece], start, here)
        if here < length:
            return data + self.read(at + here, length - here)
        self._near, self._near_at = data, at
        return data[:length]

    def blocks(self, length: int = _PIECE) -> Iterator[bytes]:
        """Give all that was added, so many bytes at a time."""
        return (self.read(at, length) for at in range(0, len(self), length))


def root_of_spool(leaves: Spool) -> bytes:
    """Return the root (RFC 6962 2.1) of the leaf hashes in a spool."""
    frontier = Frontier()
    for block in leaves.blocks():
        for at in range(0, len(block), HASH_BYTES):
            frontier.append(block[at : at + HASH_BYTES])
    return frontier.root()


class Shelf:
    """A record of at most 16 MiB for each of some hands, by the hand's number."""

    __slots__ = ("_count", "_far", "_first", "_places", "_spool")

    def __init__(self) -> None:
        self._spool = Spool()
        # Place and length of each record in one number, from 1 on; 0 where there is none.
        self._places = array("Q")
        self._far: dict[int, int] = {}
        # Where the first record of a hand was that has another one now.
        self._first: dict[int, int] = {}
        self._count = 0

    def __len__(self) -> int:
        """How many hands have a record."""
        return self._count

    def __contains__(self, hand: int) -> bool:
        """Whether a hand has a record."""
        return self._place(hand) != 0

    def _place(self, hand: int) -> int:
        if hand < len(self._places):
            return self._places[hand]
        return self._far.get(hand, 0)

    def put(self, hand: int, record: bytes) -> None:
        """Keep a hand's record, in place of the one before."""
        length = len(record)
        if length > _MOST:
            message = "a record of more than 16 MiB"
            raise ValueError(message)
        place = (self._spool.add(record) << _LENGTH_BITS | length) + 1
        if hand == len(self._places) and not self._far:
            # The next hand, as usual.
            self._places.append(place)
            self._count += 1
            return
        before = self._place(hand)
        if before:
            self._first.setdefault(hand, before)
        self._count += not before
        self._set(hand, place)

    def _set(self, hand: int, place: int) -> None:
        places = self._places
        if hand < len(places):
            places[hand] = place
        elif hand < _DENSE and hand < 2 * len(places) + 1024:
            places.extend(self._far.pop(at, 0) for at in range(len(places), hand))
            self._far.pop(hand, None)
            places.append(place)
        elif place:
            self._far[hand] = place
        else:
            self._far.pop(hand, None)

    def get(self, hand: int) -> bytes | None:
        """Return a hand's record."""
        place = self._place(hand)
        if not place:
            return None
        at, length = (place - 1) >> _LENGTH_BITS, (place - 1) & _MOST
        return self._spool.read(at, length)

    def pop(self, hand: int) -> bytes | None:
        """Return a hand's record, which it has then no more."""
        record = self.get(hand)
        if record is not None:
            self._count -= 1
            self._first.pop(hand, None)
            self._set(hand, 0)
        return record

    def hands(self) -> Iterator[int]:
        """Give the hands that have a record, in the order in which they got one."""
        first = self._first
        found = [(first.get(hand, place), hand) for hand, place in enumerate(self._places) if place]
        found += [(first.get(hand, place), hand) for hand, place in self._far.items()]
        return (hand for _, hand in sorted(found))


class Numbers:
    """A set of hands' numbers, a bit each as long as they are as usual."""

    __slots__ = ("_bits", "_count", "_far")

    def __init__(self) -> None:
        self._bits = bytearray()
        self._far: set[int] = set()
        self._count = 0

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    def __contains__(self, number: int) -> bool:
        """Whether a number is among them."""
        if number < 8 * len(self._bits):
            return bool(self._bits[number >> 3] >> (number & 7) & 1)
        return number in self._far

    def add(self, number: int) -> None:
        """Add a number."""
        if number < 8 * _DENSE:
            bits, at, bit = self._bits, number >> 3, 1 << (number & 7)
            if at >= len(bits):
                bits += bytes(at + 65 - len(bits))
            if not bits[at] & bit:
                bits[at] |= bit
                self._count += 1
        elif number not in self._far:
            self._far.add(number)
            self._count += 1

    def discard(self, number: int) -> None:
        """Take a number out, if it is there."""
        if number not in self:
            return
        self._count -= 1
        if number < 8 * len(self._bits):
            self._bits[number >> 3] &= ~(1 << (number & 7)) & 0xFF
        else:
            self._far.discard(number)


class Values:
    """A set of values of 32 bytes, each with a short note, exact and of a few bytes a value.

    What is in memory is a table of places; the values themselves are compared where they lie.
    """

    __slots__ = ("_count", "_mask", "_spool", "_table")

    def __init__(self) -> None:
        self._spool = Spool()
        self._table = array("Q", bytes(8 * 1024))
        self._mask = 1023
        self._count = 0

    def put(self, value: bytes, note: bytes = b"") -> bytes | None:
        """Add a value with a note of at most 255 bytes; the note of one that was there already."""
        table, mask, spool = self._table, self._mask, self._spool
        # Keyed by the interpreter, so that nobody makes values that fall together.
        mixed = hash(value)
        mark = mixed & _MARK
        at = mixed & mask
        while place := table[at]:
            if place & _MARK == mark:
                found = spool.read((place >> _MARK_BITS) - 1, _VALUE + 256)
                if found[:HASH_BYTES] == value:
                    return found[_VALUE:][: found[HASH_BYTES]]
            at = at + 1 & mask
        start = spool.add(b"%b%c%b" % (value, len(note), note) if note else value + b"\0")
        table[at] = start + 1 << _MARK_BITS | mark
        self._count += 1
        if 3 * self._count > 2 * mask:
            self._grow()
        return None

    def _grow(self) -> None:
        """Double the table."""
        before, mask = self._table, 2 * self._mask + 1
        table = array("Q", bytes(8 * (mask + 1)))
        for place in before:
            if place:
                # What is kept of its hash says where a value stands in all but huge tables.
                mixed = place
                if mask > _MARK:
                    mixed = hash(self._spool.read((place >> _MARK_BITS) - 1, HASH_BYTES))
                at = mixed & mask
                while table[at]:
                    at = at + 1 & mask
                table[at] = place
        self._table, self._mask = table, mask
