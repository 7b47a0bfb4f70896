"""Straddles, antes, owed posts, rake, two boards, chopping, choices, time banks, Omaha in play."""

from collections.abc import Mapping
from typing import Any

import pytest

from dealer_service.rules import hand as engine
from dealer_service.rules.entry import (
    Act,
    Acted,
    AnteKind,
    AnteRule,
    BlindsChopped,
    By,
    Choice,
    ChoicesCount,
    Dealt,
    Destination,
    HandOpened,
    Mucked,
    Opened,
    Owed,
    Post,
    Posted,
    Preferred,
    RakeCap,
    RakeRule,
    Returned,
    RunsAgreed,
    Show,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    TimeBankRule,
    Variant,
)
from dealer_service.rules.payout import take_rake
from dealer_service.rules.pots import Pot
from tests.runners.driver import Driver, make_rules, open_hand
from tests.support.small_hands import check_down, offer, play, start_hand, to_act

CHOP, RUNS, SHOW = (Choice.CHOP,), (Choice.RUNS,), (Choice.SHOW,)


def posts(driver: Driver) -> list[tuple[int, Post, int]]:
    return [(one.seat, one.what, one.amount) for one in driver.entries if isinstance(one, Posted)]


# Straddles.


def straddled(
    *stacks: int,
    kind: StraddleKind = StraddleKind.UNDER_THE_GUN,
    min_raise: StraddleRaise = StraddleRaise.DOUBLE,
    seat: int = 3,
    **options: Any,
) -> Driver:
    return start_hand(
        *stacks,
        straddle_seat=seat,
        straddle=StraddleRule(kind, min_raise),
        choices_count=ChoicesCount.AT_ONCE,
        **options,
    )


def test_a_straddle_under_the_gun_is_posted_behind_the_blinds_and_acts_last() -> None:
    driver = straddled(1000, 1000, 1000, 1000)
    assert posts(driver)[2] == (3, Post.STRADDLE, 20)
    order = []
    while driver.decision is not None and driver.state.betting.street == 0:
        order.append(driver.decision.seat)
        driver.check_or_call(driver.decision.seat)
    assert order == [4, 1, 2, 3]
    assert offer(driver) == (10, 980)


@pytest.mark.parametrize(
    ("min_raise", "least"), [(StraddleRaise.DOUBLE, 40), (StraddleRaise.BIG_BLIND, 30)]
)
def test_the_first_raise_over_a_straddle(min_raise: StraddleRaise, least: int) -> None:
    assert offer(straddled(1000, 1000, 1000, 1000, min_raise=min_raise)) == (least, 1000)


def test_a_button_straddle_lets_the_small_blind_begin_and_acts_last() -> None:
    driver = straddled(1000, 1000, 1000, 1000, kind=StraddleKind.BUTTON, seat=4)
    assert take_turns(driver) == [1, 2, 3, 4]


def test_a_mississippi_straddle_acts_when_all_others_have_acted_once() -> None:
    driver = straddled(*(1000,) * 5, kind=StraddleKind.MISSISSIPPI, seat=4)
    assert take_turns(driver) == [1, 2, 3, 5, 4]


def test_a_raise_before_a_late_straddle_comes_back_to_the_raiser_last() -> None:
    driver = straddled(*(1000,) * 5, kind=StraddleKind.MISSISSIPPI, seat=4)
    play(driver, "1 call", "2 raise 50", "3 fold", "5 raise 100")
    assert to_act(driver) == 4
    play(driver, "4 raise 200")
    assert take_turns(driver) == [5, 1, 2]


def take_turns(driver: Driver) -> list[int]:
    order = []
    street = driver.state.betting.street
    while driver.decision is not None and driver.state.betting.street == street:
        order.append(driver.decision.seat)
        driver.check_or_call(driver.decision.seat)
    return order


def test_a_straddle_stands_on_a_seat_dealt_in_that_is_no_blind() -> None:
    rules = make_rules(5, 10)
    opened = open_hand({1: 100, 2: 100, 3: 100}, 3, 1, 2, straddle_seat=3)
    with pytest.raises(engine.ImpossibleEntry):
        engine.begin(rules, opened)
    with pytest.raises(engine.ImpossibleEntry):
        straddled(100, 100, 100, seat=2)


