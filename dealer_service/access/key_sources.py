"""Where the keys that check tokens come from: the dealer's own, and a JWK set that may change.

A file is looked at every second and read again when it has changed. A URL is read on a schedule,
and besides when a token names a key that is not known, though never more often than the least
interval. One thread does the reading, one at a time, so that nothing waits for a file or a network
that need not. What can not be read leaves the last good set as it was, and is logged.
"""

import threading
import time
import urllib.parse
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import structlog

from dealer_service.access.key_set import MAX_SET_BYTES, KeySet, ReadSet, VerifyingKey, read_jwks
from dealer_service.access.refusal import AccessError
from dealer_service.access.tokens import AUDIENCE, TokenKey, key_id
from dealer_service.config import TokenRules, is_loopback
from dealer_service.fetching import UNREACHED, fetch, why_unreached

FETCH_SECONDS: Final = 10.0

_log = structlog.get_logger("access")


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a set is read: on schedule, at the least interval, and after a failure.

    In seconds. After a failure the pause doubles up to the schedule's.
    """

    every: float
    least: float
    after_failure: float


OF_FILES: Final = Pace(every=1.0, least=0.2, after_failure=1.0)
OF_URLS: Final = Pace(every=300.0, least=10.0, after_failure=5.0)


def own_key(key: TokenKey, origin: str) -> VerifyingKey:
    """Give the key that checks the dealer's own tokens; also those that name no key."""
    public = key.public
    return VerifyingKey(key_id(public), "EdDSA", public, origin, AUDIENCE, nameless=True)


class OwnKeys:
    """The dealer's own key alone, which does not change while it runs."""

    def __init__(self, *keys: VerifyingKey) -> None:
        self.current = KeySet(keys)

    def refresh(self) -> None:
        """There is nothing to read again."""
        return

    def close(self) -> None:
        """There is nothing to end."""


class JwkSource(Protocol):
    """A place that a JWK set is read from."""

    def read(self) -> bytes | None:
        """Give what stands there; None where it has not changed. AccessError where it can not."""
        ...


@dataclass(slots=True)
class JwkFile:
    """A JWK set in a file."""

    path: Path
    _seen: tuple[int, ...] = field(default=(), init=False)

    def read(self) -> bytes | None:
        """Read the file when it has changed since the last time, also where that was no use."""
        try:
            status = self.path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if stamp == self._seen:
                return None
            with self.path.open("rb") as file:
                content = file.read(MAX_SET_BYTES + 1)
        except OSError as error:
            self._seen = ()
            message = f"the JWK set {self.path} can not be read: {error.strerror}"
            raise AccessError(message) from error
        self._seen = stamp
        return content


@dataclass(frozen=True, slots=True)
class JwkUrl:
    """A JWK set at a URL: https, or http on loopback; redirects are not followed."""

    url: str

    def __post_init__(self) -> None:
        """AccessError for a URL that no keys may come from."""
        if not _may_give_keys(self.url):
            message = "--jwks: a URL must be https://HOST/…, without a user; http on loopback alone"
            raise AccessError(message)

    def read(self) -> bytes:
        """Get the set, within `FETCH_SECONDS` and `MAX_SET_BYTES`."""
        accept = "application/jwk-set+json, application/json"
        try:
            return fetch(self.url, accept, MAX_SET_BYTES, FETCH_SECONDS)
        except UNREACHED as error:
            # The URL itself may hold what is nobody else's business.
            message = f"the JWK set of {self.host} can not be read: {why_unreached(error)}"
            raise AccessError(message) from error

    @property
    def host(self) -> str:
        """The host that the set comes from."""
        return urllib.parse.urlsplit(self.url).hostname or ""


