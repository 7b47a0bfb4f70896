"""Places, prizes, deals, and how a tournament ends or is cancelled (14.9, 14.10)."""

from dataclasses import replace

import pytest

from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.tournament.directing import (
    agree_deal,
    cancel,
    close_restored,
    disqualify,
    refuse_deal_now,
    resume,
    still_to_win,
    stop,
)
from dealer_service.rules.tournament.due import next_time
from dealer_service.rules.tournament.entry import (
    EndReason,
    LateRule,
    PayoutKind,
    PayoutRule,
    Placed,
    RebuyRule,
    RegistrationClosed,
    Share,
    ShareTable,
    StartKind,
    StartRule,
    Structure,
    TableClosed,
    TournamentClosed,
)
from dealer_service.rules.tournament.placing import rank_busted
from dealer_service.rules.tournament.prizes import prizes_of, share_by_stacks
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.state import Bust, Ended, Phase
from tests.support.tournament_desk import BEGUN, MINUTE, SECRET, Desk, reason_of, structure

SATELLITE = PayoutRule(PayoutKind.SATELLITE, prize=250)
POINTS = PayoutRule(PayoutKind.POINTS, points=(10, 6, 3))


def begin(played: Structure) -> Desk:
    """Start with as many players as there may be: a, b, c, …"""
    desk = Desk(played, [chr(ord("a") + number) for number in range(played.players_max)])
    desk.settle()
    return desk


def final(**changes: object) -> Desk:
    """Begin with five at one table, two places paid: 300 and 200."""
    return begin(structure(**{"seats": 5, "players_max": 5, "deals": True} | changes))


# Prizes.


@pytest.mark.parametrize(
    ("players", "pool", "unit", "prizes"),
    [
        (3, 300, 1, (300,)),
        (4, 400, 1, (240, 160)),
        (5, 501, 1, (301, 200)),
        (5, 501, 100, (301, 200)),
        (5, 599, 100, (399, 200)),
        (1, 500, 1, (500,)),
        (5, 0, 1, ()),
    ],
)
def test_shares_are_rounded_down_and_the_first_gets_the_rest(
    players: int, pool: int, unit: int, prizes: tuple[int, ...]
) -> None:
    played = structure()
    payout = replace(played.payout, unit=unit)
    assert prizes_of(replace(played, payout=payout), pool, players) == prizes


def test_no_more_places_are_paid_than_there_are_players() -> None:
    tables = (ShareTable(2, (5_000, 3_000, 2_000)),)
    played = structure(payout=PayoutRule(PayoutKind.SHARES, unit=1, tables=tables))
    assert prizes_of(played, 1_000, 2) == (700, 300)


@pytest.mark.parametrize(
    ("pool", "players", "prizes"),
    [
        (600, 5, (250, 250, 100)),
        (500, 5, (250, 250)),
        (100, 5, (100,)),
        (900, 3, (400, 250, 250)),
    ],
)
def test_a_satellite_has_equal_prizes_and_a_rest(
    pool: int, players: int, prizes: tuple[int, ...]
) -> None:
    assert prizes_of(structure(payout=SATELLITE), pool, players) == prizes


def test_the_winner_takes_it_all_and_points_are_what_they_are() -> None:
    assert prizes_of(structure(payout=PayoutRule(PayoutKind.WINNER)), 700, 7) == (700,)
    assert prizes_of(structure(payout=POINTS), 0, 7) == (10, 6, 3)
    assert prizes_of(structure(payout=POINTS), 0, 2) == (10, 6)


def test_the_pool_is_at_least_the_guarantee() -> None:
    desk = final(guarantee=1_000)
    assert desk.all(RegistrationClosed) == [RegistrationClosed(5, 5, 1_000, (600, 400))]


# Places.


def test_of_one_hand_who_had_more_is_placed_better_and_equals_tie() -> None:
    desk = final()
    desk.play(1, {"a": 500, "b": 1_500})
    desk.play(1, {"a": 0, "c": 0, "d": 0, "b": 4_000})
    assert desk.all(Placed) == [
        Placed("a", 5, 1, 0),
        Placed("c", 3, 2, 0),
        Placed("d", 3, 2, 0),
    ]


def test_those_who_tie_share_their_prizes_and_the_first_name_gets_what_is_over() -> None:
    desk = begin(structure(seats=3, players_max=3, payout=replace(structure().payout, unit=1)))
    desk.play(1, {"a": 0, "b": 0, "c": 3_000})
    assert desk.all(Placed) == [
        Placed("a", 2, 2, 0),
        Placed("b", 2, 2, 0),
        Placed("c", 1, 1, 300),
    ]
    desk = final(guarantee=505)
    desk.play(1, {"a": 0, "b": 0, "c": 3_000})
    desk.play(1, {"d": 0, "e": 0, "c": 5_000})
    assert desk.all(Placed)[2:] == [
        Placed("d", 2, 2, 101),
        Placed("e", 2, 2, 101),
        Placed("c", 1, 1, 303),
    ]


