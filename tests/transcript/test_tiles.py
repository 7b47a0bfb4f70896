import random
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.transcript.merkle import Tree, leaf_hash, verify_inclusion
from dealer_service.transcript.refusal import Reason, TranscriptError
from dealer_service.transcript.tile_edge import TileEdge, edge_from
from dealer_service.transcript.tiles import (
    Tile,
    TileReader,
    entries_path,
    entry_bundle,
    hash_tile_path,
    read_entry_bundle,
    read_tile,
    tile_at,
    tiles_of,
    write_tile,
)
from tests.support.known_answers import vectors

VECTORS = vectors("dealer_log.json")
LINES = [b"line %d" % number for number in range(70_000)]
LEAVES = [leaf_hash(line) for line in LINES]
TREE = Tree(LEAVES)
SIZES = (1, 2, 3, 255, 256, 257, 511, 512, 1_000, 65_535, 65_536, 65_537, 70_000)


def publication(*sizes: int) -> dict[str, bytes]:
    """Write the files of a log that was published at these sizes."""
    files: dict[str, bytes] = {}
    edge = TileEdge()
    for size in sizes:
        old = edge.size
        edge, tiles = edge.grow(LEAVES[old:size])
        files.update((tile.path, data) for tile, data in tiles)
        for tile in tiles_of(old, size):
            if tile.level == 0:
                start = tile.index * 256
                files[tile.entries] = entry_bundle(LINES[start : start + tile.width])
    return files


@pytest.fixture(scope="module")
def published() -> dict[str, bytes]:
    return publication(*SIZES)


@pytest.mark.parametrize(
    ("level", "index", "width", "path"),
    [
        (0, 0, 256, "tile/0/000"),
        (0, 1_234_067, 256, "tile/0/x001/x234/067"),
        (0, 1_234_067, 8, "tile/0/x001/x234/067.p/8"),
        (1, 999, 255, "tile/1/999.p/255"),
        (63, 1_000, 1, "tile/63/x001/000.p/1"),
        (2, 1_000_000, 256, "tile/2/x001/x000/000"),
    ],
)
def test_a_hash_tile_path_is_written_by_the_specification(
    level: int, index: int, width: int, path: str
) -> None:
    assert hash_tile_path(level, index, width) == path
    assert Tile(level, index, width).path == path


def test_an_entry_bundle_path_is_that_of_the_level_0_tile_with_another_name() -> None:
    assert entries_path(1_234_067, 8) == "tile/entries/x001/x234/067.p/8"
    assert Tile(0, 5).entries == "tile/entries/005"


@pytest.mark.parametrize(
    ("level", "index", "width"), [(-1, 0, 1), (64, 0, 1), (0, -1, 1), (0, 0, 0), (0, 0, 257)]
)
def test_a_place_that_no_log_has_has_no_path(level: int, index: int, width: int) -> None:
    with pytest.raises(TranscriptError) as refused:
        hash_tile_path(level, index, width)
    assert refused.value.reason is Reason.TREE_RANGE


def test_a_log_of_70_000_lines_has_the_tiles_that_the_specification_counts() -> None:
    tiles = tiles_of(0, 70_000)
    full = [tile for tile in tiles if tile.width == 256]
    assert [sum(tile.level == level for tile in full) for level in range(3)] == [273, 1, 0]
    assert set(tiles) - set(full) == {Tile(0, 273, 112), Tile(1, 1, 17), Tile(2, 0, 1)}


def test_a_log_of_256_lines_has_a_full_tile_and_one_of_width_1_above() -> None:
    assert tiles_of(0, 256) == (Tile(0, 0), Tile(1, 0, 1))


def test_growing_names_only_what_changes() -> None:
    assert tiles_of(255, 256) == (Tile(0, 0), Tile(1, 0, 1))
    assert tiles_of(256, 257) == (Tile(0, 1, 1),)
    assert tiles_of(300, 301) == (Tile(0, 1, 45),)
    assert tiles_of(300, 300) == ()
    assert tiles_of(0, 0) == ()
    with pytest.raises(TranscriptError):
        tiles_of(2, 1)


@given(old=st.integers(0, 300_000), more=st.integers(0, 300_000), rest=st.integers(0, 300_000))
def test_a_log_is_the_same_files_however_it_grew(old: int, more: int, rest: int) -> None:
    """Partial tiles of sizes on the way are there besides; full ones and the last are the same."""
    middle, new = old + more, old + more + rest
    at_once = set(tiles_of(old, new))
    in_steps = set(tiles_of(old, middle)) | set(tiles_of(middle, new))
    assert at_once <= in_steps
    assert {tile for tile in in_steps if tile.width == 256} == {
        tile for tile in at_once if tile.width == 256
    }


