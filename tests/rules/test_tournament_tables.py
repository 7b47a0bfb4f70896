"""A tournament's table: its seats and chips, levels, races, and players that are not there."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer_service.rules import closing, opening, play, seating, tournament_table
from dealer_service.rules import entry as e
from dealer_service.rules.entry import Act, AnteKind, AnteRule, By, HandLevel, Post, SeatWord
from dealer_service.rules.movements import movements
from dealer_service.rules.refusal import HandReason, ImpossibleEntry, Refusal
from dealer_service.rules.ruleset import find_faults
from dealer_service.rules.seating import Answer
from dealer_service.rules.table import evolve, fold, fold_from
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import MOST_CHIPS, TableState
from dealer_service.rules.tournament_table import play_at
from tests.support.simulator import Refused, Simulator, passive, script
from tests.support.tournament_tables import (
    FIXED_LIMIT,
    LEVELS,
    POT_LIMIT,
    TABLE_RULES,
    begin_level,
    play_table,
)

RULES = [TABLE_RULES, POT_LIMIT, FIXED_LIMIT]
CALL, CHECK, FOLD = (Act.CALL, 0), (Act.CHECK, 0), (Act.FOLD, 0)


def seated(
    *seats: int,
    stack: int = 10_000,
    rules: e.RuleSet = TABLE_RULES,
    level: HandLevel = LEVELS[0],
    anchored: bool = False,
) -> Simulator:
    """Sit p1, p2, … down on the seats of those numbers; the lowest has the first button."""
    table = Simulator(rules=rules)
    table.level, table.button = level, min(seats)
    for seat in seats:
        table.give_seat(f"p{seat}", seat, stack, anchored=anchored)
    return table


def opened(table: Simulator) -> e.HandOpened:
    return next(one for _, one in reversed(table.log) if isinstance(one, e.HandOpened))


def words(table: Simulator) -> dict[int, SeatWord]:
    return {one.seat: one.state for one in opened(table).seats}


def acts(table: Simulator) -> list[tuple[int, Act, By]]:
    """Give the acts of the last hand."""
    hands: list[list[tuple[int, Act, By]]] = [[]]
    for _, entry in table.log:
        if isinstance(entry, e.HandOpened):
            hands.append([])
        elif isinstance(entry, e.Acted):
            hands[-1].append((entry.seat, entry.act, entry.by))
    return hands[-1]


def posts(table: Simulator) -> list[tuple[int, Post, int]]:
    return [(one.seat, one.what, one.amount) for _, one in table.log if isinstance(one, e.Posted)]


def dealt(table: Simulator) -> Simulator:
    """Open a hand, and deal it."""
    table.open_hand()
    table.give_links()
    table.commit_deck()
    return table


# Players who are not there.


def test_who_sits_out_is_dealt_in_posts_and_is_acted_for_at_once() -> None:
    """Seat 1 has the button, 2 and 3 the blinds: 2 and 3 are away."""
    table = seated(1, 2, 3, 4)
    table.sit_out("p2")
    table.sit_out("p3")
    dealt(table)
    assert words(table) == {1: "in", 2: "absent", 3: "absent", 4: "in"}
    assert posts(table) == [(2, Post.SMALL_BLIND, 25), (3, Post.BIG_BLIND, 50)]
    table.act(Act.CALL)
    table.act(Act.CALL)
    assert acts(table) == [
        (4, Act.CALL, By.PLAYER),
        (1, Act.CALL, By.PLAYER),
        (2, Act.FOLD, By.ABSENT),
        (3, Act.CHECK, By.ABSENT),
        (3, Act.CHECK, By.ABSENT),
    ]


def test_a_hand_in_which_nobody_is_there_plays_to_its_end() -> None:
    table = seated(1, 2, 3)
    for name in ("p1", "p2", "p3"):
        table.sit_out(name)
    dealt(table)
    assert {by for _, _, by in acts(table)} == {By.ABSENT}
    table.end_hand()
    assert {n: seat.stack for n, seat in table.state.seats.items()} == {
        1: 10_000,
        2: 9_975,
        3: 10_025,
    }


def test_the_anchor_of_who_is_absent_is_repeated_and_no_link_of_it_awaited() -> None:
    table = seated(1, 2, 3, anchored=True)
    anchor = table.state.seats[2].anchor
    table.sit_out("p2")
    table.open_hand()
    assert {one.seat: one.anchor for one in opened(table).seats}[2] == anchor
    assert table.state.open is not None
    assert sorted(table.state.open.frozen) == [1, 3]
    table.give_links()
    table.commit_deck()
    table.play_out(choose=passive)
    table.end_hand()
    assert table.state.seats[2].anchor == anchor
    table.come_back("p2")
    table.open_hand()
    assert sorted(table.state.open.frozen) == [1, 2, 3]


def test_no_link_of_an_absent_player_is_ever_missing() -> None:
    table = seated(1, 2, 3, anchored=True)
    table.sit_out("p2")
    table.open_hand()
    table.give_links(missing=["p1", "p2", "p3"])
    table.void_hand(e.VoidReason.LINK_MISSING)
    (void,) = [one for _, one in table.log if isinstance(one, e.HandVoid)]
    assert [one.player for one in void.missing] == ["p1", "p3"]


def test_who_comes_back_in_a_hand_is_acted_for_to_its_end() -> None:
    table = seated(1, 2, 3)
    table.sit_out("p2")
    dealt(table)
    table.come_back("p2")
    due = table.decision
    assert due is not None
    assert due.seat == 1
    refused = play.act(table.state, "p2", due.hand, due.turn, Act.CALL)
    assert isinstance(refused, Refusal)
    assert refused.reason is HandReason.NOT_YOUR_TURN
    table.act(Act.CALL)
    assert (2, Act.FOLD, By.ABSENT) in acts(table)
    table.play_out(choose=passive)
    table.end_hand()
    table.open_hand()
    assert words(table)[2] is SeatWord.IN


def test_who_sits_out_in_a_hand_plays_it_and_is_absent_from_the_next() -> None:
    table = dealt(seated(1, 2, 3))
    table.sit_out("p1")
    table.act(Act.CALL)
    assert acts(table) == [(1, Act.CALL, By.PLAYER)]
    table.play_out(choose=passive)
    table.end_hand()
    table.open_hand()
    assert words(table)[1] is SeatWord.ABSENT


def test_the_clock_leaves_a_player_absent_from_the_next_hand() -> None:
    table = dealt(seated(1, 2, 3))
    table.time_out()
    assert (1, Act.FOLD, By.CLOCK) in acts(table)
    table.play_out(choose=passive)
    table.end_hand()
    table.open_hand()
    assert words(table)[1] is SeatWord.ABSENT


def test_nobody_acts_for_a_player_that_the_dealer_acts_for() -> None:
    """An act that stands as its own can not be folded, nor one by the clock."""
    table = seated(1, 2, 3)
    table.sit_out("p1")
    table.open_hand()
    table.give_links()
    table.commit_deck()
    at, absent = next(
        (at, one) for at, one in table.log if isinstance(one, e.Acted) and one.by is By.ABSENT
    )
    before = fold(table.log[: table.log.index((at, absent))])
    for by in (By.PLAYER, By.CLOCK, By.PRE_ACTION):
        with pytest.raises(ImpossibleEntry):
            evolve(before, at + 10**6, replace(absent, by=by))
    with pytest.raises(ImpossibleEntry):
        evolve(before, at, replace(absent, act=Act.CALL, to=50))


def test_a_player_that_is_there_is_not_acted_for() -> None:
    table = dealt(seated(1, 2, 3))
    with pytest.raises(ImpossibleEntry):
        evolve(table.state, table.now, e.Acted(1, Act.FOLD, 0, By.ABSENT, 1))


def test_an_absent_player_without_chips_is_not_dealt_in() -> None:
    table = seated(1, 2)
    table.give_seat("p3", 3, 0, anchored=False)
    table.sit_out("p3")
    table.open_hand()
    assert words(table)[3] is SeatWord.SITTING_OUT


def test_the_time_bank_of_who_is_absent_grows_with_each_hand() -> None:
    table = seated(1, 2, 3)
    table.sit_out("p1")
    table.open_hand()
    assert {one.seat: one.bank_ms for one in opened(table).seats} == dict.fromkeys(
        (1, 2, 3), 20_500
    )


def test_an_absent_player_that_is_all_in_can_win() -> None:
    table = seated(1, 2, stack=50)
    table.sit_out("p2")
    dealt(table)
    table.play_out(choose=script(CALL))
    table.end_hand()
    assert sum(seat.stack for seat in table.state.seats.values()) == 100


def test_a_player_removed_in_a_hand_is_acted_for_and_goes_when_it_has_ended() -> None:
    table = dealt(seated(1, 2, 3))
    table.give_removal("p1")
    assert acts(table) == []
    table.settle()
    assert acts(table) == [(1, Act.FOLD, By.ABSENT)]
    table.play_out(choose=passive)
    table.end_hand()
    assert sorted(table.state.seats) == [2, 3]


# Levels.


def test_a_hand_is_played_by_its_level() -> None:
    level = HandLevel(4, 200, 400, 100, AnteRule(AnteKind.BIG_BLIND, 400))
    table = dealt(seated(1, 2, 3, level=level))
    assert opened(table).level == level
    assert posts(table) == [
        (2, Post.SMALL_BLIND, 200),
        (3, Post.BIG_BLIND, 400),
        (3, Post.ANTE, 400),
    ]
    due = table.decision
    assert due is not None
    assert due.call == 400
    assert due.raise_ is not None
    assert due.raise_.min == 800


def test_an_ante_of_each_comes_before_the_blinds() -> None:
    table = dealt(seated(1, 2, 3, level=LEVELS[3]))
    assert posts(table) == [
        (2, Post.ANTE, 50),
        (3, Post.ANTE, 50),
        (1, Post.ANTE, 50),
        (2, Post.SMALL_BLIND, 200),
        (3, Post.BIG_BLIND, 400),
    ]


def test_a_level_without_an_ante_has_none_though_the_rules_do() -> None:
    rules = replace(TABLE_RULES, ante=AnteRule(AnteKind.EACH, 5))
    table = dealt(seated(1, 2, 3, rules=rules))
    assert {what for _, what, _ in posts(table)} == {Post.SMALL_BLIND, Post.BIG_BLIND}


def test_fixed_limit_is_bet_in_big_blinds_of_the_level() -> None:
    table = dealt(seated(1, 2, 3, rules=FIXED_LIMIT, level=LEVELS[2]))
    raised: list[tuple[str, int]] = []
    for street in ("preflop", "flop", "turn", "river"):
        due = table.decision
        assert due is not None
        offer = due.bet or due.raise_
        assert offer is not None
        raised.append((street, offer.min))
        assert offer.min == offer.max
        for _ in range(3):
            table.act(*passive(table, table.decision))  # type: ignore[arg-type]
    assert raised == [("preflop", 400), ("flop", 200), ("turn", 400), ("river", 400)]


def test_pot_limit_counts_the_blinds_of_the_level() -> None:
    """Small blind 100, big blind 200: the first raise is to three and a half big blinds."""
    level = HandLevel(3, 100, 200, 100)
    table = dealt(seated(1, 2, 3, rules=POT_LIMIT, level=level))
    due = table.decision
    assert due is not None
    assert due.raise_ is not None
    assert due.raise_.max == 700


def test_the_level_counts_from_its_hand_on() -> None:
    table = seated(1, 2, 3)
    assert (table.state.level, table.state.rules) == (None, TABLE_RULES)
    table.play_hand(choose=passive)
    assert table.state.rules == play_at(TABLE_RULES, LEVELS[0])
    begin_level(table, LEVELS[1])
    assert table.state.rules.big_blind == 50
    table.play_hand(choose=passive)
    assert (table.state.level, table.state.rules.big_blind) == (LEVELS[1], 100)
    assert table.state.opened.rules == TABLE_RULES


def test_rules_of_a_level_keep_all_that_no_level_says() -> None:
    played = play_at(FIXED_LIMIT, LEVELS[4])
    assert played.limits == e.Limits(1_000, 2_000, 4, uncapped_heads_up=True)
    back = replace(
        played, small_blind=25, big_blind=50, chip_unit=25, ante=None, limits=FIXED_LIMIT.limits
    )
    assert back == FIXED_LIMIT


@pytest.mark.parametrize(
    "level",
    [
        None,
        HandLevel(1, 100, 50, 25),
        HandLevel(1, 0, 50, 25),
        HandLevel(1, 25, 50, 10),
        HandLevel(1, 25, 50, 0),
    ],
)
def test_an_opening_without_a_level_that_can_be_played_does_not_fold(
    level: HandLevel | None,
) -> None:
    table = seated(1, 2, 3)
    before, at = table.state, table.now
    table.open_hand()
    assert evolve(before, at, opened(table)).hand == 1
    with pytest.raises(ImpossibleEntry):
        evolve(before, at, replace(opened(table), level=level))


def test_a_level_is_for_tournaments_alone() -> None:
    cash = Simulator()
    for name in ("ann", "ben"):
        cash.sit(name)
    cash.level = LEVELS[0]
    with pytest.raises(Refused) as refused:
        cash.open_hand()
    assert refused.value.refusal.reason is TableReason.LEVEL_NOT_BY_RULE
    table = seated(1, 2)
    table.level = None
    with pytest.raises(Refused) as refused:
        table.open_hand()
    assert refused.value.refusal.reason is TableReason.LEVEL_NOT_BY_RULE


# The first button.


@pytest.mark.parametrize("button", [4, 11])
def test_the_first_button_is_at_a_seat_dealt_in(button: int) -> None:
    table = seated(1, 2, 3)
    table.button = button
    with pytest.raises(Refused) as refused:
        table.open_hand()
    assert refused.value.refusal.reason is TableReason.BUTTON_NOT_BY_RULE
    assert refused.value.refusal.numbers == {"button": button, "last_hand": 0}


def test_the_next_buttons_are_given_by_nobody() -> None:
    table = seated(1, 2, 3)
    table.play_hand(choose=passive)
    refused = opening.open_hand(table.state, table.now, "00" * 32, level=LEVELS[0], button=2)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.BUTTON_NOT_BY_RULE


@pytest.mark.parametrize("hand", [1, 2])
def test_a_button_against_the_rules_does_not_fold(hand: int) -> None:
    """In the first hand on a seat that nobody has, in the second anywhere else."""
    table = seated(1, 2, 3)
    for _ in range(hand - 1):
        table.play_hand(choose=passive)
    before = table.state
    table.open_hand()
    wrong = replace(opened(table), button=4 if hand == 1 else 1)
    with pytest.raises(ImpossibleEntry):
        evolve(before, table.now, wrong)


# Chips.


def test_a_race_gives_seats_their_stacks_and_logs_those_that_change() -> None:
    table = seated(1, 2, 3, stack=1_025)
    table.give_chips("p3", 75)
    table.give_color_up(100, {1: 1_100, 2: 1_000, 3: 1_100})
    assert table.log[-1][1] == e.ColoredUp(100, (e.SeatStack(1, 1_100), e.SeatStack(2, 1_000)))
    assert [seat.stack for seat in table.state.seats.values()] == [1_100, 1_000, 1_100]


def test_a_race_that_changes_nothing_logs_nothing() -> None:
    table = seated(1, 2)
    assert tournament_table.color_up(table.state, 100, {1: 10_000, 2: 10_000}) == ()


WRONG_RACES = [
    e.ColoredUp(100, ()),
    e.ColoredUp(100, (e.SeatStack(2, 1_000), e.SeatStack(1, 1_000))),
    e.ColoredUp(100, (e.SeatStack(1, 1_000), e.SeatStack(1, 1_100))),
    e.ColoredUp(100, (e.SeatStack(5, 1_000),)),
    e.ColoredUp(100, (e.SeatStack(1, 10_000),)),
    e.ColoredUp(100, (e.SeatStack(1, 1_050),)),
    e.ColoredUp(100, (e.SeatStack(1, 0),)),
    e.ColoredUp(0, (e.SeatStack(1, 1_000),)),
    e.ColoredUp(1, (e.SeatStack(1, MOST_CHIPS),)),
]


@pytest.mark.parametrize("entry", WRONG_RACES)
def test_a_race_against_the_rules_does_not_fold(entry: e.ColoredUp) -> None:
    table = seated(1, 2)
    with pytest.raises(ImpossibleEntry):
        evolve(table.state, table.now, entry)


def test_chips_are_raced_between_hands_at_a_tournaments_table() -> None:
    raced = e.ColoredUp(100, (e.SeatStack(1, 1_000),))
    table = seated(1, 2)
    table.open_hand()
    with pytest.raises(ImpossibleEntry):
        evolve(table.state, table.now, raced)
    cash = Simulator()
    cash.sit("ann", seat=1, stack=5_000)
    with pytest.raises(ImpossibleEntry):
        evolve(cash.state, cash.now, raced)


def test_a_tournaments_seats_have_no_bounds_but_the_logs() -> None:
    table = seated(1, stack=25)
    table.give_seat("p2", 2, 10**12, anchored=False)
    table.give_chips("p1", 10**12)
    assert [seat.stack for seat in table.state.seats.values()] == [10**12 + 25, 10**12]


def test_a_tournaments_table_moves_no_chips_of_wallets() -> None:
    table = play_table(seed=4)
    assert table.moved == []
    state: TableState | None = None
    for at, entry in table.log:
        assert movements(state, entry) == ()
        state = evolve(state, at, entry)


REFUSED_BY_A_TOURNAMENT: dict[str, Callable[[TableState], Answer]] = {
    "seat": lambda state: tournament_table.seat(state, "p9", 1, 500, False),
    "seated": lambda state: tournament_table.seat(state, "p1", 5, 500, False),
    "no such seat": lambda state: tournament_table.seat(state, "p9", 10, 500, False),
    "too many": lambda state: tournament_table.seat(state, "p9", 5, MOST_CHIPS, False),
    "gone": lambda state: tournament_table.unseat(state, "p9"),
    "nobody": lambda state: tournament_table.remove(state, "p9"),
    "none": lambda state: tournament_table.add(state, "p1", 0),
    "too many more": lambda state: tournament_table.add(state, "p1", MOST_CHIPS),
    "no stack": lambda state: tournament_table.color_up(state, 100, {4: 500}),
    "nothing left": lambda state: tournament_table.color_up(state, 100, {1: 0}),
    "too much": lambda state: tournament_table.color_up(state, 1, {1: MOST_CHIPS}),
}
REASONS = {
    "seat": TableReason.SEAT_TAKEN,
    "seated": TableReason.ALREADY_SEATED,
    "no such seat": TableReason.NO_SUCH_SEAT,
    "gone": TableReason.NOT_SEATED,
    "nobody": TableReason.NOT_SEATED,
    "no stack": TableReason.NOT_SEATED,
}


@pytest.mark.parametrize("name", REFUSED_BY_A_TOURNAMENT)
def test_what_a_tournament_can_not_do_at_its_table_is_refused(name: str) -> None:
    answer = REFUSED_BY_A_TOURNAMENT[name](seated(1, 2).state)
    assert isinstance(answer, Refusal)
    assert answer.reason is REASONS.get(name, TableReason.CHIPS_OUT_OF_RANGE)


@pytest.mark.parametrize(
    "ask",
    [
        lambda state: tournament_table.unseat(state, "p1"),
        lambda state: tournament_table.add(state, "p1", 100),
        lambda state: tournament_table.color_up(state, 100, {1: 500}),
    ],
)
def test_a_tournament_takes_and_gives_between_hands(ask: Callable[[TableState], Answer]) -> None:
    table = dealt(seated(1, 2))
    refused = ask(table.state)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.HAND_OPEN


def take_seat(state: TableState) -> Answer:
    return seating.take_seat(
        state,
        state.at,
        seat=0,
        player="p9",
        stack=5_000,
        anchor=None,
        accepts_reveal="all_cards",
        past=Simulator().values,
    )


REFUSED_TO_OTHERS: list[Callable[[TableState], Answer]] = [
    take_seat,
    lambda state: seating.leave_seat(state, "p1"),
    lambda state: seating.add_chips(state, "p1", 100),
    lambda state: seating.remove_player(state, "p1"),
    seating.pause,
    seating.resume,
]


@pytest.mark.parametrize("ask", REFUSED_TO_OTHERS)
def test_players_and_operator_change_no_seat_and_no_chip(
    ask: Callable[[TableState], Answer],
) -> None:
    refused = ask(seated(1, 2).state)
    assert isinstance(refused, Refusal)
    assert refused.reason is TableReason.TOURNAMENT_TABLE
    assert refused.message.startswith("this is table 3 of a tournament")
    assert refused.numbers == {"table": 3}


def test_a_seat_of_a_tournaments_table_is_taken_without_an_anchor() -> None:
    table = seated(1, 2)
    taken = e.SeatTaken(5, "p5", 500)
    assert evolve(table.state, table.now, taken).seats[5].stack == 500
    with pytest.raises(ImpossibleEntry):
        evolve(table.state, table.now, replace(taken, anchor="00" * 32))


# Who is the house's own.


def test_the_mark_of_the_house_stands_in_every_opening() -> None:
    table = seated(1, 2)
    table.give_seat("bot", 5, 10_000, house=True, anchored=False)
    table.open_hand()
    assert {one.seat: one.house for one in opened(table).seats} == {1: None, 2: None, 5: True}


def test_a_house_player_of_a_cash_game_keeps_its_mark_in_the_game_that_goes_on() -> None:
    cash = Simulator()
    cash.sit("ann")
    cash.sit("bot", house=True)
    cash.play_hand()
    after = cash.succeed()
    after.open_hand()
    assert [(one.player, one.house) for one in opened(after).seats] == [
        ("ann", None),
        ("bot", True),
    ]


# The end.


@pytest.mark.parametrize("reason", list(e.CloseReason))
def test_a_table_closes_with_its_tournament_and_other_games_never_do(
    reason: e.CloseReason,
) -> None:
    by_tournament = reason in {e.CloseReason.TOURNAMENT, e.CloseReason.RESTORED}
    table, cash = seated(1, 2).state, Simulator().state
    for state, allowed in (
        (table, by_tournament),
        (cash, reason is not e.CloseReason.TOURNAMENT),
    ):
        answer = closing.close_game(state, reason)
        assert isinstance(answer, Refusal) is not allowed
        if isinstance(answer, Refusal):
            stacks = tuple(e.PlayerStack(n, s.player, s.stack) for n, s in state.seats.items())
            assert answer.reason is TableReason.TOURNAMENT_TABLE
            with pytest.raises(ImpossibleEntry):
                evolve(state, state.at, e.GameClosed(reason, stacks))


def test_a_tournaments_table_goes_on_in_no_game_and_from_none() -> None:
    table = seated(1, 2)
    refused = closing.close_game(table.state, e.CloseReason.TOURNAMENT, "ab" * 16)
    assert isinstance(refused, Refusal)
    before = e.Previous("ab" * 16, 5, "00" * 32, 0, button_stays=False, seats=())
    with pytest.raises(ImpossibleEntry):
        fold([(1, replace(table.state.opened, previous=before))])


# Whole tables.


@pytest.mark.parametrize("rules", RULES)
def test_the_rules_of_a_tournaments_table_can_be_played(rules: e.RuleSet) -> None:
    assert find_faults(rules) == ()


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RULES), st.integers(2, 8))
def test_a_table_folds_from_any_of_its_openings(seed: int, rules: e.RuleSet, players: int) -> None:
    """Levels, absent players, the house's own and who waits all stand in the openings."""
    table = play_table(seed=seed, rules=rules, players=players, hands=9)
    opened_at, first = table.log[0]
    assert isinstance(first, e.GameOpened)
    assert fold(table.log) == table.state
    void: list[int] = []
    for index, (at, entry) in enumerate(table.log):
        if isinstance(entry, e.HandOpened):
            begun = fold_from(opened_at, first, [(at, entry)], tuple(void))
            assert begun == fold(table.log[: index + 1])
            assert fold_from(opened_at, first, table.log[index:], tuple(void)) == table.state
        if isinstance(entry, e.HandVoid):
            void.append(entry.hand)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(RULES))