def test_of_two_tables_who_bust_later_is_placed_better() -> None:
    early, late = Ended(9, 4), Ended(2, 5)
    busted = (Bust("a", 1, 9_000, early), Bust("b", 2, 10, late), Bust("c", 1, 9_500, early))
    assert rank_busted(busted, structure().ties) == [["b"], ["c"], ["a"]]


def test_in_a_round_the_best_of_each_table_tie_then_the_second_of_each() -> None:
    """Two equal stacks of a table are both its second."""
    ended = Ended(9, 4, in_round=True)
    busted = (
        Bust("a", 1, 900, ended),
        Bust("b", 1, 300, ended),
        Bust("c", 1, 300, ended),
        Bust("d", 2, 100, ended),
        Bust("e", 2, 50, ended),
    )
    assert rank_busted(busted, structure().ties) == [["a", "d"], ["b", "c", "e"]]


def test_a_disqualified_player_is_behind_those_of_its_last_hand() -> None:
    desk = final()
    desk.play()
    desk.start_hand()
    desk.end_hand(1, {"a": 0, "b": 2_000})
    desk.give(disqualify(desk.state, desk.now, "c"))
    assert desk.settle() == [Placed("c", 5, 1, 0), Placed("a", 4, 1, 0)]


def test_the_last_player_is_not_disqualified() -> None:
    desk = Desk(structure(players_max=2, late=LateRule(1, 1)), ("a", "b"))
    desk.settle()
    desk.start_hand()
    desk.end_hand(1, {"a": 0, "b": 2_000})
    answer = disqualify(desk.state, desk.now, "b")
    assert reason_of(answer) is TournamentReason.LAST_PLAYER


def test_who_alone_has_chips_is_not_disqualified() -> None:
    rebuy = RebuyRule(1_000, 100, 0, 0, MINUTE)
    desk = Desk(structure(players_max=2, late=LateRule(1, 1), rebuy=rebuy), ("a", "b"))
    desk.settle()
    desk.start_hand()
    desk.end_hand(1, {"a": 0, "b": 2_000})
    answer = disqualify(desk.state, desk.now, "b")
    assert reason_of(answer) is TournamentReason.LAST_PLAYER
    desk.give(disqualify(desk.state, desk.now, "a"))
    assert Placed("b", 1, 1, 200) in desk.settle()


# The end.


def test_it_ends_with_one_player_its_tables_and_the_secret_that_no_draw_used() -> None:
    desk = begin(structure(players_max=2))
    told = desk.play(1, {"a": 0, "b": 2_000})
    assert told[:2] == [Placed("a", 2, 1, 0), Placed("b", 1, 1, 200)]
    assert isinstance(told[2], TableClosed)
    assert told[3] == TournamentClosed(EndReason.FINISHED, SECRET)
    assert desk.state.phase is Phase.CLOSED
    assert desk.due() is None
    with pytest.raises(ImpossibleEntry, match="has closed"):
        desk.give((Placed("a", 1, 1, 0),))


def test_a_satellite_ends_when_all_who_are_in_get_the_same() -> None:
    desk = final(payout=SATELLITE, deals=False)
    desk.play(1, {"a": 0, "b": 2_000})
    desk.play(1, {"c": 0, "b": 3_000})
    told = desk.play(1, {"d": 0, "b": 4_000})
    assert told[:3] == [Placed("d", 3, 1, 0), Placed("b", 1, 2, 250), Placed("e", 1, 2, 250)]
    assert desk.state.end is EndReason.FINISHED


def test_the_end_of_a_satellite_waits_for_the_hands_that_are_open() -> None:
    desk = begin(structure(players_max=5, payout=replace(SATELLITE, prize=125)))
    desk.start_hand(2)
    desk.play(1, {"a": 0, "c": 2_000})
    assert desk.state.phase is Phase.RUNNING
    assert desk.due() is None
    desk.end_hand(2, {"b": 0, "d": 2_000})
    assert desk.settle()[:4] == [
        Placed("b", 4, 1, 125),
        Placed("c", 1, 3, 125),
        Placed("d", 1, 3, 125),
        Placed("e", 1, 3, 125),
    ]


# Deals.


def deal(*amounts: int) -> tuple[Share, ...]:
    return tuple(Share(name, amount) for name, amount in zip("bcde", amounts, strict=False))


