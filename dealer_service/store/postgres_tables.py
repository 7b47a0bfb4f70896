"""The tables of a PostgreSQL store: made at the first start, checked at every one, migrated.

The version stands in `schema_version`, whose one row is locked while steps are taken: of two that
start or migrate at once, the second finds it done. All steps are one transaction.
"""

import threading
from collections.abc import Callable
from typing import Final

import psycopg
from psycopg.errors import UndefinedTable

from dealer_service.store.migrations import Step, newest, other_version, steps_after
from dealer_service.store.migrations.postgres import POSTGRES
from dealer_service.store.postgres_link import Link, Meaning, connect, final, meaning
from dealer_service.store.postgres_patience import Patience
from dealer_service.store.postgres_target import Target

_EMPTY: Final = 0
_VERSION: Final = "SELECT version FROM schema_version"
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS schema_version"
    " (only_row boolean PRIMARY KEY CHECK (only_row), version bigint NOT NULL)"
)
_ROW: Final = (
    "INSERT INTO schema_version (only_row, version) VALUES (true, 0) ON CONFLICT DO NOTHING"
)
# Two that make the first table at once: the second is told that it is there, in one of these ways.
_AT_ONCE: Final = {"23505", "42P07", "42710", "XX000"}


def require_tables(target: Target, closing: threading.Event) -> None:
    """Make the tables where there are none; StoreError STORE_OTHER_VERSION for other ones."""
    wait = Patience(target.lease, closing)
    version = _trying(target, wait, _read_version)
    if version == _EMPTY:
        version = _trying(target, wait, lambda link: _take_steps(link, from_empty=True))
    if version != newest(POSTGRES):
        raise other_version(target.shown, version, newest(POSTGRES))


def find_lacking(target: Target) -> tuple[int, tuple[Step, ...]]:
    """Give a store's version, 0 for an empty database, and the steps that it lacks. StoreError."""
    wait = Patience(target.lease, threading.Event())
    version = _trying(target, wait, _read_version)
    if version > newest(POSTGRES):
        raise other_version(target.shown, version, newest(POSTGRES))
    return version, steps_after(POSTGRES, version)


def migrate(target: Target) -> None:
    """Take the steps that a store lacks, all or none. StoreError."""
    wait = Patience(target.lease, threading.Event())
    version = _trying(target, wait, lambda link: _take_steps(link, from_empty=False))
    if version > newest(POSTGRES):
        raise other_version(target.shown, version, newest(POSTGRES))


def _trying(target: Target, wait: Patience, work: Callable[[Link], int]) -> int:
    """Do `work` on a connection of its own, once more where that may help."""
    while True:
        link: Link | None = None
        try:
            link = connect(target)
            return work(link)
        except psycopg.Error as error:
            told = final(error, target, link)
            again = error.sqlstate in _AT_ONCE or meaning(error, link) is not Meaning.FINAL
            if not again or not wait.wait():
                raise told from None
        finally:
            if link is not None:
                link.close()


def _read_version(link: Link) -> int:
    try:
        (found,) = link.run((_VERSION, ()))
    except UndefinedTable:
        return _EMPTY
    row = found.fetchone()
    return _EMPTY if row is None else int(row[0])


def _take_steps(link: Link, *, from_empty: bool) -> int:
    """Take the missing steps (all of them, or none where there are tables); the version then."""
    *_, found = link.run(("BEGIN", ()), (_TABLE, ()), (_ROW, ()), (f"{_VERSION} FOR UPDATE", ()))
    row = found.fetchone()
    assert row is not None
    version = int(row[0])
    if from_empty and version != _EMPTY:
        link.roll_back()
        return version
    for step in steps_after(POSTGRES, version):
        for statement in step.statements:
            link.run((statement, ()))
        version = step.version
        link.run(("UPDATE schema_version SET version = %s", (version,)))
    link.run(("COMMIT", ()))
    return version
