"""When hands open, get a deck or are void (sections 6.2, 7 and 8)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from dealer_service.rules import entry as e
from dealer_service.rules import opening
from dealer_service.rules.button import Positions, place_button
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from tests.support.simulator import RULES, Simulator, granted

BYTES = "ab" * 32

# dealt in, last button, was it void: button, small blind, big blind
BUTTONS = [
    ((2, 5, 9), 0, False, (2, 5, 9)),
    ((2, 5, 9), 2, False, (5, 9, 2)),
    ((2, 5, 9), 9, False, (2, 5, 9)),
    ((2, 5, 9), 3, False, (5, 9, 2)),
    ((2, 5, 9), 10, False, (2, 5, 9)),
    ((2, 5, 9), 5, True, (5, 9, 2)),
    ((2, 5, 9), 6, True, (9, 2, 5)),
    ((2, 5, 9), 10, True, (2, 5, 9)),
    ((4, 7), 0, False, (4, 4, 7)),
    ((4, 7), 4, False, (7, 7, 4)),
    ((4, 7), 4, True, (4, 4, 7)),
    ((4, 7), 5, False, (7, 7, 4)),
]


@pytest.mark.parametrize(("dealt_in", "last", "stays", "places"), BUTTONS)
def test_the_button_moves_on_and_stays_after_a_void(
    dealt_in: tuple[int, ...], last: int, stays: bool, places: tuple[int, int, int]
) -> None:
    assert place_button(dealt_in, last, stays=stays) == Positions(*places)


def empty() -> Simulator:
    return Simulator()


def two(rules: e.RuleSet = RULES) -> Simulator:
    game = Simulator(rules=rules)
    game.sit("ann", stack=10_000)
    game.sit("ben", stack=10_000)
    return game


def paused() -> Simulator:
    game = two()
    game.pause()
    return game


def one_sits_out() -> Simulator:
    game = two()
    game.sit_out("ben")
    return game


def one_lacks_an_anchor() -> Simulator:
    game = Simulator(rules=replace(RULES, links=e.Links.REQUIRED))
    game.sit("ann")
    game.sit("ben", anchored=False)
    return game


def one_is_broke() -> Simulator:
    game = two()
    game.open_hand()
    game.give_links()
    game.commit_deck()
    game.act(e.Act.RAISE, 10_000)
    game.act(e.Act.CALL)
    game.end_hand()
    assert 0 in {seat.stack for seat in game.state.seats.values()}
    return game


def in_a_hand() -> Simulator:
    game = two()
    game.open_hand()
    return game


def at_its_last_hand() -> Simulator:
    game = two(replace(RULES, max_hands=1))
    game.play_hand()
    return game


def out_of_time() -> Simulator:
    game = two(replace(RULES, max_ms=5_000))
    game.wait(5_001)
    return game


def closed() -> Simulator:
    game = two()
    game.close()
    return game


NO_HAND: list[tuple[Callable[[], Simulator], TableReason]] = [
    (empty, TableReason.TOO_FEW_PLAYERS),
    (one_sits_out, TableReason.TOO_FEW_PLAYERS),
    (one_lacks_an_anchor, TableReason.TOO_FEW_PLAYERS),
    (one_is_broke, TableReason.TOO_FEW_PLAYERS),
    (paused, TableReason.PAUSED),
    (in_a_hand, TableReason.HAND_OPEN),
    (at_its_last_hand, TableReason.MAX_HANDS),
    (out_of_time, TableReason.MAX_TIME),
    (closed, TableReason.GAME_CLOSED),
]


@pytest.mark.parametrize(("start", "reason"), NO_HAND)
def test_no_hand_opens(start: Callable[[], Simulator], reason: TableReason) -> None:
    game = start()
    for refused in (
        opening.may_open_hand(game.state, game.now),
        opening.open_hand(game.state, game.now, BYTES),
    ):
        assert isinstance(refused, Refusal)
        assert refused.reason is reason


def test_the_last_moment_of_a_game_still_opens_a_hand() -> None:
    game = two(replace(RULES, max_ms=5_000))
    assert opening.may_open_hand(game.state, game.state.opened_at + 5_000) is None


def test_an_opening_tells_the_whole_state() -> None:
    game = two()
    game.sit("cleo", stack=3_000, seat=9, anchored=False)
    game.sit_out("ben")
    game.sit("dan", stack=4_000)
    (opened,) = granted(opening.open_hand(game.state, game.now, BYTES))
    anchors = {number: seat.anchor for number, seat in game.state.seats.items()}
    assert opened == e.HandOpened(
        hand=1,
        commitment=BYTES,
        button=1,
        small_blind_seat=3,
        big_blind_seat=9,
        seats=(
            e.SeatState(1, "ann", 10_000, e.SeatWord.IN, anchors[1]),
            e.SeatState(2, "ben", 10_000, e.SeatWord.SITTING_OUT, anchors[2]),
            e.SeatState(3, "dan", 4_000, e.SeatWord.IN, anchors[3]),
            e.SeatState(9, "cleo", 3_000, e.SeatWord.IN),
        ),
        misses=(),
        voids=0,
    )


def carried(*, anchored: bool = False) -> Simulator:
    game = two()
    game.play_hand()
    game.sit_out("ann")
    game.come_back("ann")
    return game.succeed(anchored=anchored)


def test_a_carried_game_waits_for_the_anchors_that_were() -> None:
    game = carried()
    until = game.state.opened_at + RULES.link_ms
    refused = opening.may_open_hand(game.state, until - 1)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.AWAITING_ANCHORS
    assert refused.numbers == {"players": 2, "until": until}
    assert opening.may_open_hand(game.state, until) is None


def test_a_carried_game_goes_on_once_all_have_anchored_or_are_gone() -> None:
    game = carried()
    game.anchor("ann")
    assert opening.may_open_hand(game.state, game.state.opened_at) is not None
    game.sit("cleo")
    game.leave("ben")
    assert opening.may_open_hand(game.state, game.state.opened_at) is None


def test_a_carried_game_goes_on_with_the_last_button() -> None:
    game = carried(anchored=True)
    assert game.state.button == 1
    game.open_hand()
    assert game.state.button == 2


def test_a_carried_game_keeps_the_button_after_a_void() -> None:
    game = two()
    game.open_hand()
    game.void_hand(e.VoidReason.HEALTH)
    after = game.succeed()
    after.open_hand()
    assert after.state.button == 1
    assert after.state.voids == 0


def test_a_deck_needs_every_link() -> None:
    game = in_a_hand()
    game.give_links(missing=["ben"])
    assert opening.links_missing(game.state, game.links) == (2,)
    refused = opening.commit_deck(game.state, game.links, mix=BYTES, deck_root=BYTES)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.LINKS_MISSING
    game.give_links()
    links = tuple(e.LoggedLink(seat, game.links[seat]) for seat in (1, 2))
    committed = opening.commit_deck(game.state, game.links, mix=BYTES, deck_root=BYTES)
    assert committed == (e.DeckCommitted(1, links, BYTES, BYTES),)


def test_links_of_seats_are_logged_by_rising_seat() -> None:
    game = in_a_hand()
    game.give_links()
    backwards = dict(reversed(game.links.items()))
    (committed,) = granted(opening.commit_deck(game.state, backwards, mix=BYTES, deck_root=BYTES))
    assert [one.seat for one in committed.links] == [1, 2]


def test_a_deck_is_committed_while_links_are_awaited_only() -> None:
    for game in (two(), closed()):
        refused = opening.commit_deck(game.state, {}, mix=BYTES, deck_root=BYTES)
        assert isinstance(refused, Refusal)
        assert refused.reason is TableReason.NO_HAND_OPEN


def test_a_beacons_round_comes_exactly_where_the_rules_name_one() -> None:
    game = in_a_hand()
    game.give_links()
    beacon = e.BeaconRound(1, BYTES, "ab" * 48)
    refused = opening.commit_deck(game.state, game.links, mix=BYTES, deck_root=BYTES, beacon=beacon)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.BEACON_NOT_BY_RULE


def void(
    game: Simulator, reason: e.VoidReason, at: int, *, restoring: bool = False
) -> tuple[e.HandVoid] | Refusal:
    return opening.void_hand(game.state, at, reason, BYTES, game.links, restoring=restoring)


def test_a_missing_link_voids_the_hand_when_its_time_is_over() -> None:
    game = in_a_hand()
    game.give_links(missing=["ben"])
    deadline = opening.links_deadline(game.state)
    assert deadline == game.now + RULES.link_ms
    refused = void(game, e.VoidReason.LINK_MISSING, deadline - 1)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.LINKS_HAVE_TIME
    assert refused.numbers == {"until": deadline}
    assert void(game, e.VoidReason.LINK_MISSING, deadline) == (
        e.HandVoid(
            1,
            e.VoidReason.LINK_MISSING,
            BYTES,
            (e.LoggedLink(1, game.links[1]),),
            (e.MissingLink(2, "ben"),),
        ),
    )


def test_no_link_is_missing_when_all_came() -> None:
    game = in_a_hand()
    game.give_links()
    refused = void(game, e.VoidReason.LINK_MISSING, game.now + 10_000)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.NO_LINK_MISSING


def test_a_void_by_the_operator_names_nobody() -> None:
    game = in_a_hand()
    game.give_links(missing=["ben"])
    (entry,) = granted(void(game, e.VoidReason.OPERATOR, game.now))
    assert entry.missing == ()
    assert [one.seat for one in entry.links] == [1]


def test_the_dealers_own_reasons_void_two_hands_of_a_game() -> None:
    game = two()
    for reason in (e.VoidReason.OPERATOR, e.VoidReason.HEALTH):
        game.open_hand()
        game.void_hand(reason)
    game.open_hand()
    refused = void(game, e.VoidReason.HEALTH, game.now)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.TOO_MANY_VOIDS
    assert refused.numbers == {"voids": 2, "allowed": 2}
    # A restored dealer may have one more, and a missing link is not the dealer's.
    granted(void(game, e.VoidReason.OPERATOR, game.now, restoring=True))
    granted(void(game, e.VoidReason.LINK_MISSING, game.now + RULES.link_ms))


def test_behind_the_deck_only_a_fault_ends_a_hand() -> None:
    game = in_a_hand()
    game.give_links()
    game.commit_deck()
    for reason in set(e.VoidReason) - {e.VoidReason.DEALER_FAULT}:
        refused = void(game, reason, game.now + 10_000)
        assert isinstance(refused, Refusal)
        assert refused.reason is TableReason.DECK_COMMITTED
    (entry,) = granted(void(game, e.VoidReason.DEALER_FAULT, game.now))
    assert entry.links == ()


def test_no_beacon_is_no_reason_where_the_rules_name_none() -> None:
    game = in_a_hand()
    refused = void(game, e.VoidReason.NO_BEACON, game.now)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.NO_BEACON_RULE


def test_what_is_not_open_is_not_void() -> None:
    game = two()
    refused = void(game, e.VoidReason.OPERATOR, game.now)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.NO_HAND_OPEN
    assert opening.links_missing(game.state, {}) == ()
    assert opening.links_deadline(game.state) is None


def test_a_restored_game_behind_its_third_void_opens_no_hand() -> None:
    game = two()
    for restoring in (False, False, True):
        game.open_hand()
        game.void_hand(e.VoidReason.OPERATOR, restoring=restoring)
    refused = opening.may_open_hand(game.state, game.now)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.RESTORED
