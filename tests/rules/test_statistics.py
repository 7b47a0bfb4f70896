"""What players did over a game, counted from its entries alone: the counts of PlayerStatistics."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from dealer_service.rules import entry as e
from dealer_service.rules.entry import Act, By, SeatWord
from dealer_service.rules.statistics import (
    Count,
    PlayerStatistics,
    Statistics,
    count,
    count_on,
    tell,
)
from tests.support.simulator import HOUSE_LIFE, HOUSES, LIVELY, Simulator, passive, play_game
from tests.support.tournament_tables import play_table

PREFLOP = e.Dealt(1, (e.DealtPosition(0, e.Destination.SEAT, seat=1),))
FLOP = e.Dealt(
    1,
    (
        e.DealtPosition(6, e.Destination.BURN),
        e.DealtPosition(7, e.Destination.BOARD, board=1),
    ),
)
TURN = 1


def opening(*names: str, house: str = "", **states: SeatWord) -> e.HandOpened:
    """Open a hand with players on seats 1, 2, …; `states` are those not in it."""
    seats = tuple(
        e.SeatState(
            number,
            name,
            1_000,
            states.get(name, SeatWord.IN),
            house=True if name == house else None,
        )
        for number, name in enumerate(names, 1)
    )
    return e.HandOpened(1, "00" * 32, 1, 2, seats, (), 0, small_blind_seat=1)


def act(seat: int, did: Act, by: By = By.PLAYER) -> e.Acted:
    return e.Acted(seat, did, 100, by, TURN)


def paid(*seats: int) -> e.Awarded:
    return e.Awarded(0, 100, 0, 1, tuple(e.Winner(seat, 50) for seat in seats))


ENDED = e.HandEnded(1, ())
VOID = e.HandVoid(1, e.VoidReason.OPERATOR, "00" * 32, (), ())


def counted(*entries: e.Entry) -> dict[str, tuple[int, int, int, int, int]]:
    """Give hands, VPIP, PFR, showdowns and those won, by player."""
    told = count(entries)
    assert told.people_only
    return {
        one.player: (one.hands, one.vpip, one.pfr, one.showdowns, one.won_at_showdown)
        for one in told.players
    }


HAND: tuple[e.Entry, ...] = (opening("ann", "ben", "cleo"), PREFLOP)
HANDS: dict[str, tuple[tuple[e.Entry, ...], dict[str, tuple[int, int, int, int, int]]]] = {
    "all fold to the big blind": (
        (*HAND, act(3, Act.FOLD), act(1, Act.FOLD), paid(2), ENDED),
        {"ann": (1, 0, 0, 0, 0), "ben": (1, 0, 0, 0, 0), "cleo": (1, 0, 0, 0, 0)},
    ),
    "a raise is one of its own will, and a raise": (
        (*HAND, act(3, Act.RAISE), act(1, Act.FOLD), act(2, Act.FOLD), paid(3), ENDED),
        {"ann": (1, 0, 0, 0, 0), "ben": (1, 0, 0, 0, 0), "cleo": (1, 1, 1, 0, 0)},
    ),
    "a call, and a check in the big blind, to a showdown": (
        (
            *HAND,
            act(3, Act.CALL),
            act(1, Act.FOLD),
            act(2, Act.CHECK),
            FLOP,
            act(2, Act.CHECK),
            act(3, Act.CHECK),
            paid(2),
            ENDED,
        ),
        {"ann": (1, 0, 0, 0, 0), "ben": (1, 0, 0, 1, 1), "cleo": (1, 1, 0, 1, 0)},
    ),
    "bets and raises behind the flop count for nothing": (
        (
            *HAND,
            act(3, Act.FOLD),
            act(1, Act.CALL),
            act(2, Act.CHECK),
            FLOP,
            act(2, Act.BET),
            act(1, Act.RAISE),
            act(2, Act.CALL),
            paid(1),
            ENDED,
        ),
        {"ann": (1, 1, 0, 1, 1), "ben": (1, 0, 0, 1, 0), "cleo": (1, 0, 0, 0, 0)},
    ),
    "each once a hand, and a shared pot is won by both": (
        (
            *HAND,
            act(3, Act.RAISE),
            act(1, Act.RAISE),
            act(2, Act.FOLD),
            act(3, Act.RAISE),
            act(1, Act.CALL),
            paid(1, 3),
            paid(1),
            ENDED,
        ),
        {"ann": (1, 1, 1, 1, 1), "ben": (1, 0, 0, 0, 0), "cleo": (1, 1, 1, 1, 1)},
    ),
    "an act chosen ahead is one of its own will": (
        (*HAND, act(3, Act.CALL, By.PRE_ACTION), act(1, Act.FOLD), paid(2, 3), ENDED),
        {"ann": (1, 0, 0, 0, 0), "ben": (1, 0, 0, 1, 1), "cleo": (1, 1, 0, 1, 1)},
    ),
    "chopped blinds are no showdown": (
        (*HAND, act(3, Act.FOLD), e.BlindsChopped(1, (1, 2)), ENDED),
        {"ann": (1, 0, 0, 0, 0), "ben": (1, 0, 0, 0, 0), "cleo": (1, 0, 0, 0, 0)},
    ),
    "who is not dealt in has no hand, who is absent has": (
        (
            opening("ann", "ben", "cleo", "dan", cleo=SeatWord.WAITING, dan=SeatWord.ABSENT),
            act(4, Act.FOLD, By.ABSENT),
            act(1, Act.FOLD),
            paid(2),
            ENDED,
        ),
        {"ann": (1, 0, 0, 0, 0), "ben": (1, 0, 0, 0, 0), "dan": (1, 0, 0, 0, 0)},
    ),
    "a void hand counts for nobody": ((*HAND, act(3, Act.RAISE), VOID), {}),
    "nor does a hand that is open": ((*HAND, act(3, Act.RAISE)), {}),
}


@pytest.mark.parametrize("name", HANDS)
def test_a_hand_counts_as_it_was_played(name: str) -> None:
    entries, expected = HANDS[name]
    assert counted(*entries) == expected


def test_hands_add_up() -> None:
    entries = [one for name in HANDS for one in HANDS[name][0]]
    totals: Counter[tuple[str, int]] = Counter()
    for _, expected in HANDS.values():
        for player, numbers in expected.items():
            totals.update({(player, index): number for index, number in enumerate(numbers)})
    assert {
        (player, index): number
        for player, numbers in counted(*entries).items()
        for index, number in enumerate(numbers)
    } == dict(totals)


@pytest.mark.parametrize("ends", [ENDED, VOID])
def test_a_hand_with_the_house_leaves_nothing_to_tell(ends: e.Entry) -> None:
    """Whatever became of the hand, and whatever people played before and after."""
    own, with_house = HANDS["all fold to the big blind"][0], opening("ann", "bot", house="bot")
    told = count([*own, with_house, ends, *own])
    assert told == Statistics(people_only=False, players=())


def test_the_house_at_a_table_spoils_nothing_until_it_is_dealt_in() -> None:
    sits = opening("ann", "ben", "bot", house="bot", bot=SeatWord.SITTING_OUT)
    assert counted(sits, act(1, Act.FOLD), paid(2), ENDED).keys() == {"ann", "ben"}


def test_a_count_goes_on_from_any_line() -> None:
    game = play_game(seed=5, hands=12, habits=LIVELY)
    so_far = Count()
    for index, (_, entry) in enumerate(game.log):
        so_far = count_on(so_far, entry)
        if index % 50 == 0:
            assert tell(so_far) == count(one for _, one in game.log[: index + 1])
    assert tell(so_far) == count(one for _, one in game.log)


def played() -> list[Simulator]:
    games = [play_game(seed=seed, hands=25, habits=LIVELY) for seed in range(3)]
    games += [play_table(seed=7, hands=14), play_table(seed=9, hands=14)]
    return games + [
        play_game(seed=1, hands=20, habits=HOUSE_LIFE, rules=rules) for rules in HOUSES.values()
    ]


def test_whole_games_count_as_a_plain_reading_of_their_logs_does() -> None:
    """Read again by slices of hands, in a way of its own."""
    seen: Counter[str] = Counter()
    for game in played():
        entries = [
            replace(one, seats=tuple(replace(seat, house=None) for seat in one.seats))
            if isinstance(one, e.HandOpened)
            else one
            for _, one in game.log
        ]
        told = {one.player: one for one in count(entries).players}
        expected = _read_plainly(entries)
        assert told.keys() == expected.keys()
        for player, one in told.items():
            assert _numbers(one) == expected[player]
            seen.update({"won": one.won_at_showdown, "pfr": one.pfr, "vpip": one.vpip})
    assert min(seen.values()) > 10


def _numbers(one: PlayerStatistics) -> list[int]:
    return [one.hands, one.vpip, one.pfr, one.showdowns, one.won_at_showdown]


def _read_plainly(entries: list[Any]) -> dict[str, list[int]]:
    starts = [i for i, one in enumerate(entries) if isinstance(one, e.HandOpened)]
    totals: dict[str, list[int]] = {}
    for start, end in zip(starts, [*starts[1:], len(entries)], strict=True):
        hand = entries[start:end]
        if not any(isinstance(one, e.HandEnded) for one in hand):
            continue
        deals = [i for i, one in enumerate(hand) if isinstance(one, e.Dealt)]
        before_flop = hand[: deals[1]] if len(deals) > 1 else hand
        acted = [one for one in hand if isinstance(one, e.Acted)]
        folded = {one.seat for one in acted if one.act == "fold"}
        names = {s.seat: s.player for s in hand[0].seats if s.state in {"in", "absent"}}
        live = names.keys() - folded
        chopped = any(isinstance(one, e.BlindsChopped) for one in hand)
        winners = [w for one in hand if isinstance(one, e.Awarded) for w in one.winners]
        for seat, name in names.items():
            early = {a.act for a in before_flop if isinstance(a, e.Acted) and a.seat == seat}
            shown = seat in live and len(live) > 1 and not chopped
            won = any(one.seat == seat and one.amount for one in winners)
            new = [
                1,
                early & {"call", "bet", "raise"},
                early & {"bet", "raise"},
                shown,
                shown and won,
            ]
            so_far = totals.get(name, [0] * 5)
            totals[name] = [old + bool(more) for old, more in zip(so_far, new, strict=True)]
    return totals


def test_a_showdown_of_one_simulated_hand() -> None:
    """Two players check to the river: both have a showdown, and one or both win it."""
    game = Simulator(seed=3)
    game.sit("ann")
    game.sit("ben")
    game.play_hand(choose=passive)
    told = count(entry for _, entry in game.log).players
    assert [(one.player, one.hands, one.showdowns) for one in told] == [
        ("ann", 1, 1),
        ("ben", 1, 1),
    ]
    # The button calls its small blind up; the big blind checks.
    assert [one.vpip for one in told] == [1, 0]
    assert sum(one.won_at_showdown for one in told) >= 1
