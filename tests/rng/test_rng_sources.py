"""Where hands come from: secrets, files of hands that are derived again, and decks of others."""

import hashlib
import pickle
import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from audit_cli.rng.engines.batches import Batches
from audit_cli.rng.hands_file import (
    RECORD,
    HandsFileError,
    HandsWriter,
    Header,
    Records,
    read_header,
    sidecar,
)
from audit_cli.rng.lab import hand_mix
from audit_cli.rng.sources import (
    DeckFile,
    HandsFile,
    Lab,
    NotDerivedError,
    open_decks,
    open_hands,
    read_hands,
)

SECRET = bytes(range(32))
ENGINE = Batches()
HEADER = Header(20, "dealer.example.com", "dealer.example.com:7443")


def records(count: int = 20) -> Records:
    hands = ENGINE.lab(SECRET, 0, count)
    assert hands.secrets is not None
    mixes = [list(hand_mix(index, bytes(own))) for index, own in enumerate(hands.secrets)]
    return Records(hands.secrets, np.array(mixes, np.uint8), hands.decks)


def some(first: int, end: int) -> Records:
    whole = records()
    return Records(whole.secrets[first:end], whole.mixes[first:end], whole.decks[first:end])


@pytest.fixture
def hands_file(tmp_path: Path) -> Path:
    path = tmp_path / "hands"
    with HandsWriter(path, HEADER) as writer:
        writer.append(records())
    return path


def test_a_secret_gives_the_hands_of_the_laboratory() -> None:
    hands = read_hands(Lab(SECRET), ENGINE, 7, 3, streams=True)
    assert np.array_equal(hands.decks, ENGINE.lab(SECRET, 7, 3).decks)
    assert hands.streams is not None


def test_a_file_gives_its_hands_from_anywhere(hands_file: Path) -> None:
    source = open_hands(str(hands_file))
    assert source == HandsFile(str(hands_file), 20)
    hands = read_hands(source, ENGINE, 5, 6, streams=True)
    expected = ENGINE.lab(SECRET, 5, 6, streams=True)
    for name in ("first", "decks", "draws", "used", "streams", "secrets"):
        assert np.array_equal(getattr(hands, name), getattr(expected, name)), name


@pytest.mark.parametrize("at", [0, 31, 32, 63, 64, 115])
def test_a_hand_that_does_not_derive_is_named(hands_file: Path, at: int) -> None:
    """Whatever byte of its record is another one: secret, mix or deck."""
    data = bytearray(hands_file.read_bytes())
    data[-RECORD * 8 + at] ^= 1
    data[-RECORD * 2 + at] ^= 1
    hands_file.write_bytes(data)
    source = open_hands(str(hands_file))
    assert read_hands(source, ENGINE, 0, 12).count == 12
    with pytest.raises(NotDerivedError, match="the deck of hand 12 ") as refusal:
        read_hands(source, ENGINE, 10, 10)
    assert refusal.value.hand == 12
    assert str(pickle.loads(pickle.dumps(refusal.value))) == str(refusal.value)


def test_hands_beyond_a_file_are_refused(hands_file: Path) -> None:
    source = open_hands(str(hands_file))
    for first, count in ((15, 6), (-1, 2)):
        with pytest.raises(ValueError, match="has 20 hands, not"):
            read_hands(source, ENGINE, first, count)
    with pytest.raises(HandsFileError, match="has 20 hands, not 26"):
        read_hands(replace(source, count=30), ENGINE, 20, 6)


def test_writing_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A record that a crash cut short is dropped; what was whole stays."""
    path = tmp_path / "hands"
    with HandsWriter(path, HEADER) as writer:
        writer.append(some(0, 9))
    with path.open("ab") as stream:
        stream.write(b"torn")
    with pytest.raises(HandsFileError, match="holds 9 hands and a part of one of the 20 it names"):
        open_hands(str(path))
    assert not sidecar(path).exists()
    with HandsWriter(path, HEADER) as writer:
        assert writer.written == 9
        writer.append(some(9, 20))
    assert read_hands(open_hands(str(path)), ENGINE, 0, 20).count == 20


@pytest.mark.parametrize("kept", [0, 10])
def test_a_header_that_was_cut_short_is_written_again(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "hands"
    path.write_bytes(HEADER.line()[:kept])
    with HandsWriter(path, HEADER) as writer:
        writer.append(records())
    assert read_header(path) == HEADER


def test_a_finished_file_has_its_sum_beside_it(hands_file: Path) -> None:
    digest = hashlib.sha256(hands_file.read_bytes()).hexdigest()
    assert sidecar(hands_file).read_text() == f"{digest}  hands\n"


def test_another_collection_is_not_written_over(hands_file: Path) -> None:
    before = hands_file.read_bytes()
    for header in (replace(HEADER, count=21), replace(HEADER, source="system")):
        with pytest.raises(HandsFileError, match="is there already and not of this collection"):
            HandsWriter(hands_file, header)
    assert hands_file.read_bytes() == before


@pytest.fixture
def full() -> Iterator[None]:
    """No file of this process grows beyond eight records and a half."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = len(HEADER.line()) + 8 * RECORD + RECORD // 2
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("full")
def test_a_disk_that_is_full_is_told_and_what_is_whole_stays(tmp_path: Path) -> None:
    path = tmp_path / "hands"
    with HandsWriter(path, HEADER) as writer:
        writer.append(some(0, 5))
        with pytest.raises(HandsFileError, match="file too large"):
            writer.append(some(5, 12))
        with pytest.raises(ValueError, match="closed"):
            writer.append(some(5, 6))
    with HandsWriter(path, HEADER) as writer:
        assert writer.written == 8
    data = path.read_bytes()
    assert data[len(HEADER.line()) :][-RECORD : -RECORD + 32] == some(7, 8).secrets.tobytes()


