"""Anchors, links and misses (PROTOCOL.md section 2)."""

import pytest

from dealer_service.fairness.commitment import chain
from dealer_service.rules import entropy
from dealer_service.rules import entry as e
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from tests.support.simulator import Refused, Simulator, granted

FRESH = "cd" * 32
OTHER = "ef" * 32


def waiting() -> Simulator:
    game = Simulator()
    game.sit("ann")
    game.sit("ben")
    game.sit("cleo", anchored=False)
    return game


def opened() -> Simulator:
    game = waiting()
    game.open_hand()
    return game


def missed(times: int = 1) -> Simulator:
    """ben missed links."""
    game = waiting()
    for turn in range(times):
        if turn:
            game.anchor("ben")
        game.open_hand()
        game.give_links(missing=["ben"])
        game.void_hand(e.VoidReason.LINK_MISSING)
    return game


def ask(
    game: Simulator,
    player: str,
    anchor: str = FRESH,
    missing_hand: int | None = None,
    missing_link: str | None = None,
) -> tuple[e.Anchored] | Refusal:
    return entropy.log_anchor(
        game.state,
        player,
        anchor,
        missing_hand,
        missing_link,
        next_link=game.next_link,
        past=game.values,
    )


def why(answer: object) -> object:
    assert isinstance(answer, Refusal), answer
    return answer.reason


def test_a_player_anchors_between_hands() -> None:
    assert ask(waiting(), "cleo") == (e.Anchored(3, "cleo", FRESH),)


def test_a_new_chain_may_take_the_place_of_an_old_one() -> None:
    assert ask(waiting(), "ann") == (e.Anchored(1, "ann", FRESH),)


def test_a_player_dealt_in_waits_for_the_end_of_the_hand() -> None:
    assert why(ask(opened(), "cleo")) is TableReason.HAND_OPEN


def test_a_player_not_dealt_in_anchors_inside_a_hand() -> None:
    game = opened()
    game.sit("dan", anchored=False)
    assert ask(game, "dan") == (e.Anchored(4, "dan", FRESH),)


def test_only_who_has_a_seat_anchors() -> None:
    assert why(ask(waiting(), "dan")) is TableReason.NOT_SEATED
    game = waiting()
    game.close()
    assert why(ask(game, "ann")) is TableReason.GAME_CLOSED


def test_a_value_is_new_once_only() -> None:
    game = waiting()
    anchor = game.state.seats[1].anchor
    assert anchor is not None
    game.play_hand()
    link = game.state.seats[1].anchor
    assert link is not None
    for used in (anchor, link):
        assert why(ask(game, "cleo", used)) is TableReason.ANCHOR_USED


def test_nothing_is_missing_of_who_missed_nothing() -> None:
    assert why(ask(waiting(), "ann", FRESH, 1, OTHER)) is TableReason.NOTHING_MISSED


def test_after_a_miss_the_missing_link_comes_with_the_new_anchor() -> None:
    game = missed()
    link = game.clients["ben"].owed
    assert link is not None
    assert ask(game, "ben", FRESH, 1, link) == (e.Anchored(2, "ben", FRESH, 1, link),)
    assert why(ask(game, "ben")) is TableReason.MISSING_LINK_NEEDED
    assert why(ask(game, "ben", FRESH, 2, link)) is TableReason.MISSING_LINK_NEEDED
    assert why(ask(game, "ben", FRESH, 1, OTHER)) is TableReason.MISSING_LINK_DOES_NOT_FIT
    assert why(ask(game, "ben", link, 1, link)) is TableReason.ANCHOR_USED


def test_the_link_of_another_hand_is_not_the_missing_one() -> None:
    """An older chain's next value fits that chain, and not the anchor that was frozen."""
    game = waiting()
    old = game.clients["ben"].link
    game.anchor("ben")
    game.open_hand()
    game.give_links(missing=["ben"])
    game.void_hand(e.VoidReason.LINK_MISSING)
    assert why(ask(game, "ben", FRESH, 1, old)) is TableReason.MISSING_LINK_DOES_NOT_FIT


