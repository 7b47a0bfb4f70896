"""Who may take which seat with what, and what a seat may ask for (section 8)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from dealer_service.rules import entry as e
from dealer_service.rules import seating
from dealer_service.rules.refusal import ImpossibleEntry, Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import MOST_CHIPS
from tests.support.simulator import RULES, Simulator, granted

CALL: Final = (e.Act.CALL, 0)
FRESH = "cd" * 32


def waiting() -> Simulator:
    game = Simulator()
    game.sit("ann", stack=10_000)
    game.sit("ben", stack=20_000, seat=3)
    return game


def in_play() -> Simulator:
    game = waiting()
    game.sit("cleo", stack=5_000)
    game.sit_out("cleo")
    game.open_hand()
    game.give_links()
    game.commit_deck()
    return game


def closed() -> Simulator:
    game = waiting()
    game.close()
    return game


def full() -> Simulator:
    game = waiting()
    for index in range(8):
        game.sit(f"player{index}")
    return game


def take(game: Simulator, **changes: Any) -> tuple[e.Entry, ...] | Refusal:
    """Take a seat as dan would, with changes."""
    asked: dict[str, Any] = {
        "seat": 0,
        "player": "dan",
        "stack": 5_000,
        "anchor": FRESH,
        "accepts_reveal": "all_cards",
    }
    return seating.take_seat(game.state, game.now, **(asked | changes), past=game.values)


def test_seat_0_is_the_lowest_free_one() -> None:
    assert take(waiting()) == (e.SeatTaken(2, "dan", 5_000, FRESH),)


def test_a_seat_may_be_named() -> None:
    assert take(waiting(), seat=7) == (e.SeatTaken(7, "dan", 5_000, FRESH),)


def test_a_player_may_sit_without_adding_randomness() -> None:
    assert take(waiting(), anchor=None) == (e.SeatTaken(2, "dan", 5_000),)


def test_a_seat_may_be_taken_inside_a_hand() -> None:
    assert take(in_play()) == (e.SeatTaken(4, "dan", 5_000, FRESH),)


REFUSED_SEATS: list[tuple[Callable[[], Simulator], dict[str, Any], TableReason, dict[str, int]]] = [
    (closed, {}, TableReason.GAME_CLOSED, {}),
    (waiting, {"accepts_reveal": ""}, TableReason.REVEAL_NOT_ACCEPTED, {}),
    (waiting, {"player": "ann"}, TableReason.ALREADY_SEATED, {"seat": 1}),
    (waiting, {"seat": 3}, TableReason.SEAT_TAKEN, {"seat": 3}),
    (waiting, {"seat": 11}, TableReason.NO_SUCH_SEAT, {"seat": 11, "seats": 10}),
    (full, {}, TableReason.TABLE_FULL, {"seats": 10}),
    (
        waiting,
        {"stack": 1_999},
        TableReason.BUY_IN_OUT_OF_RANGE,
        {"from": 2_000, "to": 20_000, "stack": 1_999},
    ),
    (
        waiting,
        {"stack": 20_001},
        TableReason.BUY_IN_OUT_OF_RANGE,
        {"from": 2_000, "to": 20_000, "stack": 20_001},
    ),
]


@pytest.mark.parametrize(("start", "asked", "reason", "numbers"), REFUSED_SEATS)
def test_a_seat_is_refused(
    start: Callable[[], Simulator],
    asked: dict[str, Any],
    reason: TableReason,
    numbers: dict[str, int],
) -> None:
    refused = take(start(), **asked)
    assert isinstance(refused, Refusal)
    assert refused.reason is reason
    assert refused.numbers == numbers


def test_an_anchor_that_was_ever_logged_is_refused() -> None:
    """Even another player's, and even after a hand has gone beyond it."""
    game = waiting()
    anchor = game.state.seats[1].anchor
    game.play_hand()
    refused = take(game, anchor=anchor)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.ANCHOR_USED


def test_a_link_given_for_the_open_hand_is_no_anchor_for_another() -> None:
    """Else two friends could make one value stand twice in the log."""
    game = waiting()
    game.open_hand()
    game.give_links()
    refused = take(game, anchor=game.links[1])
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.ANCHOR_USED