# Antes, live and dead posts.


def test_antes_of_each_come_first_and_are_no_bet() -> None:
    driver = start_hand(1000, 1000, 1000, ante=AnteRule(AnteKind.EACH, 3))
    assert posts(driver)[:4] == [
        (1, Post.ANTE, 3),
        (2, Post.ANTE, 3),
        (3, Post.ANTE, 3),
        (1, Post.SMALL_BLIND, 5),
    ]
    assert driver.decision is not None
    assert driver.decision.call == 10


def test_the_big_blind_ante_comes_last_from_what_the_blind_leaves() -> None:
    """TDA 2024 RP-11: blind first."""
    ante = AnteRule(AnteKind.BIG_BLIND, 10)
    assert posts(start_hand(100, 14, 100, ante=ante))[-1] == (2, Post.ANTE, 4)
    assert len(posts(start_hand(100, 10, 100, ante=ante))) == 2


def test_a_stack_that_the_ante_takes_posts_no_blind() -> None:
    driver = start_hand(1000, 3, 1000, ante=AnteRule(AnteKind.EACH, 3))
    assert [what for seat, what, _ in posts(driver) if seat == 2] == [Post.ANTE]
    assert driver.decision is not None
    assert driver.decision.call == 10


def test_a_part_of_an_ante_that_nobody_matched_goes_back() -> None:
    driver = start_hand(1000, 20, blinds=(5, 10), ante=AnteRule(AnteKind.EACH, 100))
    assert driver.returned == {1: 1000 - 890 - 20}
    assert driver.awarded[0].amount == 40


def test_owed_posts_come_behind_the_blinds_each_dead_before_live() -> None:
    driver = start_hand(*(1000,) * 4, owes={3: Owed(10, 5), 4: Owed(0, 5)})
    assert posts(driver)[2:] == [(3, Post.DEAD, 5), (3, Post.LIVE, 10), (4, Post.DEAD, 5)]
    assert driver.decision is not None
    assert driver.decision.seat == 3
    assert driver.decision.may_check


def test_dead_money_joins_the_main_pot_and_never_comes_back() -> None:
    driver = start_hand(1000, 1000, 1000, owes={3: Owed(0, 5)})
    play(driver, "3 fold", "1 fold")
    assert driver.returned == {2: 5}
    assert [award.amount for award in driver.awarded] == [15]


def test_dead_money_is_no_side_pots() -> None:
    driver = start_hand(1000, 1000, 30, 1000, owes={4: Owed(0, 5)}, dead_small_blind=True)
    play(driver, "3 raise 30", "4 call", "1 fold", "2 call")
    play(driver, "2 bet 50", "4 call")
    check_down(driver)
    assert {one.pot: one.amount for one in driver.awarded} == {0: 95, 1: 100}


def test_a_stack_that_a_dead_post_takes_can_win_the_dead_money_alone() -> None:
    driver = start_hand(1000, 1000, 4, owes={3: Owed(0, 5)})
    check_down(driver)
    main = driver.awarded[-1]
    assert (main.amount, driver.eligible[0]) == (4, (1, 2, 3))
    assert driver.eligible[1] == (1, 2)


# Rake.

CAPS = (RakeCap(2, 2), RakeCap(3, 4), RakeCap(5, 9))
RAKES = [
    ("rounded down", 500, (Pot(99, (1, 2)),), 5, True, (4,)),
    ("the cap of two", 1000, (Pot(99, (1, 2)),), 2, True, (2,)),
    ("the cap of three holds for four", 1000, (Pot(99, (1, 2)),), 4, True, (4,)),
    ("the cap of five holds for ten", 1000, (Pot(99, (1, 2)),), 10, True, (9,)),
    ("none without a flop", 1000, (Pot(99, (1, 2)),), 5, False, (0,)),
    ("main pot first", 5000, (Pot(5, (1, 2)), Pot(9, (1, 2))), 5, True, (5, 2)),
    ("all pots count", 500, (Pot(50, (1, 2)), Pot(50, (1, 2))), 5, True, (5, 0)),
]


