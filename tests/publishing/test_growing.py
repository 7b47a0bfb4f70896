"""The files of a log that grows are those of its size, however it came to it."""

from hypothesis import given
from hypothesis import strategies as st

from dealer_service.publishing.growing import Growth, outgrown
from dealer_service.transcript.merkle import EMPTY_ROOT, Tree, leaf_hash
from dealer_service.transcript.tiles import TileReader, tiles_of

STEPS = st.lists(st.sampled_from([1, 2, 100, 255, 256, 257, 700]), min_size=1, max_size=8)


def grown(steps: list[int]) -> tuple[Growth, dict[str, bytes], list[bytes]]:
    growth, files, lines = Growth(), dict[str, bytes](), list[bytes]()
    for step in steps:
        new = [b"line %d" % (growth.size + n) for n in range(step)]
        before = growth.size
        added = dict(growth.add(new))
        tiles = tiles_of(before, growth.size)
        assert added.keys() == {
            *(tile.path for tile in tiles),
            *(tile.entries for tile in tiles if tile.level == 0),
        }
        files |= added
        lines += new
    return growth, files, lines


@given(STEPS)
def test_tiles_and_bundles_give_root_and_lines(steps: list[int]) -> None:
    growth, files, lines = grown(steps)
    reader = TileReader(growth.size, files.__getitem__)
    assert list(reader.lines(0, growth.size)) == lines
    assert reader.root() == growth.root() == Tree(map(leaf_hash, lines)).root()


@given(STEPS)
def test_a_log_goes_on_from_its_files_alone(steps: list[int]) -> None:
    growth, files, _ = grown(steps)
    again = Growth.read(growth.size, files.__getitem__)
    assert again.root() == growth.root()
    assert again.add([b"more"] * 300) == growth.add([b"more"] * 300)
    assert again.root() == growth.root()


@given(STEPS)
def test_what_is_outgrown_is_not_of_the_last_two_tiles(steps: list[int]) -> None:
    """Whoever asks by the checkpoint before finds what that names."""
    growth, files, _ = grown(steps)
    before = growth.size - steps[-1]
    gone = tuple(f"{folder}/" for folder in outgrown(0, growth.size))
    left = {path: data for path, data in files.items() if not path.startswith(gone)}
    TileReader(growth.size, left.__getitem__).root()
    if before // 256 >= growth.size // 256 - 1:
        TileReader(before, left.__getitem__).root()


def test_a_log_of_nothing_has_no_files() -> None:
    growth = Growth()
    assert growth.add([]) == []
    assert (growth.size, growth.root()) == (0, EMPTY_ROOT)