def four_left(**changes: object) -> Desk:
    desk = final(**changes)
    desk.play(1, {"a": 0, "b": 2_000})
    assert still_to_win(desk.state) == 500
    return desk


def test_a_deal_without_a_rest_ends_the_tournament_by_the_stacks() -> None:
    desk = four_left()
    assert refuse_deal_now(desk.state) is None
    desk.give(agree_deal(desk.state, desk.now, deal(140, 120, 120, 120), 0))
    assert desk.settle()[:4] == [
        Placed("c", 2, 3, 120),
        Placed("d", 2, 3, 120),
        Placed("e", 2, 3, 120),
        Placed("b", 1, 1, 140),
    ]


def test_what_a_deal_leaves_is_played_for() -> None:
    desk = four_left()
    desk.give(agree_deal(desk.state, desk.now, deal(100, 100, 100, 100), 100))
    assert desk.settle() == []
    assert still_to_win(desk.state) == 100
    desk.play(1, {"b": 0, "c": 0, "d": 0, "e": 5_000})
    assert {one.player: one.prize for one in desk.all(Placed)} == {
        "a": 0,
        "b": 100,
        "c": 100,
        "d": 100,
        "e": 200,
    }


def test_a_deal_adds_up_and_has_a_share_for_everybody_in() -> None:
    desk = four_left()
    for shares, left in (
        (deal(100, 100, 100, 100), 99),
        (deal(100, 100, 300), 0),
        (deal(600, -100, 0, 0), 0),
        (tuple(reversed(deal(125, 125, 125, 125))), 0),
    ):
        answer = agree_deal(desk.state, desk.now, shares, left)
        assert reason_of(answer) is TournamentReason.DEAL_DOES_NOT_ADD_UP


def test_a_deal_is_made_between_hands_once_and_by_the_structure_alone() -> None:
    desk = four_left()
    shares = deal(100, 100, 100, 100)
    desk.start_hand()
    assert refuse_deal_now(desk.state) is None
    answer = agree_deal(desk.state, desk.now, shares, 100)
    assert reason_of(answer) is TournamentReason.HAND_OPEN
    desk.end_hand()
    desk.give(agree_deal(desk.state, desk.now, shares, 100))
    answer = agree_deal(desk.state, desk.now, shares, 100)
    assert reason_of(answer) is TournamentReason.DEAL_MADE_ALREADY
    desk = four_left(deals=False)
    answer = agree_deal(desk.state, desk.now, shares, 100)
    assert reason_of(answer) is TournamentReason.NO_DEAL_NOW


def test_a_deal_is_made_when_all_who_are_out_have_their_place() -> None:
    desk = four_left()
    (out, *left) = sorted(name for name, one in desk.state.entrants.items() if one.is_in)
    desk.give(disqualify(desk.state, desk.now, out))
    shares = tuple(Share(name, 100) for name in left)
    assert reason_of(agree_deal(desk.state, desk.now, shares, 200)) is TournamentReason.NO_DEAL_NOW
    desk.settle()
    desk.give(agree_deal(desk.state, desk.now, shares, 200))


# Stopping, cancelling, restoring.


def test_before_the_start_it_is_cancelled_at_once() -> None:
    desk = Desk(structure(), ("a", "b"))
    desk.give(cancel(desk.state, desk.now, SECRET))
    assert desk.log[-1] == TournamentClosed(EndReason.CANCELLED, SECRET)
    assert desk.state.phase is Phase.CLOSED


def test_a_running_one_is_cancelled_when_it_is_stopped_and_no_hand_is_open() -> None:
    desk = final()
    answer = cancel(desk.state, desk.now, SECRET)
    assert reason_of(answer) is TournamentReason.NOT_STOPPED
    desk.start_hand()
    desk.give(stop(desk.state, desk.now))
    answer = cancel(desk.state, desk.now, SECRET)
    assert reason_of(answer) is TournamentReason.HAND_OPEN
    desk.end_hand(1, {"a": 0, "b": 2_000})
    desk.settle()
    desk.give(cancel(desk.state, desk.now, SECRET))
    told = desk.settle()
    assert desk.all(Placed)[1:] == [
        Placed("c", 2, 3, 113),
        Placed("d", 2, 3, 112),
        Placed("e", 2, 3, 112),
        Placed("b", 1, 1, 163),
    ]
    assert told[-1] == TournamentClosed(EndReason.CANCELLED, SECRET)


