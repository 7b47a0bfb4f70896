"""A PostgreSQL store through faults: what it acknowledged is there once, and it guesses nothing."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import psycopg
import pytest

from dealer_service.store import postgres_alter
from dealer_service.store.api import (
    Append,
    Appended,
    AppendResult,
    LogFacts,
    LogState,
    SealedSecret,
    Store,
)
from dealer_service.store.leases import Node
from dealer_service.store.postgres import PostgresStore
from dealer_service.store.postgres_change import Changes
from dealer_service.store.postgres_link import Link
from dealer_service.store.refusal import Reason, StoreError
from tests.support.cut_proxy import CutProxy, Lost
from tests.support.postgres import Server, fresh_database, shared_server
from tests.support.stores import answer, change, move, signed, unit

Answered = TypeVar("Answered")

PROCESSES = "SELECT pid FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()"


@pytest.fixture
def server() -> Iterator[Server]:
    server = shared_server()
    yield server
    server.thaw()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    with fresh_database(server) as url:
        yield url


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    with contextlib.closing(PostgresStore(url)) as store:
        store.append_all([unit(change("a", 0, b"0"))])
        yield store


def name(url: str) -> str:
    return url.rpartition("/")[2]


def wait_for(server: Server, sql: str, *, gone: bool = False) -> list[tuple[Any, ...]]:
    """Ask until there are rows, or until there are none; the server's answers are the clock."""
    end = time.monotonic() + 60
    with psycopg.connect(server.url(), autocommit=True) as connection:
        while bool(rows := connection.execute(sql).fetchall()) is gone:
            assert time.monotonic() < end, sql
            connection.execute("SELECT pg_sleep(0.005)")
    return rows


def line(index: int) -> Append:
    return unit(
        change("a", index, b"%d" % index, signed=(signed(index + 1, index if index > 1 else 0),)),
        moves=(move("a", index),),
        answer=answer(f"r{index}"),
    )


def append(store: Store, index: int) -> AppendResult:
    (result,) = store.append_all([line(index)])
    return result


def asked_again(call: Callable[[], Answered]) -> Answered:
    """Ask until there is an answer: a server that has just started may need more than a lease."""
    end = time.monotonic() + 60
    while True:
        try:
            return call()
        except StoreError:
            assert time.monotonic() < end


def hold(store: Store, count: int) -> None:
    """Hold that a log has its lines, movements and answers once each, and none besides."""
    assert store.lines("a", 0, 10_000) == tuple(b"%d" % index for index in range(count))
    moved = store.movements(0, 10_000)
    assert [(one.cursor, one.movement.index) for one in moved] == [
        (index, index) for index in range(1, count)
    ]
    assert len(list(store.answered("games"))) == count - 1