def test_two_writers_of_one_file_are_one_too_many(tmp_path: Path) -> None:
    path = tmp_path / "hands"
    with (
        HandsWriter(path, HEADER),
        pytest.raises(HandsFileError, match="is being written by another process"),
    ):
        HandsWriter(path, HEADER)


def test_more_hands_than_the_header_names_are_refused(tmp_path: Path) -> None:
    with HandsWriter(tmp_path / "hands", HEADER) as writer:
        writer.append(some(0, 15))
        with pytest.raises(ValueError, match="30 hands for a file of 20"):
            writer.append(some(0, 15))
        with pytest.raises(ValueError, match="records are rows of 116 bytes"):
            writer.append(Records(*(np.zeros((1, 32), np.uint8) for _ in range(3))))
        assert writer.written == 15


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"[]\n",
        b"{}\n",
        b"\xff\n",
        HEADER.line().replace(b"20", b"0"),
        HEADER.line().replace(b"20", b"-1"),
        HEADER.line().replace(b"20", b"true"),
        HEADER.line().replace(b"hands/1", b"hands/2"),
        HEADER.line().replace(b":", b": ", 1),
        HEADER.line().replace(b"{", b'{"also":1,'),
        HEADER.line().rstrip(),
    ],
)
def test_what_is_no_file_of_hands_is_told(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(line + bytes(RECORD))
    with pytest.raises(HandsFileError, match="is no file of hands"):
        open_hands(str(path))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "absent")
    for opening in (open_hands, open_decks):
        with pytest.raises(HandsFileError, match="no such file"):
            opening(path)
    with pytest.raises(HandsFileError, match="no such file"):
        HandsWriter(tmp_path / "absent" / "hands", HEADER)
    for source in (HandsFile(path, 1), DeckFile(path, 1)):
        with pytest.raises(HandsFileError, match="no such file"):
            read_hands(source, ENGINE, 0, 1)


def test_decks_of_others_are_decks_alone(tmp_path: Path) -> None:
    path = tmp_path / "decks"
    decks = ENGINE.lab(SECRET, 0, 8).decks
    path.write_bytes(decks.tobytes())
    source = open_decks(str(path))
    assert source == DeckFile(str(path), 8)
    hands = read_hands(source, ENGINE, 2, 5)
    assert hands.first == 2
    assert np.array_equal(hands.decks, decks[2:7])
    assert hands.draws is hands.used is hands.streams is hands.secrets is None
    with pytest.raises(ValueError, match="decks alone have no streams"):
        read_hands(source, ENGINE, 0, 1, streams=True)
    with pytest.raises(ValueError, match="has 8 hands, not 9"):
        read_hands(source, ENGINE, 8, 1)


@pytest.mark.parametrize("card", [0, 52, 255])
def test_what_is_no_deck_is_named(tmp_path: Path, card: int) -> None:
    path = tmp_path / "decks"
    decks = ENGINE.lab(SECRET, 0, 8).decks.copy()
    decks[5, decks[5] == 7] = card
    path.write_bytes(decks.tobytes())
    with pytest.raises(HandsFileError, match=r"deck 5 \(from 0\) does not hold"):
        read_hands(open_decks(str(path)), ENGINE, 2, 6)


@pytest.mark.parametrize("size", [0, 51, 53])
def test_a_file_of_another_size_holds_no_decks(tmp_path: Path, size: int) -> None:
    path = tmp_path / "decks"
    path.write_bytes(bytes(size))
    with pytest.raises(HandsFileError, match="is no file of decks"):
        open_decks(str(path))


@pytest.mark.parametrize("source", [Lab(SECRET), HandsFile("a", 1), DeckFile("b", 2)])
def test_a_source_goes_to_a_worker_and_tells_no_secret(source: Lab | HandsFile | DeckFile) -> None:
    assert pickle.loads(pickle.dumps(source)) == source
    assert SECRET.hex() not in repr(source)
    assert "x01" not in repr(source)
