"""Whose tokens stand for which numbers in a session, and the streams that newer ones keep.

A token is not looked at before a call names its number: each call is judged by it anew, as if the
call came with it. A stream goes on until the token expires by which it was let in, or as long as
another does that was sent for the same number in time: of the same caller, in the same role.

What comes anew for a number is looked at once for all streams that were begun under it, and not at
all where another replaces it before: however many come in a message, one is looked at at a time.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from google.protobuf.message import Message

from dealer_service.access.bearer import Bearer
from dealer_service.access.gate import MAX_TOKEN_CHARACTERS
from dealer_service.access.refusal import AccessRefusal, Reason
from dealer_service.access.roles import Caller, Method
from dealer_service.rpc.admission import Admission, NotAdmitted, Shown
from dealer_service.rpc.calls import Term
from dealer_service.rpc.validate import Violation
from dealer_service.store.refusal import StoreError
from dealer_service.tables.refused import Refused

MAX_BEARERS: Final = 4_096
MAX_CHARACTERS: Final = 4 * 1024 * 1024
"""What all tokens of a session may have together."""

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

    __slots__ = ("_admission", "_characters", "_due", "_kept", "_looks", "_own", "_shown")

    def __init__(self, admission: Admission, shown: Shown, itself: Kept) -> None:
        self._admission = admission
        self._own = shown
        self._shown = {OWN: shown}
        self._characters = _length(shown)
        self._kept: dict[int, set[Kept]] = {OWN: {itself}}
        # Numbers whose token may keep what it has not been looked at for, and who looks.
        self._due: set[int] = set()
        self._looks: dict[int, asyncio.Task[None]] = {}

    def find(self, number: int) -> Shown | None:
        """Give what stands for a number."""
        return self._shown.get(number)

    def set(self, number: int, token: str) -> Violation | None:
        """Let a token stand for a number, none if it is empty; what is wrong if that is too much.

        What was begun under the number is kept by it.
        """
        before = self._shown.pop(number, None)
        if before is not None:
            self._characters -= _length(before)
        if not token:
            return None
        # What is too long to be a token need not be kept whole to be refused as that.
        header = f"Bearer {token[: MAX_TOKEN_CHARACTERS + 1]}"
        shown = self._shown[number] = replace(self._own, authorization=header)
        self._characters += _length(shown)
        if len(self._shown) > MAX_BEARERS:
            return Violation("bearers.bearer", f"must be one of {MAX_BEARERS} at most")
        if self._characters > MAX_CHARACTERS:
            why = f"must have {MAX_CHARACTERS} characters at most with all others"
            return Violation("bearers.token", why)
        if number in self._kept:
            self._look(number)
        return None

    @contextmanager
    def keeping(self, number: int, shown: Shown, kept: Kept) -> Iterator[None]:
        """Let newer tokens of a number keep a stream, which was let in by what was shown."""
        of_number = self._kept.setdefault(number, set())
        of_number.add(kept)
        newer = self._shown.get(number, shown)
        if newer is not shown:
            self._look(number)
        try:
            yield
        finally:
            of_number.discard(kept)
            if not of_number:
                self._kept.pop(number, None)

    async def close(self) -> None:
        """Look at no token any more."""
        looks = list(self._looks.values())
        for look in looks:
            look.cancel()
        await asyncio.gather(*looks, return_exceptions=True)

    def _look(self, number: int) -> None:
        self._due.add(number)
        if number not in self._looks:
            self._looks[number] = asyncio.create_task(self._renew(number))

    async def _renew(self, number: int) -> None:
        """Let what stands for a number keep the streams that were begun under it."""
        try:
            while number in self._due:
                self._due.discard(number)
                shown = self._shown.get(number)
                if shown is not None:
                    await self._keep(number, shown)
        finally:
            del self._looks[number]

    async def _keep(self, number: int, shown: Shown) -> None:
        # Why it keeps nothing is told to the calls that name it.
        with suppress(NotAdmitted):
            bearer = await self._admission.verify(shown)
            for kept in tuple(self._kept.get(number, ())):
                if bearer.first.name == kept.caller.name:
                    await self._extend(kept, bearer)

    async def _extend(self, kept: Kept, bearer: Bearer) -> None:
        with suppress(NotAdmitted, Refused, StoreError):
            if kept.rule is not None and kept.asked is not None:
                caller = await self._admission.caller(bearer, kept.rule, kept.asked)
                if caller != kept.caller:
                    return
            kept.term.extend(bearer.expires)


def _length(shown: Shown) -> int:
    return len(shown.authorization or "")


def require_token(shown: Shown | None, number: int) -> Shown:
    """Give what is shown for a number; NotAdmitted TOKEN_MISSING where that is nothing."""
    if shown is not None:
        return shown
    message = f"no token stands for the bearer {number}: send it before the calls that name it"
    missing = AccessRefusal(Reason.TOKEN_MISSING, message, (("bearer", str(number)),))
    raise NotAdmitted(missing)
