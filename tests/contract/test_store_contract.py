"""What every store does, whatever it is made of."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from dealer_service.store.api import (
    DEALER_LOG,
    AlreadyAnswered,
    AlreadySpent,
    Append,
    Appended,
    AppendResult,
    ChipMove,
    Conflict,
    Fenced,
    LogFacts,
    LogHead,
    LogLost,
    LogState,
    LostLog,
    Notice,
    NoticeGone,
    RequestIdReused,
    SealedSecret,
    SecretExists,
    Signed,
    SignedAt,
    SignedBackwards,
    SignedBeyondLog,
    Store,
    StoredCheckpoint,
    StoredMovement,
    every_head,
    signed_heads,
    unfinished_heads,
)
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.transcript.noted import Stage
from tests.support.stores import STORES, Opened, answer, change, move, notice, root, signed, unit

FACTS = LogFacts(LogState.PAUSED, b'{"reference":"r"}', 1767225600000, 7, 3, "before", "after")


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


def holdings(store: Store) -> object:
    """Give everything that can be read of a store."""
    heads = signed_heads(store)
    found = [
        (
            head,
            tuple(store.every_line(head.log)),
            store.checkpoints(head.log),
            store.sealed_secrets(head.log),
            store.spent(head.log),
        )
        for head in heads
    ]
    return found, store.movements(0, 1000), store.notices(1000)


def everything(log: str = "a") -> Append:
    """Give a unit that uses all there is."""
    return unit(
        change(
            log,
            0,
            b"zero",
            b"one",
            b"two",
            epoch=4,
            fold_from=1,
            facts=FACTS,
            signed=(signed(2), signed(3, 2)),
            secrets=(SealedSecret(1, b"sealed"),),
            spent=(b"anchor", b"link"),
            notices=(notice(1, Stage.GAME_OPENED, 0), notice(3)),
        ),
        moves=(move(log, 0), move(log, 2, ChipMove.CASHED_OUT)),
        answer=answer("r1"),
    )


class TestAppending:
    def test_a_unit_is_there_whole_and_still_after_a_restart(self, opened: Opened) -> None:
        assert one(opened.store, everything()) == Appended((1, 2))
        for restart in (False, True):
            store = opened.reopen() if restart else opened.store
            assert store.head("a") == LogHead(1, "a", 3, 4, 1, SignedAt(3, root(3)), FACTS)
            assert store.lines("a", 0, 10) == (b"zero", b"one", b"two")
            assert store.checkpoints("a") == (
                StoredCheckpoint(2, "note 2"),
                StoredCheckpoint(3, "note 3"),
            )
            assert store.sealed_secrets("a") == (SealedSecret(1, b"sealed"),)
            assert store.spent("a") == {b"anchor", b"link"}
            assert store.answer("games", "ann", "r1") == answer("r1")
            assert store.movements(0, 10) == (
                StoredMovement(1, move("a", 0)),
                StoredMovement(2, move("a", 2, ChipMove.CASHED_OUT)),
            )
            assert [(waits.log, waits.notice) for waits in store.notices(10)] == [
                ("a", notice(1, Stage.GAME_OPENED, 0)),
                ("a", notice(3)),
            ]

    def test_a_new_log_has_plain_facts(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"x")))
        assert store.head("a") == LogHead(1, "a", 1, 1, None, None, LogFacts())

    def test_lines_go_on_where_they_ended(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"0", b"1")))
        one(store, unit(change("a", 2, b"2")))
        assert tuple(store.every_line("a")) == (b"0", b"1", b"2")

    def test_what_a_change_does_not_name_stays(self, store: Store) -> None:
        one(store, everything())
        one(store, unit(change("a", 3, b"3", epoch=4)))
        head = store.head("a")
        assert head is not None
        assert (head.fold_from, head.facts, head.signed_size) == (1, FACTS, 3)

    def test_one_unit_writes_several_logs(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"x"), change("b", 0, b"y")))
        assert (store.lines("a", 0, 9), store.lines("b", 0, 9)) == ((b"x",), (b"y",))

    def test_one_unit_writes_a_log_twice(self, store: Store) -> None:
        result = one(store, unit(change("a", 0, b"x"), change("a", 1, b"y", signed=(signed(2),))))
        assert result == Appended()
        assert store.lines("a", 0, 9) == (b"x", b"y")

    def test_a_unit_sees_those_before_it_in_its_batch(self, store: Store) -> None:
        units = [unit(change("a", index, b"%d" % index)) for index in range(5)]
        assert store.append_all(units) == [Appended()] * 5

    def test_nothing_to_append_is_fine(self, store: Store) -> None:
        assert store.append_all([]) == []
        assert one(store, unit()) == Appended()

    def test_a_refused_unit_leaves_the_rest_of_its_batch(self, store: Store) -> None:
        units = [
            unit(change("a", 0, b"x")),
            unit(change("a", 7, b"no")),
            unit(change("b", 0, b"y")),
        ]
        assert store.append_all(units) == [Appended(), Conflict("a", 7, 1), Appended()]
        assert (store.lines("a", 0, 9), store.lines("b", 0, 9)) == ((b"x",), (b"y",))

    def test_bytes_of_any_kind_come_back_as_they_are(self, store: Store) -> None:
        line = bytes(range(256)) * 255
        one(store, unit(change("a", 0, line, b"")))
        assert store.lines("a", 0, 9) == (line, b"")

    def test_large_numbers_of_chips_and_times_fit(self, store: Store) -> None:
        one(store, unit(moves=(move("a", 2**53 - 1, amount=2**53 - 1),)))
        assert store.movements(0, 1)[0].movement.amount == 2**53 - 1


REFUSALS = {
    "another line came first": (change("a", 2, b"no", epoch=4), Conflict("a", 2, 3)),
    "a log that is not there": (change("z", 1, b"no"), Conflict("z", 1, 0)),
    "a log that is there already": (change("a", 0, b"no", epoch=4), Conflict("a", 0, 3)),
    "an owner of before": (change("a", 3, b"no", epoch=3), Fenced("a", 4)),
    "an owner of before, with old lines": (change("a", 1, b"no", epoch=3), Fenced("a", 4)),
    "an anchor again": (
        change("a", 3, epoch=4, spent=(b"new", b"anchor")),
        AlreadySpent("a", b"anchor"),
    ),
    "an anchor twice": (change("a", 3, epoch=4, spent=(b"new", b"new")), AlreadySpent("a", b"new")),
    "a hand's second secret": (
        change("a", 3, epoch=4, secrets=(SealedSecret(1, b"other"),)),
        SecretExists("a", 1),
    ),
    "a smaller size": (change("a", 3, epoch=4, signed=(signed(2, 3),)), SignedBackwards("a", 2, 3)),
    "a size after another one": (
        change("a", 3, b"no", epoch=4, signed=(signed(4, 2),)),
        SignedBackwards("a", 4, 3),
    ),
    "another root": (
        change("a", 3, epoch=4, signed=(signed(3, 3, "fork"),)),
        SignedBackwards("a", 3, 3),
    ),
    "more lines than there are": (
        change("a", 3, b"no", epoch=4, signed=(signed(5, 3),)),
        SignedBeyondLog("a", 5, 4),
    ),
    "nothing at all": (change("b", 0, signed=(signed(0),)), SignedBackwards("b", 0, 0)),
}


class TestRefusing:
    @pytest.mark.parametrize("case", REFUSALS)
    def test_refuses_and_changes_nothing(self, store: Store, case: str) -> None:
        refused, expected = REFUSALS[case]
        one(store, everything())
        before = holdings(store)
        # All that comes before the refused part in the unit must be undone with it.
        good = change(
            "b", 0, b"x", signed=(signed(1),), secrets=(SealedSecret(1, b"s"),), spent=(b"v",)
        )
        logs = (refused,) if refused.log == "b" else (good, refused)
        result = one(store, unit(*logs, moves=(move("b", 0),), answer=answer("r2")))
        assert result == expected
        assert holdings(store) == before
        assert store.head("b") is None
        assert store.answer("games", "ann", "r2") is None

    def test_a_cursor_is_not_lost_by_a_refusal(self, store: Store) -> None:
        refused = unit(change("z", 9, b"no"), moves=(move("z", 9),))
        units = [unit(moves=(move("a", 0),)), refused, unit(moves=(move("a", 1),))]
        assert store.append_all(units) == [Appended((1,)), Conflict("z", 9, 0), Appended((2,))]

    def test_the_same_value_is_spent_once_in_each_log(self, store: Store) -> None:
        units = [
            unit(change("a", 0, b"x", spent=(b"v",))),
            unit(change("b", 0, b"x", spent=(b"v",))),
        ]
        assert store.append_all(units) == [Appended(), Appended()]

    def test_the_same_size_and_root_may_be_signed_again(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"x", signed=(signed(1),))))
        again = Signed(1, root(1), 1, "another wording")
        assert one(store, unit(change("a", 1, signed=(again,)))) == Appended()
        assert store.checkpoints("a") == (StoredCheckpoint(1, "note 1"),)

    def test_a_checkpoint_alone_is_fenced_too(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"x")))
        store.claim("a")
        assert one(store, unit(change("a", 1, signed=(signed(1),)))) == Fenced("a", 2)


class TestAnswering:
    def test_the_same_request_gets_its_answer_and_no_second_effect(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"x"), answer=answer("r1", body=b"first")))
        again = unit(change("a", 1, b"y"), answer=answer("r1", body=b"second"))
        assert one(store, again) == AlreadyAnswered(b"first")
        assert store.lines("a", 0, 9) == (b"x",)

    def test_the_answer_comes_before_every_other_refusal(self, store: Store) -> None:
        request = unit(change("a", 0, b"x"), answer=answer("r1"))
        assert store.append_all([request, request]) == [Appended(), AlreadyAnswered(b"body")]

    def test_the_same_id_with_other_content_is_refused(self, store: Store) -> None:
        one(store, unit(answer=answer("r1")))
        assert one(store, unit(answer=answer("r1", b"other"))) == RequestIdReused("r1")

    def test_scopes_and_callers_have_ids_of_their_own(self, store: Store) -> None:
        first = answer("r1")
        for scope, caller in (("games", "ann"), ("games", "bob"), ("other", "ann")):
            mine = type(first)(scope, caller, "r1", first.digest, f"{scope} {caller}".encode())
            assert one(store, unit(answer=mine)) == Appended()
            assert store.answer(scope, caller, "r1") == mine

    def test_the_ids_of_a_scope_are_listed(self, store: Store) -> None:
        for request_id in ("r1", "r2"):
            one(store, unit(answer=answer(request_id)))
        asked = answer("r1")
        assert sorted(store.answered(asked.scope)) == [(asked.caller, "r1"), (asked.caller, "r2")]
        assert list(store.answered("no such scope")) == []


class TestOwning:
    def test_claiming_raises_the_epoch_and_fences_the_owner_before(self, opened: Opened) -> None:
        one(opened.store, unit(change("a", 0, b"x", epoch=4)))
        assert opened.store.claim("a") == 5
        assert one(opened.store, unit(change("a", 1, b"no", epoch=4))) == Fenced("a", 5)
        assert one(opened.reopen(), unit(change("a", 1, b"y", epoch=5))) == Appended()

    def test_claiming_an_unknown_log_makes_none(self, store: Store) -> None:
        assert store.claim("a") is None
        assert store.heads() == ()


class TestLosing:
    def test_a_lost_log_is_listed_with_its_signed_size_and_never_changed(
        self, opened: Opened
    ) -> None:
        one(opened.store, everything())
        opened.store.mark_lost([LostLog("a", SignedAt(9, root("gone")))])
        store = opened.reopen()
        (head,) = store.heads(state=LogState.LOST)
        assert (head.log, head.next_index, head.signed) == ("a", 3, SignedAt(9, root("gone")))
        assert head.facts.meta == FACTS.meta
        refused = one(store, unit(change("a", 3, b"no", epoch=head.epoch)))
        assert refused == LogLost("a", 9)
        assert store.lines("a", 3, 1) == ()

    def test_a_log_of_which_nothing_is_left_is_listed_too(self, store: Store) -> None:
        store.mark_lost([LostLog("gone", SignedAt(2, root(2)))])
        head = store.head("gone")
        assert head is not None
        assert (head.next_index, head.signed_size, head.facts.state) == (0, 2, LogState.LOST)
        assert one(store, unit(change("gone", 0, b"no", epoch=head.epoch))) == LogLost("gone", 2)


class TestResealing:
    def test_a_secret_is_put_under_another_key(self, opened: Opened) -> None:
        secrets = (SealedSecret(1, b"old 1"), SealedSecret(2, b"old 2"))
        one(opened.store, unit(change("a", 0, b"x", secrets=secrets)))
        assert opened.store.reseal("a", secrets[1], SealedSecret(2, b"new 2"))
        assert opened.reopen().sealed_secrets("a") == (secrets[0], SealedSecret(2, b"new 2"))

    @pytest.mark.parametrize(
        ("log", "old"),
        [
            ("a", SealedSecret(1, b"another")),
            ("a", SealedSecret(2, b"old")),
            ("z", SealedSecret(1, b"old")),
        ],
    )
    def test_what_is_not_there_is_not_replaced(
        self, store: Store, log: str, old: SealedSecret
    ) -> None:
        secret = SealedSecret(1, b"old")
        one(store, unit(change("a", 0, b"x", secrets=(secret,))))
        assert not store.reseal(log, old, SealedSecret(old.hand, b"new"))
        assert store.sealed_secrets("a") == (secret,)
        assert store.sealed_secrets("z") == ()


def finished(log: str, state: LogState = LogState.REVEALED) -> Append:
    """Give a unit that makes a log with something of every kind, in a state."""
    return unit(
        change(
            log,
            0,
            b"x",
            b"y",
            facts=replace(FACTS, state=state),
            signed=(signed(2),),
            secrets=(SealedSecret(1, b"sealed"),),
            spent=(b"anchor",),
        ),
        moves=(move(log, 1),),
        answer=replace(answer("r1"), scope=log),
    )


class TestArchiving:
    def test_a_revealed_log_keeps_its_head_and_movements_alone(self, opened: Opened) -> None:
        opened.store.append_all([finished("a"), finished("b")])
        before = opened.store.head("b")
        assert opened.store.archive("a")
        store = opened.reopen()
        facts = replace(FACTS, state=LogState.ARCHIVED)
        assert store.heads() == (
            LogHead(1, "a", 2, 2, None, SignedAt(2, root(2)), facts),
            before,
        )
        assert store.heads(state=LogState.ARCHIVED) == store.heads(limit=1)
        assert store.lines("a", 0, 9) == ()
        assert tuple(store.every_line("a")) == ()
        assert store.checkpoints("a") == ()
        assert store.last_checkpoint("a") is None
        assert store.sealed_secrets("a") == ()
        assert store.spent("a") == frozenset()
        assert store.answer("a", "ann", "r1") is None
        assert list(store.answered("a")) == []
        assert [moved.movement.log for moved in store.movements(0, 9)] == ["a", "b"]

    def test_what_is_of_other_logs_stays(self, store: Store) -> None:
        store.append_all([finished("a"), finished("b"), unit(answer=answer("r1"))])
        store.archive("a")
        assert store.lines("b", 0, 9) == (b"x", b"y")
        assert store.checkpoints("b") == (StoredCheckpoint(2, "note 2"),)
        assert store.sealed_secrets("b") == (SealedSecret(1, b"sealed"),)
        assert store.spent("b") == {b"anchor"}
        assert list(store.answered("b")) == [("ann", "r1")]
        assert store.answer("games", "ann", "r1") == answer("r1")

    def test_a_long_log_is_forgotten_whole(self, store: Store) -> None:
        lines = [b"%d" % index for index in range(9_001)]
        answers = [replace(answer(f"r{index}"), scope="a") for index in range(3)]
        one(store, unit(change("a", 0, *lines[:1])))
        one(store, unit(change("a", 1, *lines[1:]), answer=answers[0]))
        store.append_all([unit(answer=each) for each in answers[1:]])
        one(store, unit(change("a", 9_001, facts=LogFacts(LogState.REVEALED))))
        assert store.archive("a")
        assert tuple(store.every_line("a")) == ()
        assert list(store.answered("a")) == []
        head = store.head("a")
        assert head is not None
        assert (head.next_index, head.facts.state) == (9_001, LogState.ARCHIVED)

    def test_archiving_again_does_nothing(self, store: Store) -> None:
        one(store, finished("a"))
        store.archive("a")
        before = holdings(store)
        assert store.archive("a")
        assert holdings(store) == before

    @pytest.mark.parametrize(
        "state", [LogState.OPEN, LogState.PAUSED, LogState.CLOSED, LogState.LOST]
    )
    def test_a_log_that_is_not_revealed_is_left_as_it_is(
        self, store: Store, state: LogState
    ) -> None:
        one(store, finished("a", state))
        before = holdings(store)
        assert not store.archive("a")
        assert not store.archive("z")
        assert holdings(store) == before

    def test_its_owner_is_fenced(self, store: Store) -> None:
        one(store, finished("a"))
        store.archive("a")
        assert one(store, unit(change("a", 2, b"no"))) == Fenced("a", 2)


class TestReading:
    def test_an_unknown_log_is_empty(self, store: Store) -> None:
        assert store.head("z") is None
        assert store.lines("z", 0, 9) == ()
        assert tuple(store.every_line("z")) == ()
        assert store.checkpoints("z") == ()
        assert store.last_checkpoint("z") is None
        assert store.sealed_secrets("z") == ()
        assert store.spent("z") == frozenset()
        assert store.answer("games", "ann", "z") is None
        assert store.movements(0, 9) == ()

    def test_logs_are_listed_page_by_page_in_order_of_creation(self, store: Store) -> None:
        for name in "dacb":
            one(store, unit(change(name, 0, b"x")))
        first = store.heads(limit=3)
        rest = store.heads(after=first[-1].number, limit=3)
        assert [head.log for head in (*first, *rest)] == list("dacb")

    def test_logs_are_listed_by_state(self, store: Store) -> None:
        for name, state in (("a", LogState.OPEN), ("b", LogState.CLOSED), ("c", LogState.OPEN)):
            one(store, unit(change(name, 0, b"x", facts=LogFacts(state))))
        assert [head.log for head in store.heads(state=LogState.OPEN)] == ["a", "c"]
        one(store, unit(change("a", 1, facts=LogFacts(LogState.REVEALED))))
        assert [head.log for head in store.heads(state=LogState.OPEN)] == ["c"]

    def test_every_head_is_given_however_many_there_are(self, store: Store) -> None:
        logs = [f"{number:04}" for number in range(1203)]
        store.append_all([unit(change(log, 0, b"x")) for log in logs])
        assert [head.log for head in every_head(store)] == logs
        assert list(every_head(store, state=LogState.LOST)) == []

    def test_lines_are_read_from_any_index_on(self, store: Store) -> None:
        lines = [b"%d" % index for index in range(1300)]
        one(store, unit(change("a", 0, *lines)))
        assert list(store.lines("a", 10, 3)) == lines[10:13]
        assert list(store.every_line("a", 7)) == lines[7:]
        assert store.lines("a", 1300, 5) == ()

    def test_a_checkpoint_is_found_at_or_after_a_size(self, store: Store) -> None:
        notes = (signed(2), signed(5, 2), signed(6, 5))
        one(store, unit(change("a", 0, *[b"x"] * 6, signed=notes)))
        found = {size: store.checkpoints("a", size, 1) for size in (1, 2, 3, 6, 7)}
        sizes = {size: [note.size for note in notes] for size, notes in found.items()}
        assert sizes == {1: [2], 2: [2], 3: [5], 6: [6], 7: []}
        assert store.last_checkpoint("a") == StoredCheckpoint(6, "note 6")

    def test_secrets_are_read_from_a_hand_on(self, store: Store) -> None:
        secrets = tuple(SealedSecret(hand, b"%d" % hand) for hand in (1, 2, 10))
        one(store, unit(change("a", 0, b"x", secrets=secrets)))
        assert store.sealed_secrets("a", 2) == secrets[1:]

    def test_movements_are_followed_from_a_cursor(self, store: Store) -> None:
        for index in range(5):
            one(store, unit(moves=(move("a", index),)))
        assert [moved.cursor for moved in store.movements(2, 2)] == [3, 4]
        assert store.movements(5, 2) == ()


def waiting(store: Store) -> list[tuple[str, Notice]]:
    """Give what waits to be taken into the dealer's log."""
    return [(waits.log, waits.notice) for waits in store.notices(1000)]


