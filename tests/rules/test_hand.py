"""The hand from its opening to its end, and the mistakes that engines make."""

from dataclasses import replace

import pytest

from dealer_service.rules import hand as engine
from dealer_service.rules.entry import (
    Act,
    Acted,
    Anchored,
    By,
    CameBack,
    ChipsAdded,
    Dealt,
    DealtPosition,
    DeckCommitted,
    Destination,
    Entry,
    HandEnded,
    HandOpened,
    HandVoid,
    Mucked,
    Opened,
    OpenedCard,
    Paused,
    PlayerRemoved,
    Post,
    Posted,
    Resumed,
    Returned,
    SatOut,
    SeatLeft,
    SeatStack,
    SeatTaken,
    SeatWord,
    VoidReason,
)
from dealer_service.rules.refusal import HandReason, ImpossibleEntry, Refusal
from tests.runners.driver import Driver, make_rules, open_hand, read_cards, stack_deck

HOLE = {1: "Ac Ad", 2: "Kc Kd", 3: "Qc Qd", 4: "Jc Jd"}
BOARD = "2s 3h 5s 8h Th"


def start(
    stacks: dict[int, int],
    button: int,
    blinds: tuple[int | None, int],
    *,
    sizes: tuple[int, int] = (50, 100),
    hole: dict[int, str] | None = None,
    board: str = BOARD,
) -> Driver:
    cards = {seat: read_cards(text) for seat, text in (hole or HOLE).items() if seat in stacks}
    deck = stack_deck(stacks, button, cards, read_cards(board))
    return Driver.start(make_rules(*sizes), open_hand(stacks, button, *blinds), deck)


def play(driver: Driver, *acts: str) -> None:
    """Play acts such as "3 raise 200"."""
    for text in acts:
        seat, did, *to = text.split()
        refusal = driver.act(int(seat), Act(did), int(to[0]) if to else None)
        assert refusal is None, f"{text}: {refusal}"


def to_act(driver: Driver) -> int | None:
    return driver.decision.seat if driver.decision else None


def refused(driver: Driver, text: str) -> Refusal:
    seat, did, *to = text.split()
    refusal = driver.act(int(seat), Act(did), int(to[0]) if to else None)
    assert refusal is not None, f"{text} was accepted"
    return refusal


# The course of a hand.


def test_a_hand_posts_deals_and_asks_the_seat_left_of_the_big_blind() -> None:
    driver = start({1: 1000, 2: 1000, 3: 1000, 4: 1000}, 1, (2, 3))
    committed, small, big, dealt = driver.entries
    assert isinstance(committed, DeckCommitted)
    assert small == Posted(2, Post.SMALL_BLIND, 50)
    assert big == Posted(3, Post.BIG_BLIND, 100)
    assert isinstance(dealt, Dealt)
    assert [(one.position, one.seat) for one in dealt.positions] == [
        *enumerate([2, 3, 4, 1, 2, 3, 4, 1])
    ]
    assert to_act(driver) == 4


def test_each_street_burns_one_and_opens_its_board_before_anybody_acts() -> None:
    driver = start({1: 1000, 2: 1000}, 1, (1, 2))
    play(driver, "1 call", "2 check")
    dealt, opened = driver.entries[-2:]
    assert isinstance(dealt, Dealt)
    assert [one.to for one in dealt.positions] == [Destination.BURN] + [Destination.BOARD] * 3
    assert [one.position for one in dealt.positions] == [4, 5, 6, 7]
    assert isinstance(opened, Opened)
    assert [one.card for one in opened.cards] == ["2s", "3h", "5s"]
    assert (opened.by, opened.board, opened.seat) == (By.RULE, 1, None)


def test_heads_up_the_button_posts_small_and_acts_first_then_last() -> None:
    driver = start({1: 1000, 2: 1000}, 1, (1, 2))
    assert to_act(driver) == 1
    play(driver, "1 call", "2 check")
    assert to_act(driver) == 2


def test_heads_up_the_big_blind_gets_the_first_card() -> None:
    driver = start({1: 1000, 2: 1000}, 1, (1, 2))
    dealt = driver.entries[3]
    assert isinstance(dealt, Dealt)
    assert [one.seat for one in dealt.positions] == [2, 1, 2, 1]


