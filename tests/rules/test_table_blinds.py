"""Who is dealt in with which posts: missed blinds, newcomers, waiting, straddles (6.3, 8, 9.1)."""

from dataclasses import replace
from typing import Any

import pytest

from dealer_service.rules import entry as e
from dealer_service.rules.entry import Button, Choice, MissedBlinds, Newcomers, Owed, SeatWord
from dealer_service.rules.lineup import line_up
from tests.support.simulator import RULES, Simulator, passive

STRADDLE = e.StraddleRule(e.StraddleKind.UNDER_THE_GUN, e.StraddleRaise.DOUBLE)


def table(seats: int = 4, **rules: Any) -> Simulator:
    """Seat players 1, 2, … in the seats of those numbers."""
    game = Simulator(rules=replace(RULES, **rules))
    for seat in range(1, seats + 1):
        game.sit(f"p{seat}", seat=seat, stack=10_000)
    return game


def opening(game: Simulator) -> e.HandOpened:
    """Give the opening that comes next, by opening it."""
    game.open_hand()
    assert game.state.open is not None
    return game.state.open.opened


def states(opened: e.HandOpened) -> dict[int, e.SeatState]:
    return {one.seat: one for one in opened.seats}


def posts(game: Simulator) -> list[tuple[int, e.Post, int]]:
    """Give what was posted in the last hand."""
    found: list[tuple[int, e.Post, int]] = []
    for _, entry in game.log:
        if isinstance(entry, e.HandOpened):
            found = []
        elif isinstance(entry, e.Posted):
            found.append((entry.seat, entry.what, entry.amount))
    return found


def play(game: Simulator) -> e.HandOpened:
    game.play_hand(choose=passive)
    return next(one for _, one in reversed(game.log) if isinstance(one, e.HandOpened))


DEAD: dict[str, Any] = {"button": Button.DEAD, "missed_blinds": MissedBlinds.DEAD}


def test_who_sits_out_owes_each_blind_that_comes_to_it_or_passes() -> None:
    """Four seats, blinds 2 and 3; then seat 4 sits out of its big blind and of its small one."""
    game = table(**DEAD)
    play(game)
    game.sit_out("p4")
    opened = play(game)
    assert (opened.small_blind_seat, opened.big_blind_seat) == (3, 1)
    assert states(opened)[4].owes == Owed(100, 0)
    opened = play(game)
    # The small blind goes to seat 1, past seat 4.
    assert (opened.small_blind_seat, opened.big_blind_seat) == (1, 2)
    assert states(opened)[4].owes == Owed(100, 50)
    assert (opened.last_small_blind_seat, opened.last_big_blind_seat) == (3, 1)


def test_each_blind_is_owed_once_however_often_it_passes() -> None:
    game = table(**DEAD)
    play(game)
    game.sit_out("p4")
    for _ in range(8):
        opened = play(game)
    assert states(opened)[4].owes == Owed(100, 50)


def test_who_comes_back_posts_dead_before_live_and_owes_nothing_more() -> None:
    game = table(**DEAD)
    play(game)
    game.sit_out("p4")
    play(game)
    play(game)
    game.come_back("p4")
    opened = play(game)
    assert states(opened)[4].state is SeatWord.IN
    assert posts(game)[2:] == [(4, e.Post.DEAD, 50), (4, e.Post.LIVE, 100)]
    assert game.state.seats[4].owes is None
    assert states(play(game))[4].owes is None


def test_what_is_owed_stays_owed_through_a_void() -> None:
    game = table(**DEAD)
    play(game)
    game.sit_out("p4")
    play(game)
    play(game)
    game.come_back("p4")
    opening(game)
    game.void_hand(e.VoidReason.OPERATOR)
    assert game.state.seats[4].owes == Owed(100, 50)
    assert states(play(game))[4].owes == Owed(100, 50)
    assert game.state.seats[4].owes is None


