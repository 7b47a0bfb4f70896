"""How calls are made: each has a deadline, and what did not reach the dealer is asked again.

A change bears a request id, and the same message with the same id is sent on every try, whichever
node it goes to, so that a retry has no second effect. The wait between tries doubles, up to a
bound, and is drawn evenly from nothing to that, so that clients of a dealer that restarts do not
come back at one time. Who asked for too much waits as long as it is told.

A node that deals the game not itself names the one that does, and the call is made there at once;
only so often, though, before it waits: two nodes that name each other are not run between.
"""

import asyncio
import math
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import grpc
import grpc.aio

from dealer_service import elapsed
from dealer_service.beacon.rounds import Network
from dealer_service.client.bearer import Bearer
from dealer_service.client.drawn import NETWORKS
from dealer_service.client.errors import CallRefusedError, Refusal, read_error
from dealer_service.client.routes import AddressError, Link, Routes

if TYPE_CHECKING:
    from dealer_service.client.chain import Entropy

_Request_contra = TypeVar("_Request_contra", contravariant=True)
_Response_co = TypeVar("_Response_co", covariant=True)

MOST_HOPS: Final = 3
"""So often a call is made anew at once where it is sent; then it waits first."""

MOST_RENEWALS: Final = 2
"""So many newer tokens are tried for one call."""

_PASSING: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})
# Asking again does not help a stream against these.
_FINAL: Final = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.DATA_LOSS,
    }
)
_GOES_ON: Final = frozenset({"WATCHED_TOO_SLOWLY", "READ_TOO_SLOWLY"})


class Method(Protocol[_Request_contra, _Response_co]):
    """A unary call of a generated stub."""

    def __call__(
        self,
        request: _Request_contra,
        *,
        timeout: float | None = None,
        metadata: tuple[tuple[str, str], ...] | None = None,
    ) -> Awaitable[_Response_co]:
        """Make the call once."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long calls may take, in seconds: one try, all tries, and the waits between them."""

    attempt: float = 10.0
    total: float = 60.0
    first_wait: float = 0.1
    longest_wait: float = 3.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a client takes from outside: clock (monotonic seconds), chance, waits, patience.

    `slept` gives the seconds of its machine's sleep, which `monotonic` has not counted, and `wall`
    those since 1970. `networks` are the beacons whose rounds it can judge.
    """

    monotonic: Callable[[], float] = time.monotonic
    slept: Callable[[], float] = elapsed.slept
    wall: Callable[[], float] = time.time
    networks: Sequence[Network] = NETWORKS
    entropy: "Entropy" = os.urandom
    chance: Callable[[], float] = random.SystemRandom().random
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    patience: Patience = field(default_factory=Patience)

    def request_id(self) -> str:
        """Draw an id for one change."""
        return self.entropy(16).hex()

    def waits(self) -> Iterator[float]:
        """Draw the waits between tries: evenly from nothing to a bound that doubles."""
        bound = self.patience.first_wait
        while True:
            yield self.chance() * bound
            bound = min(bound * 2, self.patience.longest_wait)


@dataclass(frozen=True, slots=True)
class Failed:
    """A try that failed: at which node, and under which token."""

    error: grpc.aio.AioRpcError = field(repr=False)
    address: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Caller:
    """Makes calls under one caller's token, at the node that has the game."""

    surroundings: Surroundings
    bearer: Bearer
    routes: Routes

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The header that says who calls."""
        return header(self.bearer.token)

    async def call(
        self,
        method: Callable[[Link], Method[_Request_contra, _Response_co]],
        request: _Request_contra,
        *,
        total: float | None = None,
    ) -> _Response_co:
        """Call until there is an answer, for `total` seconds at most; CallRefusedError.

        `method(link)` is the method at a node.
        """
        game: str = getattr(request, "game", "") or getattr(request, "tournament", "")
        tries = Tries(self, game, self.surroundings.patience.total if total is None else total)
        while True:
            token = self.bearer.token
            async with self.routes.use(game) as link:
                try:
                    return await method(link)(
                        request, timeout=tries.timeout, metadata=header(token)
                    )
                except grpc.aio.AioRpcError as error:
                    failed = Failed(error, link.address, token)
            await self.surroundings.sleep(await tries.judge(failed))


class Tries:
    """The tries of one call, or of one stream, which goes on for ever: `total` None."""

    def __init__(self, caller: Caller, game: str, total: float | None) -> None:
        around = caller.surroundings
        self._caller, self._game, self._around = caller, game, around
        self._streams = total is None
        self._end = math.inf if total is None else around.monotonic() + total
        self._waits = around.waits()
        self._hops = 0
        self._renewals = 0
        self._met: CallRefusedError | None = None

    @property
    def timeout(self) -> float:
        """How long the next try may take, in seconds."""
        left = self._end - self._around.monotonic()
        return max(0.001, min(left, self._around.patience.attempt))

    def succeeded(self) -> None:
        """Learn that a stream gave something: its next break is its first."""
        self._waits = self._around.waits()
        self._hops = self._renewals = 0

    def next_wait(self) -> float:
        """Draw the wait before a stream that just ended is opened anew."""
        return next(self._waits)

    async def judge(self, failed: Failed) -> float:
        """Say how many seconds to wait before the next try; CallRefusedError where none helps.

        The next try may go to another node, or bear another token.
        """
        refused = read_error(failed.error)
        refusal = refused.refusal
        if refusal.code == grpc.StatusCode.UNAUTHENTICATED.name:
            self._renewals += 1
            bearer = self._caller.bearer
            if self._renewals <= MOST_RENEWALS and await bearer.renew(failed.token):
                return 0.0
            raise refused from None
        is_late = refusal.code == grpc.StatusCode.DEADLINE_EXCEEDED.name
        wait = self._wait(failed, refusal)
        if wait is None or self._around.monotonic() + wait >= self._end:
            # Where the time was over in the middle of a try, an earlier one says what is wrong.
            raise (self._met if is_late and self._met else refused) from None
        if not is_late and refusal.reason != "GAME_ELSEWHERE":
            self._met = refused
        return wait

    def _wait(self, failed: Failed, refusal: Refusal) -> float | None:
        if refusal.reason == "GAME_ELSEWHERE":
            return self._follow(refusal)
        if refusal.reason in _GOES_ON:
            return 0.0
        if refusal.reason == "TOO_MANY_STREAMS":
            return self._around.patience.longest_wait if self._streams else None
        if refusal.retry_after is not None:
            # Whoever is told the same time does not come back at the same time.
            return refusal.retry_after + self._around.chance() * self._around.patience.first_wait
        code = failed.error.code()
        if code in _FINAL or (code not in _PASSING and not self._streams):
            return None
        if code in _PASSING:
            # Also where it answers: one that is cut off from its store says the same for ever.
            self._caller.routes.lost(self._game, failed.address)
        return next(self._waits)

    def _follow(self, refusal: Refusal) -> float:
        owner = refusal.metadata.get("owner", "")
        try:
            self._caller.routes.name_owner(self._game, owner)
        except AddressError as error:
            message = f"the dealer names another address for this game: {error}"
            told = Refusal("FAILED_PRECONDITION", "OWNER_REFUSED", message, refusal.metadata)
            raise CallRefusedError(told) from None
        self._hops += 1
        if self._hops <= MOST_HOPS:
            return 0.0
        self._hops = 0
        return next(self._waits)


def header(token: str) -> tuple[tuple[str, str], ...]:
    """Give the header of a caller with a token."""
    return (("authorization", f"Bearer {token}"),)
