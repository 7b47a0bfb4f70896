"""Who may enter a tournament, leave it and buy chips, and what follows (14.5, 14.6)."""

from dataclasses import replace

import pytest

from dealer_service.rules.tournament.due import awaited_anchors, next_time
from dealer_service.rules.tournament.entering import (
    add_on,
    decline_rebuy,
    rebuy,
    register,
    waits_for_hand,
    withdraw,
)
from dealer_service.rules.tournament.entry import (
    AddedOn,
    AddOnRule,
    Busted,
    Drawn,
    DrawWhat,
    EndReason,
    LateRule,
    LevelBegun,
    Placed,
    Rebought,
    RebuyRule,
    Reentered,
    Registered,
    RegistrationClosed,
    Seated,
    Started,
    StartKind,
    StartRule,
    Structure,
    TableOpened,
    TakenOver,
    TournamentClosed,
    Withdrawn,
)
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.state import Phase, Standing
from dealer_service.rules.tournament.step import StepKind
from tests.support.tournament_desk import BEGUN, MINUTE, Desk, level, reason_of, structure

REBUY = RebuyRule(chips=1_000, cost=100, most=1, max_stack=0, decide_ms=20_000)
LEVELS = (level(25, break_ms=MINUTE), level(25), level(100), level(500))


def late(**changes: object) -> Structure:
    """Registration until the end of level 1, which has a break; one re-entry each."""
    return structure(**{"levels": LEVELS, "late": LateRule(1, 1), "players_max": 4} | changes)


def at_ten(**changes: object) -> Structure:
    """The same, starting ten minutes after it opened."""
    start = StartRule(StartKind.AT, BEGUN + 10 * MINUTE)
    return late(**{"start": start} | changes)


def started(played: Structure, *names: str) -> Desk:
    """Start with these players at the given time."""
    desk = Desk(played, names)
    desk.wait(10 * MINUTE)
    return desk


# Registering, and the start.


def test_a_sit_and_go_starts_with_its_last_seat() -> None:
    desk = Desk(structure(), ("ann", "ben"))
    assert desk.settle() == []
    desk.register("cleo")
    told = desk.settle([3, 1, 2])
    assert told[:7] == [
        Started(3),
        desk.all(TableOpened)[0],
        desk.all(Drawn)[0],
        Seated("cleo", 1, 1, 1_000),
        Seated("ann", 1, 2, 1_000),
        Seated("ben", 1, 3, 1_000),
        RegistrationClosed(3, 3, 300, (300,)),
    ]
    assert told[7] == LevelBegun(1)
    drawn = desk.all(Drawn)[0]
    assert (drawn.draw, drawn.what, drawn.order) == (1, DrawWhat.SEATS, (3, 1, 2))


def test_the_unit_of_the_start_is_told_in_order() -> None:
    desk = Desk(structure(), ("ann", "ben", "cleo"))
    desk.take(desk.due() or pytest.fail("the start is due"))
    kinds = [type(entry) for entry in desk.log[4:]]
    assert kinds == [
        *[Started, TableOpened, Drawn, Seated, Seated, Seated],
        *[RegistrationClosed, LevelBegun],
    ]


def test_seats_go_round_the_tables() -> None:
    desk = Desk(structure(players_max=5), ("a", "b", "c", "d", "e"))
    desk.settle()
    assert [desk.seat_of(name) for name in "abcde"] == [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3)]


def test_a_tournament_at_a_time_waits_for_it() -> None:
    desk = Desk(at_ten(), ("ann", "ben"))
    assert next_time(desk.state, {}) == BEGUN + 10 * MINUTE
    assert desk.wait(10 * MINUTE - 1) == []
    desk.wait(1)
    assert desk.state.phase is Phase.RUNNING
    assert desk.state.registration_open


def test_with_too_few_players_it_closes_as_cancelled() -> None:
    desk = started(at_ten(), "ann")
    assert desk.state.phase is Phase.CLOSED
    assert desk.all(TournamentClosed)[0].reason is EndReason.CANCELLED


def test_a_name_keeps_its_number_when_it_withdraws_and_comes_back() -> None:
    desk = Desk(structure(), ("ann", "ben"))
    desk.give(withdraw(desk.state, desk.now, "ann"))
    desk.register("ann")
    assert [one.entrant for one in desk.all(Registered)] == [1, 2, 1]
    assert desk.all(Withdrawn) == [Withdrawn("ann")]
    assert desk.state.entries == desk.state.players_in == 2


def test_nobody_withdraws_behind_the_start() -> None:
    desk = Desk(structure(), ("ann", "ben", "cleo"))
    desk.settle()
    answer = withdraw(desk.state, desk.now, "ann")
    assert reason_of(answer) is TournamentReason.STARTED_ALREADY


def test_registering_needs_the_reveal_policy_and_a_new_name() -> None:
    desk = Desk(structure(), ("ann",))
    answer = register(desk.state, desk.now, "ben", anchors=False, house=False, accepts_reveal="")
    assert reason_of(answer) is TournamentReason.REVEAL_NOT_ACCEPTED
    assert desk.refused("ann") is TournamentReason.REGISTERED_ALREADY