def test_a_dead_small_blind_is_posted_by_nobody() -> None:
    driver = start({1: 1000, 3: 1000, 4: 1000}, 1, (None, 3))
    assert [entry for entry in driver.entries if isinstance(entry, Posted)] == [
        Posted(3, Post.BIG_BLIND, 100)
    ]
    assert to_act(driver) == 4


def test_the_button_may_stand_on_an_empty_seat() -> None:
    driver = start({1: 1000, 3: 1000, 4: 1000}, 2, (3, 4))
    assert to_act(driver) == 1
    play(driver, "1 call", "3 call", "4 check")
    assert to_act(driver) == 3


def test_a_big_blind_walk_returns_the_unmatched_half() -> None:
    driver = start({1: 500, 2: 500, 3: 500}, 3, (1, 2), sizes=(5, 10))
    play(driver, "3 fold", "1 fold")
    assert driver.returned == {2: 5}
    assert [(award.amount, award.winners[0].seat) for award in driver.awarded] == [(10, 2)]
    assert driver.awarded[0].winners[0].name is None
    assert driver.show_order == []


def test_a_walk_without_a_small_blind_awards_no_empty_pot() -> None:
    driver = start({1: 500, 3: 500}, 2, (None, 3))
    play(driver, "1 fold")
    assert driver.returned == {3: 100}
    assert driver.awarded == []
    assert driver.stacks == {1: 500, 3: 500}


def test_everyone_all_in_from_the_blinds_plays_without_a_decision() -> None:
    driver = start({1: 50, 2: 80}, 1, (1, 2))
    assert driver.over
    assert not any(isinstance(entry, Acted) for entry in driver.entries)
    assert driver.returned == {2: 30}
    assert driver.shown == [2, 1]
    assert driver.stacks == {1: 100, 2: 30}


def test_a_big_blind_larger_than_the_stack_is_still_the_bet_to_match() -> None:
    driver = start({1: 1000, 2: 60, 3: 1000}, 3, (1, 2))
    assert driver.decision is not None
    assert driver.decision.call == 100
    assert driver.decision.raise_ == engine.Range(200, 1000)


def test_a_call_asks_for_no_more_than_any_other_seat_can_still_bet() -> None:
    driver = start({1: 2000, 2: 60}, 1, (1, 2))
    assert driver.decision is not None
    assert driver.decision.call == 10
    assert driver.decision.raise_ is None
    assert driver.decision.no_raise_because == "no other player could put in more than 100"


def test_a_short_all_in_over_the_big_blind_does_not_let_the_limper_raise() -> None:
    driver = start({1: 4000, 2: 6000, 3: 4000, 4: 150}, 4, (1, 2))
    play(driver, "3 call", "4 raise 150", "1 fold", "2 call")
    assert driver.decision is not None
    assert (driver.decision.seat, driver.decision.call) == (3, 50)
    assert driver.decision.raise_ is None
    assert refused(driver, "3 raise 4000").reason is HandReason.NO_RAISE


def test_two_short_all_ins_that_add_up_reopen_the_betting() -> None:
    driver = start({1: 4000, 2: 6000, 3: 150, 4: 220}, 2, (3, 4), sizes=(50, 100))
    play(driver, "1 call", "2 call", "3 raise 150", "4 raise 220")
    assert driver.decision is not None
    assert driver.decision.seat == 1
    assert driver.decision.raise_ == engine.Range(320, 4000)


def test_the_minimum_raise_is_the_last_full_raise_whatever_short_all_ins_came_between() -> None:
    driver = start({1: 5000, 2: 340, 3: 5000, 4: 5000}, 4, (1, 2))
    play(driver, "3 raise 300", "4 call", "1 call", "2 raise 340")
    assert driver.decision is not None
    assert driver.decision.raise_ is None, "40 more than 300 is less than a full raise of 200"
    driver = start({1: 5000, 2: 340, 3: 5000, 4: 5000}, 1, (2, 3))
    play(driver, "4 raise 300", "1 call", "2 raise 340")
    assert driver.decision is not None
    assert driver.decision.raise_ == engine.Range(540, 5000)


def test_a_folded_players_chips_count_against_the_uncalled_bet() -> None:
    """Seat 1 bets 500 and seat 2, which had put in 300, folds: 200 are uncalled."""
    driver = start({1: 1000, 2: 1000, 3: 100}, 3, (1, 2))
    play(driver, "3 call", "1 raise 300", "2 call", "1 bet 200", "2 fold")
    assert driver.returned == {1: 200}
    assert [(award.pot, award.amount) for award in driver.awarded] == [(1, 400), (0, 300)]


