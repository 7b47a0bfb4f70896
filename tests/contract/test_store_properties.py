"""Whatever is asked of it, a store holds exactly the units that it accepted."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as some

from dealer_service.store.api import (
    Append,
    Appended,
    AppendResult,
    LogAppend,
    LogFacts,
    LogState,
    Movement,
    SealedSecret,
    Signed,
    Store,
)
from tests.support.stores import STORES, answer, move, root

few = some.integers(0, 3)
checkpoints = some.builds(
    lambda size, after, root_of: Signed(size, root(root_of), after, f"note {size}"),
    some.integers(0, 5),
    few,
    some.sampled_from("xy"),
)
changes = some.builds(
    LogAppend,
    log=some.sampled_from("ab"),
    expected_next_index=few,
    epoch=some.sampled_from((1, 1, 1, 2)),
    lines=some.lists(some.sampled_from((b"", b"l", b"m")), max_size=2).map(tuple),
    fold_from=some.none() | few,
    facts=some.none() | some.builds(LogFacts, some.sampled_from(list(LogState)[:4]), hands=few),
    signed=some.lists(checkpoints, max_size=1).map(tuple),
    secrets=some.lists(some.builds(SealedSecret, few, some.just(b"s")), max_size=1).map(tuple),
    spent=some.lists(some.sampled_from((b"1", b"2", b"3", b"4")), max_size=1).map(tuple),
)
units = some.builds(
    Append,
    some.lists(changes, max_size=2).map(tuple),
    some.lists(some.builds(move, some.sampled_from("ab"), few), max_size=1).map(tuple),
    some.none() | some.builds(answer, some.sampled_from("123"), some.sampled_from((b"c", b"d"))),
)
batches = some.lists(some.lists(units, min_size=1, max_size=4), max_size=8)


def holdings(store: Store) -> list[object]:
    found: list[object] = [store.answer("games", "ann", request) for request in "123"]
    for head in store.heads():
        found += [head, store.lines(head.log, 0, 99), store.checkpoints(head.log)]
        found += [store.sealed_secrets(head.log), store.spent(head.log)]
    return [*found, store.movements(0, 99)]


def play(name: str, asked: list[list[Append]]) -> tuple[list[AppendResult], list[object]]:
    """Give the results, and what is there after a restart."""
    with tempfile.TemporaryDirectory() as folder:
        opened = STORES[name](Path(folder))
        results = [result for batch in asked for result in opened.store.append_all(batch)]
        try:
            return results, holdings(opened.reopen())
        finally:
            opened.close()


@given(batches)
@settings(max_examples=150)
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
    for append in accepted:
        for change in append.logs:
            lines = logs.setdefault(change.log, [])
            assert len(lines) == change.expected_next_index
            lines.extend(change.lines)
        moves.extend(append.movements)
        if append.answer is not None:
            assert append.answer.request_id not in answers
            answers[append.answer.request_id] = append.answer
    assert found[:3] == [answers.get(request) for request in "123"]
    assert found[4:-1:5] == [tuple(lines) for lines in logs.values()]
    last = found[-1]
    assert isinstance(last, tuple)
    assert [(moved.cursor, moved.movement) for moved in last] == list(enumerate(moves, 1))