def test_who_missed_a_link_sits_again_without_an_anchor() -> None:
    game = waiting()
    game.open_hand()
    game.give_links(missing=["ben"])
    game.void_hand(e.VoidReason.LINK_MISSING)
    game.leave("ben")
    refused = take(game, player="ben")
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.ANCHOR_AFTER_MISS
    assert take(game, player="ben", anchor=None) == (e.SeatTaken(2, "ben", 5_000),)


def test_who_leaves_in_mid_hand_can_not_sit_again_before_its_end() -> None:
    game = in_play()
    game.leave("ann")
    refused = take(game, player="ann")
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.ALREADY_SEATED
    assert take(game, seat=1) == Refusal(
        TableReason.SEAT_TAKEN,
        "seat 1 is taken; name none to get the lowest free one",
        {"seat": 1},
    )


def test_leaving_between_hands_takes_the_stack() -> None:
    assert seating.leave_seat(waiting().state, "ann") == (e.SeatLeft(1, "ann", 10_000),)


def test_leaving_a_hand_that_deals_the_seat_in_names_no_stack() -> None:
    assert seating.leave_seat(in_play().state, "ann") == (e.SeatLeft(1, "ann"),)
    assert seating.leave_seat(in_play().state, "cleo") == (e.SeatLeft(2, "cleo", 5_000),)


def test_the_operator_removes_as_a_player_leaves() -> None:
    assert seating.remove_player(waiting().state, "ann") == (e.PlayerRemoved(1, "ann", 10_000),)
    assert seating.remove_player(in_play().state, "ann") == (e.PlayerRemoved(1, "ann"),)


def test_nobody_leaves_twice() -> None:
    game = in_play()
    game.leave("ann")
    for asked in (seating.leave_seat, seating.remove_player, seating.sit_out):
        refused = asked(game.state, "ann")
        assert isinstance(refused, Refusal)
        assert refused.reason is TableReason.NOT_SEATED


def test_chips_are_added_up_to_the_greatest_buy_in() -> None:
    game = waiting()
    assert granted(seating.add_chips(game.state, "ann", 10_000)) == (
        e.ChipsAdded(1, "ann", 10_000),
    )
    for amount in (0, 10_001):
        refused = seating.add_chips(game.state, "ann", amount)
        assert isinstance(refused, Refusal)
        assert refused.message == "add 1 to 10000 chips"
        assert refused.numbers == {"from": 1, "to": 10_000, "amount": amount}
    refused = seating.add_chips(game.state, "ben", 1)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.STACK_FULL


@pytest.mark.parametrize("player", ["ann", "cleo"])
def test_chips_are_added_between_hands_only(player: str) -> None:
    """Also by those who are not in the hand."""
    refused = seating.add_chips(in_play().state, player, 100)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.HAND_OPEN
    assert refused.numbers == {"hand": 1}


def test_sitting_out_and_coming_back() -> None:
    game = waiting()
    assert granted(seating.sit_out(game.state, "ann")) == (e.SatOut(1, "ann", e.By.PLAYER),)
    refused = seating.come_back(game.state, "ann")
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.NOT_SITTING_OUT
    game.sit_out("ann")
    assert granted(seating.come_back(game.state, "ann")) == (e.CameBack(1, "ann"),)
    refused = seating.sit_out(game.state, "ann")
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.SITTING_OUT_ALREADY


def test_a_pause_and_its_end() -> None:
    game = waiting()
    refused = seating.resume(game.state)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.NOT_PAUSED
    game.pause()
    refused = seating.pause(game.state)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.PAUSED_ALREADY
    assert granted(seating.resume(game.state)) == (e.Resumed(),)


def test_who_has_no_seat_asks_for_nothing() -> None:
    state = waiting().state
    asked = [
        seating.leave_seat(state, "dan"),
        seating.remove_player(state, "dan"),
        seating.add_chips(state, "dan", 1),
        seating.sit_out(state, "dan"),
        seating.come_back(state, "dan"),
    ]
    for refused in asked:
        assert isinstance(refused, Refusal)
        assert refused.reason is TableReason.NOT_SEATED