def test_a_blind_counts_from_the_last_hand_that_was_not_void() -> None:
    """Seat 4 is big blind in a void hand, then sits out, and the blind has passed it."""
    game = table(**DEAD)
    play(game)
    opened = opening(game)
    assert opened.big_blind_seat == 4
    game.void_hand(e.VoidReason.OPERATOR)
    game.sit_out("p4")
    opened = play(game)
    assert opened.big_blind_seat == 1
    assert (opened.last_small_blind_seat, opened.last_big_blind_seat) == (2, 3)
    assert states(opened)[4].owes == Owed(100, 0)


def owing(button: Button) -> Simulator:
    """Let seat 4 of four miss both blinds."""
    game = table(button=button, missed_blinds=MissedBlinds.DEAD)
    play(game)
    game.sit_out("p4")
    for _ in range(3):
        play(game)
    assert game.state.seats[4].owes == Owed(100, 50)
    return game


def test_in_the_big_blind_nothing_is_owed() -> None:
    game = owing(Button.DEAD)
    while play(game).big_blind_seat != 3:
        pass
    game.come_back("p4")
    opened = play(game)
    assert opened.big_blind_seat == 4
    assert states(opened)[4].owes is None
    assert game.state.seats[4].owes is None


def test_in_the_small_blind_what_is_live_is_the_rest_of_the_big_one() -> None:
    game = owing(Button.MOVING)
    while play(game).button != 2:
        pass
    game.come_back("p4")
    opened = play(game)
    assert (opened.button, opened.small_blind_seat) == (3, 4)
    assert states(opened)[4].owes == Owed(50, 50)


def test_by_live_only_the_big_blind_is_owed() -> None:
    game = table(button=Button.DEAD, missed_blinds=MissedBlinds.LIVE)
    play(game)
    game.sit_out("p4")
    for _ in range(4):
        opened = play(game)
    assert states(opened)[4].owes == Owed(100, 0)


def test_by_wait_who_missed_the_big_blind_is_dealt_in_when_it_comes_again() -> None:
    game = table(button=Button.DEAD, missed_blinds=MissedBlinds.WAIT)
    play(game)
    game.sit_out("p4")
    opened = play(game)
    assert states(opened)[4].waits is True
    assert states(opened)[4].state is SeatWord.SITTING_OUT
    game.come_back("p4")
    seen = []
    for _ in range(3):
        opened = play(game)
        seen.append((opened.big_blind_seat, states(opened)[4].state))
    assert seen == [(2, SeatWord.WAITING), (3, SeatWord.WAITING), (4, SeatWord.IN)]
    assert states(opened)[4].waits is None
    assert states(opened)[4].owes is None


def test_who_has_no_chips_misses_blinds_like_who_sits_out() -> None:
    game = table(**DEAD)
    game.play_hand(choose=_shove)
    broke = [seat for seat, one in game.state.seats.items() if one.stack == 0]
    if len(game.state.seats) - len(broke) < 2:
        for seat in broke[:2]:
            game.add_chips(f"p{seat}", 10_000)
        broke = broke[2:]
    owed = set()
    for _ in range(6):
        opened = play(game)
        owed |= {one.seat for one in opened.seats if one.owes and one.state is SeatWord.NO_CHIPS}
    assert owed == set(broke)


def _shove(game: Simulator, due: Any) -> Any:
    bounds = due.bet or due.raise_
    if bounds:
        return (e.Act.BET if due.bet else e.Act.RAISE), bounds.max
    return passive(game, due)


def test_without_missed_blinds_nobody_owes() -> None:
    game = table()
    play(game)
    game.sit_out("p4")
    for _ in range(6):
        opened = play(game)
    assert states(opened)[4].owes is None
    assert opened.last_big_blind_seat is None


# Newcomers.


def test_a_newcomer_by_post_is_dealt_in_with_a_live_big_blind() -> None:
    game = table(newcomers=Newcomers.POST)
    play(game)
    game.sit("p6", seat=6, stack=5_000)
    opened = play(game)
    assert states(opened)[6].owes == Owed(100, 0)
    assert posts(game)[2:] == [(6, e.Post.LIVE, 100)]
    assert states(play(game))[6].owes is None