def test_odd_chips_with_three_winners_go_one_each_from_the_left_of_the_button() -> None:
    hole = {1: "Ac 4d", 2: "Ad 4c", 3: "9c 9d", 4: "Ah 4h"}
    driver = start(
        {1: 100, 2: 100, 3: 100, 4: 100},
        2,
        (3, 4),
        sizes=(1, 2),
        hole=hole,
        board="As Ks Qd 7s 2d",
    )
    play(driver, "1 raise 5", "2 call", "3 call", "4 call")
    play(driver, "3 check", "4 bet 4", "1 call", "2 call", "3 fold")
    play(driver, "4 check", "1 check", "2 check", "4 check", "1 check", "2 check")
    (award,) = driver.awarded
    assert [(one.seat, one.amount) for one in award.winners] == [(4, 11), (1, 11), (2, 10)]


WINNING_NAMES = [
    ("Ac 2d", "Kc Kd", "3h 4s 5c Jd 9h", "Straight, five high", "the wheel"),
    ("Ah 2h", "6c Kd", "3h 4h 5h Jd 9c", "Straight flush, five high", "the steel wheel"),
    ("Ac 3d", "9c 9d", "Ts Tc Jd Jh 4s", "Two pair, jacks and tens", "a counterfeited two pair"),
]


@pytest.mark.parametrize(
    ("one", "two", "board", "name", "why"), WINNING_NAMES, ids=[row[4] for row in WINNING_NAMES]
)
def test_the_right_hand_wins(one: str, two: str, board: str, name: str, why: str) -> None:
    driver = start({1: 100, 2: 100}, 1, (1, 2), hole={1: one, 2: two}, board=board)
    play(driver, "1 call")
    (award,) = driver.awarded
    assert [(winner.seat, winner.name) for winner in award.winners] == [(1, name)], why


# The showdown.


def check_down(driver: Driver, seats: list[int], streets: int) -> None:
    for _ in range(streets):
        play(driver, *[f"{seat} check" for seat in seats])


def test_the_river_bettor_shows_first_and_a_beaten_caller_is_mucked_by_policy() -> None:
    driver = start({1: 500, 2: 500, 3: 500}, 3, (1, 2))
    play(driver, "3 fold", "1 call", "2 check")
    check_down(driver, [1, 2], 2)
    play(driver, "1 bet 100", "2 call")
    assert (driver.shown, driver.mucked) == ([1], [2])
    mucked = next(entry for entry in driver.entries if isinstance(entry, Mucked))
    assert mucked.by is By.POLICY


def test_a_later_hand_that_wins_is_opened_by_policy() -> None:
    driver = start({1: 500, 2: 500, 3: 500}, 1, (2, 3), hole={2: "7c 2d", 3: "Kc Kd", 1: "4c 4d"})
    play(driver, "1 call", "2 call", "3 check")
    check_down(driver, [2, 3, 1], 3)
    assert driver.show_order == [2, 3, 1]
    assert (driver.shown, driver.mucked) == ([2, 3], [1])


def test_an_all_in_turns_up_every_live_hand_before_the_rest_of_the_board() -> None:
    driver = start({1: 500, 2: 500, 3: 2000}, 3, (1, 2))
    play(driver, "3 raise 500", "1 call", "2 fold")
    kinds = [type(entry).__name__ for entry in driver.entries[-9:]]
    assert kinds == ["Opened", "Opened"] + ["Dealt", "Opened"] * 3 + ["Awarded"]
    opened = [e for e in driver.entries if isinstance(e, Opened) and e.seat is not None]
    assert [(entry.seat, entry.by) for entry in opened] == [(3, By.RULE), (1, By.RULE)]


def test_side_pot_players_show_before_the_one_who_is_all_in_for_the_main_pot() -> None:
    driver = start({1: 700, 2: 4000, 3: 4000}, 3, (1, 2))
    play(driver, "3 call", "1 raise 700", "2 call", "3 call")
    play(driver, "2 check", "3 check", "2 bet 1000", "3 call", "2 check", "3 check")
    assert driver.show_order == [2, 3, 1]
    assert [award.pot for award in driver.awarded] == [1, 0]


def test_a_winner_without_a_showdown_shows_nothing() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    play(driver, "1 raise 300", "2 fold")
    assert driver.show_order == []


# Showing in the pause.


