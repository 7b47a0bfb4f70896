"""A tournament's table is told with each hand's level, and with what its tournament says of it."""

from io import BytesIO
from random import Random

import pytest

from audit_cli.gamefile import Damage
from audit_cli.told.events import Acted, By, Move
from audit_cli.told.hand import Finish, Game, Hand, Tournament, Untold, Void
from audit_cli.told.reading import read_events, read_games
from tests.support.random_tournaments import random_habits, random_structure
from tests.support.told_houses import hands_of, told
from tests.support.told_tournaments import (
    LEVEL_MS,
    NAME,
    STACK,
    TABLE,
    Entries,
    event_log,
    last_to_go,
    opened,
    table,
    table_file,
    told_table,
    tournament_file,
)
from tests.support.tournament_files import play_event
from tests.support.tournament_tables import LEVELS, TOURNAMENT


def of(hand: Hand) -> Tournament:
    assert hand.tournament is not None
    return hand.tournament


def joined(entries: Entries, *, behind: bool = False) -> Game:
    """Tell the table of a file that has its tournament's log before or behind it."""
    parts = [tournament_file(entries), table_file()]
    return told(b"".join(reversed(parts) if behind else parts))


def test_each_hand_is_told_by_its_level() -> None:
    levels = set()
    for hand in hands_of(told_table()):
        level = LEVELS[of(hand).level - 1]
        levels.add(level.level)
        rules = hand.rules
        assert (rules.small_blind, rules.big_blind) == (level.small_blind, level.big_blind)
        assert rules.chip_unit == level.chip_unit
        ante = None if level.ante is None else (level.ante.kind.value, level.ante.amount)
        assert rules.ante == ante
    assert levels == {1, 2, 3, 4, 5}


def test_a_table_s_own_lines_tell_its_tournament_s_id_and_its_number_there() -> None:
    (hand, *_) = hands_of(told_table())
    tournament = of(hand)
    assert tournament.number == str(int(TOURNAMENT[:13], 16))
    assert int(tournament.number) < 2**53
    assert (tournament.table, tournament.name, tournament.currency) == (TABLE, "", "")
    assert tournament.started_at == hand.opened_at


def test_who_is_away_is_dealt_in_and_acted_for() -> None:
    away = [(hand, seat) for hand in hands_of(told_table()) for seat in hand.seats if seat.absent]
    assert away
    for hand, seat in away:
        assert seat.dealt_in
        assert seat.holes is not None
        acts = [e for e in hand.events if isinstance(e, Acted) and e.seat == seat.seat]
        assert {act.by for act in acts} <= {By.ABSENT}


def test_a_race_is_told_by_player_between_hands() -> None:
    raced = [
        aside for one in told_table().hands for aside in one.before if aside.move is Move.COLORED_UP
    ]
    lines = table().transcript().all("colored_up")
    assert [one.amount for one in raced] == [
        seat["stack"] for line in lines for seat in line.body["stacks"]
    ]
    assert raced
    assert all(one.player for one in raced)


def test_a_hand_without_a_level_is_not_told() -> None:
    transcript = table().transcript()
    opening = transcript.find("hand_opened", hand=1)
    transcript.change(opening.index, level=None)
    hand = told(transcript.render(table().signer)).hands[0].hand
    assert isinstance(hand, Untold)
    assert "it opens without the level of its tournament" in hand.reason


@pytest.mark.parametrize("behind", [False, True])
def test_a_tournament_that_is_joined_tells_what_it_is_called_and_costs(behind: bool) -> None:
    for hand in hands_of(joined(event_log(), behind=behind)):
        tournament = of(hand)
        assert (tournament.name, tournament.buy_in, tournament.fee) == (NAME, 1_000, 150)
        assert (tournament.initial_stack, tournament.level_ms) == (STACK, LEVEL_MS)
        assert tournament.tables == 3
        assert tournament.started_at == 1_767_225_601_000