def test_who_sits_before_the_first_hand_is_no_newcomer() -> None:
    game = table(newcomers=Newcomers.POST)
    assert all(one.owes is None for one in opening(game).seats)
    game = table(newcomers=Newcomers.WAIT)
    assert all(one.state is SeatWord.IN for one in opening(game).seats)


@pytest.mark.parametrize("button", list(Button))
def test_a_newcomer_by_wait_is_dealt_in_when_it_is_the_big_blind(button: Button) -> None:
    game = table(newcomers=Newcomers.WAIT, button=button)
    play(game)
    game.sit("p6", seat=6, stack=5_000)
    for _ in range(8):
        opened = play(game)
        one = states(opened)[6]
        if one.state is SeatWord.IN:
            break
        assert (one.state, one.waits) == (SeatWord.WAITING, True)
    assert opened.big_blind_seat == 6
    assert posts(game)[1] == (6, e.Post.BIG_BLIND, 100)


def test_of_several_who_wait_one_a_hand_comes_in() -> None:
    """With the dead button each of three neighbours is big blind in its turn."""
    game = table(3, newcomers=Newcomers.WAIT, button=Button.DEAD)
    play(game)
    for seat in (4, 5, 6):
        game.sit(f"p{seat}", seat=seat, stack=5_000)
    assert [play(game).big_blind_seat for _ in range(3)] == [4, 5, 6]


def test_heads_up_under_the_moving_button_nobody_waits() -> None:
    """The big blind might never come to a third seat between two."""
    game = table(3, newcomers=Newcomers.WAIT)
    game.leave("p2")
    play(game)
    game.sit("p9", seat=2, stack=5_000)
    assert states(opening(game))[2].state is SeatWord.IN


def test_where_only_those_who_wait_are_left_they_are_dealt_in() -> None:
    game = table(3, newcomers=Newcomers.WAIT, button=Button.DEAD)
    play(game)
    game.sit("p7", seat=7, stack=5_000)
    game.sit("p8", seat=8, stack=5_000)
    for name in ("p1", "p2", "p3"):
        game.sit_out(name)
    opened = opening(game)
    assert {n for n, one in states(opened).items() if one.state is SeatWord.IN} == {7, 8}
    assert {one.waits for one in opened.seats} == {None}


# Straddles.


def straddling(kind: e.StraddleKind, *seats: int, players: int = 5, stack: int = 10_000) -> Any:
    rule = e.StraddleRule(kind, e.StraddleRaise.DOUBLE)
    game = Simulator(
        rules=replace(RULES, straddle=rule, choices=e.ChoicesCount.BEFORE_LINKS, buy_in_min=100)
    )
    for seat in range(1, players + 1):
        game.sit(f"p{seat}", seat=seat, stack=stack)
    for seat in seats:
        game.prefer(f"p{seat}", Choice.STRADDLE)
    found = line_up(game.state)
    assert found is not None
    return found.straddle


@pytest.mark.parametrize(
    ("kind", "chosen", "seat"),
    [
        # button 1, blinds 2 and 3
        (e.StraddleKind.UNDER_THE_GUN, (4,), 4),
        (e.StraddleKind.UNDER_THE_GUN, (1, 5), None),
        (e.StraddleKind.BUTTON, (1,), 1),
        (e.StraddleKind.BUTTON, (5,), None),
        (e.StraddleKind.MISSISSIPPI, (1, 4, 5), 1),
        (e.StraddleKind.MISSISSIPPI, (4, 5), 5),
        (e.StraddleKind.MISSISSIPPI, (4,), 4),
        (e.StraddleKind.MISSISSIPPI, (2, 3), None),
        (e.StraddleKind.MISSISSIPPI, (), None),
    ],
)
def test_the_seat_that_comes_first_and_chose_to_straddles(
    kind: e.StraddleKind, chosen: tuple[int, ...], seat: int | None
) -> None:
    assert straddling(kind, *chosen) == seat


