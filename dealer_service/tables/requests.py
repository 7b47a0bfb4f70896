"""Every change bears a request id: the same again has the same answer and no second effect.

Requests under way and the latest answers are kept in memory; older ones are asked of the store,
and a filter of what was ever answered saves that look-up for ids that are new (a false positive
costs one look-up, never an answer). The store itself holds each answer with its effect, in one
unit.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class _Known:
    digest: bytes
    answer: "asyncio.Future[bytes]" = field(repr=False)


class Requests:
    """The requests of one scope (a game, or the dealer as a whole)."""

    __slots__ = ("_filter", "_known", "_lookup", "scope")

    def __init__(self, scope: str, lookup: Lookup) -> None:
        self.scope = scope
        self._lookup = lookup
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._filter = Filter()

    def note(self, caller: str, request_id: str) -> None:
        """Remember that the store holds an answer under this id."""
        self._filter.add(f"{caller} {request_id}")

    async def repeated(self, request: Request) -> bytes | None:
        """Give the answer of a request that was made before; None for a new one.

        Waits for a request under way. Refused REQUEST_ID_REUSED where the content differs.
        """
        known = self._known.get(request.key)
        if known is None and self._filter.may_hold(f"{request.caller} {request.request_id}"):
            body = await find_answer(self.scope, request, self._lookup)
            if body is not None:
                return body
            known = self._known.get(request.key)
        if known is None:
            return None
        _require_same(request, known.digest)
        return await asyncio.shield(known.answer)

    def begin(self, request: Request) -> "asyncio.Future[bytes]":
        """Note a new request as under way; its answer is set on the future that is given."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        # Nobody may be waiting when the caller has gone; then a refusal is nobody's to hear.
        answer.add_done_callback(_retrieve)
        self._known[request.key] = _Known(request.digest, answer)
        return answer

    def forget(self, request: Request) -> None:
        """Let go of a request that was refused: it may be asked again."""
        self._known.pop(request.key, None)

    def abandon(self, refusal: Refused) -> None:
        """Let go of all that is under way: whoever waits is told why."""
        for known in self._known.values():
            if not known.answer.done():
                known.answer.set_exception(refusal)
        self._known.clear()

    def answered(self, request: Request) -> None:
        """Note that the answer is durable, and let go of the oldest ones."""
        self.note(*request.key)
        while len(self._known) > REMEMBERED:
            key, oldest = next(iter(self._known.items()))
            if not oldest.answer.done():
                break
            del self._known[key]


class Filter:
    """A Bloom filter that grows with its content: no false negatives, few false positives."""

    __slots__ = ("_bits", "_count", "_full")

    def __init__(self) -> None:
        self._full: list[bytearray] = []
        self._bits = bytearray(512)
        self._count = 0

    def add(self, text: str) -> None:
        """Add a text."""
        # With 24 bits an entry and four probes a full part gives six false positives in ten
        # thousand; each part is twice as large as the one before, so that there are few.
        if self._count * 24 >= len(self._bits) * 8:
            self._full.append(self._bits)
            self._bits = bytearray(2 * len(self._bits))
            self._count = 0
        for probe in _probes(text):
            place = probe % (len(self._bits) * 8)
            self._bits[place >> 3] |= 1 << (place & 7)
        self._count += 1

    def may_hold(self, text: str) -> bool:
        """Say whether the text may have been added; False is certain."""
        probes = _probes(text)
        return _holds(self._bits, probes) or any(_holds(bits, probes) for bits in self._full)


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


def _probes(text: str) -> tuple[int, ...]:
    # Kept in memory alone, so Python's own keyed hash will do: two halves give four probes.
    value = hash(text)
    first, step = value & 0xFFFF_FFFF, (value >> 32) & 0xFFFF_FFFF | 1
    return first, first + step, first + 2 * step, first + 3 * step


def _holds(bits: bytearray, probes: tuple[int, ...]) -> bool:
    size = len(bits) * 8
    for probe in probes:
        place = probe % size
        if not bits[place >> 3] >> (place & 7) & 1:
            return False
    return True


def _require_same(request: Request, digest: bytes) -> None:
    if request.digest != digest:
        raise reused()


def _retrieve(answer: "asyncio.Future[bytes]") -> None:
    if not answer.cancelled():
        answer.exception()