def test_who_went_out_stands_with_the_hand_that_put_it_out() -> None:
    player, number, _ = last_to_go()
    hands = {hand.number: of(hand).finished for hand in hands_of(joined(event_log()))}
    last = max(hands)
    wanted = {number: [Finish(player, 2, 4_550)], last: [Finish("winner", 1, 9_000)]}
    if number == last:
        wanted[last] = [Finish(player, 2, 4_550), Finish("winner", 1, 9_000)]
    assert {number: list(finished) for number, finished in hands.items() if finished} == wanted


def test_who_is_placed_without_busting_stands_with_its_own_last_hand() -> None:
    """It was disqualified, or won at a table that it had just moved to."""
    seat = {"player": "ann", "table": TABLE, "seat": 1}
    finished = {"table": TABLE, "void": False, "stacks": [{"seat": 1, "stack": 100}]}
    moved = {"from_table": TABLE, "from_seat": 1, "why": "redraw", "stack": 100}
    log = [
        opened(),
        ("seated", seat | {"stack": STACK}),
        ("hand_finished", finished | {"hand": 1}),
        ("hand_finished", finished | {"hand": 2, "stacks": [{"seat": 2, "stack": 100}]}),
        ("moved", {"player": "ann", "table": 4, "seat": 2} | moved),
        ("placed", {"player": "ann", "place": 27, "tied": 1, "prize": 0}),
    ]
    (hand, *_) = hands_of(joined(log))
    assert of(hand).finished == (Finish("ann", 27, 0),)


def test_points_are_no_money() -> None:
    free = {"payout": {"kind": "points", "points": [10, 6, 3]}, "buy_in": 0, "fee": 0}
    hands = hands_of(joined(event_log(**free)))
    assert [one.prize for hand in hands for one in of(hand).finished] == [0, 0]


def test_levels_that_are_not_measured_by_time_have_no_length() -> None:
    hands = hands_of(joined(event_log(level_by="orbits")))
    assert {of(hand).level_ms for hand in hands} == {0}


def test_a_tournament_beside_the_table_tells_the_same() -> None:
    events = read_events(BytesIO(tournament_file(event_log())), "event.jsonl")
    assert not isinstance(events, Damage)
    games = read_games(BytesIO(table_file()), "table.jsonl", None, events)
    assert not isinstance(games, Damage)
    assert hands_of(games[0]) == hands_of(joined(event_log()))


def test_another_tournament_tells_nothing_of_the_table() -> None:
    events = read_events(BytesIO(tournament_file(event_log())), "event.jsonl")
    assert not isinstance(events, Damage)
    others = {"11" * 16: events[TOURNAMENT]}
    games = read_games(BytesIO(table_file()), "table.jsonl", None, others)
    assert not isinstance(games, Damage)
    assert hands_of(games[0]) == hands_of(told_table())


def test_a_tournament_s_log_that_is_no_log_is_damage_at_its_line() -> None:
    data = tournament_file([("tournament_opened", {})]) + table_file()
    damage = read_games(BytesIO(data), "event.jsonl")
    assert isinstance(damage, Damage)
    assert damage.number == 2


@pytest.mark.parametrize("seed", [1, 2, 5])
def test_a_whole_event_tells_every_place_with_a_hand(seed: int) -> None:
    dice = Random(seed)
    event = play_event(random_structure(dice), seed=seed, habits=random_habits(dice))
    games = read_games(BytesIO(event.joined()), "event.jsonl")
    assert not isinstance(games, Damage)
    finished = [
        (one.player, one.place)
        for game in games
        for hand in hands_of(game)
        for one in of(hand).finished
    ]
    placed = [(one.body["player"], one.body["place"]) for one in event.tournament.all("placed")]
    assert sorted(finished) == sorted(placed)
    assert all(isinstance(one.hand, (Hand, Void)) for game in games for one in game.hands)
