"""What every store does with a tournament: its log and its tables are one unit of ownership."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_service.store.api import (
    DEALER_LOG,
    Append,
    Appended,
    AppendResult,
    ChipMove,
    Fenced,
    LogAppend,
    LogFacts,
    LogHead,
    LogLost,
    LogState,
    LostLog,
    Movement,
    NoTournament,
    SealedSecret,
    SignedAt,
    Store,
    every_head,
    signed_heads,
    unfinished_heads,
    unfinished_units,
)
from tests.support.stores import STORES, Opened, answer, change, root, signed, unit


@pytest.fixture(params=STORES)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    opened = STORES[request.param](tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def store(opened: Opened) -> Store:
    return opened.store


def one(store: Store, append: Append) -> AppendResult:
    (result,) = store.append_all([append])
    return result


def first(
    log: str, tournament: str, state: LogState = LogState.OPEN, *, epoch: int = 1
) -> LogAppend:
    """Give the first append of a tournament's log, or of one of its tables."""
    facts = LogFacts(state, tournament=tournament)
    return change(log, 0, b"x", epoch=epoch, facts=facts)


def open_event(store: Store, state: LogState = LogState.OPEN, tables: str = "ab") -> None:
    """Open a tournament "t" and its tables in one unit, among games that are of none."""
    one(store, unit(change("1", 0, b"x")))
    logs = (first("t", "t", state), *(first(table, "t", state) for table in tables))
    assert one(store, unit(*logs)) == Appended()
    one(store, unit(change("2", 0, b"x")))


def names(heads: Iterable[LogHead]) -> list[str]:
    return [head.log for head in heads]


def epochs(store: Store) -> dict[str, int]:
    return {head.log: head.epoch for head in signed_heads(store)}


class TestMaking:
    def test_the_first_append_says_of_which_tournament_a_log_is(self, opened: Opened) -> None:
        open_event(opened.store)
        store = opened.reopen()
        of = {head.log: head.facts.tournament for head in signed_heads(store)}
        assert of == {"1": "", "2": "", "t": "t", "a": "t", "b": "t"}

    def test_later_facts_change_nothing_of_it(self, store: Store) -> None:
        open_event(store)
        changes = [
            change("a", 1, b"y", facts=LogFacts(LogState.PAUSED)),
            change("t", 1, facts=LogFacts(hands=3, tournament="1")),
            change("1", 1, facts=LogFacts(tournament="t")),
        ]
        assert [one(store, unit(each)) for each in changes] == [Appended()] * 3
        assert names(store.group("t")) == ["t", "a", "b"]
        assert store.group("t")[1].facts == LogFacts(LogState.PAUSED, tournament="t")

    def test_a_table_may_come_later_in_a_batch_of_its_own(self, store: Store) -> None:
        results = store.append_all([unit(first("t", "t")), unit(first("a", "t"), first("b", "t"))])
        assert results == [Appended(), Appended()]
        assert one(store, unit(change("t", 1, b"y"), first("c", "t"))) == Appended()
        assert names(store.group("t")) == ["t", "a", "b", "c"]

    def test_whoever_lost_the_tournament_makes_no_table_of_it(self, store: Store) -> None:
        open_event(store)
        store.claim_group("t")
        assert one(store, unit(change("1", 1, b"y"), first("c", "t"))) == Fenced("t", 2)
        assert store.head("c") is None
        assert one(store, unit(first("c", "t", epoch=2))) == Appended()

    @pytest.mark.parametrize("tournament", ["z", "1", "a", DEALER_LOG])
    def test_there_is_no_table_of_what_is_no_tournament(
        self, store: Store, tournament: str
    ) -> None:
        open_event(store)
        one(store, unit(change(DEALER_LOG, 0, b"x")))
        assert one(store, unit(first("c", tournament))) == NoTournament("c", tournament)
        assert store.head("c") is None

    def test_a_lost_tournament_gets_no_table(self, store: Store) -> None:
        open_event(store)
        store.mark_lost([LostLog("t", SignedAt(9, root(9)))])
        assert one(store, unit(first("c", "t", epoch=2))) == LogLost("t", 9)


class TestClaiming:
    def test_all_of_it_is_claimed_at_once(self, opened: Opened) -> None:
        open_event(opened.store)
        assert opened.store.claim_group("t") == {"t": 2, "a": 2, "b": 2}
        store = opened.reopen()
        assert epochs(store) == {"1": 1, "2": 1, "t": 2, "a": 2, "b": 2}
        stale = [unit(change("t", 1, b"no")), unit(change("a", 1, b"no"))]
        assert store.append_all(stale) == [Fenced("t", 2), Fenced("a", 2)]
        assert one(store, unit(change("a", 1, b"y", epoch=2))) == Appended()

    def test_a_table_that_came_later_is_claimed_with_it(self, store: Store) -> None:
        open_event(store)
        store.claim_group("t")
        one(store, unit(first("c", "t", epoch=2)))
        assert store.claim_group("t") == {"t": 3, "a": 3, "b": 3, "c": 3}

    @pytest.mark.parametrize("log", ["t", "a"])
    def test_no_log_of_it_is_claimed_alone(self, store: Store, log: str) -> None:
        open_event(store)
        assert store.claim(log) is None
        assert epochs(store)[log] == 1

    @pytest.mark.parametrize("log", ["1", "a", "z", "", DEALER_LOG])
    def test_what_is_no_tournament_is_claimed_by_no_tournaments_name(
        self, store: Store, log: str
    ) -> None:
        open_event(store)
        one(store, unit(change(DEALER_LOG, 0, b"x")))
        before = epochs(store)
        assert store.claim_group(log) is None
        assert epochs(store) == before

    def test_logs_of_it_that_are_over_or_lost_are_claimed_too(self, store: Store) -> None:
        open_event(store)
        one(store, unit(change("a", 1, facts=LogFacts(LogState.REVEALED))))
        store.mark_lost([LostLog("t", SignedAt(9, root(9)))])
        assert store.claim_group("t") == {"t": 3, "a": 2, "b": 2}


