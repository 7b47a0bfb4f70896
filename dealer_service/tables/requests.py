"""Every change bears a request id: the same again has the same answer and no second effect.

Requests under way and the latest answers are kept in memory; older ones are asked of the store,
and a filter of what was ever answered saves that look-up for ids that are new (a false positive
costs one look-up, never an answer). The store itself holds each answer with its effect, in one
unit.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator, Hashable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from dealer_service.store.api import Answer
from dealer_service.tables.refused import Refused, ServiceReason, refused

REMEMBERED: Final = 32
"""Answers of one scope that are in memory; older ones are asked of the store."""

Lookup = Callable[[str, str, str], Awaitable[Answer | None]]


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks, under which id, and the digest of what (32 bytes)."""

    caller: str
    request_id: str
    digest: bytes

    @property
    def key(self) -> tuple[str, str]:
        """What tells requests of one game apart."""
        return self.caller, self.request_id


class Pending:
    """The answer to a request under way: set once, and awaited by whoever asks for it.

    One that stops waiting is nothing to the others, and nobody need wait at all.
    """

    __slots__ = ("_body", "_fault", "_waiting", "digest")

    def __init__(self, digest: bytes) -> None:
        """Make it for a request whose content has this digest."""
        self.digest = digest
        self._body: bytes | None = None
        self._fault: BaseException | None = None
        self._waiting: list[asyncio.Future[None]] = []

    def done(self) -> bool:
        """Say whether it is set."""
        return self._body is not None or self._fault is not None

    def set_result(self, body: bytes) -> None:
        """Answer all that wait, and all that come."""
        self._body = body
        self._wake()

    def set_exception(self, fault: BaseException) -> None:
        """Raise this at all that wait, and all that come."""
        self._fault = fault
        self._wake()

    def __await__(self) -> Generator["asyncio.Future[None]", None, bytes]:
        while self._body is None:
            if self._fault is not None:
                raise self._fault
            own: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(own)
            yield from own
        return self._body

    def _wake(self) -> None:
        for own in self._waiting:
            if not own.done():
                own.set_result(None)
        self._waiting.clear()


class Requests:
    """The requests of one scope (a game, or the dealer as a whole)."""

    __slots__ = ("_filter", "_known", "_lookup", "scope")

    def __init__(self, scope: str, lookup: Lookup) -> None:
        self.scope = scope
        self._lookup = lookup
        self._known: OrderedDict[tuple[str, str], Pending] = OrderedDict()
        self._filter = Filter()

    def note(self, caller: str, request_id: str) -> None:
        """Remember that the store holds an answer under this id."""
        self._filter.add((caller, request_id))

    async def repeated(self, request: Request) -> bytes | None:
        """Give the answer of a request that was made before; None for a new one.

        Waits for a request under way. Refused REQUEST_ID_REUSED where the content differs.
        """
        key = request.key
        known = self._known.get(key)
        if known is None and self._filter.may_hold(key):
            body = await find_answer(self.scope, request, self._lookup)
            if body is not None:
                return body
            known = self._known.get(key)
        if known is None:
            return None
        _require_same(request, known.digest)
        return await known

    def begin(self, request: Request) -> Pending:
        """Note a new request as under way; its answer is set on what is given."""
        answer = self._known[request.key] = Pending(request.digest)
        return answer

    def forget(self, request: Request) -> None:
        """Let go of a request that was refused: it may be asked again."""
        self._known.pop(request.key, None)

    def abandon(self, refusal: Refused) -> None:
        """Let go of all that is under way: whoever waits is told why."""
        for known in self._known.values():
            if not known.done():
                known.set_exception(refusal)
        self._known.clear()

    def answered(self, request: Request) -> None:
        """Note that the answer is durable, and let go of the oldest ones."""
        self.note(*request.key)
        while len(self._known) > REMEMBERED:
            key, oldest = next(iter(self._known.items()))
            if not oldest.done():
                break
            del self._known[key]


class Filter:
    """A Bloom filter that grows with its content: no false negatives, few false positives."""

    __slots__ = ("_bits", "_count", "_full")

    def __init__(self) -> None:
        self._full: list[bytearray] = []
        self._bits = bytearray(512)
        self._count = 0

    def add(self, key: Hashable) -> None:
        """Add a key."""
        # With 24 bits an entry and four probes a full part gives six false positives in ten
        # thousand; each part is twice as large as the one before, so that there are few.
        if self._count * 24 >= len(self._bits) * 8:
            self._full.append(self._bits)
            self._bits = bytearray(2 * len(self._bits))
            self._count = 0
        bits = self._bits
        for place in _places(bits, key):
            bits[place >> 3] |= 1 << (place & 7)
        self._count += 1

    def may_hold(self, key: Hashable) -> bool:
        """Say whether the key may have been added; False is certain."""
        return _holds(self._bits, key) or any(_holds(bits, key) for bits in self._full)


async def find_answer(scope: str, request: Request, lookup: Lookup) -> bytes | None:
    """Give the stored answer of a request; Refused REQUEST_ID_REUSED where the content differs."""
    stored = await lookup(scope, request.caller, request.request_id)
    if stored is None:
        return None
    _require_same(request, stored.digest)
    return stored.body


def reused() -> Refused:
    """Build the refusal of a request id that was used with other content."""
    message = (
        "the request id was used for another request; repeat that one unchanged, or take a new id"
    )
    return refused(ServiceReason.REQUEST_ID_REUSED, message)


def digest_of(method: str, content: bytes) -> bytes:
    """Digest what a request asks: the method and the message's bytes."""
    return sha256(method.encode("ascii") + b"\n" + content).digest()


def _places(bits: bytearray, key: Hashable) -> tuple[int, int, int, int]:
    # Kept in memory alone, so Python's own keyed hash will do: two halves give four probes.
    value, last = hash(key), 8 * len(bits) - 1
    step = value >> 32 | 1
    return (
        value & last,
        value + step & last,
        value + 2 * step & last,
        value + 3 * step & last,
    )


def _holds(bits: bytearray, key: Hashable) -> bool:
    for place in _places(bits, key):  # noqa: SIM110 - each act asks, and this is twice as quick
        if not bits[place >> 3] >> (place & 7) & 1:
            return False
    return True


def _require_same(request: Request, digest: bytes) -> None:
    if request.digest != digest:
        raise reused()