class TestNotices:
    def test_all_stages_of_a_game_wait_in_their_order(self, opened: Opened) -> None:
        stages = [notice(size, stage, size) for size, stage in enumerate(Stage, 1)]
        one(opened.store, unit(change("a", 0, *[b"x"] * 4, notices=tuple(stages[:4]))))
        one(opened.store, unit(change("a", 4, b"x", b"x", notices=tuple(stages[4:]))))
        for restart in (False, True):
            store = opened.reopen() if restart else opened.store
            assert waiting(store) == [("a", stage) for stage in stages]

    def test_a_game_that_is_closed_and_revealed_by_one_entry_is_closed_first(
        self, store: Store
    ) -> None:
        both = (notice(1, Stage.GAME_CLOSED, 0), notice(1, Stage.GAME_REVEALED, 0))
        one(store, unit(change("a", 0, b"x", notices=both)))
        assert waiting(store) == [("a", both[0]), ("a", both[1])]

    def test_the_oldest_are_given_and_no_more_than_are_asked_for(self, store: Store) -> None:
        for size in range(1, 6):
            store.append_all(
                [unit(change(log, size - 1, b"x", notices=(notice(size),))) for log in "ab"]
            )
        found = store.notices(5)
        assert [waits.notice.size for waits in found] == [1, 1, 2, 2, 3]
        assert len({waits.id for waits in found}) == 5
        assert store.notices(0) == ()

    def test_what_is_taken_out_with_the_lines_waits_no_longer(self, opened: Opened) -> None:
        store = opened.store
        one(store, unit(change("a", 0, b"x", b"y", b"z", notices=tuple(map(notice, (1, 2, 3))))))
        first, second, third = store.notices(9)
        taken = unit(change(DEALER_LOG, 0, b"1", b"2"), noticed=(first.id, second.id))
        assert one(store, taken) == Appended()
        assert store.notices(9) == (third,)
        store = opened.reopen()
        assert store.lines(DEALER_LOG, 0, 9) == (b"1", b"2")
        assert store.notices(9) == (third,)

    def test_many_are_taken_out_at_once(self, store: Store) -> None:
        notices = tuple(notice(size) for size in range(1, 301))
        one(store, unit(change("a", 0, *[b"x"] * 300, notices=notices)))
        taken = tuple(waits.id for waits in store.notices(299))
        assert one(store, unit(noticed=taken)) == Appended()
        assert waiting(store) == [("a", notices[-1])]

    @pytest.mark.parametrize("unknown", [0, 77, -1])
    def test_one_that_does_not_wait_refuses_the_whole_unit(
        self, store: Store, unknown: int
    ) -> None:
        one(store, everything())
        before = holdings(store)
        known = store.notices(1)[0].id
        taken = unit(
            change(DEALER_LOG, 0, b"1", b"2", notices=(notice(2),)),
            moves=(move("a", 2),),
            answer=answer("r2"),
            noticed=(known, unknown),
        )
        assert one(store, taken) == NoticeGone(unknown)
        assert holdings(store) == before
        assert store.answer("games", "ann", "r2") is None

    def test_one_is_taken_out_once(self, store: Store) -> None:
        one(store, everything())
        known, other = (waits.id for waits in store.notices(2))
        units = [unit(noticed=(known,)), unit(noticed=(other, known)), unit(noticed=(other,) * 2)]
        assert store.append_all(units) == [Appended(), NoticeGone(known), NoticeGone(other)]
        assert one(store, unit(noticed=(known,))) == NoticeGone(known)
        assert [waits.id for waits in store.notices(9)] == [other]

    def test_an_id_is_not_given_again(self, opened: Opened) -> None:
        ids = []
        for index in range(3):
            store = opened.reopen()
            one(store, unit(change("a", index, b"x", notices=(notice(index + 1),))))
            ids += [waits.id for waits in store.notices(9)]
            one(store, unit(noticed=(ids[-1],)))
        assert len(set(ids)) == 3
        assert min(ids) > 0

    def test_a_log_without_its_owner_leaves_none(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"x")))
        store.claim("a")
        late = unit(change("a", 1, b"y", notices=(notice(2),)))
        assert one(store, late) == Fenced("a", 2)
        assert store.notices(9) == ()

    def test_those_of_an_archived_and_of_a_lost_log_go_on_waiting(self, store: Store) -> None:
        over = LogFacts(LogState.REVEALED)
        one(store, unit(change("a", 0, b"x", facts=over, notices=(notice(1),))))
        one(store, unit(change("b", 0, b"x", b"y", notices=(notice(2),))))
        assert store.archive("a")
        store.mark_lost([LostLog("b", SignedAt(9, root(9)))])
        assert waiting(store) == [("a", notice(1)), ("b", notice(2))]


