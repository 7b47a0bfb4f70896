"""What an audit keeps beside memory comes back as it was, whether the disk takes it or not."""

import tempfile
from random import Random
from typing import Any

import pytest

from audit_cli import spool
from audit_cli.merkle import root_of
from audit_cli.spool import Numbers, Shelf, Spool, Values, root_of_spool


@pytest.fixture(params=["disk", "memory"], autouse=True)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pieces be small; and once let there be no place for files."""
    monkeypatch.setattr(spool, "_PIECE", 512)
    monkeypatch.setattr(spool, "_pieces", spool._Pieces())

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(28, "no space left on device")

    if request.param == "memory":
        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)


def test_bytes_are_read_again_from_every_place() -> None:
    kept, whole = Spool(), b""
    for length in (0, 1, 500, 512, 513, 3_000, 7):
        data = Random(length).randbytes(length)
        assert kept.add(data) == len(whole)
        whole += data
    assert len(kept) == len(whole)
    for at in range(0, len(whole), 97):
        for length in (0, 1, 511, 513, 5_000):
            assert kept.read(at, length) == whole[at : at + length]
    assert b"".join(kept.blocks(100)) == whole


def test_what_is_added_behind_a_read_is_read_as_well() -> None:
    """What was read ahead never hides what came later."""
    kept, whole, chance = Spool(), b"", Random(5)
    for _ in range(300):
        data = chance.randbytes(chance.randrange(90))
        kept.add(data)
        whole += data
        at, length = chance.randrange(len(whole) + 1), chance.randrange(200)
        assert kept.read(at, length) == whole[at : at + length]
        assert kept.read(at + length, 40) == whole[at + length :][:40]


def test_a_disk_that_fills_up_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Spool()
    kept.add(bytes(600))
    monkeypatch.setattr(spool._pieces, "_file", Full())
    kept.add(b"x" * 2_000)
    assert kept.read(600, 2_000) == b"x" * 2_000


class Full:
    def seek(self, _: int) -> None:
        pass

    def write(self, _: bytes) -> int:
        raise OSError(28, "no space left on device")


def test_the_root_is_that_of_all_leaves() -> None:
    leaves = [Random(number).randbytes(32) for number in range(77)]
    kept = Spool()
    for leaf in leaves:
        kept.add(leaf)
    assert root_of_spool(kept) == root_of(leaves)


HANDS = (1, 2, 3, 5, 4, 900, 70_000, 2**40, 2**53 - 1, 6)


def test_a_shelf_is_a_dictionary_of_records() -> None:
    shelf, plain = Shelf(), dict[int, bytes]()
    random = Random(1)
    for step in range(3_000):
        hand = random.choice((*HANDS, random.randrange(1, 2_000)))
        if random.random() < 0.6:
            record = random.randbytes(random.randrange(60))
            shelf.put(hand, record)
            plain[hand] = record
        else:
            assert shelf.pop(hand) == plain.pop(hand, None)
        if step % 50 == 0:
            assert list(shelf.hands()) == list(plain)
        assert len(shelf) == len(plain)
        assert (hand in shelf) == (hand in plain)
        assert shelf.get(hand) == plain.get(hand)


def test_numbers_are_a_set() -> None:
    numbers, plain = Numbers(), set[int]()
    random = Random(2)
    for _ in range(3_000):
        number = random.choice((*HANDS, random.randrange(1, 2_000)))
        if random.random() < 0.6:
            numbers.add(number)
            plain.add(number)
        else:
            numbers.discard(number)
            plain.discard(number)
        assert len(numbers) == len(plain)
        assert (number in numbers) == (number in plain)


@pytest.mark.parametrize("bits", [4, 24])
def test_values_are_told_apart_whole(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few bits of a hash beside the places nearly all values look alike at a glance."""
    monkeypatch.setattr(spool, "_MARK_BITS", bits)
    monkeypatch.setattr(spool, "_MARK", (1 << bits) - 1)
    values = Values()
    random = Random(3)
    made = [random.randbytes(32) for _ in range(3_000)]
    for number, value in enumerate(made):
        assert values.put(value, str(number).encode()) is None
    for number, value in enumerate(made):
        assert values.put(value, b"again") == str(number).encode()
        twin = bytes((value[0] ^ 1, *value[1:]))
        assert number % 50 or values.put(twin) is None
