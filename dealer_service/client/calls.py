"""Calls that end: each has a deadline, and what did not reach the dealer is asked again.

A change bears a request id, and the same message with the same id is sent on every try, so that a
retry has no second effect. The wait between tries doubles, up to a bound, and is drawn evenly
from nothing to that, so that clients of a dealer that restarts do not come back at one time.
"""

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import grpc.aio

from dealer_service.client.errors import is_passing, read_error

if TYPE_CHECKING:
    from dealer_service.client.chain import Entropy

_Request_contra = TypeVar("_Request_contra", contravariant=True)
_Response_co = TypeVar("_Response_co", covariant=True)

KEEPALIVE: Final = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # A ping that is not answered by then ends the connection; otherwise that takes a minute more.
    ("grpc.http2.ping_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    # A dealer that comes back is found again within a second or two.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)


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
    """What a client takes from outside: clock (monotonic seconds), chance, waits, patience."""

    monotonic: Callable[[], float] = time.monotonic
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
class Caller:
    """Makes calls under one token; the token is in no repr."""

    surroundings: Surroundings
    token: str = field(repr=False)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """The header that says who calls."""
        return (("authorization", f"Bearer {self.token}"),)

    async def call(
        self,
        method: Method[_Request_contra, _Response_co],
        request: _Request_contra,
        *,
        total: float | None = None,
    ) -> _Response_co:
        """Call until there is an answer, for `total` seconds at most; CallRefusedError."""
        around = self.surroundings
        end = around.monotonic() + (around.patience.total if total is None else total)
        for wait in around.waits():
            left = end - around.monotonic()
            timeout = max(0.001, min(left, around.patience.attempt))
            try:
                return await method(request, timeout=timeout, metadata=self.metadata)
            except grpc.aio.AioRpcError as error:
                if not is_passing(error) or around.monotonic() + wait >= end:
                    raise read_error(error) from None
            await around.sleep(wait)
        raise AssertionError