@pytest.mark.parametrize(
    ("why", "rate", "pots", "seats", "flop", "rakes"), RAKES, ids=[row[0] for row in RAKES]
)
def test_the_rake(
    why: str, rate: int, pots: tuple[Pot, ...], seats: int, *, flop: bool, rakes: tuple[int, ...]
) -> None:
    rule = RakeRule(rate, CAPS, no_flop_no_drop=True)
    assert take_rake(pots, rule, seats, flop=flop) == rakes, why


def test_a_house_may_rake_without_a_flop() -> None:
    driver = start_hand(500, 500, 500, rake=RakeRule(1000, CAPS, no_flop_no_drop=False))
    play(driver, "3 raise 30", "1 fold", "2 call")
    play(driver, "2 check", "3 bet 60", "2 fold")
    (award,) = driver.awarded
    assert (award.amount, award.rake, award.winners[0].amount) == (65, 4, 61)


# Two boards.


def twice(*stacks: int, choices: Mapping[int, tuple[Choice, ...]], **options: Any) -> Driver:
    return start_hand(
        *stacks, choices=choices, runs=2, choices_count=ChoicesCount.AT_ONCE, **options
    )


def streets(driver: Driver) -> list[tuple[int | None, int]]:
    """Give the board of every street dealt, and how many cards it got."""
    dealt = [one.positions for one in driver.entries if isinstance(one, Dealt)]
    return [
        (positions[1].board, len(positions) - 1)
        for positions in dealt
        if positions[0].to is Destination.BURN
    ]


def test_all_in_before_the_flop_runs_two_whole_boards() -> None:
    driver = twice(200, 200, choices={1: RUNS, 2: RUNS}, second="Kh 3c 4d 7d 9h")
    play(driver, "2 raise 200", "1 call")
    assert streets(driver) == [(1, 3), (1, 1), (1, 1), (2, 3), (2, 1), (2, 1)]
    assert driver.boards_won == [{1: 200}, {2: 200}]
    kinds = [type(one) for one in driver.entries]
    agreed = kinds.index(RunsAgreed)
    assert kinds[agreed - 2 : agreed] == [Opened, Opened]


def test_streets_that_came_before_are_part_of_both_boards() -> None:
    driver = twice(200, 200, choices={1: RUNS, 2: RUNS}, second="Kh 9h")
    play(driver, "2 call", "1 check", "1 bet 190", "2 call")
    assert streets(driver) == [(1, 3), (1, 1), (1, 1), (2, 1), (2, 1)]
    first, second = driver.state.layout.board, driver.state.layout.second
    assert second is not None
    assert second == (*first[:3], "Kh", "9h")


def test_the_odd_unit_of_every_pot_is_of_the_first_board() -> None:
    driver = twice(25, 60, 60, blinds=(1, 2), choices=dict.fromkeys((1, 2, 3), RUNS))
    play(driver, "3 raise 60", "1 call", "2 call")
    halves = {(one.pot, one.board): one.amount for one in driver.awarded}
    assert halves == {(1, 1): 35, (1, 2): 35, (0, 1): 38, (0, 2): 37}
    assert [(one.pot, one.board) for one in driver.awarded] == [(1, 1), (1, 2), (0, 1), (0, 2)]


@pytest.mark.parametrize("choices", [{1: RUNS}, {}, {1: RUNS, 2: SHOW}])
def test_one_who_has_not_chosen_it_is_enough_for_one_board(
    choices: dict[int, tuple[Choice, ...]],
) -> None:
    driver = twice(200, 200, choices=choices)
    play(driver, "2 raise 200", "1 call")
    assert driver.state.layout.second is None
    assert len(driver.boards_won) == 1


def test_only_those_who_are_live_must_agree() -> None:
    driver = twice(200, 200, 200, choices={1: RUNS, 2: RUNS})
    play(driver, "3 fold", "1 raise 200", "2 call")
    assert [one for one in driver.entries if isinstance(one, RunsAgreed)] == [
        RunsAgreed(1, 2, (1, 2))
    ]


def test_no_second_board_where_the_deck_has_not_enough_left() -> None:
    omaha = {"variant": Variant.OMAHA, "hole_cards": 6}
    everybody = dict.fromkeys(range(1, 8), RUNS)
    driver = twice(*(20,) * 7, choices=everybody, hole={}, **omaha)
    play(driver, "3 raise 20", *(f"{seat} call" for seat in (4, 5, 6, 7, 1, 2)))
    assert driver.state.layout.second is None
    assert driver.state.layout.next_position == 50