class TestDealersLog:
    def test_it_is_written_signed_and_owned_as_any_other(self, opened: Opened) -> None:
        one(opened.store, unit(change(DEALER_LOG, 0, b"1", b"2", signed=(signed(2),))))
        assert opened.store.claim(DEALER_LOG) == 2
        store = opened.reopen()
        assert one(store, unit(change(DEALER_LOG, 2, b"no"))) == Fenced(DEALER_LOG, 2)
        back = change(DEALER_LOG, 2, b"3", epoch=2, signed=(signed(2, 2, by="another"),))
        assert one(store, unit(back)) == SignedBackwards(DEALER_LOG, 2, 2)
        on = change(DEALER_LOG, 2, b"3", epoch=2, signed=(signed(3, 2),))
        assert one(store, unit(on)) == Appended()
        assert store.head(DEALER_LOG) == LogHead(
            1, DEALER_LOG, 3, 2, None, SignedAt(3, root(3)), LogFacts()
        )
        assert store.lines(DEALER_LOG, 1, 9) == (b"2", b"3")
        assert store.last_checkpoint(DEALER_LOG) == StoredCheckpoint(3, "note 3")

    def test_no_list_of_games_has_it(self, store: Store) -> None:
        for name in ("a", DEALER_LOG, "b"):
            one(store, unit(change(name, 0, b"x", signed=(signed(1),))))
        listed = [
            store.heads(),
            store.heads(state=LogState.OPEN),
            (*store.heads(limit=1), *store.heads(after=1, limit=1)),
            tuple(every_head(store)),
            tuple(unfinished_heads(store)),
        ]
        assert [[head.log for head in heads] for heads in listed] == [["a", "b"]] * 5

    def test_what_is_held_against_the_signatures_has_it(self, store: Store) -> None:
        one(store, unit(change("a", 0, b"x")))
        assert [head.log for head in signed_heads(store)] == ["a"]
        one(store, unit(change(DEALER_LOG, 0, b"x", signed=(signed(1),))))
        found = {head.log: head.signed for head in signed_heads(store)}
        assert found == {DEALER_LOG: SignedAt(1, root(1)), "a": None}

    @pytest.mark.parametrize("is_there", [True, False])
    def test_a_lost_one_never_changes_again(self, opened: Opened, *, is_there: bool) -> None:
        if is_there:
            one(opened.store, unit(change(DEALER_LOG, 0, b"1", signed=(signed(1),))))
        opened.store.mark_lost([LostLog(DEALER_LOG, SignedAt(9, root(9)))])
        store = opened.reopen()
        head = store.head(DEALER_LOG)
        assert head is not None
        assert head.facts.state is LogState.LOST
        late = unit(change(DEALER_LOG, head.next_index, b"2", epoch=head.epoch))
        assert one(store, late) == LogLost(DEALER_LOG, 9)
        assert store.heads() == ()
        assert store.heads(state=LogState.LOST) == ()