def test_who_comes_when_all_seats_are_taken_is_refused() -> None:
    desk = Desk(at_ten(), ("a", "b", "c", "d"))
    assert desk.refused("e") is TournamentReason.TOURNAMENT_FULL


def test_nobody_registers_when_registration_has_closed() -> None:
    desk = Desk(structure(), ("ann", "ben", "cleo"))
    desk.settle()
    assert desk.refused("dan") is TournamentReason.REGISTRATION_CLOSED


# Late seats and re-entries.


def test_a_late_player_gets_a_seat_by_a_draw() -> None:
    desk = started(at_ten(), "ann", "ben")
    desk.register("cleo")
    desk.settle([19])
    assert desk.all(Drawn)[-1].player == "cleo"
    assert desk.seat_of("cleo") == (1, 3)
    assert desk.stack_of("cleo") == 1_000


def test_where_no_seat_is_free_a_table_is_opened_first() -> None:
    desk = started(at_ten(), "ann", "ben", "cleo")
    desk.start_hand()
    desk.register("dan")
    opened, drawn, seated = desk.settle()
    assert isinstance(opened, TableOpened)
    assert isinstance(drawn, Drawn)
    assert drawn.order == (33, 34, 35)
    assert seated == Seated("dan", 2, 1, 1_000)


def test_who_busted_may_enter_again_as_often_as_the_structure_says() -> None:
    desk = started(at_ten(), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 2_000})
    assert desk.state.entrants["ann"].standing is Standing.BUSTED
    desk.register("ann")
    desk.settle()
    assert desk.all(Reentered) == [Reentered("ann")]
    assert desk.stack_of("ann") == 1_000
    assert desk.state.entries == 4
    desk.play(1, {"ann": 0, "ben": 3_000})
    assert desk.refused("ann") is TournamentReason.REENTRIES_USED_UP


def test_nobody_is_placed_while_one_may_still_enter_again() -> None:
    desk = started(at_ten(), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 2_000})
    assert not desk.all(Placed)
    desk.wait(10 * MINUTE)
    desk.wait(MINUTE)
    assert desk.all(Placed) == [Placed("ann", 3, 1, 0)]


def test_registration_closes_as_soon_as_one_player_alone_is_in() -> None:
    desk = started(at_ten(), "ann", "ben")
    desk.play(1, {"ann": 0, "ben": 2_000})
    kinds = [type(entry) for entry in desk.log]
    assert kinds.index(RegistrationClosed) < kinds.index(Placed)
    assert desk.state.phase is Phase.CLOSED


# Rebuys and the add-on.


def test_one_without_chips_keeps_its_seat_while_it_may_buy_some() -> None:
    desk = started(at_ten(rebuy=REBUY), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 2_000})
    assert not desk.all(Busted)
    assert next_time(desk.state, {}) == desk.now + 20_000
    desk.give(rebuy(desk.state, desk.now, "ann"))
    assert desk.all(Rebought) == [Rebought("ann", 1, 1, 1_000)]
    assert desk.state.lost == {}
    assert desk.wait(20_000) == []


def test_its_table_starts_no_hand_while_it_decides() -> None:
    """Chips are added between hands alone, and none is to slip in before them."""
    desk = started(at_ten(rebuy=REBUY), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 2_000})
    assert desk.due() is None
    desk.give(rebuy(desk.state, desk.now, "ann"))
    assert (desk.due() or pytest.fail("a hand")).kind is StepKind.START_HAND


def test_it_busts_when_it_declines_or_when_its_time_is_over() -> None:
    desk = started(at_ten(rebuy=REBUY), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 0, "cleo": 3_000})
    desk.give(decline_rebuy(desk.state, desk.now, "ann"))
    assert desk.all(Busted) == [Busted("ann", 1, 1, 1, 1_000)]
    desk.wait(19_999)
    assert len(desk.all(Busted)) == 1
    desk.wait(1)
    assert desk.all(Busted)[1] == Busted("ben", 1, 2, 1, 1_000)


def test_who_declines_is_out_behind_those_whose_time_is_over_already() -> None:
    """Its call may come before the clock: the log tells them in the order in which they lost."""
    desk = started(at_ten(rebuy=REBUY), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 0, "cleo": 3_000})
    desk.now += 20_000
    desk.give(decline_rebuy(desk.state, desk.now, "ben"))
    assert [one.player for one in desk.all(Busted)] == ["ann", "ben"]


def test_who_has_bought_as_often_as_it_may_busts_at_once() -> None:
    desk = started(at_ten(rebuy=REBUY), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 2_000})
    desk.give(rebuy(desk.state, desk.now, "ann"))
    desk.play(1, {"ann": 0, "ben": 3_000})
    assert [one.player for one in desk.all(Busted)] == ["ann"]