def after_a_fold() -> Driver:
    driver = start({1: 500, 2: 500, 3: 500}, 3, (1, 2))
    play(driver, "3 fold", "1 raise 300", "2 fold")
    return driver


def test_any_player_dealt_in_may_show_in_the_pause() -> None:
    driver = after_a_fold()
    shown = engine.show(driver.state, 1, driver.deck)
    assert isinstance(shown, Opened)
    assert shown.by is By.PLAYER
    assert [one.card for one in shown.cards] == ["Ac", "Ad"]
    state = engine.evolve(driver.state, 9, shown)
    again = engine.show(state, 1, driver.deck)
    assert isinstance(again, Refusal)
    assert again.reason is HandReason.ALREADY_SHOWN
    folded = engine.show(state, 3, driver.deck)
    assert isinstance(folded, Opened)
    with pytest.raises(ImpossibleEntry):
        engine.evolve(state, 9, shown)


def test_nobody_shows_before_the_pots_are_paid_or_without_cards() -> None:
    driver = start({1: 500, 2: 500, 3: 500}, 3, (1, 2))
    early = engine.show(driver.state, 1, driver.deck)
    assert isinstance(early, Refusal)
    assert early.reason is HandReason.NOT_SHOWING_TIME
    stranger = engine.show(driver.state, 5, driver.deck)
    assert isinstance(stranger, Refusal)
    assert stranger.reason is HandReason.NOT_DEALT_IN
    assert stranger.numbers == {"seat": 5, "hand": 1}


def test_the_ending_names_the_stack_of_every_seat_dealt_in() -> None:
    driver = after_a_fold()
    ended = engine.ending(driver.state)
    stacks = (SeatStack(1, 600), SeatStack(2, 400), SeatStack(3, 500))
    assert ended == HandEnded(1, stacks)
    state = engine.evolve(driver.state, 9, ended)
    assert state.stage is engine.Stage.ENDED
    with pytest.raises(ImpossibleEntry):
        engine.evolve(state, 9, ended)
    with pytest.raises(ImpossibleEntry):
        engine.evolve(state, 9, Paused())


# The clock, absence and asides.


def test_the_clock_checks_for_free_and_folds_to_a_bet() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    assert engine.clock_act(driver.state, By.CLOCK) == Acted(1, Act.FOLD, 50, By.CLOCK, 1)
    play(driver, "1 call")
    assert engine.clock_act(driver.state, By.CLOCK) == Acted(2, Act.CHECK, 100, By.CLOCK, 2)


def test_no_clock_runs_out_where_nobody_is_to_act() -> None:
    with pytest.raises(ImpossibleEntry):
        engine.clock_act(after_a_fold().state, By.CLOCK)


def test_the_clock_begins_with_the_line_that_asks_and_never_acts_early() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    acted = engine.act(driver.state, 1, 1, Act.CALL, None, By.PLAYER)
    assert isinstance(acted, Acted)
    state = engine.evolve(driver.state, 7_000, acted)
    decision = engine.decision(state)
    assert decision is not None
    assert (decision.began, decision.deadline) == (7_000, 27_000)
    late = engine.clock_act(state, By.CLOCK)
    with pytest.raises(ImpossibleEntry):
        engine.evolve(state, 26_999, late)
    assert engine.evolve(state, 27_000, late).betting.street == 1


def test_an_aside_does_not_begin_the_clock_again() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    state = engine.evolve(driver.state, 5_000, SeatTaken(6, "new", 500))
    decision = engine.decision(state)
    assert decision is not None
    assert decision.began == 0


def test_the_dealer_acts_at_once_for_a_player_that_is_gone() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    gone = engine.evolve(driver.state, 1, SeatLeft(1, "player-1"))
    assert gone.marks.absent == {1}
    asked = engine.act(gone, 1, 1, Act.CALL, None, By.PLAYER)
    assert isinstance(asked, Refusal)
    assert asked.reason is HandReason.PLAYER_GONE
    state = engine.evolve(gone, 1, engine.clock_act(gone, By.ABSENT))
    assert state.chairs[1].folded
    with pytest.raises(ImpossibleEntry):
        engine.evolve(gone, 90_000, engine.clock_act(gone, By.CLOCK))


def test_the_dealer_does_not_act_as_absent_for_a_player_that_is_there() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    with pytest.raises(ImpossibleEntry):
        engine.evolve(driver.state, 90_000, engine.clock_act(driver.state, By.ABSENT))


