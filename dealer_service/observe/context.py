"""Which call an event of the log belongs to, kept beside the call in its own context.

One value is set for each call, and what it says is put together only for an event that is
logged. Timers begin without it (`tables/clock.py`): what a clock does is nobody's request.
"""

import secrets
from contextvars import ContextVar
from typing import Final

from structlog.typing import EventDict


class Call:
    """A call: its method, and when they are known its caller, game and request id."""

    __slots__ = ("_request", "caller", "game", "method")

    def __init__(self, method: str) -> None:
        self.method = method
        self.caller = ""
        self.game = ""
        self._request = ""

    def identify(self, caller: str, game: str, request_id: str) -> None:
        """Say who calls, of which game, and under which id; what is empty is not told."""
        self.caller = caller
        self.game = game
        self._request = request_id

    @property
    def request(self) -> str:
        """The request id; a call without one is given one when it is first told."""
        if not self._request:
            self._request = secrets.token_hex(8)
        return self._request


current: Final[ContextVar[Call | None]] = ContextVar("cutcard_call", default=None)
"""The call that the running code belongs to."""


def add_call(_logger: object, _name: str, event: EventDict) -> EventDict:
    """Add to an event the call that it belongs to; what the event says itself stands."""
    call = current.get()
    if call is not None:
        event.setdefault("method", call.method)
        event.setdefault("request", call.request)
        if call.game:
            event.setdefault("game", call.game)
        if call.caller:
            event.setdefault("caller", call.caller)
    return event
