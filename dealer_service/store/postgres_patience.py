"""Whether a store may be used, and how long one that is away is waited for."""

import threading
import time
from typing import Final

from dealer_service.store.refusal import Reason, StoreError

_FIRST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 0.5


class Condition:
    """Open until it is closed, or until a change failed: then nothing more is asked of it."""

    __slots__ = ("_failure", "_shown", "closing")

    def __init__(self, shown: str) -> None:
        self.closing = threading.Event()
        self._shown = shown
        self._failure: StoreError | None = None

    def require(self) -> None:
        """Raise what the store failed with, or STORE_CLOSED."""
        if self.closing.is_set():
            message = f"the store {self._shown} is closed"
            raise StoreError(Reason.STORE_CLOSED, message)
        if self._failure is not None:
            raise StoreError(self._failure.reason, str(self._failure))

    def fail(self, error: BaseException) -> None:
        """Take no further call; the first failure is the one that is told."""
        if self._failure is None:
            message = f"the store {self._shown} failed before: start again"
            known = error if isinstance(error, StoreError) else None
            self._failure = known or StoreError(Reason.STORE_FAILED, message)


class Patience:
    """Pauses that grow, until so many seconds after the first; `closing` ends one at once."""

    __slots__ = ("_closing", "_end", "_pause", "_seconds")

    def __init__(self, seconds: float, closing: threading.Event) -> None:
        self._seconds = seconds
        self._closing = closing
        self._end: float | None = None
        self._pause = _FIRST_PAUSE

    def wait(self) -> bool:
        """Pause, and say whether to try again."""
        now = time.monotonic()
        if self._end is None:
            self._end = now + self._seconds
        if now >= self._end or self._closing.wait(min(self._pause, self._end - now)):
            return False
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)
        return True
