"""Where a PostgreSQL store is: its URL, taken apart, completed, and shown without secrets.

What the URL leaves open is set so that a cut network is noticed within a lease, only a
server that can write is taken, and one that is not on this machine has to show a certificate of
its name (`sslmode=verify-full`), unless the URL or libpq's own environment says otherwise.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict

from dealer_service.store.refusal import Reason, StoreError

_LOCAL: Final = ("", "localhost", "127.0.0.1", "::1")
_SYSTEM_ROOTS: Final = 160_000
"""The libpq that can take the system's roots for `sslrootcert=system`."""

_SECRET: Final = ("password", "sslpassword", "oauth_client_secret", "scram_client_key")


@dataclass(frozen=True, slots=True)
class Target:
    """A database by its parameters, and how it is named to people.

    `lease` is how many seconds may go until others take over: by it, what hangs is given up.
    """

    shown: str
    lease: float
    parameters: Mapping[str, str | int] = field(repr=False)

    def clean(self, words: str) -> str:
        """Give words without any secret that the parameters hold."""
        for name in _SECRET:
            secret = self.parameters.get(name)
            if secret:
                words = words.replace(str(secret), "***")
        return words


def read_target(url: str, lease: float) -> Target:
    """Read a postgresql:// URL; StoreError STORE_URL_WRONG, which does not repeat it."""
    try:
        given = {name: value for name, value in conninfo_to_dict(url).items() if value is not None}
    except psycopg.Error:
        message = (
            "the store's URL can not be read: give postgresql://USER@HOST:PORT/NAME, with %XX for "
            "marks in names and passwords"
        )
        raise StoreError(Reason.STORE_URL_WRONG, message) from None
    seconds = max(1, int(lease / 2))
    filled: dict[str, str | int] = {
        "application_name": "cutcard-dealer",
        "client_encoding": "UTF8",
        "connect_timeout": max(2, seconds),
        "keepalives": 1,
        "keepalives_idle": seconds,
        "keepalives_interval": 1,
        # Linux takes 127 at most.
        "keepalives_count": min(max(2, seconds), 127),
        "tcp_user_timeout": int(lease * 500),
        "target_session_attrs": "read-write",
        **given,
    }
    if not _is_local(filled) and "sslmode" not in filled and "PGSSLMODE" not in os.environ:
        filled["sslmode"] = "verify-full"
        if "sslrootcert" not in filled and "PGSSLROOTCERT" not in os.environ:
            _trust_system(filled)
    return Target(_show(filled), lease, filled)


def _is_local(parameters: Mapping[str, str | int]) -> bool:
    if "service" in parameters or "PGSERVICE" in os.environ:
        return True  # the service's own entry says how
    named = parameters.get("hostaddr") or parameters.get("host") or os.environ.get("PGHOST", "")
    return all(host in _LOCAL or host.startswith(("/", "@")) for host in str(named).split(","))


def _trust_system(parameters: dict[str, str | int]) -> None:
    if pq.version() >= _SYSTEM_ROOTS:
        parameters["sslrootcert"] = "system"


def _show(parameters: Mapping[str, str | int]) -> str:
    host = str(parameters.get("host") or parameters.get("hostaddr") or "")
    port = f":{parameters['port']}" if "port" in parameters else ""
    return f"postgresql://{host}{port}/{parameters.get('dbname', '')}"
