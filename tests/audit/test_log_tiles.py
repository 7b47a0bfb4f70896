"""Tiles are held to a signed root: what a log has, and what a server makes of it."""

from collections.abc import Callable
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit_cli.log.tiles import (
    Fetch,
    TileReader,
    entries_path,
    hash_tile_path,
    open_tiles,
    split_bundle,
    tile_width,
)
from audit_cli.merkle import (
    EMPTY_ROOT,
    inclusion_path,
    root_of,
    tree_levels,
    verify_consistency,
    verify_inclusion,
)
from audit_cli.problem import Problem
from tests.support.published_logs import consistency_proof
from tests.support.told_games import inclusion_path as path_by_definition

SIZES = (0, 1, 2, 255, 256, 257, 511, 512, 700, 65_536, 65_537, 70_000)


def line(index: int) -> bytes:
    return b"line %d" % index


def leaves_of(size: int) -> list[bytes]:
    return [sha256(b"\0" + line(index)).digest() for index in range(size)]


def files(size: int) -> dict[str, bytes]:
    """Every file of a log that was published at one size, by the words of the specification."""
    found: dict[str, bytes] = {}
    level, hashes = 0, leaves_of(size)
    while hashes:
        for first in range(0, len(hashes), 256):
            some = hashes[first : first + 256]
            found[hash_tile_path(level, first // 256, len(some))] = b"".join(some)
        hashes = [root_of(hashes[at : at + 256]) for at in range(0, len(hashes) - 255, 256)]
        level += 1
    for first in range(0, size, 256):
        some = [line(index) for index in range(first, min(first + 256, size))]
        data = b"".join(len(one).to_bytes(2, "big") + one for one in some)
        found[entries_path(first // 256, len(some))] = data
    return found


def fetcher(found: dict[str, bytes], asked: list[str] | None = None) -> Fetch:
    def fetch(path: str) -> bytes | Problem:
        if asked is not None:
            asked.append(path)
        return found[path] if path in found else Problem(f"{path}: no such file")

    return fetch


def reader(size: int, found: dict[str, bytes] | None = None) -> TileReader:
    opened = open_tiles(fetcher(found or files(size)), size, root_of(leaves_of(size)))
    assert isinstance(opened, TileReader), opened
    return opened


@pytest.mark.parametrize(
    ("index", "path"),
    [
        (0, "tile/0/000"),
        (273, "tile/0/273"),
        (1_000, "tile/0/x001/000"),
        (1_234_067, "tile/0/x001/x234/067"),
    ],
)
def test_paths_are_groups_of_three_digits(index: int, path: str) -> None:
    assert hash_tile_path(0, index) == path


def test_partial_tiles_and_entries_have_paths_of_their_own() -> None:
    assert hash_tile_path(2, 0, 1) == "tile/2/000.p/1"
    assert entries_path(273, 112) == "tile/entries/273.p/112"
    assert entries_path(5) == "tile/entries/005"


def test_a_tree_of_70000_has_the_tiles_of_the_specification() -> None:
    assert [tile_width(70_000, 0, n) for n in (0, 272, 273, 274)] == [256, 256, 112, 0]
    assert [tile_width(70_000, 1, n) for n in (0, 1, 2)] == [256, 17, 0]
    assert [tile_width(70_000, 2, n) for n in (0, 1)] == [1, 0]
    assert [tile_width(256, 0, 0), tile_width(256, 1, 0)] == [256, 1]


@pytest.mark.parametrize("size", SIZES)
def test_every_kind_of_tree_is_read(size: int) -> None:
    tree = reader(size)
    leaves = leaves_of(size)
    assert tree.root_at(0) == EMPTY_ROOT
    assert tree.root_at(size) == root_of(leaves)
    assert tree.root_at(size // 2) == root_of(leaves[: size // 2])
    assert list(tree.entries(max(0, size - 300))) == [
        line(index) for index in range(max(0, size - 300), size)
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 700), st.data())
def test_proofs_from_tiles_are_those_of_the_definition(size: int, data: st.DataObject) -> None:
    tree = reader(size)
    leaves = leaves_of(size)
    index = data.draw(st.integers(0, size - 1))
    path = tree.inclusion(index)
    assert not isinstance(path, Problem)
    assert list(path) == path_by_definition(leaves, index)
    assert list(path) == inclusion_path(tree_levels(leaves), index)
    assert verify_inclusion(index, size, leaves[index], path, tree.root) is None
    first = data.draw(st.integers(1, size))
    proof = tree.consistency(first)
    assert not isinstance(proof, Problem)
    assert list(proof) == consistency_proof(leaves, first)
    before = root_of(leaves[:first])
    assert verify_consistency(first, size, before, tree.root, proof) is None
    assert tree.root_at(first) == before


def test_what_is_beyond_the_tree_is_refused() -> None:
    tree = reader(300)
    for answer in (
        tree.root_at(301),
        tree.inclusion(300),
        tree.inclusion(-1),
        tree.consistency(0),
        tree.consistency(301),
        tree.tile(0, 2),
        tree.node(8, 1),
    ):
        assert isinstance(answer, Problem)


def test_a_full_tile_stands_in_for_a_partial_one_that_is_gone() -> None:
    found = files(600)
    later = files(800)
    for path in (hash_tile_path(0, 2, 88), entries_path(2, 88)):
        del found[path]
        found[path.removesuffix(".p/88")] = later[path.removesuffix(".p/88")]
    assert len(list(reader(600, found).entries())) == 600


def _flip(path: str) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        data = bytearray(found[path])
        data[-1] ^= 1
        found[path] = bytes(data)

    return change


def _cut(path: str) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        found[path] = found[path][:-1]

    return change


def _drop(path: str) -> Callable[[dict[str, bytes]], None]:
    def change(found: dict[str, bytes]) -> None:
        del found[path]

    return change


@pytest.mark.parametrize("change", [_flip, _cut, _drop])
@pytest.mark.parametrize(
    "path", ["tile/0/000", "tile/0/002.p/88", "tile/1/000.p/2", "tile/entries/001"]
)
def test_no_changed_file_is_believed(
    path: str, change: Callable[[str], Callable[[dict[str, bytes]], None]]
) -> None:
    found = files(600)
    change(path)(found)
    opened = open_tiles(fetcher(found), 600, root_of(leaves_of(600)))
    if isinstance(opened, TileReader):
        given = list(opened.entries())
        assert isinstance(given[-1], Problem)
        assert all(one == line(index) for index, one in enumerate(given[:-1]))
    else:
        assert isinstance(opened, Problem)


def forged(size: int, at: int) -> dict[str, bytes]:
    """The files of a log whose server tells another line, with a tile of level 0 to fit."""
    found = files(size)
    bundle, tile = at // 256, hash_tile_path(0, at // 256, tile_width(size, 0, at // 256))
    name = entries_path(bundle, tile_width(size, 0, bundle))
    other = line(at)[::-1]
    found[name] = found[name].replace(line(at), other, 1)
    found[tile] = found[tile].replace(leaves_of(size)[at], sha256(b"\0" + other).digest(), 1)
    return found


def test_a_tile_that_fits_a_changed_line_is_not_of_the_root() -> None:
    tree = reader(600, forged(600, 300))
    given = list(tree.entries())
    assert given[:-1] == [line(index) for index in range(256)]
    assert isinstance(given[-1], Problem)
    assert "tile/0/001" in given[-1].reason
    last = open_tiles(fetcher(forged(600, 599)), 600, root_of(leaves_of(600)))
    assert isinstance(last, Problem)
    assert "do not make the root" in last.reason


def test_a_bundle_that_ends_within_an_entry_is_refused() -> None:
    assert split_bundle(b"") == ()
    assert split_bundle(b"\0\1a\0\0") == (b"a", b"")
    for data in (b"\0", b"\0\2a", b"\0\1a\0"):
        assert isinstance(split_bundle(data), Problem)


def test_a_tile_is_fetched_once() -> None:
    asked: list[str] = []
    size = 70_000
    tree = open_tiles(fetcher(files(size), asked), size, root_of(leaves_of(size)))
    assert isinstance(tree, TileReader)
    for index in (0, 1, 200, 255):
        tree.inclusion(index)
    assert len(asked) == len(set(asked))
    assert len(asked) < 10