def test_whatever_happens_at_a_table_keeps_its_rules(seed: int, rules: e.RuleSet) -> None:
    """Who has chips and is not left out by its position is dealt in, by the last level's rules."""
    table = play_table(seed=seed, rules=rules, hands=9)
    state: TableState | None = None
    for at, entry in table.log:
        if isinstance(entry, e.HandOpened):
            _check_opening(entry)
        state = evolve(state, at, entry)
        if state.level is not None:
            assert state.rules == play_at(rules, state.level)


def _check_opening(entry: e.HandOpened) -> None:
    dealt_in = {SeatWord.IN, SeatWord.ABSENT}
    left_out = [one.seat for one in entry.seats if one.stack and one.state not in dealt_in]
    small = entry.small_blind_seat or entry.dead_small_blind_seat
    assert small is not None
    for seat in left_out:
        # Where two are left they play heads-up, on other positions than those it was left out by.
        heads_up = sum(one.state in dealt_in for one in entry.seats) == 2
        assert heads_up or 0 < (seat - entry.button) % 10 < (small - entry.button) % 10


def test_a_simulated_table_has_all_that_a_tournaments_table_can() -> None:
    """So that what is held over random tables is held over each of these."""
    tables = [play_table(seed=seed, hands=14) for seed in range(8)]
    entries = [entry for table in tables for _, entry in table.log]
    seen = {one.state for each in entries if isinstance(each, e.HandOpened) for one in each.seats}
    assert seen >= {SeatWord.IN, SeatWord.ABSENT, SeatWord.WAITING}
    assert any(isinstance(entry, e.ColoredUp) for entry in entries)
    assert any(isinstance(entry, e.HandVoid) for entry in entries)
    assert any(isinstance(entry, e.PlayerRemoved) and entry.stack is None for entry in entries)
    assert {entry.by for entry in entries if isinstance(entry, e.Acted)} == {
        By.PLAYER,
        By.CLOCK,
        By.ABSENT,
    }