def test_a_missing_link_counts_once() -> None:
    game = missed()
    link = game.clients["ben"].owed
    assert link is not None
    game.anchor("ben")
    assert why(ask(game, "ben", FRESH, 1, link)) is TableReason.MISSING_LINK_USED


def test_after_the_second_miss_a_player_adds_nothing_more() -> None:
    game = missed(2)
    link = game.clients["ben"].owed
    assert link is not None
    assert game.state.misses == {"ben": (1, 2)}
    assert why(ask(game, "ben", FRESH, 2, link)) is TableReason.MISSED_TOO_OFTEN


def test_a_miss_outlasts_leaving() -> None:
    game = missed()
    game.leave("ben")
    game.sit("ben")
    assert game.state.seats[2].anchor is None
    assert why(ask(game, "ben")) is TableReason.MISSING_LINK_NEEDED
    game.anchor("ben")
    assert game.state.seats[2].anchor is not None


def test_a_link_is_taken_for_its_seat_and_again_on_a_retry() -> None:
    game = opened()
    link = game.clients["ann"].link
    game.give_link("ann", link)
    assert game.links == {1: link}
    game.give_link("ann", link)
    assert game.links == {1: link}


def refused_link(game: Simulator, player: str, link: str, hand: int | None = None) -> object:
    answer = entropy.accept_link(
        game.state,
        player,
        game.state.hand if hand is None else hand,
        link,
        game.links,
        next_link=game.next_link,
        past=game.values,
    )
    return why(answer)


def test_a_player_gives_one_link_for_a_hand() -> None:
    game = opened()
    game.give_links(missing=["ben"])
    assert refused_link(game, "ann", game.clients["ann"].link) is TableReason.LINK_GIVEN_ALREADY


def test_a_link_may_come_again_when_the_deck_is_committed_and_no_other() -> None:
    game = opened()
    link = game.clients["ann"].link
    game.give_links()
    game.commit_deck()
    game.give_link("ann", link)
    assert refused_link(game, "ann", FRESH) is TableReason.LINK_GIVEN_ALREADY


def test_a_link_fits_the_frozen_anchor() -> None:
    game = opened()
    assert refused_link(game, "ann", FRESH) is TableReason.LINK_DOES_NOT_FIT
    assert refused_link(game, "ann", game.clients["ben"].link) is TableReason.LINK_DOES_NOT_FIT


def test_a_link_is_for_the_open_hand() -> None:
    game = opened()
    link = game.clients["ann"].link
    assert refused_link(game, "ann", link, 2) is TableReason.HAND_NOT_OPEN
    assert refused_link(waiting(), "ann", link, 0) is TableReason.HAND_NOT_OPEN


def test_who_has_no_frozen_anchor_gives_no_link() -> None:
    assert refused_link(opened(), "cleo", FRESH) is TableReason.NO_FROZEN_ANCHOR


@pytest.mark.parametrize("hand", [0, 1, 2])
def test_who_has_no_seat_gives_no_link_and_is_not_told_which_hand_is_open(hand: int) -> None:
    assert refused_link(opened(), "dan", FRESH, hand) is TableReason.NOT_SEATED


def test_a_chain_that_runs_into_an_old_one_is_stopped_where_they_meet() -> None:
    """A player may anchor further up a chain whose lower values were logged before."""
    game = waiting()
    values = [one.hex() for one in chain(game.origin, game.game, "cleo", bytes(32), 4)]
    for anchor in (values[1], values[2]):
        game.append(*granted(ask(game, "cleo", anchor)))
    game.open_hand()
    assert refused_link(game, "cleo", values[1]) is TableReason.LINK_USED


def test_a_refused_link_leaves_the_hand_waiting() -> None:
    game = opened()
    with pytest.raises(Refused):
        game.give_link("ann", FRESH)
    game.give_links()
    game.commit_deck()
    assert game.decision is not None
