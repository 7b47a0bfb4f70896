"""The same figures from any number of workers, any engine, in any order, at once or in parts."""

import os
from itertools import islice
from pathlib import Path

import pytest

from audit_cli.rng.plan import PRESETS, SEQUENCE_HANDS, Kind, Run, make_plan, preset_run
from audit_cli.rng.plan import Source as Planned
from audit_cli.rng.running.chunks import BitsTask, ChunkTask, work
from audit_cli.rng.running.counting import count
from audit_cli.rng.running.folder import Shelf
from audit_cli.rng.running.layout import Chunk, cut
from audit_cli.rng.running.pool import Pool
from audit_cli.rng.sources import Lab

PLAN = "c" * 64
SOURCE = Lab(bytes(range(32)))
PARTS = cut(SOURCE, Run(1200, 4, 150), 2)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What one worker counts with the plain engine."""
    shelf = Shelf(tmp_path_factory.mktemp("plain"), PLAN)
    with Pool(1) as pool:
        assert count(shelf, PARTS, "plain", pool, "counting") == 0
    return contents(shelf)


@pytest.mark.night
def test_three_workers_with_another_engine_write_the_same_bytes(
    tmp_path: Path, expected: dict[str, bytes]
) -> None:
    with Pool(3) as pool:
        count(Shelf(tmp_path, PLAN), PARTS, "numpy", pool, "counting")
    assert contents(Shelf(tmp_path, PLAN)) == expected


def test_a_run_that_stopped_anywhere_goes_on_to_the_same_bytes(
    tmp_path: Path, expected: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    shelf = Shelf(tmp_path, PLAN)
    shelf.prepare()
    for name, data in islice(sorted(expected.items()), 7):
        (tmp_path / name).write_bytes(data)
    torn = shelf.counts_path(PARTS.chunks[2])
    os.truncate(torn, 1000)
    (tmp_path / "counts" / ".00005.npz.part").write_bytes(b"what a kill left")
    with Pool(2) as pool:
        count(shelf, PARTS, "numpy", pool, "counting")
    assert contents(shelf) == expected
    assert f"{torn} is damaged" in capsys.readouterr().err


def test_a_finished_run_does_nothing_again(tmp_path: Path, expected: dict[str, bytes]) -> None:
    shelf = Shelf(tmp_path, PLAN)
    shelf.prepare()
    for name, data in expected.items():
        (tmp_path / name).write_bytes(data)
    # An engine that does not exist can not have been asked.
    with Pool(1) as pool:
        assert count(shelf, PARTS, "none", pool, "counting") == 11


def test_a_chunk_does_not_depend_on_what_was_counted_before_it() -> None:
    tasks = [ChunkTask(PLAN, SOURCE, "numpy", chunk) for chunk in PARTS.chunks[:3]]
    forward = [work(task) for task in tasks]
    backward = [work(task) for task in reversed(tasks)]
    assert forward == backward[::-1]


def test_each_sequence_is_of_the_streams_of_its_own_hands() -> None:
    first, second = (work(BitsTask(PLAN, SOURCE, "numpy", one)) for one in PARTS.bits[1:])
    assert isinstance(first, bytes)
    assert isinstance(second, bytes)
    assert first != second
    assert [bits.first for bits in PARTS.bits] == [0, 0, 600]


def test_blocks_and_chunks_lie_end_to_end_from_where_a_run_starts() -> None:
    parts = cut(SOURCE, Run(1200, 2, 200), 0, start=5000)
    assert parts.blocks[1] == (Chunk(3, 5600, 200), Chunk(4, 5800, 200), Chunk(5, 6000, 200))
    assert [chunk.first for chunk in parts.chunks] == [5000, 5200, 5400, 5600, 5800, 6000]
    assert parts.bits == ()


def test_a_block_of_the_largest_preset_has_ten_chunks() -> None:
    parts = cut(SOURCE, preset_run("deep"), 0)
    owners = {chunk.index: at for at, block in enumerate(parts.blocks) for chunk in block}
    assert [owners[chunk] for chunk in (0, 9, 10, 999)] == [0, 0, 1, 99]


@pytest.mark.parametrize("preset", PRESETS)
def test_the_sequences_of_each_preset_begin_with_chunks_of_their_own(
    preset: str,
) -> None:
    plan = make_plan(Planned(Kind.LAB), preset=preset, raw=("B1",), code="")
    parts = cut(SOURCE, plan.run, plan.sequences)
    places = [bits.first for bits in parts.bits[1:]]
    assert places == sorted(set(places))
    assert len(places) == plan.sequences
    assert {chunk.first for chunk in parts.chunks} >= set(places)
    assert plan.run.chunk >= SEQUENCE_HANDS


def contents(shelf: Shelf) -> dict[str, bytes]:
    """All that a run kept; what an interrupted write left beside it is none of it."""
    return {
        path.relative_to(shelf.folder).as_posix(): path.read_bytes()
        for path in sorted(shelf.folder.rglob("*.*"))
        if not path.name.startswith(".")
    }
