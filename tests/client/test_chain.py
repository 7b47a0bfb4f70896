"""A client's chain outlives its process, and gives one link a hand, the same on every try."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from dealer_service.client.chain import MAX_LENGTH, Chains, NoLink
from dealer_service.client.durable import FileError
from dealer_service.fairness.commitment import chain, follows

ORIGIN = "dealer.example.net"
GAME = "ab" * 16
SEED = bytes(range(32))


def seeds(*values: bytes) -> Callable[[int], bytes]:
    rest = iter(values)
    return lambda _count: next(rest)


def chains(folder: Path, player: str = "ann") -> Chains:
    return Chains(folder / "chain", ORIGIN, GAME, player)


def test_the_anchor_is_the_last_value_of_a_chain_from_fresh_bytes(tmp_path: Path) -> None:
    held = chains(tmp_path)
    anchor = held.new_anchor(seeds(SEED), 10)
    assert anchor == chain(ORIGIN, bytes.fromhex(GAME), "ann", SEED, 11)[-1]
    assert held.left(anchor) == 10


def test_each_hand_gets_the_value_before_the_last(tmp_path: Path) -> None:
    held = chains(tmp_path)
    anchor = held.new_anchor(seeds(SEED), 3)
    for hand in (1, 2, 3):
        link = held.link_for(hand, anchor)
        assert isinstance(link, bytes)
        assert follows(ORIGIN, bytes.fromhex(GAME), "ann", link=link, anchor=anchor)
        anchor = link
    assert held.link_for(4, anchor) is NoLink.EXHAUSTED


def test_a_hand_gets_the_same_link_again(tmp_path: Path) -> None:
    held = chains(tmp_path)
    anchor = held.new_anchor(seeds(SEED), 3)
    assert held.link_for(1, anchor) == held.link_for(1, anchor)


def test_a_client_killed_after_the_note_gives_the_same_link(tmp_path: Path) -> None:
    held = chains(tmp_path)
    anchor = held.new_anchor(seeds(SEED), 3)
    link = held.link_for(1, anchor)
    held.close()
    again = chains(tmp_path)
    assert again.given(1) == link
    assert again.link_for(1, anchor) == link


def test_a_client_killed_in_the_middle_of_the_note_gives_the_same_link(tmp_path: Path) -> None:
    """Half a line was never followed by a send; the link is worked out anew, and is the same."""
    held = chains(tmp_path)
    anchor = held.new_anchor(seeds(SEED), 3)
    before = (tmp_path / "chain").read_bytes()
    link = held.link_for(1, anchor)
    held.close()
    whole = (tmp_path / "chain").read_bytes()
    for size in range(len(before), len(whole)):
        (tmp_path / "chain").write_bytes(whole[:size])
        again = chains(tmp_path)
        assert again.given(1) is None
        assert again.link_for(1, anchor) == link
        again.close()


def test_one_hand_never_gets_two_links(tmp_path: Path) -> None:
    held = chains(tmp_path)
    anchor = held.new_anchor(seeds(SEED), 3)
    link = held.link_for(1, anchor)
    assert isinstance(link, bytes)
    assert held.link_for(1, link) is NoLink.SPENT


def test_a_link_that_has_left_goes_to_no_other_hand(tmp_path: Path) -> None:
    """A void leaves the anchor where it is when the link did not come: the link is spent."""
    held = chains(tmp_path)
    anchor = held.new_anchor(seeds(SEED), 3)
    held.link_for(1, anchor)
    held.close()
    assert chains(tmp_path).link_for(2, anchor) is NoLink.SPENT


def test_a_foreign_anchor_gets_no_link(tmp_path: Path) -> None:
    held = chains(tmp_path)
    held.new_anchor(seeds(SEED), 3)
    assert held.link_for(1, bytes(32)) is NoLink.UNKNOWN_ANCHOR
    assert held.before(bytes(32)) is None


def test_a_second_chain_goes_on_beside_the_first(tmp_path: Path) -> None:
    held = chains(tmp_path)
    first = held.new_anchor(seeds(SEED), 3)
    second = held.new_anchor(seeds(bytes(range(1, 33))), 3)
    one, other = held.link_for(1, first), held.link_for(2, second)
    held.close()
    again = chains(tmp_path)
    assert (again.given(1), again.given(2)) == (one, other)


def test_a_long_game_has_a_chain_of_bounded_length(tmp_path: Path) -> None:
    held = chains(tmp_path)
    assert held.left(held.new_anchor(seeds(SEED), 10**9)) == MAX_LENGTH - 1


@pytest.mark.parametrize("drawn", [b"", bytes(31), bytes(32), b"\xff" * 32], ids=len)
def test_a_source_that_is_not_random_begins_no_chain(tmp_path: Path, drawn: bytes) -> None:
    held = chains(tmp_path)
    with pytest.raises(ValueError, match="fresh bytes"):
        held.new_anchor(lambda _count: drawn, 3)
    held.close()
    assert (tmp_path / "chain").read_bytes().count(b"\n") == 1


def test_a_source_that_repeats_begins_no_second_chain(tmp_path: Path) -> None:
    held = chains(tmp_path)
    held.new_anchor(lambda _count: SEED, 3)
    with pytest.raises(ValueError, match="fresh bytes"):
        held.new_anchor(lambda _count: SEED, 3)


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    chains(tmp_path).close()
    assert stat.S_IMODE((tmp_path / "chain").stat().st_mode) == 0o600
    (tmp_path / "chain").chmod(0o640)
    with pytest.raises(FileError, match="0600"):
        chains(tmp_path)


def test_two_processes_do_not_share_a_chain(tmp_path: Path) -> None:
    held = chains(tmp_path)
    with pytest.raises(FileError, match="another client"):
        chains(tmp_path)
    held.close()
    chains(tmp_path).close()


def test_the_chain_of_another_player_is_refused(tmp_path: Path) -> None:
    chains(tmp_path).close()
    with pytest.raises(FileError, match="not the chain"):
        chains(tmp_path, "ben")


@pytest.mark.parametrize(
    "line", ["x", "{}", '{"chain":1}', '{"link":{"chain":0,"hand":1,"index":0}}', '{"chain":{}}']
)
def test_a_damaged_file_is_refused(tmp_path: Path, line: str) -> None:
    chains(tmp_path).close()
    with (tmp_path / "chain").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(FileError):
        chains(tmp_path)


def test_no_value_of_a_chain_is_in_a_repr(tmp_path: Path) -> None:
    held = chains(tmp_path)
    held.new_anchor(seeds(SEED), 3)
    assert SEED.hex() not in repr(held)
