"""A game as it was some time ago follows from its lines and their times alone."""

import random
from bisect import bisect_right
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.rules.table import fold
from dealer_service.store.api import Append, LogAppend, Store
from dealer_service.store.memory import MemoryStore
from dealer_service.tables.lines import read_time
from dealer_service.tables.past import DelayRule, Past, count_until, go_on, read_past, read_rule
from dealer_service.tables.recovery import read_state
from tests.support.simulator import HOUSES, LIVELY, Simulator, play_game
from tests.support.stores import STORES

GAME = "ab" * 16
AT_ONCE, CARRIED = DelayRule(60_000), DelayRule(60_000, opens_at_once=False)


def filled(store: Store, lines: list[bytes]) -> Store:
    store.append_all([Append((LogAppend(GAME, 0, 1, tuple(lines)),))])
    return store


def played() -> Simulator:
    return play_game(seed=3, hands=6, players=3, habits=LIVELY)


@given(st.lists(st.integers(0, 50), max_size=80), st.integers(-1, 51))
def test_lines_are_counted_up_to_a_time(steps: list[int], share: int) -> None:
    times = sorted(steps)
    store = filled(MemoryStore(), [b'{"at":%d,"paused":{}}' % at for at in times])
    assert count_until(store, GAME, share) == bisect_right(times, share)


def test_times_are_read_of_every_kind_of_line() -> None:
    game = played()
    assert [read_time(line) for line in game.lines] == [at for at, _ in game.log]


def test_the_state_is_that_of_the_lines_before() -> None:
    game = played()
    store = filled(MemoryStore(), game.lines)
    for size in range(1, len(game.lines) + 1):
        assert go_on(store, GAME, Past(), size) == fold(game.log[:size])


def test_a_past_goes_on_from_one_that_is_known() -> None:
    game = played()
    store = filled(MemoryStore(), game.lines)
    known, draw = Past(), random.Random(5)
    size = 0
    while size < len(game.lines):
        size = min(len(game.lines), size + draw.randint(1, 9))
        known = Past(size, size, go_on(store, GAME, known, size))
        assert known.state == fold(game.log[:size])


@pytest.mark.parametrize("kind", STORES)
def test_every_store_tells_the_same_past(kind: str, tmp_path: Path) -> None:
    game = play_game(seed=4, hands=3, players=3)
    opened = STORES[kind](tmp_path)
    store = filled(opened.store, game.lines)
    times = sorted({at for at, _ in game.log})
    for before in times[:: len(times) // 20]:
        past = read_past(store, log=GAME, before=before, rule=AT_ONCE)
        assert past.size == sum(at <= before for at, _ in game.log)
        assert past.state == fold(game.log[: past.size])
    opened.store.close()


def test_all_of_a_game_is_what_the_store_has() -> None:
    game = played()
    store = filled(MemoryStore(), game.lines)
    head = store.head(GAME)
    assert head is not None
    past = read_past(store, log=GAME, before=2**53, rule=AT_ONCE)
    assert (past.size, past.state) == (len(game.lines), read_state(store, head))


def test_a_first_line_is_told_at_once_unless_it_tells_of_the_game_before() -> None:
    game = played()
    store = filled(MemoryStore(), game.lines)
    assert read_past(store, log=GAME, before=0, rule=AT_ONCE).size == 1
    assert read_past(store, log=GAME, before=0, rule=CARRIED) == Past()


def test_a_checkpoint_of_all_lines_waits_until_none_can_have_followed_sooner() -> None:
    game = played()
    store = filled(MemoryStore(), game.lines)
    size, (last, _) = len(game.log), game.log[-1]
    for later, signed in ((0, size - 1), (199, size - 1), (200, size)):
        past = read_past(store, log=GAME, before=last + later, rule=AT_ONCE)
        assert (past.size, past.signed) == (size, signed)


def test_the_rule_is_the_first_lines() -> None:
    game = Simulator(rules=HOUSES["straddles"])
    store = filled(MemoryStore(), game.lines)
    assert read_rule(store, log=GAME) == DelayRule(60_000)
    assert read_rule(store, log="cd" * 16) is None
    plain = filled(MemoryStore(), played().lines)
    assert read_rule(plain, log=GAME) == DelayRule(0)
