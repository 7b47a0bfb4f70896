"""A run's folder holds whole things or none, and tells damage from absence."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from audit_cli.inputs import UsageError
from audit_cli.rng.measured import Measured
from audit_cli.rng.running.folder import Lacking, Shelf, locked
from audit_cli.rng.running.layout import Bits, Chunk
from audit_cli.rng.running.packed import Packed, pack, pack_bits, unpack
from audit_cli.writing import write_whole

PLAN = "a" * 64
CHUNK = Chunk(3, 3000, 1000)
BITS = Bits("00007", 861)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path, PLAN)
    shelf.prepare()
    return shelf


def test_what_is_kept_is_read_again(shelf: Shelf) -> None:
    shelf.keep(CHUNK, packed())
    counted = shelf.read(CHUNK)
    assert counted is not None
    assert counted.decks_sha256 == "d" * 64
    assert counted.counts["joint"].tolist() == [[0, 1], [2, 3]]
    assert counted.counts["joint"].dtype == np.int64
    digests = np.fromfile(shelf.digests_path(CHUNK), "<u8")
    assert digests.tolist() == list(range(1000))
    assert shelf.lacking([CHUNK], []) == Lacking((), (), ())


def test_the_same_counts_are_the_same_bytes() -> None:
    assert packed().counts == packed().counts


def test_a_chunk_that_was_never_counted_is_missing_and_not_damaged(shelf: Shelf) -> None:
    assert shelf.lacking([CHUNK], [BITS]) == Lacking((CHUNK,), (BITS,), ())


@pytest.mark.parametrize("at", [0, 40, 200, 500, -60, -1])
def test_a_flipped_byte_anywhere_in_the_counts_changes_nothing_or_is_seen(
    shelf: Shelf, at: int
) -> None:
    shelf.keep(CHUNK, packed())
    path = shelf.counts_path(CHUNK)
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)
    counted = shelf.read(CHUNK)
    assert counted is None or counted.counts["joint"].tolist() == [[0, 1], [2, 3]]


def test_every_flipped_byte_of_a_table_or_of_the_head_is_seen(shelf: Shelf) -> None:
    shelf.keep(CHUNK, packed())
    path = shelf.counts_path(CHUNK)
    whole = path.read_bytes()
    places = [whole.index(b"tables_sha256") + 20, whole.index(b"d" * 64), whole.index(b"first")]
    places += range(at := whole.index(bytes(8) + b"\x01"), at + 32)
    for place in places:
        data = bytearray(whole)
        data[place] ^= 1
        path.write_bytes(data)
        assert shelf.lacking([CHUNK], []) == Lacking((CHUNK,), (), (path,))


@pytest.mark.parametrize("size", [0, 1, 100, 1000])
def test_torn_counts_are_damaged(shelf: Shelf, size: int) -> None:
    shelf.keep(CHUNK, packed())
    path = shelf.counts_path(CHUNK)
    os.truncate(path, size)
    assert shelf.lacking([CHUNK], []) == Lacking((CHUNK,), (), (path,))


@pytest.mark.parametrize("harm", ["torn", "changed", "gone"])
def test_counts_do_not_count_without_their_digests(shelf: Shelf, harm: str) -> None:
    shelf.keep(CHUNK, packed())
    path = shelf.digests_path(CHUNK)
    if harm == "torn":
        os.truncate(path, 7992)
    elif harm == "changed":
        path.write_bytes(b"\1" + path.read_bytes()[1:])
    else:
        path.unlink()
    assert shelf.lacking([CHUNK], []) == Lacking((CHUNK,), (), (shelf.counts_path(CHUNK),))


def test_counts_of_another_plan_or_place_are_none(shelf: Shelf) -> None:
    data = packed()
    assert unpack(data.counts, "b" * 64) is None
    shelf.keep(CHUNK, data)
    shelf.keep(Chunk(4, 4000, 1000), data)
    assert shelf.read(Chunk(4, 4000, 1000)) is None
    assert shelf.read(Chunk(3, 3000, 999)) is None


def test_what_was_said_of_raw_bits_is_kept_and_damage_to_it_is_seen(shelf: Shelf) -> None:
    data = pack_bits(BITS, {"p": [0.5, None]}, PLAN)
    shelf.keep_bits(BITS, data)
    assert shelf.read_bits(BITS) == {"p": [0.5, None]}
    assert shelf.lacking([], [BITS]) == Lacking((), (), ())
    path = shelf.bits_path(BITS)
    for harm in (data[:-20], b"", data.replace(b"0.5", b"0.6"), data[:64], data.upper()):
        path.write_bytes(harm)
        assert shelf.lacking([], [BITS]) == Lacking((), (BITS,), (path,))
    path.write_bytes(pack_bits(BITS, {}, "b" * 64))
    assert shelf.read_bits(BITS) is None
    path.write_bytes(pack_bits(Bits("00008", 861), {}, PLAN))
    assert shelf.read_bits(BITS) is None


def test_what_is_no_archive_is_refused_and_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "object.npz"
    np.savez(path, head=np.array([{"plan": PLAN}], dtype=object))
    assert unpack(path.read_bytes(), PLAN) is None
    assert unpack(b"", PLAN) is None
    assert unpack(b"PK\3\4", PLAN) is None


def test_a_file_is_written_whole_whatever_an_earlier_try_left(tmp_path: Path) -> None:
    (tmp_path / ".name.part").write_bytes(b"half of it, and more")
    write_whole(tmp_path / "name", b"one")
    write_whole(tmp_path / "name", b"two", 0o600)
    assert (tmp_path / "name").read_bytes() == b"two"
    assert (tmp_path / "name").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def test_a_write_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    write_whole(tmp_path / "name", b"one")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "name", b"two")
    assert (tmp_path / "name").read_bytes() == b"one"


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from audit_cli.rng.running.folder import locked\n"
        "with locked(Path(sys.argv[1])): print('in', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"in\n"
        with pytest.raises(UsageError, match="another process"), locked(tmp_path):
            pass
        # The lock goes with the process, however that goes.
        other.kill()
    with locked(tmp_path):
        pass


def test_a_folder_that_can_not_be_made_is_a_wrong_command_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="not a directory"), locked(tmp_path / "file" / "run"):
        pass


def packed() -> Packed:
    counts = {"joint": np.arange(4, dtype=np.int64).reshape(2, 2), "decks": np.array([1000])}
    measured = Measured(3000, 1000, counts, np.arange(1000, dtype=np.uint64), "d" * 64)
    data = pack(measured, PLAN)
    assert hashlib.sha256(data.digests).hexdigest().encode() in data.counts
    return data
