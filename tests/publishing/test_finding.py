"""Where in the dealer's log what stands, and that this can be made anew."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dealer_service.publishing.finding import Index
from dealer_service.transcript.noted import Noted, Stage, write_noted

GAME = bytes(16)


def line(hand: int, stage: Stage = Stage.HAND_OPENED) -> bytes:
    return write_noted(Noted(1, GAME, hand, stage, 1, bytes(32)))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index that is new."""
    with closing(Index(tmp_path / "index")) as made:
        yield made


def test_a_stage_is_found_by_game_and_hand(index: Index) -> None:
    index.add(0, [line(1), line(1, Stage.HAND_VOID), line(2)])
    assert index.find((GAME, 1, Stage.HAND_VOID)) == 1
    assert index.find((GAME, 2, Stage.HAND_OPENED)) == 2
    assert index.find((GAME, 2, Stage.HAND_VOID)) is None
    assert index.find((bytes([1] * 16), 2, Stage.HAND_OPENED)) is None


def test_it_is_kept(tmp_path: Path) -> None:
    index = Index(tmp_path / "index")
    index.add(0, [line(1)])
    index.close()
    index = Index(tmp_path / "index")
    assert (index.size, index.find((GAME, 1, Stage.HAND_OPENED))) == (1, 0)
    index.close()


def test_of_two_lines_for_one_stage_the_first_counts(index: Index) -> None:
    index.add(0, [line(1), line(1)])
    index.add(2, [line(1)])
    assert (index.size, index.find((GAME, 1, Stage.HAND_OPENED))) == (3, 0)


def test_lines_that_are_added_again_take_the_place_of_those_behind(index: Index) -> None:
    index.add(0, [line(1), line(2), line(3)])
    index.add(1, [line(4)])
    assert index.size == 2
    assert index.find((GAME, 3, Stage.HAND_OPENED)) is None
    assert index.find((GAME, 4, Stage.HAND_OPENED)) == 1


@pytest.mark.parametrize("content", [b"", b"no database" * 1000])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "index").write_bytes(content)
    index = Index(tmp_path / "index")
    assert index.size == 0
    index.close()


def test_where_none_can_be_made_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="can not be made"):
        Index(tmp_path / "missing" / "index")