def test_a_closed_game_takes_nothing_more() -> None:
    state = closed().state
    asked = [
        seating.leave_seat(state, "ann"),
        seating.add_chips(state, "ann", 1),
        seating.sit_out(state, "ann"),
        seating.come_back(state, "ann"),
        seating.pause(state),
        seating.resume(state),
    ]
    assert {one.reason for one in asked if isinstance(one, Refusal)} == {TableReason.GAME_CLOSED}
    assert all(isinstance(one, Refusal) for one in asked)


def test_choices_are_set_all_together_and_in_their_order() -> None:
    rules = replace(RULES, runs=2, chop="blinds", choices=e.ChoicesCount.AT_ONCE)
    game = Simulator(rules=rules)
    game.sit("ann")
    answer = seating.prefer(game.state, "ann", [e.Choice.SHOW, e.Choice.CHOP])
    assert answer == (e.Preferred(1, "ann", (e.Choice.CHOP, e.Choice.SHOW)),)
    game.prefer("ann", e.Choice.RUNS)
    assert game.state.seats[1].choices == (e.Choice.RUNS,)


@pytest.mark.parametrize(
    ("player", "choices", "reason"),
    [
        ("ann", (e.Choice.RUNS,), TableReason.CHOICE_NOT_OFFERED),
        ("ann", (), TableReason.CHOICES_STAND_ALREADY),
        ("zoe", (e.Choice.SHOW,), TableReason.NOT_SEATED),
    ],
)
def test_choices_that_can_not_be_set(
    player: str, choices: tuple[e.Choice, ...], reason: TableReason
) -> None:
    refused = seating.prefer(waiting().state, player, choices)
    assert isinstance(refused, Refusal)
    assert refused.reason is reason


def test_all_chips_of_a_table_stay_within_what_a_line_can_hold() -> None:
    """Stacks that were won let the sum grow though each buy-in is small enough."""
    most = MOST_CHIPS // 3
    rules = replace(RULES, seats=3, buy_in_max=most)
    game = Simulator(rules=rules)
    for name in ("ann", "ben", "cleo"):
        game.sit(name, stack=most)
    game.play_hand(choose=lambda _, due: (e.Act.RAISE, due.raise_.max) if due.raise_ else CALL)
    while not (broke := [s.player for s in game.state.seats.values() if s.stack == 0]):
        game.play_hand(choose=lambda _, due: (e.Act.RAISE, due.raise_.max) if due.raise_ else CALL)
    room = MOST_CHIPS - 3 * most
    refused = seating.add_chips(game.state, broke[0], room + 1)
    assert isinstance(refused, Refusal)
    assert (refused.reason, refused.numbers) == (
        TableReason.CHIPS_OUT_OF_RANGE,
        {"most": MOST_CHIPS, "to": room, "amount": room + 1},
    )
    with pytest.raises(ImpossibleEntry):
        game.append(e.ChipsAdded(1, game.state.seats[1].player, room + 1))
    game.leave(broke[0])
    refused = seating.take_seat(
        game.state,
        game.now,
        seat=0,
        player="dan",
        stack=rules.buy_in_min,
        anchor=None,
        accepts_reveal="all_cards",
        past=game.values,
    )
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.CHIPS_OUT_OF_RANGE


def test_who_left_with_more_takes_a_seat_with_no_less() -> None:
    game = Simulator(rules=replace(RULES, return_ms=60_000, buy_in_max=10_000))
    for name in ("ann", "ben", "cleo"):
        game.sit(name, stack=10_000)
    while all(seat.stack <= 10_000 for seat in game.state.seats.values()):
        game.play_hand()
    rich = max(game.state.seats.values(), key=lambda seat: seat.stack)
    game.leave(rich.player)
    until = game.now + 60_000
    refused = take(game, player=rich.player, stack=10_000)
    assert isinstance(refused, Refusal)
    assert (refused.reason, refused.numbers["from"], refused.numbers["until"]) == (
        TableReason.BUY_IN_OUT_OF_RANGE,
        rich.stack,
        until,
    )
    assert not isinstance(take(game, player=rich.player, stack=rich.stack), Refusal)
    game.now = until + 1
    refused = take(game, player=rich.player, stack=rich.stack)
    assert isinstance(refused, Refusal)
    assert refused.message == "take the seat with 2000 to 10000 chips"