# Chopping the blinds.


def choppable(*stacks: int, count: ChoicesCount = ChoicesCount.AT_ONCE, **options: Any) -> Driver:
    return start_hand(*stacks, chop="blinds", choices_count=count, **options)


def test_both_blinds_take_their_blinds_back() -> None:
    driver = choppable(100, 100, 100, choices={1: CHOP, 2: CHOP})
    play(driver, "3 fold")
    assert driver.entries[-3:] == [
        BlindsChopped(1, (1, 2)),
        Returned(1, 5),
        Returned(2, 10),
    ]
    assert driver.stacks == {1: 100, 2: 100, 3: 100}
    assert driver.over


def test_antes_of_chopped_blinds_go_to_the_big_blind() -> None:
    ante = AnteRule(AnteKind.EACH, 2)
    driver = choppable(100, 100, 100, choices={1: CHOP, 2: CHOP}, ante=ante)
    play(driver, "3 fold")
    assert driver.stacks == {1: 98, 2: 104, 3: 98}
    (award,) = driver.awarded
    assert award.winners[0].name is None


@pytest.mark.parametrize(
    ("why", "choices", "options", "acts"),
    [
        ("one has not chosen it", {1: CHOP}, {}, ["3 fold"]),
        ("a call before", {1: CHOP, 2: CHOP}, {}, ["3 call"]),
        ("a raise before", {1: CHOP, 2: CHOP}, {}, ["3 raise 20"]),
        ("a post besides", {1: CHOP, 2: CHOP}, {"owes": {3: Owed(0, 5)}}, ["3 fold"]),
        ("a dead small blind", {1: CHOP, 2: CHOP}, {"dead_small_blind": True}, ["3 fold"]),
    ],
)
def test_the_blinds_are_not_chopped_after(
    why: str, choices: dict[int, tuple[Choice, ...]], options: dict[str, Any], acts: list[str]
) -> None:
    driver = choppable(100, 100, 100, choices=choices, **options)
    play(driver, *acts)
    assert not any(isinstance(one, BlindsChopped) for one in driver.entries), why
    assert to_act(driver) == 1


def test_a_choice_in_the_turn_counts_where_choices_are_at_once() -> None:
    driver = choppable(100, 100, 100, choices={1: CHOP})
    play(driver, "3 fold")
    late = Preferred(2, "player-2", CHOP)
    state = engine.evolve(driver.state, 0, late)
    assert engine.forced(state, driver.deck)[0] == BlindsChopped(1, (1, 2))


def test_choices_before_links_count_as_the_opening_repeats_them() -> None:
    driver = choppable(100, 100, 100, count=ChoicesCount.BEFORE_LINKS, choices={1: CHOP})
    play(driver, "3 fold")
    state = engine.evolve(driver.state, 0, Preferred(2, "player-2", CHOP))
    assert engine.forced(state, driver.deck) == ()


# Showing.


def showdown(**options: Any) -> Driver:
    driver = start_hand(500, 500, 500, **options)
    check_down(driver)
    return driver


def turned(driver: Driver) -> list[tuple[int | None, By]]:
    return [
        (one.seat, one.by)
        for one in driver.entries
        if isinstance(one, Mucked) or (isinstance(one, Opened) and one.seat)
    ]


def test_the_policy_all_opens_every_hand() -> None:
    driver = showdown(show=Show.ALL)
    assert turned(driver) == [(1, By.POLICY), (2, By.POLICY), (3, By.POLICY)]
    assert driver.mucked == []


def test_a_beaten_hand_is_shown_by_its_players_choice() -> None:
    driver = showdown(choices={2: SHOW})
    assert turned(driver) == [(1, By.POLICY), (2, By.PLAYER), (3, By.POLICY)]
    assert driver.mucked == [3]


