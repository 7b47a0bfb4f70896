"""Which store a dealer has: a file of its own, or one that several share, named by a URL.

The driver of a shared store is imported only where one is named: it is an extra.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from dealer_service.store.api import Store
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sqlite import SqliteStore

_SCHEMES: Final = ("postgresql://", "postgres://")


def open_store(url: str, path: Path, patience: float) -> Store:
    """Open the store at `url`, or where that is empty the file at `path`.

    `patience` is for how many seconds a server may be away. The store at a URL has `Leases` too.
    StoreError, also for a URL of no known kind; it is not repeated, for it may hold a password.
    """
    if not url:
        return SqliteStore(path)
    require_known(url)
    from dealer_service.store.postgres import PostgresStore  # noqa: PLC0415 - an extra

    return PostgresStore(url, patience=patience)


def require_known(url: str) -> None:
    """Raise StoreError STORE_URL_WRONG for a URL that no store here is for."""
    if not url.startswith(_SCHEMES):
        message = (
            "the store's URL is of no kind that this dealer knows: give postgresql://USER@HOST/NAME"
            ", or none for a file in the dealer's directory"
        )
        raise StoreError(Reason.STORE_URL_WRONG, message)
    if find_spec("psycopg") is None:
        message = "a store in PostgreSQL needs psycopg: pip install 'cutcard[postgres]'"
        raise StoreError(Reason.STORE_URL_WRONG, message)