class TestThreads:
    def test_readers_see_whole_units_only(self, store: Store) -> None:
        """A log's lines and its head, and two logs of one unit, move together."""
        done = threading.Event()

        def read() -> None:
            while not done.is_set():
                b = store.lines("b", 0, 1000)
                a = store.lines("a", 0, 1000)
                head = store.head("a")
                assert len(b) <= len(a) <= (head.next_index if head else 0)

        with ThreadPoolExecutor(2) as pool:
            readers = [pool.submit(read) for _ in range(2)]
            try:
                for index in range(100):
                    one(store, unit(change("a", index, b"x"), change("b", index, b"y")))
            finally:
                done.set()
            for reader in readers:
                reader.result()

    def test_of_two_writers_one_wins_each_index(self, store: Store) -> None:
        def write(me: bytes) -> list[AppendResult]:
            return [one(store, unit(change("a", index, me))) for index in range(50)]

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(write, (b"1", b"2")))
        lines = store.lines("a", 0, 100)
        for index, line in enumerate(lines):
            won = [isinstance(result[index], Appended) for result in results]
            assert won == [line == b"1", line == b"2"]


class TestClosing:
    def test_a_closed_store_says_so(self, store: Store) -> None:
        store.close()
        store.close()
        for call in (lambda: store.head("a"), lambda: store.append_all([])):
            with pytest.raises(StoreError) as refused:
                call()
            assert refused.value.reason is Reason.STORE_CLOSED
