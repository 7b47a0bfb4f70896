"""Whatever is asked of it, a store holds exactly the units that it accepted."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from dealer_service.store.api import (
    Append,
    Appended,
    AppendResult,
    LogAppend,
    LogFacts,
    LogHead,
    LogState,
    Movement,
    NoticeGone,
    SealedSecret,
    Signed,
    Store,
)
from tests.support.stores import STORES, answer, move, notice, root

few = some.integers(0, 3)
checkpoints = some.builds(
    lambda size, after, root_of: Signed(size, root(root_of), after, f"note {size}"),
    some.integers(0, 5),
    few,
    some.sampled_from("xy"),
)
changes = some.builds(
    LogAppend,
    log=some.sampled_from("aabbt"),
    expected_next_index=few,
    epoch=some.sampled_from((1, 1, 1, 2)),
    lines=some.lists(some.sampled_from((b"", b"l", b"m")), max_size=2).map(tuple),
    fold_from=some.none() | few,
    facts=some.none()
    | some.builds(
        LogFacts,
        some.sampled_from(list(LogState)[:4]),
        hands=few,
        tournament=some.sampled_from(("", "", "t")),
    ),
    signed=some.lists(checkpoints, max_size=1).map(tuple),
    secrets=some.lists(some.builds(SealedSecret, few, some.just(b"s")), max_size=1).map(tuple),
    spent=some.lists(some.sampled_from((b"1", b"2", b"3", b"4")), max_size=1).map(tuple),
    notices=some.lists(some.builds(notice, few), max_size=2).map(tuple),
)
units = some.builds(
    Append,
    some.lists(changes, max_size=2).map(tuple),
    some.lists(some.builds(move, some.sampled_from("ab"), few), max_size=1).map(tuple),
    some.none() | some.builds(answer, some.sampled_from("123"), some.sampled_from((b"c", b"d"))),
    # Places among those that wait before the batch: what their ids are is a store's own affair.
    some.lists(few, max_size=2).map(tuple),
)
batches = some.lists(some.lists(units, min_size=1, max_size=4), max_size=8)


def holdings(store: Store) -> list[object]:
    found: list[object] = [store.answer("games", "ann", request) for request in "123"]
    for head in sorted((*store.heads(), *store.heads(tournaments=True)), key=_number):
        found += [head, store.lines(head.log, 0, 99), store.checkpoints(head.log)]
        found += [store.sealed_secrets(head.log), store.spent(head.log)]
    waiting = [(waits.log, waits.notice) for waits in store.notices(99)]
    return [*found, store.movements(0, 99), waiting]


def _number(head: LogHead) -> int:
    return head.number


def dated(append: Append, times: Iterator[int]) -> Append:
    """Give a unit whose notices are each of a later time, as those of a game are."""
    return replace(
        append,
        logs=tuple(
            replace(change, notices=tuple(replace(one, at=next(times)) for one in change.notices))
            for change in append.logs
        ),
    )


def write(store: Store, batch: list[Append]) -> list[AppendResult]:
    """Write a batch; its notices are named by their places, in what comes back too."""
    ids = [waits.id for waits in store.notices(99)]
    named = {place: ids[place] if place < len(ids) else place - 99 for place in range(4)}
    places = {number: place for place, number in named.items()}
    results = store.append_all(
        [replace(one, noticed=tuple(named[place] for place in one.noticed)) for one in batch]
    )
    return [
        NoticeGone(places[result.id]) if isinstance(result, NoticeGone) else result
        for result in results
    ]


def play(name: str, asked: list[list[Append]]) -> tuple[list[AppendResult], list[object]]:
    """Give the results, and what is there after a restart."""
    times = count(1)
    batches = [[dated(one, times) for one in batch] for batch in asked]
    with tempfile.TemporaryDirectory() as folder:
        opened = STORES[name](Path(folder))
        results = [result for batch in batches for result in write(opened.store, batch)]
        try:
            return results, holdings(opened.reopen())
        finally:
            opened.close()


@given(batches)
def test_sqlite_decides_as_the_store_in_memory_does(asked: list[list[Append]]) -> None:
    assert play("sqlite", asked) == play("memory", asked)


@given(batches)
def test_postgres_decides_as_the_store_in_memory_does(asked: list[list[Append]]) -> None:
    assert play("postgres", asked) == play("memory", asked)


@given(batches)
def test_only_accepted_units_leave_a_trace(asked: list[list[Append]]) -> None:
    results, found = play("sqlite", asked)
    flat = [append for batch in asked for append in batch]
    accepted = [
        append for append, result in zip(flat, results, strict=True) if isinstance(result, Appended)
    ]
    logs: dict[str, list[bytes]] = {}
    answers = {}
    moves: list[Movement] = []
    told = taken = 0
    for append in accepted:
        told += sum(len(change.notices) for change in append.logs)
        taken += len(append.noticed)
        for change in append.logs:
            lines = logs.setdefault(change.log, [])
            assert len(lines) == change.expected_next_index
            lines.extend(change.lines)
        moves.extend(append.movements)
        if append.answer is not None:
            assert append.answer.request_id not in answers
            answers[append.answer.request_id] = append.answer
    assert found[:3] == [answers.get(request) for request in "123"]
    *found, last, waiting = found
    assert found[4::5] == [tuple(lines) for lines in logs.values()]
    assert isinstance(waiting, list)
    assert len(waiting) == told - taken
    assert isinstance(last, tuple)
    assert [(moved.cursor, moved.movement) for moved in last] == list(enumerate(moves, 1))