class JwkKeys:
    """The keys of a JWK set besides the dealer's own; a thread of its own keeps them fresh.

    `told` is called, in that thread, after each reading.
    """

    def __init__(  # noqa: PLR0913 - what is read, for whom, and how often
        self,
        source: JwkSource,
        own: tuple[VerifyingKey, ...],
        *,
        issuer: str,
        audience: str,
        pace: Pace,
        told: Callable[[], None] = lambda: None,
    ) -> None:
        self._source = source
        self._own = own
        self._issuer, self._audience = issuer, audience
        self._pace = pace
        self._told = told
        self.current = KeySet(own, is_whole=False)
        self._lock = threading.Lock()
        self._pending: Future[None] | None = None
        self._read_at = float("-inf")
        self._failures = 0
        self._asked = threading.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._keep_fresh, name="jwks", daemon=True)

    def start(self, *, must_be_there: bool) -> None:
        """Read the set for the first time, and keep it fresh from then on.

        AccessError where it can not be read and `must_be_there`; else that is logged, and it is
        tried again.
        """
        error = self._read()
        if error is not None and must_be_there:
            raise error
        self._thread.start()

    def refresh(self) -> "Future[None] | None":
        """Read the set again; None where that was done just now. Done also when it failed."""
        with self._lock:
            if self._pending is not None:
                return self._pending
            if self._is_closed or time.monotonic() - self._read_at < self._pace.least:
                return None
            self._pending = Future()
            self._asked.set()
            return self._pending

    def close(self) -> None:
        """Read no more."""
        self._is_closed = True
        self._asked.set()

    def _keep_fresh(self) -> None:
        while not self._is_closed:
            self._asked.wait(self._pause())
            self._asked.clear()
            if not self._is_closed:
                self._read()
        with self._lock:
            pending, self._pending = self._pending, None
        if pending is not None:
            pending.set_result(None)

    def _pause(self) -> float:
        if not self._failures:
            return self._pace.every
        doubled = self._pace.after_failure * (1 << min(self._failures - 1, 16))
        return min(doubled, self._pace.every)

    def _read(self) -> AccessError | None:
        """Read the set once; the error where that failed, which leaves all as it was."""
        with self._lock:
            # Whoever asks from now on waits for this reading.
            pending = self._pending = self._pending or Future()
        error = None
        try:
            content = self._source.read()
            if content is not None:
                self._take(read_jwks(content, self._issuer, self._audience))
                self._failures = 0
        except AccessError as fault:
            error = fault
            self._failures += 1
            _log.error(
                "token_keys_unread",
                reason=str(fault),
                keeps=len(self.current.keys) - len(self._own),
                failures=self._failures,
            )
        with self._lock:
            self._pending = None
            self._read_at = time.monotonic()
        pending.set_result(None)
        self._told()
        return error

    def _take(self, found: ReadSet) -> None:
        for why in found.passed_over:
            _log.warning("token_key_passed_over", reason=why)
        keys = KeySet((*self._own, *found.keys))
        if keys != self.current:
            self.current = keys
            _log.info("token_keys_read", keys=len(found.keys))


def open_token_keys(rules: TokenRules, own: TokenKey | None, origin: str) -> OwnKeys | JwkKeys:
    """Give the keys that check tokens; blocks while a set is read for the first time.

    AccessError for a file that can not be read, or a URL that no keys may come from. A URL that
    does not answer is tried again: until then nobody gets in by its keys.
    """
    mine = () if own is None else (own_key(own, origin),)
    if not rules.jwks:
        return OwnKeys(*mine)
    is_url = "://" in rules.jwks
    source: JwkSource = JwkUrl(rules.jwks) if is_url else JwkFile(Path(rules.jwks))
    keys = JwkKeys(
        source,
        mine,
        issuer=rules.issuer or origin,
        audience=rules.audience,
        pace=OF_URLS if is_url else OF_FILES,
    )
    keys.start(must_be_there=not is_url)
    return keys


def _may_give_keys(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname or ""
        safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))
        return safe and bool(host) and parts.port != 0 and parts.username is None
    except ValueError:
        return False