def test_a_removed_player_is_absent_and_its_chips_stay_in_the_hand() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    state = engine.evolve(driver.state, 1, PlayerRemoved(2, "player-2"))
    assert state.marks.absent == {2}
    with pytest.raises(ImpossibleEntry):
        engine.evolve(driver.state, 1, PlayerRemoved(2, "player-2", 400))


def test_the_clock_makes_a_player_sit_out_once() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    sat_out = engine.sit_out_by_clock(driver.state, 1)
    assert sat_out == SatOut(1, "player-1", By.CLOCK)
    state = engine.evolve(driver.state, 1, sat_out)
    assert engine.sit_out_by_clock(state, 1) is None
    back = engine.evolve(state, 2, CameBack(1, "player-1"))
    assert engine.sit_out_by_clock(back, 1) == sat_out
    left = engine.evolve(back, 3, SeatLeft(1, "player-1"))
    assert engine.sit_out_by_clock(left, 1) is None


@pytest.mark.parametrize(
    "aside",
    [
        SeatTaken(5, "new", 500),
        SeatLeft(5, "new", 500),
        Anchored(5, "new", "00" * 32),
        Paused(),
        Resumed(),
    ],
    ids=lambda aside: type(aside).__name__,
)
def test_asides_of_others_change_nothing(aside: Entry) -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    assert engine.evolve(driver.state, 1, aside) == driver.state


# Voids.


def void(reason: VoidReason) -> HandVoid:
    return HandVoid(hand=1, reason=reason, secret="00" * 32, links=(), missing=())


def test_a_fault_of_the_dealer_gives_every_chip_back() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    play(driver, "1 raise 300", "2 call")
    state = engine.evolve(driver.state, 1, void(VoidReason.DEALER_FAULT))
    assert state.stage is engine.Stage.VOID
    assert engine.list_stacks(state) == {1: 500, 2: 500}
    assert engine.decision(state) is None
    assert engine.forced(state, driver.deck) == ()


@pytest.mark.parametrize("reason", list(VoidReason))
def test_any_reason_voids_a_hand_before_its_deck_and_only_a_fault_after_it(
    reason: VoidReason,
) -> None:
    fresh = engine.begin(make_rules(50, 100), open_hand({1: 500, 2: 500}, 1, 1, 2))
    assert engine.evolve(fresh, 1, void(reason)).stage is engine.Stage.VOID
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    if reason is not VoidReason.DEALER_FAULT:
        with pytest.raises(ImpossibleEntry):
            engine.evolve(driver.state, 1, void(reason))


# What can not be.

OPENED = open_hand({1: 500, 2: 500, 3: 500}, 3, 1, 2)
IN = OPENED.seats
UNPLAYABLE = {
    "one seat": replace(OPENED, seats=IN[:1]),
    "two dealt in, one of them sitting out": replace(
        OPENED, seats=(IN[0], replace(IN[1], state=SeatWord.SITTING_OUT))
    ),
    "seats that do not rise": replace(OPENED, seats=(IN[1], IN[0], IN[2])),
    "a seat twice": replace(OPENED, seats=(IN[0], IN[0], IN[2])),
    "a seat without chips": replace(OPENED, seats=(replace(IN[0], stack=0), *IN[1:])),
    "a seat beyond the table": replace(OPENED, seats=(*IN, replace(IN[0], seat=11))),
    "no button": replace(OPENED, button=0),
    "a button beyond the table": replace(OPENED, button=11),
    "one seat with both blinds": replace(OPENED, small_blind_seat=2),
    "a big blind that is not dealt in": replace(OPENED, big_blind_seat=4),
    "a small blind that is not dealt in": replace(OPENED, small_blind_seat=4),
}


@pytest.mark.parametrize("opened", UNPLAYABLE.values(), ids=UNPLAYABLE)
def test_no_hand_begins_with(opened: HandOpened) -> None:
    with pytest.raises(ImpossibleEntry):
        engine.begin(make_rules(50, 100), opened)


