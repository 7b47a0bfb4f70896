"""Whose tokens stand for which numbers in a session, and the streams that newer ones keep.

A token is not looked at before a call names its number: each call is judged by it anew, as if the
call came with it. A stream goes on until the token expires by which it was let in, or as long as
another does that was sent for the same number in time: of the same caller, in the same role.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from google.protobuf.message import Message

from dealer_service.access.gate import MAX_TOKEN_CHARACTERS
from dealer_service.access.refusal import AccessRefusal, Reason
from dealer_service.access.roles import Caller, Method
from dealer_service.rpc.admission import Admission, NotAdmitted, Shown
from dealer_service.rpc.calls import Term
from dealer_service.store.refusal import StoreError
from dealer_service.tables.refused import Refused

MAX_BEARERS: Final = 4_096
OWN: Final = 0
"""The number of the token that the session itself was opened with."""


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """A stream that a newer token may keep: whose it is, how long, and what it asks.

    The session itself is one of its caller in any role, and asks nothing.
    """

    caller: Caller
    term: Term
    rule: Method | None = None
    asked: Message | None = None


class Bearers:
    """The tokens of a session by their numbers; `shown` opened it, and keeps `itself`."""

    __slots__ = ("_admission", "_kept", "_own", "_renewals", "_shown")

    def __init__(self, admission: Admission, shown: Shown, itself: Kept) -> None:
        self._admission = admission
        self._own = shown
        self._shown = {OWN: shown}
        self._kept: dict[int, set[Kept]] = {OWN: {itself}}
        self._renewals: set[asyncio.Task[None]] = set()

    def find(self, number: int) -> Shown | None:
        """Give what stands for a number."""
        return self._shown.get(number)

    def set(self, number: int, token: str) -> bool:
        """Let a token stand for a number, none if it is empty; False where there are too many.

        What was begun under the number is kept by it.
        """
        if not token:
            self._shown.pop(number, None)
            return True
        if number not in self._shown and len(self._shown) >= MAX_BEARERS:
            return False
        # What is too long to be a token need not be kept whole to be refused as that.
        header = f"Bearer {token[: MAX_TOKEN_CHARACTERS + 1]}"
        shown = self._shown[number] = replace(self._own, authorization=header)
        for kept in self._kept.get(number, ()):
            self._renew(kept, shown)
        return True

    @contextmanager
    def keeping(self, number: int, shown: Shown, kept: Kept) -> Iterator[None]:
        """Let newer tokens of a number keep a stream, which was let in by what was shown."""
        of_number = self._kept.setdefault(number, set())
        of_number.add(kept)
        newer = self._shown.get(number, shown)
        if newer is not shown:
            self._renew(kept, newer)
        try:
            yield
        finally:
            of_number.discard(kept)
            if not of_number:
                self._kept.pop(number, None)

    async def close(self) -> None:
        """Look at no token any more."""
        for renewal in self._renewals:
            renewal.cancel()
        await asyncio.gather(*self._renewals, return_exceptions=True)

    def _renew(self, kept: Kept, shown: Shown) -> None:
        renewal = asyncio.create_task(self._extend(kept, shown))
        self._renewals.add(renewal)
        renewal.add_done_callback(self._renewals.discard)

    async def _extend(self, kept: Kept, shown: Shown) -> None:
        # Why it keeps nothing is told to the calls that name it.
        with suppress(NotAdmitted, Refused, StoreError):
            bearer = await self._admission.verify(shown)
            if kept.rule is None or kept.asked is None:
                is_same = bearer.first.name == kept.caller.name
            else:
                caller = await self._admission.caller(bearer, kept.rule, kept.asked)
                is_same = caller == kept.caller
            if is_same:
                kept.term.extend(bearer.expires)


def require_token(shown: Shown | None, number: int) -> Shown:
    """Give what is shown for a number; NotAdmitted TOKEN_MISSING where that is nothing."""
    if shown is not None:
        return shown
    message = f"no token stands for the bearer {number}: send it before the calls that name it"
    missing = AccessRefusal(Reason.TOKEN_MISSING, message, (("bearer", str(number)),))
    raise NotAdmitted(missing)