def test_nobody_straddles_heads_up_or_without_the_chips_for_it() -> None:
    assert straddling(e.StraddleKind.BUTTON, 1, players=2) is None
    assert straddling(e.StraddleKind.BUTTON, 1, stack=199) is None
    assert straddling(e.StraddleKind.BUTTON, 1, stack=200) == 1


def test_a_straddle_stands_for_a_live_post() -> None:
    game = table(straddle=STRADDLE, choices=e.ChoicesCount.BEFORE_LINKS, newcomers=Newcomers.POST)
    play(game)
    game.sit("p5", seat=5, stack=5_000)
    game.prefer("p5", Choice.STRADDLE)
    opened = play(game)
    assert (opened.big_blind_seat, opened.straddle_seat) == (4, 5)
    assert states(opened)[5].owes is None
    assert posts(game)[2:] == [(5, e.Post.STRADDLE, 200)]


# Choices, time banks, and who left.


def test_an_opening_repeats_choices_and_time_banks() -> None:
    game = table(2, time_bank=e.TimeBankRule(10_000, 500, 10_700))
    game.prefer("p2", Choice.SHOW)
    opened = opening(game)
    assert states(opened)[1].choices is None
    assert states(opened)[2].choices == (Choice.SHOW,)
    assert [one.bank_ms for one in opened.seats] == [10_500, 10_500]
    game.void_hand(e.VoidReason.OPERATOR)
    assert [one.bank_ms for one in opening(game).seats] == [10_700, 10_700]


def test_a_bank_pays_for_time_above_the_clock_and_the_clock_takes_all_of_it() -> None:
    game = table(2, time_bank=e.TimeBankRule(10_000, 0, 10_000))
    game.open_hand()
    game.give_links()
    game.commit_deck()
    assert game.decision is not None
    first = game.decision.seat
    assert game.decision.bank_ms == 10_000
    game.now += RULES.turn_ms + 3_000
    game.act(e.Act.CALL)
    assert game.decision.deadline == game.now + RULES.turn_ms + 10_000
    game.time_out()
    while game.decision is not None:
        game.act(e.Act.CHECK)
    game.end_hand()
    assert game.state.seats[first].bank_ms == 7_000
    assert game.state.seats[3 - first].bank_ms == 0


def test_who_left_with_more_comes_back_with_it_inside_the_window() -> None:
    game = table(3, return_ms=60_000)
    play(game)
    left = game.state.seats[3].stack
    game.leave("p3")
    assert [(one.player, one.stack) for one in opening(game).departed or ()] == [("p3", left)]
    game.void_hand(e.VoidReason.OPERATOR)
    game.sit("p3", seat=3, stack=left)
    assert opening(game).departed == ()


def test_the_window_ends_and_who_left_with_little_is_not_listed() -> None:
    game = table(3, return_ms=60_000, buy_in_min=10_000)
    game.play_hand(choose=passive)
    short = next(n for n, one in game.state.seats.items() if one.stack < 10_000)
    rich = next(n for n, one in game.state.seats.items() if one.stack > 10_000)
    game.leave(f"p{short}")
    assert game.state.departed == {}
    game.sit(f"p{short}", seat=short, stack=10_000)
    game.leave(f"p{rich}")
    gone = game.state.departed[f"p{rich}"]
    game.now = gone.at + 60_000
    assert opening(game).departed == (gone,)
    game.void_hand(e.VoidReason.OPERATOR)
    game.now += 1
    assert opening(game).departed == ()


def test_who_leaves_in_a_hand_has_left_with_its_end() -> None:
    game = table(3, return_ms=60_000)
    game.open_hand()
    game.give_links()
    game.commit_deck()
    game.leave("p3")
    assert game.state.departed == {}
    game.play_out(choose=passive)
    game.end_hand()
    assert game.state.departed["p3"].at == game.now