class TestListing:
    def test_games_and_tournaments_are_listed_apart(self, store: Store) -> None:
        open_event(store)
        one(store, unit(first("u", "u", LogState.CLOSED)))
        one(store, unit(change(DEALER_LOG, 0, b"x")))
        assert names(store.heads()) == ["1", "a", "b", "2"]
        assert names(store.heads(tournaments=True)) == ["t", "u"]
        assert names(store.heads(state=LogState.OPEN, tournaments=True)) == ["t"]
        assert names(store.heads(state=LogState.CLOSED)) == []
        assert names(every_head(store, tournaments=True)) == ["t", "u"]

    def test_pages_go_on_by_the_same_numbers(self, store: Store) -> None:
        for name in "tuvw":
            one(store, unit(first(name, name), first(name * 2, name)))
        (before, *rest) = store.heads(tournaments=True)
        assert names(store.heads(tournaments=True, after=before.number, limit=2)) == ["u", "v"]
        assert names(store.heads(after=rest[0].number, limit=9)) == ["uu", "vv", "ww"]

    def test_a_group_is_its_own_log_and_its_tables(self, store: Store) -> None:
        open_event(store)
        own, *tables = store.group("t")
        assert (own.log, own.is_tournament, own.owned_as) == ("t", True, "t")
        assert [(one.log, one.is_tournament, one.owned_as) for one in tables] == [
            ("a", False, "t"),
            ("b", False, "t"),
        ]
        assert [store.group(name) for name in ("a", "1", "z", "")] == [()] * 4

    def test_what_was_signed_is_of_games_and_tournaments(self, store: Store) -> None:
        open_event(store)
        one(store, unit(change("t", 1, signed=(signed(1),))))
        found = {head.log: head.signed_size for head in signed_heads(store)}
        assert found == {"1": 0, "2": 0, "t": 1, "a": 0, "b": 0}

    def test_a_tournament_goes_on_as_long_as_one_of_its_logs_does(self, store: Store) -> None:
        open_event(store)
        over = LogFacts(LogState.REVEALED)
        assert unfinished_units(store) == ("1", "t", "2")
        assert sorted(names(unfinished_heads(store))) == ["1", "2", "a", "b", "t"]
        one(store, unit(change("t", 1, facts=over), change("a", 1, facts=over)))
        assert unfinished_units(store) == ("1", "t", "2")
        one(store, unit(change("b", 1, facts=over)))
        assert unfinished_units(store) == ("1", "2")


def finished(log: str, state: LogState = LogState.REVEALED) -> Append:
    """Give a unit that makes all that is left of a log of "t" when its game is over."""
    return unit(
        change(
            log,
            0,
            b"x",
            b"y",
            facts=LogFacts(state, tournament="t"),
            signed=(signed(2),),
            secrets=(SealedSecret(1, b"sealed"),),
            spent=(b"anchor",),
        ),
        moves=(Movement(log, 1, 7, ChipMove.PRIZE, "ann", amount=500),),
        answer=replace(answer("r1"), scope=log),
    )


class TestArchiving:
    def test_all_of_it_is_forgotten_together(self, opened: Opened) -> None:
        opened.store.append_all([finished("t"), finished("a"), finished("b")])
        assert opened.store.archive("t")
        store = opened.reopen()
        for head in store.group("t"):
            assert head.facts == LogFacts(LogState.ARCHIVED, tournament="t")
            assert (head.epoch, head.signed) == (2, SignedAt(2, root(2)))
            assert store.lines(head.log, 0, 9) == ()
            assert store.checkpoints(head.log) == ()
            assert store.sealed_secrets(head.log) == ()
            assert store.spent(head.log) == frozenset()
            assert list(store.answered(head.log)) == []
        assert [moved.movement.log for moved in store.movements(0, 9)] == ["t", "a", "b"]
        assert store.archive("t")
        assert store.group("t")[1].epoch == 2

    @pytest.mark.parametrize("state", [LogState.OPEN, LogState.PAUSED, LogState.CLOSED])
    def test_as_long_as_a_table_goes_on_nothing_is_forgotten(
        self, store: Store, state: LogState
    ) -> None:
        store.append_all([finished("t"), finished("a"), finished("b", state)])
        assert not store.archive("t")
        assert store.lines("a", 0, 9) == (b"x", b"y")
        assert store.group("t")[0].facts.state is LogState.REVEALED

    def test_a_table_is_not_archived_alone(self, store: Store) -> None:
        store.append_all([finished("t"), finished("a")])
        assert not store.archive("a")
        assert store.lines("a", 0, 9) == (b"x", b"y")
        store.archive("t")
        assert not store.archive("a")

    def test_what_was_lost_of_it_stays_lost(self, store: Store) -> None:
        store.append_all([finished("t"), finished("a"), finished("b")])
        store.mark_lost([LostLog("a", SignedAt(9, root(9)))])
        assert store.archive("t")
        assert [head.facts.state for head in store.group("t")] == [
            LogState.ARCHIVED,
            LogState.LOST,
            LogState.ARCHIVED,
        ]
        assert store.lines("a", 0, 9) == (b"x", b"y")


def test_every_word_of_a_movement_is_kept(store: Store) -> None:
    moved = [
        Movement("t", 3, 1767225600000, what, "ann", amount=1_100, reference="r")
        for what in ChipMove
    ]
    one(store, unit(moves=tuple(moved)))
    assert [stored.movement for stored in store.movements(0, 99)] == moved