def test_neither_a_shown_hand_may_be_mucked_nor_a_mucked_one_be_shown() -> None:
    driver = showdown(choices={2: SHOW})
    state = engine.begin(driver.state.frame.rules, driver.opened)
    for entry in driver.entries:
        wrong: Mucked | Opened | None = None
        if isinstance(entry, Opened) and entry.seat == 2:
            wrong = Mucked(1, 2, By.POLICY)
        elif isinstance(entry, Mucked):
            cards = tuple(driver.deck[at] for at in (2, 5))
            wrong = Opened(1, By.PLAYER, cards, 3)
        if wrong is not None:
            with pytest.raises(engine.ImpossibleEntry):
                engine.evolve(state, 0, wrong)
        state = engine.evolve(state, 0, entry)


# Time banks and pre-selected acts.


def banked(bank_ms: int = 5_000) -> Driver:
    bank = TimeBankRule(bank_ms, 0, 60_000)
    return start_hand(500, 500, 500, time_bank=bank, bank_ms=bank_ms)


def test_the_deadline_holds_the_bank() -> None:
    decision = banked().decision
    assert decision is not None
    assert (decision.deadline, decision.bank_ms) == (25_000, 5_000)


def acted(driver: Driver, at: int, by: By) -> engine.HandState:
    seat = driver.decision.seat if driver.decision else 0
    made = (
        engine.clock_act(driver.state, by) if by is By.CLOCK else Acted(seat, Act.CALL, 10, by, 1)
    )
    return engine.evolve(driver.state, at, made)


@pytest.mark.parametrize(
    ("at", "left"), [(20_000, 5_000), (20_001, 4_999), (24_999, 1), (25_000, 0), (90_000, 0)]
)
def test_a_late_act_takes_its_time_above_the_clock_from_the_bank(at: int, left: int) -> None:
    assert engine.list_banks(acted(banked(), at, By.PLAYER)) == {1: 5_000, 2: 5_000, 3: left}


def test_the_clock_acts_behind_the_bank_and_empties_it() -> None:
    with pytest.raises(engine.ImpossibleEntry):
        acted(banked(), 24_999, By.CLOCK)
    assert engine.list_banks(acted(banked(), 25_000, By.CLOCK))[3] == 0
    assert engine.find_due(banked().state) == 25_000


def test_without_a_rule_there_is_no_bank() -> None:
    driver = start_hand(500, 500, 500)
    assert engine.list_banks(driver.state) == {}
    assert engine.find_due(driver.state) == 20_000


def test_a_pre_selected_act_is_an_act_of_its_player() -> None:
    state = acted(start_hand(500, 500, 500), 0, By.PRE_ACTION)
    assert state.betting.turn == 2
    made = engine.act(start_hand(500, 500, 500).state, 3, 1, Act.CALL, None, By.PRE_ACTION)
    assert isinstance(made, Acted)
    assert made.by is By.PRE_ACTION


# Omaha in play.


@pytest.mark.parametrize("cards", [4, 5, 6])
def test_omaha_deals_one_card_at_a_time_as_many_rounds_as_hole_cards(cards: int) -> None:
    driver = start_hand(500, 500, 500, variant=Variant.OMAHA, hole_cards=cards, hole={})
    dealt = next(one for one in driver.entries if isinstance(one, Dealt))
    assert [one.seat for one in dealt.positions] == [1, 2, 3] * cards


def test_a_low_that_ties_is_opened_by_policy_though_its_high_is_beaten() -> None:
    driver = start_hand(
        500,
        500,
        variant=Variant.OMAHA_HI_LO,
        hole_cards=4,
        hole={1: "Kh Ks Qd Qs", 2: "Ad 6c Jd Js"},
        board="2s 3h 8s Th Kc",
    )
    check_down(driver)
    assert turned(driver) == [(1, By.POLICY), (2, By.POLICY)]
    halves = [(one.half, [winner.seat for winner in one.winners]) for one in driver.awarded]
    assert halves == [("high", [1]), ("low", [2])]
    assert driver.awarded[1].winners[0].name == "Low, eight six three two ace"


def test_old_openings_need_no_new_fields() -> None:
    opened = open_hand({1: 500, 2: 500}, 2, 2, 1)
    assert isinstance(opened, HandOpened)
    frame = engine.begin(make_rules(5, 10), opened).frame
    assert frame.plain
    assert (frame.dead, frame.limit, frame.late) == (0, None, None)
