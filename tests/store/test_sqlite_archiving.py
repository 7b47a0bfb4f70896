"""A tournament's logs are forgotten one after another, and a crash in between loses nothing."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dealer_service.store import sqlite as under_test
from dealer_service.store.api import Appended, LogFacts, LogHead, LogState
from dealer_service.store.refusal import StoreError
from dealer_service.store.sqlite import SqliteStore
from tests.support.stores import change, unit


@pytest.mark.parametrize("done", [0, 1, 2])
def test_what_a_crash_cut_off_goes_on_when_it_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    over = LogFacts(LogState.REVEALED, tournament="t")
    store = SqliteStore(tmp_path / "store.sqlite")
    logs = [change(log, 0, b"x", facts=over) for log in ("t", "a", "b")]
    assert store.append_all([unit(*logs)]) == [Appended()]
    forget, left = under_test._forget, done

    def crash(connection: sqlite3.Connection, head: LogHead) -> Any:
        nonlocal left
        if not left:
            raise OSError
        left -= 1
        forget(connection, head)

    with monkeypatch.context() as patch:
        patch.setattr(under_test, "_forget", crash)
        with pytest.raises(StoreError):
            store.archive("t")
    store.close()
    store = SqliteStore(tmp_path / "store.sqlite")
    own, *tables = store.group("t")
    # Its own log is the last one: as long as it is there, all of it is asked for again.
    assert own.facts.state is LogState.REVEALED
    states = [head.facts.state for head in tables]
    assert states.count(LogState.ARCHIVED) == done
    assert store.archive("t")
    assert {head.facts.state for head in store.group("t")} == {LogState.ARCHIVED}
    assert store.lines("a", 0, 9) == ()
    store.close()
