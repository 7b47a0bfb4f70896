"""Whether a call is let in: by its token, by how much its caller asks for, and by its role.

A caller whose role is the same everywhere is judged before its message is read. One with roles
table by table is judged by the game or tournament that a message names, when that is well formed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import grpc.aio
from google.protobuf.message import Message

from dealer_service.access.bearer import Bearer
from dealer_service.access.gate import Gate
from dealer_service.access.limits import origin_of
from dealer_service.access.refusal import AccessRefusal
from dealer_service.access.roles import TABLE_NOT_ALLOWED, Caller, Method
from dealer_service.config import Network

Context = grpc.aio.ServicerContext[Any, Any]
Ancestors = Callable[[str], Awaitable[Sequence[str] | None]]
"""Gives the games that a game goes on from, nearest first; None where there is no such game."""


KEYS_SECONDS: Final = 10.0
"""A call whose token names a key that is not known waits so long for the keys to be read again."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a call shows of its caller: the header "Bearer TOKEN", and who tells its address."""

    authorization: str | None = field(repr=False)
    peer: Callable[[], str]


class NotAdmitted(Exception):  # noqa: N818 - says what the call is
    """A call that is not let in."""

    def __init__(self, refusal: AccessRefusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def subject_of(message: Message) -> str:
    """Give the game, or the tournament, that a message names; empty where it names none."""
    return getattr(message, "game", "") or getattr(message, "tournament", "")


@dataclass(frozen=True, slots=True)
class Admission:
    """Lets calls in; `now` gives seconds since 1970, `tick` seconds of a clock that only rises."""

    gate: Gate
    now: Callable[[], float]
    ancestors: Ancestors
    tick: Callable[[], float] = time.monotonic
    proxies: tuple[Network, ...] = ()

    def shown(self, context: Context) -> Shown:
        """Give what the metadata of a call, or of a stream of calls, shows."""
        authorization = None
        for key, value in context.invocation_metadata() or ():
            if key == "authorization":
                authorization = value if isinstance(value, str) else None
        peer = partial(self._peer, context) if self.proxies else context.peer
        return Shown(authorization, peer)

    async def verify(self, shown: Shown) -> Bearer:
        """Give whose token is shown, where it holds now; NotAdmitted."""
        admitted = self.gate.admit(shown.authorization, self.now(), shown.peer)
        if isinstance(admitted, AccessRefusal):
            return await self._with_new_keys(admitted, shown)
        return admitted

    async def admit(self, method: Method, size: int, shown: Shown) -> Bearer:
        """Give the bearer of a call of `size` bytes; NotAdmitted."""
        admitted = await self.verify(shown)
        refused = admitted.allowance.take(self.tick(), size, changes=method.changes)
        if refused is None and not admitted.has_tables and admitted.everywhere is not None:
            refused = method.refuse(admitted.everywhere.role)
        if refused is not None:
            raise NotAdmitted(refused)
        return admitted

    async def caller(self, bearer: Bearer, method: Method, message: Message) -> Caller:
        """Give who a bearer is in a call whose message is well formed; NotAdmitted."""
        caller = bearer.everywhere
        if not bearer.has_tables and caller is not None:
            return caller
        if method.of_game:
            caller = await self._at(bearer, subject_of(message))
            if caller is None:
                raise NotAdmitted(TABLE_NOT_ALLOWED)
        elif caller is None:
            raise NotAdmitted(method.refuse_roleless())
        refused = method.refuse(caller.role)
        if refused is not None:
            raise NotAdmitted(refused)
        return caller

    async def _at(self, bearer: Bearer, game: str) -> Caller | None:
        if bearer.knows(game):
            return bearer.at(game)
        ancestors = await self.ancestors(game)
        # Of a game that is not there yet nothing can be kept.
        return bearer.everywhere if ancestors is None else bearer.learn(game, ancestors)

    def _peer(self, context: Context) -> str:
        """Give the address that a call comes from, by the word of a proxy where one is between."""
        forwarded = None
        for key, value in context.invocation_metadata() or ():
            if key == "x-forwarded-for":
                forwarded = value if isinstance(value, str) else None
        return origin_of(context.peer(), forwarded, self.proxies)

    async def _with_new_keys(self, refused: AccessRefusal, shown: Shown) -> Bearer:
        """Look again when the keys were read again, where that may help."""
        reading = self.gate.refresh() if refused.unknown_key else None
        if reading is None:
            raise NotAdmitted(refused)
        await asyncio.wait({asyncio.wrap_future(reading)}, timeout=KEYS_SECONDS)
        admitted = self.gate.admit(shown.authorization, self.now(), shown.peer)
        if isinstance(admitted, AccessRefusal):
            raise NotAdmitted(admitted)
        return admitted
