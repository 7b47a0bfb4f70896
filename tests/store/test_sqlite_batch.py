"""A batch written in a few statements leaves what its units leave one by one."""

import sqlite3
from pathlib import Path
from typing import Any

from dealer_service.store.api import (
    Append,
    Appended,
    Conflict,
    Fenced,
    LogFacts,
    LogState,
    SealedSecret,
)
from dealer_service.store.sqlite import SqliteStore
from tests.support.stores import answer, change, move, notice, signed, unit

FACTS = LogFacts(LogState.PAUSED, b"{}", 1, 2, 3, "", "")
WRONG = unit(change("a", 7, b"too far"))


def units() -> list[Append]:
    """Give a batch that writes to every table, to one log twice and to two logs at once."""
    first = [
        unit(
            change(
                "a",
                index,
                b"line %d" % index,
                signed=(signed(index + 1, index),),
                secrets=(SealedSecret(index, b"sealed"),),
                spent=(b"value %d" % index,),
                notices=(notice(index), notice(index + 1)),
            ),
            moves=(move("a", index),),
            answer=answer(f"request-{index}"),
        )
        for index in range(1, 45)
    ]
    both = unit(
        change("a", 45, b"x", b"y", fold_from=45, facts=FACTS),
        change("b", 1, b"z", fold_from=1),
        noticed=tuple(range(2, 72)),
    )
    return [*first, both]


def opened(path: Path) -> SqliteStore:
    """Give a store that has the logs, each with one line."""
    store = SqliteStore(path)
    begun = [
        unit(change("a", 0, b"begun", signed=(signed(1),))),
        unit(change("b", 0, b"begun")),
    ]
    assert store.append_all(begun) == [Appended(()), Appended(())]
    return store


def rows(path: Path) -> dict[str, list[Any]]:
    """Give every row of every table."""
    connection = sqlite3.connect(path)
    names = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    found = {
        name: connection.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in names
    }
    connection.close()
    return found


def test_together_and_one_by_one_leave_the_same_rows(tmp_path: Path) -> None:
    """A refused unit in the batch has every unit written on its own."""
    together, singly = tmp_path / "together.db", tmp_path / "singly.db"
    store = opened(together)
    results = store.append_all(units())
    assert {type(result) for result in results} == {Appended}
    store.close()
    store = opened(singly)
    refused, *others = store.append_all([WRONG, *units()])
    store.close()
    assert refused == Conflict("a", 7, 1)
    assert others == results
    assert rows(together) == rows(singly)


def test_after_a_refusal_the_next_batch_goes_on(tmp_path: Path) -> None:
    store = opened(tmp_path / "store.db")
    store.append_all([unit(change("a", 1, b"one")), WRONG])
    assert store.append_all([unit(change("a", 2, b"two"))]) == [Appended(())]
    assert store.lines("a", 0, 9) == (b"begun", b"one", b"two")
    store.close()


def test_a_claim_between_batches_fences_the_owner_before(tmp_path: Path) -> None:
    store = opened(tmp_path / "store.db")
    store.append_all([unit(change("a", 1, b"one"))])
    assert store.claim("a") == 2
    assert store.append_all([unit(change("a", 2, b"two"))]) == [Fenced("a", 2)]
    store.close()


def test_an_answer_given_before_undoes_the_batch_to_its_own_unit(tmp_path: Path) -> None:
    """The rows that were written before it was found are not left twice."""
    store = opened(tmp_path / "store.db")
    store.append_all([unit(change("a", 1, b"one"), answer=answer("r1"))])
    again = [
        unit(change("b", 1, b"one")),
        unit(change("a", 2, b"two"), answer=answer("r1")),
        unit(change("b", 2, b"two")),
    ]
    accepted, repeated, last = store.append_all(again)
    assert (accepted, last) == (Appended(()), Appended(()))
    assert not isinstance(repeated, Appended)
    assert store.lines("a", 0, 9) == (b"begun", b"one")
    assert store.lines("b", 0, 9) == (b"begun", b"one", b"two")
    store.close()