def test_an_entry_of_another_hand_or_out_of_its_place_can_not_follow() -> None:
    driver = start({1: 500, 2: 500}, 1, (1, 2))
    for entry in (
        DeckCommitted(1, (), "", ""),
        Posted(1, Post.SMALL_BLIND, 50),
        Returned(1, 50),
        Mucked(1, 1, By.POLICY),
        ChipsAdded(1, "player-1", 50),
        Acted(2, Act.CALL, 100, By.PLAYER, 1),
        Acted(1, Act.CALL, 100, By.PLAYER, 2),
        Acted(1, Act.CALL, 99, By.PLAYER, 1),
        Acted(1, Act.CALL, 0, By.PLAYER, 1),
        Acted(1, Act.FOLD, 0, By.PLAYER, 1),
        Acted(1, Act.RAISE, 150, By.PLAYER, 1),
        Acted(1, Act.CALL, 100, By.RULE, 1),
        Dealt(1, (DealtPosition(4, Destination.BURN),)),
        Opened(hand=1, by=By.PLAYER, cards=(), seat=1),
        HandEnded(1, ()),
        OPENED,
    ):
        with pytest.raises(ImpossibleEntry):
            engine.evolve(driver.state, 90_000, entry)


def at_stage(stage: engine.Stage) -> tuple[engine.HandState, tuple[OpenedCard, ...], list[Entry]]:
    """Give a state of a hand that waits at a stage, its deck, and what would follow."""
    driver = start({1: 500, 2: 700, 3: 900}, 3, (1, 2))
    play(driver, "3 raise 700", "1 call", "2 fold")
    state = engine.begin(make_rules(50, 100), driver.opened)
    entries = list(driver.entries)
    while state.stage is not stage:
        state = engine.evolve(state, 0, entries.pop(0))
    return state, tuple(driver.deck), entries


def test_a_bet_is_returned_and_a_pot_paid_as_the_rules_say_and_not_otherwise() -> None:
    state, _, (returned, *_) = at_stage(engine.Stage.UNCALLED)
    assert returned == Returned(3, 200)
    for wrong in (Returned(3, 199), Returned(1, 200)):
        with pytest.raises(ImpossibleEntry):
            engine.evolve(state, 0, wrong)
    state, _, (award, *_) = at_stage(engine.Stage.AWARD)
    for change in ({"amount": 1}, {"pot": 1}, {"rake": 1}, {"winners": ()}, {"board": 2}):
        with pytest.raises(ImpossibleEntry):
            engine.evolve(state, 0, replace(award, **change))
    assert engine.evolve(state, 0, award).stage is engine.Stage.PAUSE


def test_cards_are_opened_where_they_were_dealt_and_never_twice() -> None:
    state, deck, (opened, *_) = at_stage(engine.Stage.SHOWDOWN)
    assert isinstance(opened, Opened)
    elsewhere = replace(opened, cards=(deck[1], deck[4]))
    unknown = replace(opened, cards=(replace(opened.cards[0], card="1s"), opened.cards[1]))
    twice = replace(
        opened, cards=(opened.cards[0], replace(opened.cards[1], card=opened.cards[0].card))
    )
    one = replace(opened, cards=opened.cards[:1])
    policy = replace(opened, by=By.POLICY)
    other = replace(opened, seat=1)
    for wrong in (elsewhere, unknown, twice, one, policy, other, Mucked(1, 3, By.POLICY)):
        with pytest.raises(ImpossibleEntry):
            engine.evolve(state, 0, wrong)
    state, _, (board, *_) = at_stage(engine.Stage.BOARD_OPENED)
    assert isinstance(board, Opened)
    known = state.layout.shown[0].cards[0]
    again = replace(board, cards=(replace(board.cards[0], card=known), *board.cards[1:]))
    for wrong in (again, replace(board, by=By.PLAYER), replace(board, board=2)):
        with pytest.raises(ImpossibleEntry):
            engine.evolve(state, 0, wrong)


def test_a_beaten_hand_is_not_opened_by_policy_and_the_first_is_not_mucked() -> None:
    driver = start({1: 500, 2: 500, 3: 500}, 3, (1, 2))
    play(driver, "3 fold", "1 call", "2 check")
    check_down(driver, [1, 2], 3)
    state = engine.begin(make_rules(50, 100), driver.opened)
    for entry in driver.entries:
        if state.stage is engine.Stage.SHOWDOWN and not state.layout.shown:
            with pytest.raises(ImpossibleEntry):
                engine.evolve(state, 0, Mucked(1, 1, By.POLICY))
        if isinstance(entry, Mucked):
            cards = (driver.deck[1], driver.deck[4])
            beaten = Opened(hand=1, by=By.POLICY, cards=cards, seat=2)
            with pytest.raises(ImpossibleEntry):
                engine.evolve(state, 0, beaten)
        state = engine.evolve(state, 0, entry)
    assert driver.mucked == [2]
