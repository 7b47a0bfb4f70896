"""Reading the files of finished games: from any place, as the store would have given it."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from dealer_service.store.api import StoredCheckpoint
from dealer_service.tables import offsets
from dealer_service.tables.offsets import STEP
from dealer_service.tables.shelf import Shelf

GAME = "ab" * 16
SIZES = (0, 1, STEP - 1, STEP, STEP + 1, 3 * STEP + 7)


def every_seventh(size: int) -> range:
    return range(7, size + 1, 7)


def file_of(
    folder: Path, count: int, signed: Callable[[int], Iterable[int]] = every_seventh
) -> Path:
    """Write a file of so many lines, with checkpoints behind some of them."""
    sizes = set(signed(count))
    path = folder / f"{GAME}.jsonl"
    with path.open("wb") as file:
        file.write(b'{"format":"cutcard-game/1"}\n')
        for index in range(count):
            file.write(text(index) + b"\n")
            if index + 1 in sizes:
                file.write(b'{"checkpoint":"note %d"}\n' % (index + 1))
    return path


def text(index: int) -> bytes:
    """Give a line, of a length that changes along the log."""
    return b'{"i":%d,"x":"%s"}' % (index, b"y" * (index % 50))


def note(size: int) -> StoredCheckpoint:
    return StoredCheckpoint(size, f"note {size}")


@pytest.mark.parametrize("count", SIZES)
def test_lines_are_read_from_any_index_on(tmp_path: Path, count: int) -> None:
    file_of(tmp_path, count)
    shelf = Shelf(tmp_path)
    for start in {0, 1, 6, 7, 8, STEP - 1, STEP, STEP + 1, 2 * STEP, count - 1, count, count + 9}:
        if start >= 0:
            expected = [text(index) for index in range(start, count)]
            assert list(shelf.every_line(GAME, start)) == expected
            assert list(shelf.lines(GAME, start, 10)) == expected[:10]


@pytest.mark.parametrize("count", SIZES)
def test_checkpoints_are_read_from_any_size_on(tmp_path: Path, count: int) -> None:
    file_of(tmp_path, count)
    shelf = Shelf(tmp_path)
    for size in {0, 1, 7, 8, STEP - 1, STEP, STEP + 1, 7 * STEP, count, count + 1}:
        expected = [note(each) for each in every_seventh(count) if each >= size]
        assert list(shelf.checkpoints(GAME, size, 10)) == expected[:10]
        assert list(shelf.checkpoints(GAME, size)) == expected


@pytest.mark.parametrize("size", [1, 5, STEP - 1, STEP, STEP + 1, 3 * STEP])
def test_the_last_checkpoint_is_found_wherever_it_stands(tmp_path: Path, size: int) -> None:
    file_of(tmp_path, 3 * STEP, lambda _: [1, size])
    assert Shelf(tmp_path).last_checkpoint(GAME) == note(size)


def test_a_file_without_a_checkpoint_has_no_last_one(tmp_path: Path) -> None:
    file_of(tmp_path, 2 * STEP, lambda _: ())
    assert Shelf(tmp_path).last_checkpoint(GAME) is None


def test_a_page_is_read_without_what_is_before_it(tmp_path: Path) -> None:
    """The beginning is spoiled, unseen, once it is known where lines begin."""
    path = file_of(tmp_path, 3 * STEP)
    shelf = Shelf(tmp_path)
    last = shelf.lines(GAME, 2 * STEP, STEP)
    status = path.stat()
    with path.open("r+b") as file:
        file.write(b"\n" * 1000)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert shelf.lines(GAME, 2 * STEP, STEP) == last
    assert shelf.last_checkpoint(GAME) == note(3 * STEP // 7 * 7)
    assert shelf.lines(GAME, 0, 1) == (b"",)


def test_a_file_in_the_place_of_another_is_read_anew(tmp_path: Path) -> None:
    file_of(tmp_path, 3 * STEP)
    shelf = Shelf(tmp_path)
    assert len(shelf.lines(GAME, 0, 9_999)) == 3 * STEP
    (tmp_path / "other").mkdir()
    file_of(tmp_path / "other", 5, lambda _: [5]).replace(tmp_path / f"{GAME}.jsonl")
    assert shelf.lines(GAME, 0, 9_999) == tuple(text(index) for index in range(5))
    assert shelf.last_checkpoint(GAME) == note(5)


def test_the_marks_of_few_files_are_kept(tmp_path: Path) -> None:
    marks = offsets.Offsets(b"#")
    for number in range(2 * offsets.FILES):
        path = tmp_path / str(number)
        path.write_bytes(b"header\nline\n")
        with path.open("rb") as file:
            assert marks.marks(file) == [7]
    assert len(marks._kept) == offsets.FILES


def test_a_game_without_a_file_is_told_as_such(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for read in (shelf.last_checkpoint, lambda game: shelf.lines(game, 0, 1), shelf.checkpoints):
        with pytest.raises(FileNotFoundError):
            read(GAME)
