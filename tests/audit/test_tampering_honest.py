"""Honest games of every sort hold every promise, whoever audits them and with what."""

from dataclasses import replace

import pytest

from audit_cli.report.finding import Promise, Report, Verdict
from dealer_service.rules.entry import Act, Links
from dealer_service.rules.hand import Decision
from tests.support import simulator
from tests.support.audits import broken, judge, tell, told, unproved
from tests.support.simulator import LIVELY, RULES, Habits, Move, Simulator, play_chain, play_game

WILD = Habits(
    miss=0.15,
    void=0.05,
    sit_out=0.2,
    leave=0.1,
    leave_in_hand=0.3,
    remove=0.1,
    join=0.5,
    add_chips=0.3,
    anchor=0.2,
    pause=0.1,
    show=0.5,
    time_out=0.08,
)


def assert_holds(report: Report) -> None:
    """Every promise that was asked for holds, and nothing else is broken."""
    assert report.exit_status() == 0, tell(report)
    assert not broken(report)


@pytest.mark.parametrize("players", range(2, 11))
def test_quiet_games_of_every_size_hold_everything(players: int) -> None:
    game = play_game(seed=players, hands=8, players=players)
    assert_holds(judge(game.game_file(openings_of="ann"), key=game.key))


@pytest.mark.parametrize("seed", range(1, 9))
def test_lively_games_hold_everything(seed: int) -> None:
    """Misses, voids, sit-outs, leaves in mid-hand, joins, clock acts, absent acts, shows."""
    game = play_game(seed=seed, hands=25, habits=LIVELY, players=2 + seed, unanchored=seed % 3)
    assert_holds(judge(game.game_file(), key=game.key))


@pytest.mark.parametrize("seed", range(1, 9))
def test_games_of_short_stacks_and_big_units_hold_everything(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Side pots, short blinds, short all-ins, odd chips and chips below one unit."""
    rules = replace(
        RULES, chip_unit=(1, 5, 10)[seed % 3], buy_in_min=(1, 30)[seed % 2], buy_in_max=400
    )
    monkeypatch.setattr(simulator, "casual", _reckless)
    game = play_game(seed=seed, hands=25, habits=WILD, players=3 + seed % 7, rules=rules)
    assert_holds(judge(game.game_file(), key=game.key))


def _reckless(game: Simulator, due: Decision) -> Move:
    luck = game.random.random()
    bounds = due.bet or due.raise_
    if bounds is not None and luck < 0.3:
        did = Act.BET if due.bet else Act.RAISE
        shove = game.random.random() < 0.4
        return did, bounds.max if shove else game.random.randint(bounds.min, bounds.max)
    if due.may_check:
        return Act.CHECK, 0
    return (Act.FOLD, 0) if luck > 0.75 else (Act.CALL, 0)


def test_games_in_which_links_are_required_hold_everything() -> None:
    rules = replace(RULES, links=Links.REQUIRED)
    game = play_game(seed=4, hands=20, habits=LIVELY, players=5, unanchored=1, rules=rules)
    report = judge(game.game_file(), key=game.key, require=[Promise.PLAYER_MIXED])
    assert_holds(report)


def test_a_chain_of_games_holds_everything_as_one_file() -> None:
    games = play_chain(seed=3, games=4, hands=5, habits=LIVELY)
    report = judge(b"".join(game.game_file() for game in games), key=games[0].key)
    assert_holds(report)
    assert len(report.games) == 4


def test_a_chain_of_games_holds_everything_in_any_order() -> None:
    games = play_chain(seed=3, games=3, hands=4)
    data = b"".join(game.game_file() for game in reversed(games))
    assert_holds(judge(data, key=games[0].key))


def test_a_game_given_twice_is_judged_twice_and_told() -> None:
    game = play_game(seed=3, hands=4, players=3)
    report = judge(game.game_file() * 2, key=game.key)
    assert_holds(report)
    assert "more than once" in told(report)


@pytest.mark.parametrize("name", ["ann", "ben", "cleo", "dan"])
def test_each_player_finds_its_own_randomness_by_its_record(name: str) -> None:
    game = play_game(seed=9, hands=12, players=4)
    report = judge(game.game_file(), key=game.key, mine=game.record(name))
    assert_holds(report)
    assert Promise.PLAYER_MIXED in report.asked


def test_a_game_without_any_link_is_not_player_mixed_and_holds_else() -> None:
    game = play_game(seed=2, hands=6, players=3, unanchored=3)
    data = game.game_file()
    assert judge(data, key=game.key).exit_status() == 0
    required = judge(data, key=game.key, require=[Promise.PLAYER_MIXED])
    assert required.exit_status() == 4
    assert required.verdicts()[Promise.PLAYER_MIXED] is Verdict.NOT_ESTABLISHED


def test_the_strength_of_mixing_is_told_for_the_weakest_hand() -> None:
    game = play_game(seed=2, hands=6, players=5, unanchored=2)
    (one,) = judge(game.game_file(), key=game.key).of(Promise.PLAYER_MIXED)
    assert "3 of 5 players in the weakest deck" in one.text


def test_without_a_key_all_but_signed_holds_and_signed_is_not_asked_for() -> None:
    game = play_game(seed=6, hands=4, players=3)
    report = judge(game.game_file())
    assert_holds(report)
    assert report.verdicts()[Promise.SIGNED] is Verdict.NOT_ESTABLISHED


def test_an_open_game_is_not_established_where_secrets_decide() -> None:
    """T20: no reveal yet."""
    game = play_game(seed=6, hands=6, players=4, close=False)
    report = judge(game.game_file(), key=game.key)
    assert report.exit_status() == 4
    assert not broken(report)
    assert {"BOUND", "REPLAYED", "COMPLETE"} <= unproved(report)


def test_a_player_who_acts_after_its_clock_is_told_and_breaks_nothing() -> None:
    game = Simulator(seed=1)
    for name in ("ann", "ben"):
        game.sit(name)
    game.open_hand()
    game.give_links()
    game.commit_deck()
    game.wait(RULES.turn_ms + 500)
    game.act(Act.FOLD)
    game.end_hand()
    game.close()
    game.reveal()
    report = judge(game.game_file(), key=game.key)
    assert_holds(report)
    assert "acted 500 ms after its clock" in told(report)