def test_time_makes_nothing_due_any_more_once_it_ends() -> None:
    played = structure(late=LateRule(1, 0), rebuy=RebuyRule(1_000, 100, 1, 0, 60_000))
    desk = begin(played)
    desk.play(1, {"a": 0, "b": 2_000})
    desk.give(stop(desk.state, desk.now))
    assert next_time(desk.state, {}) == desk.now + 60_000
    desk.give(cancel(desk.state, desk.now, SECRET))
    assert next_time(desk.state, {}) is None
    desk.settle()
    assert desk.state.phase is Phase.CLOSED
    assert next_time(desk.state, {}) is None


def test_half_of_a_cancelled_pool_goes_by_heads_and_half_by_stacks() -> None:
    """250 by heads are 62 each, 251 by stacks 125, 62, 62 and none; 4 are over, one for each."""
    shares = share_by_stacks(501, {"d": 1, "a": 2, "c": 1, "b": 0})
    assert shares == {"a": 188, "b": 63, "c": 125, "d": 125}


def test_one_cancelled_while_registration_is_open_shares_the_pool_among_those_in() -> None:
    start = StartRule(StartKind.AT, BEGUN + MINUTE)
    desk = Desk(structure(players_max=3, start=start, late=LateRule(1, 1)), ("a", "b", "c"))
    desk.wait(MINUTE)
    desk.play(1, {"a": 0, "b": 2_000})
    desk.give(stop(desk.state, desk.now))
    assert still_to_win(desk.state) == 300
    desk.give(cancel(desk.state, desk.now, SECRET))
    desk.settle()
    assert desk.all(Placed) == [Placed("c", 2, 1, 125), Placed("b", 1, 1, 175)]
    assert desk.state.entrants["a"].place == 0


def test_who_busted_in_a_round_that_cancelling_ends_has_its_place_and_prize() -> None:
    """Six are in, five places are paid, and two of a table go out before the other one plays."""
    paid = PayoutRule(
        PayoutKind.SHARES, unit=1, tables=(ShareTable(2, (3_000, 2_500, 2_000, 1_500, 1_000)),)
    )
    desk = begin(structure(players_max=6, hand_for_hand=1, payout=paid))
    desk.start_hand()
    desk.give(stop(desk.state, desk.now))
    desk.end_hand(1, {"a": 0, "c": 0, "e": 3_000})
    assert desk.settle() == []
    desk.give(cancel(desk.state, desk.now, SECRET))
    assert desk.all(Placed)[:2] == [Placed("a", 5, 2, 30), Placed("c", 5, 2, 30)]
    assert sum(one.prize for one in desk.all(Placed)) == 600
    desk.settle()
    assert desk.state.end is EndReason.CANCELLED


def test_one_in_which_nothing_is_left_to_be_played_for_is_not_cancelled() -> None:
    desk = Desk(structure(players_max=2), ("a", "b"))
    desk.settle()
    desk.start_hand()
    desk.give(stop(desk.state, desk.now))
    desk.end_hand(1, {"a": 0, "b": 2_000})
    answer = cancel(desk.state, desk.now, SECRET)
    assert reason_of(answer) is TournamentReason.TOURNAMENT_CLOSED
    assert Placed("b", 1, 1, 200) in desk.settle()


def test_what_a_deal_gave_comes_besides_in_a_cancelled_one() -> None:
    desk = four_left()
    desk.give(agree_deal(desk.state, desk.now, deal(100, 100, 100, 100), 100))
    desk.give(stop(desk.state, desk.now))
    desk.give(cancel(desk.state, desk.now, SECRET))
    assert sum(one.prize for one in desk.all(Placed)) == 500


def test_stop_and_resume_take_turns_between_start_and_end() -> None:
    desk = Desk(structure(), ("a", "b"))
    assert reason_of(stop(desk.state, desk.now)) is TournamentReason.NOT_STARTED
    desk = final()
    assert reason_of(resume(desk.state, desk.now)) is TournamentReason.NOT_STOPPED
    desk.give(stop(desk.state, desk.now))
    assert reason_of(stop(desk.state, desk.now)) is TournamentReason.STOPPED_ALREADY


def test_a_restored_one_closes_its_tables_and_itself_as_restored() -> None:
    desk = final()
    desk.give((TableClosed(1, desk.state.tables[1].game, 9, "00" * 32),))
    told = desk.settle()
    assert told == [TournamentClosed(EndReason.RESTORED, SECRET)]
    desk = final()
    desk.give(close_restored(desk.state, desk.now, SECRET))
    assert desk.state.end is EndReason.RESTORED


def test_it_closes_for_no_other_reason_than_its_log_bears_out() -> None:
    desk = final()
    with pytest.raises(ImpossibleEntry):
        desk.give((TournamentClosed(EndReason.FINISHED, SECRET),))
    with pytest.raises(ImpossibleEntry):
        desk.give((TournamentClosed(EndReason.CANCELLED, SECRET),))
