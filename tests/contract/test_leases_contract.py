"""What every store does that several dealers share: who owns which log, and until when."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from dealer_service.store.api import (
    DEALER_LOG,
    Append,
    Appended,
    AppendResult,
    Conflict,
    Fenced,
    LogFacts,
    LogState,
    NoticeGone,
    Store,
)
from dealer_service.store.leases import Node, Owner, leases_of
from dealer_service.store.refusal import Reason, StoreError
from tests.support.shared_stores import LEASE_MS, SHARED, SharedBy, SharedStore
from tests.support.stores import answer, change, move, notice, signed, unit

ONE = Node("one", "one.example.com:443")
TWO = Node("two", "two.example.com:443")


@pytest.fixture(params=SHARED)
def shared(request: pytest.FixtureRequest) -> Iterator[SharedBy]:
    with SHARED[request.param]() as shared:
        yield shared


@pytest.fixture
def first(shared: SharedBy) -> SharedStore:
    """Give the first dealer's view."""
    store = shared.open()
    store.join(ONE, LEASE_MS)
    return store


@pytest.fixture
def second(shared: SharedBy) -> SharedStore:
    """Give the second dealer's view."""
    store = shared.open()
    store.join(TWO, LEASE_MS)
    return store


def one(store: Store, append: Append) -> AppendResult:
    (result,) = store.append_all([append])
    return result


def make(store: Store, *logs: str, state: LogState = LogState.OPEN) -> None:
    facts = LogFacts(state)
    assert store.append_all([unit(change(log, 0, b"x", facts=facts)) for log in logs]) == [
        Appended()
    ] * len(logs)


