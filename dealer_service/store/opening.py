"""Which store a dealer has: a file of its own, or one that several share, named by a URL.

The driver of a shared store is imported only where one is named: it is an extra.
"""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from dealer_service.store.api import Store
from dealer_service.store.migrations import Step, newest, other_version, steps_after
from dealer_service.store.migrations.sqlite import SQLITE
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite import SqliteStore
from dealer_service.store.sqlite_file import find_version, migrate_file

_SCHEMES: Final = ("postgresql://", "postgres://")


def open_store(url: str, path: Path, lease: float, patience: float = 60.0) -> Store:
    """Open the store at `url`, or where that is empty the file at `path`.

    The store at a URL has `Leases`. `lease` is how many seconds go until other dealers take over,
    `patience` for how many a change waits for a server that is away.
    StoreError, also for a URL of no known kind; it is not repeated, for it may hold a password.
    """
    if not url:
        return SqliteStore(path)
    require_known(url)
    from dealer_service.store.postgres import PostgresStore  # noqa: PLC0415 - an extra

    return PostgresStore(url, lease=lease, patience=patience)


@dataclass(frozen=True, slots=True)
class Lacking:
    """A store by its name, its version (0 for an empty database), and the steps that it lacks."""

    shown: str
    version: int
    steps: tuple[Step, ...]


def find_lacking(url: str, path: Path, patience: float) -> Lacking:
    """Look what `migrate` would do; nothing is changed. StoreError, also for a newer store.

    `patience` is for how many seconds a server may be away.
    """
    if not url:
        if not path.exists():
            message = f"there is no store at {path}: the dealer makes it at its first start"
            raise StoreError(Reason.STORE_UNREACHABLE, message)
        version = find_version(path)
        if not 1 <= version <= newest(SQLITE):
            raise other_version(path, version, newest(SQLITE))
        return Lacking(str(path), version, steps_after(SQLITE, version))
    require_known(url)
    from dealer_service.store import postgres_tables  # noqa: PLC0415 - an extra
    from dealer_service.store.postgres_target import read_target  # noqa: PLC0415 - an extra

    target = read_target(url, patience)
    return Lacking(target.shown, *postgres_tables.find_lacking(target))


def migrate(url: str, path: Path, patience: float) -> None:
    """Take the steps that a store lacks: all or none, once only, whoever else does so meanwhile.

    StoreError: those of opening a store.
    """
    if not url:
        migrate_file(path)
        return
    require_known(url)
    from dealer_service.store import postgres_tables  # noqa: PLC0415 - an extra
    from dealer_service.store.postgres_target import read_target  # noqa: PLC0415 - an extra

    postgres_tables.migrate(read_target(url, patience))


def require_known(url: str) -> None:
    """Raise StoreError STORE_URL_WRONG for a URL that no store here is for."""
    if not url.startswith(_SCHEMES):
        message = (
            "the store's URL is of no kind that this dealer knows: give postgresql://USER@HOST/NAME"
            ", or none for a file in the dealer's directory"
        )
        raise StoreError(Reason.STORE_URL_WRONG, message)
    try:
        import_module("psycopg")
    except ImportError:
        message = "a store in PostgreSQL needs psycopg: pip install 'cutcard[postgres]'"
        raise StoreError(Reason.STORE_URL_WRONG, message) from None