@given(size=st.integers(1, 2**40))
def test_the_edge_of_every_size_is_its_partial_tiles(size: int) -> None:
    level = 0
    while size >> 8 * level:
        if size >> 8 * level & 255:
            tile = tile_at(level, size >> 8 * (level + 1), size)
            assert tile.width == size >> 8 * level & 255
        level += 1


def test_tiles_and_bundles_are_read_back() -> None:
    assert read_tile(write_tile(LEAVES[:3]), 3) == tuple(LEAVES[:3])
    lines = [b"", b"one", b"x" * 65_535]
    data = entry_bundle(lines)
    assert data.startswith(b"\x00\x00\x00\x03one\xff\xffxx")
    assert read_entry_bundle(data, 3) == tuple(lines)


def test_what_is_no_tile_or_bundle_is_refused() -> None:
    data = entry_bundle([b"one", b"two"])
    for attempt in (
        lambda: write_tile([]),
        lambda: write_tile([b"short"]),
        lambda: write_tile(LEAVES[:257]),
        lambda: read_tile(LEAVES[0], 2),
        lambda: read_tile(b"", 0),
        lambda: entry_bundle([]),
        lambda: entry_bundle([b"x" * 65_536]),
        lambda: entry_bundle([b""] * 257),
        lambda: read_entry_bundle(data, 1),
        lambda: read_entry_bundle(data, 3),
        lambda: read_entry_bundle(data[:-1], 2),
        lambda: read_entry_bundle(data + b"\x00", 3),
        lambda: read_entry_bundle(data + b"\x00", 2),
    ):
        with pytest.raises(TranscriptError) as refused:
            attempt()
        assert refused.value.reason is Reason.TILE_MALFORMED


@pytest.mark.parametrize("size", SIZES)
def test_the_tiles_of_every_published_size_give_its_root(
    published: dict[str, bytes], size: int
) -> None:
    assert TileReader(size, published.__getitem__).root() == TREE.root(size)
    edge = edge_from(TileReader(size, published.__getitem__))
    assert edge.root() == TREE.root(size)


def test_the_empty_log_has_the_root_of_nothing_and_no_tiles() -> None:
    nothing: dict[str, bytes] = {}
    reader = TileReader(0, nothing.__getitem__)
    assert reader.root() == TileEdge().root() == TREE.root(0)
    assert edge_from(reader) == TileEdge()


@pytest.mark.parametrize("size", SIZES)
def test_proofs_from_tiles_are_those_of_the_tree(published: dict[str, bytes], size: int) -> None:
    reader = TileReader(size, published.__getitem__)
    chance = random.Random(size)
    for _ in range(5):
        at = chance.randint(1, size)
        index = chance.randrange(at)
        assert reader.inclusion(index, at) == TREE.inclusion(index, at)
        assert reader.consistency(at) == TREE.consistency(at, size)
        assert reader.consistency(index + 1, at) == TREE.consistency(index + 1, at)
        assert reader.root(at) == TREE.root(at)
        assert reader.leaf(index) == LEAVES[index]
    assert reader.inclusion(size - 1) == TREE.inclusion(size - 1, size)


def test_lines_come_from_their_bundles(published: dict[str, bytes]) -> None:
    reader = TileReader(70_000, published.__getitem__)
    for low, high in ((0, 0), (0, 1), (255, 257), (300, 1_100), (69_887, 70_000)):
        assert list(reader.lines(low, high)) == LINES[low:high]


def test_a_question_reads_only_tiles_of_its_own_size_and_each_once(
    published: dict[str, bytes],
) -> None:
    asked: list[str] = []

    def read(path: str) -> bytes:
        asked.append(path)
        return published[path]

    TileReader(70_000, read).inclusion(300)
    assert len(asked) == len(set(asked))
    assert set(asked) <= {tile.path for tile in tiles_of(0, 70_000)}
    assert len(asked) <= 4