class TestJoining:
    def test_beats_are_counted_by_the_store_and_names_are_kept(self, shared: SharedBy) -> None:
        first, second = shared.open(), shared.open()
        assert first.last_beat() == 0
        assert first.nodes() == frozenset()
        beats = [first.join(ONE, LEASE_MS), second.join(TWO, LEASE_MS), first.beat()]
        assert [beat.count for beat in beats] == [1, 2, 3]
        assert [beat.nodes for beat in beats] == [{"one"}, {"one", "two"}, {"one", "two"}]
        second.leave()
        assert shared.open().last_beat() == 3
        assert shared.open().nodes() == {"one", "two"}

    def test_a_join_and_each_beat_tell_the_stores_time(self, shared: SharedBy) -> None:
        store = shared.open()
        times = [shared.now(), store.join(ONE, LEASE_MS).at, shared.now()]
        shared.pass_lease()
        times += [shared.now(), store.beat().at, shared.now()]
        assert times == sorted(times)

    def test_a_node_lives_as_long_as_it_beats(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        assert first.living() == (ONE, TWO)
        shared.pass_lease()
        assert first.living() == ()
        second.beat()
        assert first.living() == (TWO,)

    @pytest.mark.usefixtures("first")
    def test_a_node_may_come_back_at_another_address(self, shared: SharedBy) -> None:
        moved = Node("one", "elsewhere.example.com:443")
        again = shared.open()
        again.join(moved, LEASE_MS)
        assert again.living() == (moved,)

    def test_a_process_that_was_replaced_writes_nothing_more(
        self, shared: SharedBy, first: SharedStore
    ) -> None:
        make(first, "a")
        shared.open().join(ONE, LEASE_MS)
        with pytest.raises(StoreError) as refused:
            first.beat()
        assert refused.value.reason is Reason.NODE_REPLACED

    @pytest.mark.parametrize("call", ["claimable", "owner", "owners", "living", "release", "leave"])
    def test_a_process_that_was_replaced_is_told_by_every_call(
        self, shared: SharedBy, first: SharedStore, call: str
    ) -> None:
        calls = {
            "claimable": lambda: first.claimable(1),
            "owner": lambda: first.owner("a"),
            "owners": lambda: first.owners(()),
            "living": first.living,
            "release": lambda: first.release(("a",)),
            "leave": first.leave,
        }
        shared.open().join(ONE, LEASE_MS)
        with pytest.raises(StoreError) as refused:
            calls[call]()
        assert refused.value.reason is Reason.NODE_REPLACED

    def test_who_has_not_joined_has_no_lease(self, shared: SharedBy) -> None:
        store = shared.open()
        for call in (store.beat, store.living, store.leave):
            with pytest.raises(StoreError):
                call()

    def test_a_shared_store_is_known_as_one(self, shared: SharedBy) -> None:
        store = shared.open()
        assert leases_of(store) is store


class TestOwning:
    def test_whoever_makes_a_log_owns_it(self, first: SharedStore, second: SharedStore) -> None:
        make(first, "a")
        assert second.owner("a") == Owner(ONE, 1, is_alive=True)
        assert second.claimable(9) == ()
        assert second.claim("a") is None
        assert one(first, unit(change("a", 1, b"y"))) == Appended()

    def test_an_unknown_log_has_no_owner(self, first: SharedStore) -> None:
        assert first.owner("z") is None
        assert first.claim("z") is None

    def test_the_owners_of_many_logs_are_told_at_once(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        make(first, "a", "b")
        make(second, "c")
        first.release(("b",))
        asked = ("a", "b", "c", "z")
        one, two = Owner(ONE, 1, is_alive=True), Owner(TWO, 1, is_alive=True)
        assert first.owners(asked) == {"a": one, "c": two}
        shared.pass_lease()
        second.beat()
        assert first.owners(asked) == {"a": Owner(ONE, 1, is_alive=False), "c": two}
        assert first.owners(()) == {}

    def test_what_a_dead_node_owned_is_taken_over_and_the_dead_is_fenced(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        make(first, "a")
        shared.pass_lease()
        second.beat()
        assert second.owner("a") == Owner(ONE, 1, is_alive=False)
        assert second.claimable(9) == ("a",)
        assert second.claim("a") == 2
        assert second.owner("a") == Owner(TWO, 2, is_alive=True)
        # It wakes up, and does not know yet.
        assert one(first, unit(change("a", 1, b"no"), answer=answer("r1"))) == Fenced("a", 2)
        assert one(second, unit(change("a", 1, b"y", epoch=2))) == Appended()
        assert first.lines("a", 0, 9) == (b"x", b"y")
        assert first.answer("games", "ann", "r1") is None

    @pytest.mark.usefixtures("second")
    def test_leases_say_nothing_of_who_may_write(
        self, shared: SharedBy, first: SharedStore
    ) -> None:
        """A log that nobody took over is still its owner's, however late it is."""
        make(first, "a")
        shared.pass_lease()
        assert one(first, unit(change("a", 1, b"y"))) == Appended()

    def test_a_new_process_of_a_node_takes_its_logs_at_once_and_others_do_not(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        make(first, "a")
        again = shared.open()
        again.join(ONE, LEASE_MS)
        assert second.claimable(9) == ()
        assert again.claimable(9) == ("a",)
        assert again.claim("a") == 2
        assert again.claimable(9) == ()

    def test_what_was_released_is_anybodys(self, first: SharedStore, second: SharedStore) -> None:
        make(first, "a", "b")
        first.release(("a",))
        assert second.owner("a") is None
        assert second.claimable(9) == ("a",)
        assert second.claim("a") == 2
        assert second.owner("b") == Owner(ONE, 1, is_alive=True)

    def test_only_its_owner_releases_a_log(self, first: SharedStore, second: SharedStore) -> None:
        make(first, "a")
        second.release(("a", "z"))
        assert second.owner("a") == Owner(ONE, 1, is_alive=True)

    def test_leaving_releases_everything(self, first: SharedStore, second: SharedStore) -> None:
        make(first, "a", "b")
        make(second, "c")
        first.leave()
        assert second.living() == (TWO,)
        assert second.claimable(9) == ("a", "b")

    def test_only_logs_that_are_not_over_are_to_be_claimed_the_oldest_first(
        self, first: SharedStore, second: SharedStore
    ) -> None:
        states = (*LogState, LogState.OPEN)
        for number, state in enumerate(states):
            make(first, f"{number}", state=state)
        first.leave()
        expected = [
            f"{number}"
            for number, state in enumerate(states)
            if state in {LogState.OPEN, LogState.PAUSED, LogState.CLOSED}
        ]
        assert list(second.claimable(9)) == expected
        assert list(second.claimable(2)) == expected[:2]

    def test_of_two_that_claim_at_once_one_has_it(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        logs = [f"{number:02}" for number in range(20)]
        make(first, *logs)
        first.leave()
        third = shared.open()
        third.join(Node("three", "three:1"), LEASE_MS)
        with ThreadPoolExecutor(2) as pool:
            claims = [
                pool.submit(lambda store: [store.claim(log) for log in logs], store)
                for store in (second, third)
            ]
            claimed = [claim.result() for claim in claims]
        assert [sorted(pair, key=str) for pair in zip(*claimed, strict=True)] == [[2, None]] * 20


def open_event(store: Store, *tables: str) -> None:
    """Open a tournament "t" with tables, in one unit."""
    logs = (change(log, 0, b"x", facts=LogFacts(tournament="t"), epoch=1) for log in ("t", *tables))
    assert one(store, unit(*logs)) == Appended()


class TestTournaments:
    """A tournament and its tables have one owner, who has all of them or nothing."""

    def test_whoever_opens_it_owns_all_of_it(self, first: SharedStore, second: SharedStore) -> None:
        open_event(first, "a", "b")
        mine = Owner(ONE, 1, is_alive=True)
        assert second.owners(("t", "a", "b")) == {"t": mine, "a": mine, "b": mine}
        assert second.claimable(9) == ()
        assert second.claim_group("t") is None
        assert [second.claim(log) for log in ("t", "a")] == [None, None]

    def test_it_is_taken_over_whole_and_the_dead_is_fenced_at_every_log(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        make(first, "1")
        open_event(first, "a", "b")
        make(first, "2")
        shared.pass_lease()
        second.beat()
        assert second.claimable(9) == ("1", "t", "2")
        assert second.claim_group("t") == {"t": 2, "a": 2, "b": 2}
        assert second.claimable(9) == ("1", "2")
        mine = Owner(TWO, 2, is_alive=True)
        assert second.owners(("t", "a", "b")) == {"t": mine, "a": mine, "b": mine}
        # It wakes up, and does not know yet.
        for log in ("t", "a", "b"):
            assert one(first, unit(change(log, 1, b"no"))) == Fenced(log, 2)
        made = change("c", 0, b"no", facts=LogFacts(tournament="t"))
        assert one(first, unit(made)) == Fenced("t", 2)
        assert one(second, unit(change("a", 1, b"y", epoch=2))) == Appended()

    def test_a_new_table_is_its_owners(self, first: SharedStore, second: SharedStore) -> None:
        open_event(first, "a")
        first.leave()
        second.claim_group("t")
        more = change("b", 0, b"x", facts=LogFacts(tournament="t"), epoch=2)
        assert one(second, unit(more)) == Appended()
        assert second.owner("b") == Owner(TWO, 2, is_alive=True)
        second.release(("t",))
        # Nobody has it: a late writer makes a table that nobody has, either.
        late = change("c", 0, b"x", facts=LogFacts(tournament="t"), epoch=2)
        assert one(second, unit(late)) == Appended()
        assert second.owner("c") is None

    def test_it_is_released_by_its_own_name_alone(
        self, first: SharedStore, second: SharedStore
    ) -> None:
        open_event(first, "a", "b")
        make(first, "1")
        first.release(("a", "b"))
        assert second.claimable(9) == ()
        first.release(("t",))
        assert second.owners(("t", "a", "b")) == {}
        assert second.claimable(9) == ("t",)
        assert second.owner("1") == Owner(ONE, 1, is_alive=True)
        assert second.claim_group("t") == {"t": 2, "a": 2, "b": 2}

    def test_leaving_releases_all_of_it(self, first: SharedStore, second: SharedStore) -> None:
        open_event(first, "a")
        first.leave()
        assert second.claimable(9) == ("t",)

    def test_a_new_process_of_a_node_takes_it_at_once(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        open_event(first, "a")
        again = shared.open()
        again.join(ONE, LEASE_MS)
        assert second.claimable(9) == ()
        assert again.claimable(9) == ("t",)
        assert again.claim_group("t") == {"t": 2, "a": 2}
        assert again.claimable(9) == ()

    def test_it_is_to_be_claimed_as_long_as_one_of_its_logs_is_not_over(
        self, first: SharedStore, second: SharedStore
    ) -> None:
        open_event(first, "a", "b")
        over = LogFacts(LogState.REVEALED)
        one(first, unit(change("t", 1, facts=over), change("a", 1, facts=over)))
        first.leave()
        assert second.claimable(9) == ("t",)
        assert second.claim_group("t") == {"t": 2, "a": 2, "b": 2}
        one(second, unit(change("b", 1, facts=over, epoch=2)))
        second.release(("t",))
        assert first.claimable(9) == second.claimable(9) == ()

    def test_limits_count_it_once(self, first: SharedStore, second: SharedStore) -> None:
        open_event(first, "a", "b", "c")
        make(first, "1")
        first.leave()
        assert second.claimable(1) == ("t",)
        assert second.claimable(2) == ("t", "1")

    def test_of_two_that_claim_at_once_one_has_all_of_it(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        names = [f"{number:02}" for number in range(12)]
        for name in names:
            facts = LogFacts(tournament=name)
            logs = [change(f"{name}{table}", 0, b"x", facts=facts) for table in ("", "a", "b")]
            one(first, unit(*logs))
        first.leave()
        third = shared.open()
        third.join(Node("three", "three:1"), LEASE_MS)
        with ThreadPoolExecutor(2) as pool:
            claims = [
                pool.submit(lambda store: [store.claim_group(name) for name in names], store)
                for store in (second, third)
            ]
            claimed = [claim.result() for claim in claims]
        for name, *got in zip(names, *claimed, strict=True):
            assert sorted(got, key=bool) == [None, dict.fromkeys((name, f"{name}a", f"{name}b"), 2)]

    def test_a_table_that_is_made_meanwhile_is_claimed_too_or_refused(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        """However a claim and new tables fall together, no table is left behind."""
        open_event(first, "a")
        shared.pass_lease()
        second.beat()

        def make_tables() -> list[AppendResult]:
            facts = LogFacts(tournament="t")
            return [
                one(first, unit(change(f"b{number}", 0, b"x", facts=facts))) for number in range(30)
            ]

        with ThreadPoolExecutor(2) as pool:
            made = pool.submit(make_tables)
            while first.head("b3") is None:
                pass
            claimed = second.claim_group("t")
        assert claimed is not None
        there = {head.log: head.epoch for head in second.group("t")}
        assert claimed == there
        assert set(there.values()) == {2}
        results = made.result()
        assert results.count(Appended()) == len(there) - 2
        assert set(results) <= {Appended(), Fenced("t", 2)}


class TestDealersLog:
    def test_it_has_one_owner_and_is_taken_over_when_that_dies(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        make(first, DEALER_LOG)
        assert second.owner(DEALER_LOG) == Owner(ONE, 1, is_alive=True)
        assert second.claim(DEALER_LOG) is None
        shared.pass_lease()
        second.beat()
        assert second.claim(DEALER_LOG) == 2
        assert one(first, unit(change(DEALER_LOG, 1, b"y"))) == Fenced(DEALER_LOG, 2)
        assert one(second, unit(change(DEALER_LOG, 1, b"y", epoch=2))) == Appended()

    def test_of_two_that_make_it_one_has_it(self, first: SharedStore, second: SharedStore) -> None:
        made = [one(store, unit(change(DEALER_LOG, 0, b"x"))) for store in (first, second)]
        assert made == [Appended(), Conflict(DEALER_LOG, 0, 1)]
        assert second.owner(DEALER_LOG) == Owner(ONE, 1, is_alive=True)

    def test_leaving_and_releasing_let_go_of_it(
        self, first: SharedStore, second: SharedStore
    ) -> None:
        make(first, DEALER_LOG)
        first.release((DEALER_LOG,))
        assert second.claim(DEALER_LOG) == 2
        second.leave()
        assert first.owner(DEALER_LOG) is None
        assert first.claim(DEALER_LOG) == 3

    def test_it_is_no_game_that_is_to_be_claimed(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        make(first, "a", DEALER_LOG, "b")
        shared.pass_lease()
        second.beat()
        assert second.claimable(2) == ("a", "b")


class TestSharing:
    def test_each_sees_what_the_other_wrote(self, first: SharedStore, second: SharedStore) -> None:
        make(first, "a")
        assert second.lines("a", 0, 9) == (b"x",)
        one(first, unit(change("a", 1, b"y", signed=(signed(2),)), answer=answer("r1")))
        assert second.lines("a", 1, 9) == (b"y",)
        assert one(second, unit(answer=answer("r1", b"other"))) != Appended()
        assert second.sizes(("a", "z")) == {"a": (2, 2)}
        make(second, "b")
        assert first.sizes(("a", "b")) == {"a": (2, 2), "b": (1, 0)}
        assert first.sizes(()) == {}

    def test_a_log_is_made_once(self, first: SharedStore, second: SharedStore) -> None:
        make(first, "a")
        assert one(second, unit(change("a", 0, b"no"))) == Conflict("a", 0, 1)
        assert first.owner("a") == Owner(ONE, 1, is_alive=True)

    def test_movements_become_visible_in_the_order_of_their_cursors(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        """A reader that follows the cursor misses nothing, whoever writes."""
        each = 60

        def write(store: SharedStore, log: str) -> list[int]:
            cursors: list[int] = []
            for index in range(each):
                result = one(store, unit(moves=(move(log, index), move(log, index))))
                assert isinstance(result, Appended)
                cursors.extend(result.cursors)
            return cursors

        reader = shared.open()
        seen: list[int] = []
        with ThreadPoolExecutor(2) as pool:
            writers = [pool.submit(write, first, "a"), pool.submit(write, second, "b")]
            while len(seen) < 4 * each:
                page = reader.movements(seen[-1] if seen else 0, 7)
                seen.extend(moved.cursor for moved in page)
        assert seen == list(range(1, 4 * each + 1))
        assert sorted(writers[0].result() + writers[1].result()) == seen

    def test_notices_of_a_game_keep_their_order_whoever_has_it(
        self, first: SharedStore, second: SharedStore
    ) -> None:
        """Nodes do not wait for each other to number them."""
        epoch, stores = 1, (first, second)
        for size in range(1, 9):
            store = stores[size % 2]
            noted = change("a", size - 1, b"x", epoch=epoch, notices=(notice(size),))
            assert one(store, unit(noted)) == Appended()
            store.release(("a",))
            epoch = stores[(size + 1) % 2].claim("a") or 0
        assert [waits.notice.size for waits in first.notices(9)] == list(range(1, 9))

    def test_a_notice_is_taken_out_by_one_dealer(
        self, first: SharedStore, second: SharedStore
    ) -> None:
        one(first, unit(change("a", 0, b"x", notices=(notice(1),))))
        (waits,) = second.notices(9)
        taken = [one(store, unit(noticed=(waits.id,))) for store in (second, first)]
        assert taken == [Appended(), NoticeGone(waits.id)]

    def test_logs_become_visible_in_the_order_of_their_numbers(
        self, shared: SharedBy, first: SharedStore, second: SharedStore
    ) -> None:
        each = 40
        reader = shared.open()
        seen: list[int] = []
        with ThreadPoolExecutor(2) as pool:
            pool.map(
                lambda make_one: make_one(),
                [
                    partial(make, store, f"{name}{index}")
                    for index in range(each)
                    for store, name in ((first, "a"), (second, "b"))
                ],
            )
            while len(seen) < 2 * each:
                page = reader.heads(after=seen[-1] if seen else 0, limit=7)
                seen.extend(head.number for head in page)
        assert seen == list(range(1, 2 * each + 1))