class TestConnectionLost:
    """An administrator ends the connection, or the line is cut."""

    def test_between_changes_nothing_is_seen_of_it(
        self, store: PostgresStore, server: Server, url: str
    ) -> None:
        for index in range(1, 6):
            assert server.disconnect(name(url)) > 0
            assert append(store, index) == Appended((index,))
        hold(store, 6)

    def test_a_read_is_done_again(self, store: PostgresStore, server: Server, url: str) -> None:
        lines = store.every_line("a")
        assert next(lines) == b"0"
        store.append_all([unit(change("a", 1, *[b"x"] * 600))])
        lines = store.every_line("a")
        assert next(lines) == b"0"
        server.disconnect(name(url))
        assert list(lines) == [b"x"] * 600

    @pytest.mark.parametrize("after", [False, True])
    def test_around_a_commit_its_outcome_is_found_out(
        self,
        store: PostgresStore,
        server: Server,
        url: str,
        monkeypatch: pytest.MonkeyPatch,
        after: bool,
    ) -> None:
        commit = Changes._commit
        cut = iter([True])

        def cut_off(changes: Changes, link: Link) -> Any:
            if not next(cut, False):
                return commit(changes, link)
            if after:
                link.run(("COMMIT", ()))
            server.disconnect(name(url))
            wait_for(server, PROCESSES.format(name(url)), gone=True)
            return commit(changes, link)

        monkeypatch.setattr(Changes, "_commit", cut_off)
        assert append(store, 1) == Appended((1,))
        assert append(store, 2) == Appended((2,))
        hold(store, 3)

    @pytest.mark.parametrize("lost", Lost)
    def test_cut_at_every_word_of_an_append_it_is_written_once(
        self, server: Server, url: str, lost: Lost
    ) -> None:
        proxy = CutProxy(server.port)
        store = PostgresStore(url.replace(f":{server.port}/", f":{proxy.port}/"))
        store.append_all([unit(change("a", 0, b"0"))])
        index, word = 1, 0
        while True:
            proxy.cut_at(word, lost)
            assert append(store, index) == Appended((index,))
            index += 1
            if not proxy.has_cut.is_set():
                break
            word += 1
        proxy.spare()
        assert word >= 2, "statements and COMMIT are words of their own"
        hold(store, index)
        store.close()
        proxy.close()

    def test_one_that_was_frozen_in_the_middle_begins_again(
        self, server: Server, url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The server ends what lies open, so that others need not wait for who is frozen."""
        store = PostgresStore(url, lease=0.8)
        store.append_all([unit(change("a", 0, b"0"))])
        commit = Changes._commit
        frozen = iter([True])

        def freeze(changes: Changes, link: Link) -> Any:
            if next(frozen, False):
                process = link.backend
                alive = f"SELECT pid FROM pg_stat_activity WHERE pid = {process}"
                wait_for(server, alive, gone=True)
            return commit(changes, link)

        monkeypatch.setattr(Changes, "_commit", freeze)
        assert append(store, 1) == Appended((1,))
        hold(store, 2)
        store.close()


LONG = 8


def finish(store: Store, log: str) -> list[bytes]:
    """Make a revealed log with many rows of every kind, and give its lines."""
    lines = [b"%d" % index for index in range(LONG)]
    filled = change(
        log,
        0,
        *lines,
        facts=LogFacts(LogState.REVEALED),
        signed=tuple(signed(index + 1, index) for index in range(LONG)),
        secrets=tuple(SealedSecret(index, b"sealed") for index in range(LONG)),
        spent=tuple(lines),
    )
    answers = [unit(answer=replace(answer(f"r{index}"), scope=log)) for index in range(LONG)]
    assert store.append_all([unit(filled), *answers]) == [Appended()] * (LONG + 1)
    return lines


def rows(server: Server, url: str) -> dict[str, int]:
    """Count what is left in the tables of which archiving deletes."""
    tables = ("lines", "checkpoints", "secrets", "spent", "answers", "archiving")
    with psycopg.connect(server.url(name(url))) as connection:
        counts = {}
        for table in tables:
            counted = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            assert counted is not None
            counts[table] = int(counted[0])
    return counts


class TestArchiving:
    @pytest.mark.parametrize("again", ["b", "c"])
    def test_a_crash_after_any_step_leaves_nothing_behind(
        self, server: Server, url: str, monkeypatch: pytest.MonkeyPatch, again: str
    ) -> None:
        """It goes on where that log, or any other one, is archived by who starts anew."""
        monkeypatch.setattr(postgres_alter, "AT_ONCE", 3)
        steps = 0
        with contextlib.closing(PostgresStore(url)) as store:
            before = rows(server, url)
        while True:
            steps += 1
            log, other = f"b{steps}", f"c{steps}"
            with contextlib.closing(PostgresStore(url)) as store:
                lines = finish(store, log)
                finish(store, other)
                with monkeypatch.context() as patch:
                    patch.setattr(Changes, "change", cut_off(Changes.change, steps))
                    try:
                        assert store.archive(log)
                        break
                    except ConnectionAbortedError:
                        pass
            with contextlib.closing(PostgresStore(url)) as store:
                head = store.head(log)
                assert head is not None
                assert head.facts.state is LogState.ARCHIVED
                left = list(store.every_line(log))
                assert left == lines[: len(left)]
                assert store.archive(log if again == "b" else other)
                assert list(store.every_line(log)) == []
                assert store.archive(other)
            assert rows(server, url) == before
        # Each kind of row took several transactions.
        assert steps > 15

    @pytest.mark.parametrize("steps", [1, 2, 8, 14])
    def test_a_crash_leaves_nothing_of_a_tournament_behind(
        self, server: Server, url: str, monkeypatch: pytest.MonkeyPatch, steps: int
    ) -> None:
        """Its logs are archived together at the first step; whoever starts anew empties them."""
        event = [
            change(
                log,
                0,
                b"x",
                b"y",
                facts=LogFacts(LogState.REVEALED, tournament="t"),
                signed=(signed(2),),
                secrets=(SealedSecret(1, b"sealed"),),
                spent=(b"anchor",),
            )
            for log in ("t", "a", "b")
        ]
        other = change("o", 0, b"x", facts=LogFacts(LogState.REVEALED))
        with contextlib.closing(PostgresStore(url)) as store:
            before = rows(server, url)
            assert store.append_all([unit(*event, other)]) == [Appended()]
            with monkeypatch.context() as patch:
                patch.setattr(Changes, "change", cut_off(Changes.change, steps))
                with pytest.raises(ConnectionAbortedError):
                    store.archive("t")
        with contextlib.closing(PostgresStore(url)) as store:
            assert {head.facts.state for head in store.group("t")} == {LogState.ARCHIVED}
            assert store.archive("o")
        assert rows(server, url) == before

    def test_appends_are_taken_in_between(
        self, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whoever waits for its turn is given the time to take it, after each range."""
        monkeypatch.setattr(postgres_alter, "AT_ONCE", 3)
        finish(store, "b")
        pauses: list[float] = []

        class Turn(threading.Event):
            def wait(self, timeout: float | None = None) -> bool:
                assert timeout
                pauses.append(timeout)
                return append(store, len(pauses)) != Appended((len(pauses),))

        monkeypatch.setattr(store._archiving, "_closing", Turn())
        assert store.archive("b")
        assert len(pauses) > 10
        hold(store, len(pauses) + 1)


def cut_off(change_it: Callable[..., Any], steps: int) -> Callable[..., Any]:
    """Make changes that end, after so many, as a process does that is killed."""
    made = 0

    def change_once(changes: Changes, *given: Any, **options: Any) -> Any:
        nonlocal made
        if made == steps:
            raise ConnectionAbortedError
        made += 1
        return change_it(changes, *given, **options)

    return change_once


@contextlib.contextmanager
def appending(store: Store) -> Iterator[Callable[[int], int]]:
    """Append lines all the while; gives what waits until so many are there."""
    done = threading.Event()
    count = 1
    grown = threading.Condition()

    def go() -> None:
        nonlocal count
        while not done.is_set():
            assert append(store, count) == Appended((count,))
            with grown:
                count += 1
                grown.notify_all()

    def wait_until(least: int) -> int:
        with grown:
            assert grown.wait_for(lambda: count >= least or work.done(), 60)
            return count

    with ThreadPoolExecutor(1) as pool:
        work: Future[None] = pool.submit(go)
        try:
            yield wait_until
        finally:
            done.set()
            work.result()


class TestServerGone:
    @pytest.mark.parametrize("how", ["restart", "crash", "kill"])
    def test_through_a_restart_nothing_is_lost_or_doubled(
        self, store: PostgresStore, server: Server, how: str
    ) -> None:
        with appending(store) as wait_until:
            seen = wait_until(20)
            if how == "restart":
                server.restart()
            else:
                (server.crash if how == "crash" else server.kill)()
                server.start()
            seen = wait_until(seen + 20)
        count = len(store.lines("a", 0, 10_000))
        assert count >= seen
        hold(store, count)

    def test_one_that_hangs_without_a_word_is_cut_off(self, server: Server, url: str) -> None:
        store = PostgresStore(url, lease=0.5)
        store.append_all([unit(change("a", 0, b"0"))])
        first = store._changes._link
        assert first is not None
        server.freeze()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(append, store, 1)
            while not first.is_lost:
                pass
            server.thaw()
            assert waiting.result() == Appended((1,))
        hold(store, 2)
        store.close()

    def test_when_patience_ends_the_store_says_so_and_takes_no_further_change(
        self, server: Server, url: str
    ) -> None:
        store = PostgresStore(url, lease=0.5, patience=0.3)
        store.append_all([unit(change("a", 0, b"0"))])
        server.stop()
        try:
            for call in (lambda: append(store, 1), lambda: store.head("a")):
                with pytest.raises(StoreError, match="can not be reached") as refused:
                    call()
                assert refused.value.reason is Reason.STORE_UNREACHABLE
        finally:
            server.start()
        with pytest.raises(StoreError):
            append(store, 1)
        store.close()
        again = PostgresStore(url)
        assert append(again, 1) == Appended((1,))
        again.close()

    def test_a_read_and_a_beat_may_be_asked_again(self, server: Server, url: str) -> None:
        store = PostgresStore(url, lease=0.5)
        store.join(Node("one", "one:1"), 500)
        server.stop()
        try:
            for call in (store.beat, store.living, lambda: store.claim("a"), store.last_beat):
                with pytest.raises(StoreError):
                    call()
        finally:
            server.start()
        assert asked_again(store.beat).count == 2
        assert store.append_all([unit(change("a", 0, b"0"))]) == [Appended()]
        store.close()

    def test_closing_ends_the_wait(self, server: Server, url: str) -> None:
        store = PostgresStore(url)
        store.append_all([unit(change("a", 0, b"0"))])
        server.stop()
        try:
            with ThreadPoolExecutor(1) as pool:
                waiting = pool.submit(append, store, 1)
                while store._changes._link is not None:
                    pass
                store.close()
                with pytest.raises(StoreError) as refused:
                    waiting.result()
            assert refused.value.reason is Reason.STORE_CLOSED
        finally:
            server.start()


class TestStandbys:
    def test_what_its_standbys_have_not_is_not_acknowledged(
        self, store: PostgresStore, server: Server, url: str
    ) -> None:
        """A wait that was cut off begins again: the commit alone proves nothing."""
        waiting_for = (
            f"SELECT pid FROM pg_stat_activity WHERE datname = '{name(url)}'"
            " AND wait_event = 'SyncRep'"
        )
        server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        server.run("SELECT pg_reload_conf()")
        try:
            with appending(store) as wait_until:
                for query in ("COMMIT", "SELECT incarnation"):
                    ((process,),) = wait_for(server, f"{waiting_for} AND query LIKE '{query}%'")
                    told = wait_until(1)
                    server.run(f"SELECT pg_cancel_backend({process})")
                with psycopg.connect(url, autocommit=True) as looking:
                    while looking.execute("SELECT sum(settled) FROM nodes").fetchall() == [(0,)]:
                        pass
                wait_for(server, waiting_for)
                written = len(store.lines("a", 0, 10_000))
                server.run("ALTER SYSTEM RESET synchronous_standby_names")
                server.run("SELECT pg_reload_conf()")
                wait_until(told + 5)
        finally:
            server.run("ALTER SYSTEM RESET synchronous_standby_names")
            server.run("SELECT pg_reload_conf()")
        assert written == told + 1, "it was written, and not acknowledged"
        hold(store, len(store.lines("a", 0, 10_000)))


class TestOthers:
    def test_a_lock_is_waited_for_and_asked_for_again(self, server: Server, url: str) -> None:
        store = PostgresStore(url, lease=0.4)
        store.append_all([unit(change("a", 0, b"0"))])
        with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
            other.execute("SELECT 1 FROM logs FOR UPDATE")
            appended = pool.submit(append, store, 1)
            gave_up = f"SELECT xact_rollback FROM pg_stat_database WHERE datname = '{name(url)}'"
            wait_for(server, f"{gave_up} AND xact_rollback > 0")
            other.rollback()
            assert appended.result() == Appended((1,))
        hold(store, 2)
        store.close()

    def test_a_deadlock_is_begun_again(self, server: Server, url: str) -> None:
        store = PostgresStore(f"{url}?options=-cdeadlock_timeout%3D100ms")
        store.append_all([unit(change("a", 0, b"0"))])
        waits = f"{PROCESSES.format(name(url))} AND wait_event_type = 'Lock'"
        with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
            other.execute("SET deadlock_timeout = '1min'")
            other.execute("SELECT 1 FROM counters WHERE name = 'movements' FOR UPDATE")
            appended = pool.submit(append, store, 1)
            wait_for(server, waits)
            other.execute("SELECT 1 FROM logs FOR UPDATE")
            other.rollback()
            assert appended.result() == Appended((1,))
        hold(store, 2)
        store.close()

    def test_of_two_nodes_the_one_that_lost_the_log_writes_nothing(self, url: str) -> None:
        first, second = PostgresStore(url), PostgresStore(url)
        first.join(Node("one", "one:1"), 60_000)
        second.join(Node("two", "two:1"), 60_000)
        first.append_all([unit(change("a", 0, b"0"))])

        def go_on(index: int) -> AppendResult:
            return append(first, index)

        with ThreadPoolExecutor(1) as pool:
            written = pool.map(go_on, range(1, 30))
            first.release(("a",))
            epoch = second.claim("a")
            assert epoch == 2
            results = list(written)
        count = len(second.lines("a", 0, 100))
        assert results[: count - 1] == [Appended((index,)) for index in range(1, count)]
        assert not any(isinstance(result, Appended) for result in results[count - 1 :])
        hold(second, count)
        first.close()
        second.close()

    def test_a_replaced_process_appends_nothing(self, url: str) -> None:
        first, second = PostgresStore(url), PostgresStore(url)
        first.join(Node("one", "one:1"), 60_000)
        first.append_all([unit(change("a", 0, b"0"))])
        second.join(Node("one", "one:1"), 60_000)
        with pytest.raises(StoreError) as refused:
            append(first, 1)
        assert refused.value.reason is Reason.NODE_REPLACED
        assert second.lines("a", 0, 9) == (b"0",)
        first.close()
        second.close()

    def test_a_store_that_went_back_is_told(
        self, store: PostgresStore, server: Server, url: str
    ) -> None:
        """A backup was restored, or a standby took over that had not everything."""
        append(store, 1)
        server.run("UPDATE nodes SET changes = changes - 1", name(url))
        with pytest.raises(StoreError, match="went back to an older state") as refused:
            append(store, 2)
        assert refused.value.reason is Reason.STORE_WENT_BACK