def test_who_decides_when_registration_closes_busts_then() -> None:
    """The rebuys have ended, and so has the wait for one."""
    slow = replace(REBUY, decide_ms=60 * MINUTE)
    desk = started(at_ten(rebuy=slow), "ann", "ben", "cleo")
    desk.play(1, {"ann": 0, "ben": 2_000})
    desk.wait(10 * MINUTE)
    told = desk.wait(MINUTE)
    kinds = [type(entry) for entry in told]
    assert kinds == [RegistrationClosed, Busted, Placed, LevelBegun]


def test_a_rebuy_needs_a_low_stack_a_seat_and_the_end_of_the_hand() -> None:
    desk = started(at_ten(rebuy=REBUY), "ann", "ben", "cleo")
    assert reason_of(rebuy(desk.state, desk.now, "ann")) is TournamentReason.STACK_TOO_HIGH
    assert reason_of(rebuy(desk.state, desk.now, "zoe")) is TournamentReason.NOT_IN
    assert (
        reason_of(decline_rebuy(desk.state, desk.now, "ann")) is TournamentReason.NOTHING_TO_DECIDE
    )
    desk.start_hand()
    answer = rebuy(desk.state, desk.now, "ann")
    assert waits_for_hand(answer)
    assert reason_of(answer) is TournamentReason.HAND_OPEN


def test_without_its_rule_nothing_is_sold() -> None:
    desk = started(at_ten(), "ann", "ben")
    assert reason_of(rebuy(desk.state, desk.now, "ann")) is TournamentReason.NO_REBUY
    assert reason_of(add_on(desk.state, desk.now, "ann")) is TournamentReason.NO_ADD_ON


def test_the_add_on_is_sold_once_in_its_break() -> None:
    desk = started(at_ten(add_on=AddOnRule(500, 50)), "ann", "ben")
    assert reason_of(add_on(desk.state, desk.now, "ann")) is TournamentReason.NOT_ADD_ON_TIME
    desk.wait(10 * MINUTE)
    desk.give(add_on(desk.state, desk.now, "ann"))
    assert desk.all(AddedOn) == [AddedOn("ann", 1, 1, 500)]
    assert desk.stack_of("ann") == 1_500
    assert reason_of(add_on(desk.state, desk.now, "ann")) is TournamentReason.ADDED_ON_ALREADY
    desk.wait(MINUTE)
    assert reason_of(add_on(desk.state, desk.now, "ben")) is TournamentReason.NOT_ADD_ON_TIME
    assert desk.state.pool == 250


# Taking over a house player's seat.


def house_event(**changes: object) -> Desk:
    desk = Desk(structure(**{"take_over": True} | changes))
    for name, house in (("ann", False), ("bot1", True), ("bot2", True)):
        desk.register(name, house=house)
    desk.settle()
    return desk


def test_a_person_takes_over_a_house_players_seat_with_a_fresh_stack() -> None:
    desk = house_event()
    desk.play(1, {"bot1": 400, "ann": 1_600})
    desk.register("zoe")
    assert desk.all(TakenOver) == [TakenOver("zoe", "bot1", 1, 2, 1_000, 400)]
    assert desk.seat_of("zoe") == (1, 2)
    assert desk.stack_of("zoe") == 1_000
    bot = desk.state.entrants["bot1"]
    assert (bot.standing, bot.counts, bot.place) == (Standing.OUT, False, 0)
    assert (desk.state.players_in, desk.state.entries, desk.state.players) == (3, 3, 3)


def test_a_seat_is_taken_over_between_hands_and_in_the_first_orbit_alone() -> None:
    desk = house_event()
    desk.start_hand()
    assert desk.refused("zoe") is TournamentReason.HAND_OPEN
    desk.end_hand()
    desk.play()
    desk.play()
    desk.start_hand()
    assert desk.refused("zoe") is TournamentReason.TOURNAMENT_FULL
    desk.end_hand()
    assert desk.refused("zoe") is TournamentReason.TOURNAMENT_FULL


def test_a_house_player_takes_no_seat_over_and_no_persons_is_taken() -> None:
    desk = house_event()
    assert desk.refused("bot9", house=True) is TournamentReason.TOURNAMENT_FULL
    for name in ("zoe", "yan"):
        desk.register(name)
    assert desk.refused("xia") is TournamentReason.TOURNAMENT_FULL


def test_who_was_taken_over_never_enters_again() -> None:
    desk = house_event()
    desk.register("zoe")
    assert desk.refused("bot1", house=True) is TournamentReason.OUT_FOR_GOOD


# Anchors.


def test_a_hand_waits_for_the_anchors_of_those_who_sat_down() -> None:
    desk = Desk(structure(), ("ann", "ben", "cleo"), anchors=True)
    until = desk.now + 3_000
    desk.take(desk.due() or pytest.fail("the start is due"))
    assert awaited_anchors(desk.state, 1) == dict.fromkeys(("ann", "ben", "cleo"), until)
    desk.held = {1: until}
    assert desk.due() is None
    assert next_time(desk.state, desk.held) == until
    desk.now = until
    assert (desk.due() or pytest.fail("a button")).kind is StepKind.DRAW_BUTTON
    desk.settle()
    desk.start_hand()
    assert awaited_anchors(desk.state, 1) == {}