def test_what_a_reader_can_not_answer_is_refused(published: dict[str, bytes]) -> None:
    reader = TileReader(512, published.__getitem__)
    for attempt in (
        lambda: reader.root(513),
        lambda: reader.leaf(512),
        lambda: reader.inclusion(512),
        lambda: reader.inclusion(300, 300),
        lambda: reader.inclusion(-1),
        lambda: reader.inclusion(0, 513),
        lambda: reader.consistency(0),
        lambda: reader.consistency(5, 4),
        lambda: reader.consistency(1, 513),
        lambda: list(reader.lines(0, 513)),
    ):
        with pytest.raises(TranscriptError) as refused:
            attempt()
        assert refused.value.reason is Reason.TREE_RANGE


def test_a_missing_tile_is_told_as_what_reads_tells_it(published: dict[str, bytes]) -> None:
    files = dict(published)
    del files["tile/0/001"]
    with pytest.raises(KeyError):
        TileReader(512, files.__getitem__).inclusion(300)


def test_a_changed_tile_gives_another_root(published: dict[str, bytes]) -> None:
    files = dict(published)
    data = files["tile/2/000.p/1"]
    files["tile/2/000.p/1"] = bytes([data[0] ^ 1]) + data[1:]
    assert TileReader(70_000, files.__getitem__).root() != TREE.root(70_000)


@pytest.mark.parametrize(("old", "new"), [(0, 1), (1, 255), (255, 256), (300, 70_000), (5, 5)])
def test_growing_an_edge_makes_exactly_the_tiles_that_change(old: int, new: int) -> None:
    edge, _ = TileEdge().grow(LEAVES[:old])
    grown, tiles = edge.grow(LEAVES[old:new])
    assert tuple(tile for tile, _ in tiles) == tiles_of(old, new)
    assert all(len(data) == 32 * tile.width for tile, data in tiles)
    assert grown.size == new
    assert grown.root() == TREE.root(new)


@given(cuts=st.lists(st.integers(0, 2_000), min_size=1, max_size=5))
def test_an_edge_is_the_same_however_it_grew(cuts: list[int]) -> None:
    edge = TileEdge()
    for cut in sorted(cuts):
        edge, _ = edge.grow(LEAVES[edge.size : cut])
    assert edge == TileEdge().grow(LEAVES[: max(cuts)])[0]
    assert edge.root() == TREE.root(max(cuts))


def test_an_edge_of_other_tiles_or_leaves_is_refused() -> None:
    with pytest.raises(TranscriptError) as refused:
        TileEdge(2, ((LEAVES[0],),))
    assert refused.value.reason is Reason.TREE_RANGE
    with pytest.raises(TranscriptError) as refused:
        TileEdge().grow([b"short"])
    assert refused.value.reason is Reason.BAD_HASH


def test_a_proof_from_tiles_is_checked_as_any(published: dict[str, bytes]) -> None:
    path = TileReader(70_000, published.__getitem__).inclusion(69_999)
    assert verify_inclusion(leaf_hash(LINES[69_999]), 69_999, 70_000, path, TREE.root())


@pytest.mark.parametrize("case", VECTORS["tile_paths"], ids=lambda case: case["path"])
def test_the_paths_of_the_vectors_are_written(case: dict[str, Any]) -> None:
    assert hash_tile_path(case["level"], case["index"], case["width"]) == case["path"]


def vector_files() -> dict[str, bytes]:
    """Publish the log of the vectors at the sizes of its checkpoints."""
    lines = [line.encode() for line in VECTORS["lines"]]
    files: dict[str, bytes] = {}
    edge = TileEdge()
    for checkpoint in VECTORS["checkpoints"]:
        old, size = edge.size, checkpoint["size"]
        edge, tiles = edge.grow(leaf_hash(line) for line in lines[old:size])
        for tile, data in tiles:
            files[tile.path] = data
            if tile.level == 0:
                start = tile.index * 256
                files[tile.entries] = entry_bundle(lines[start : start + tile.width])
    return files


def test_the_log_of_the_vectors_is_published_in_exactly_its_files() -> None:
    files = vector_files()
    expected = {case["path"]: (case["length"], case["sha256"]) for case in VECTORS["files"]}
    assert {path: (len(data), sha256(data).hexdigest()) for path, data in files.items()} == expected


def test_roots_and_proofs_from_the_vectors_tiles_are_the_vectors() -> None:
    reader = TileReader(260, vector_files().__getitem__)
    for case in VECTORS["roots"]:
        assert reader.root(case["size"]).hex() == case["root"]
    for case in VECTORS["inclusion"]:
        path = reader.inclusion(case["index"], case["size"])
        assert [value.hex() for value in path] == case["path"]
    for case in VECTORS["consistency"]:
        path = reader.consistency(case["old"], case["new"])
        assert [value.hex() for value in path] == case["path"]
