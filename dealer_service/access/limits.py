"""How much a caller may ask for: calls and bytes a second, streams at a time, and bad tokens.

Each limit is a bucket of two seconds' worth that empties at its rate: a burst is let through, a
stream of calls is held to the rate (the generic cell rate algorithm, ITU-T I.371: one number a
bucket, the time at which it will be empty). Calls that change a game have buckets of their own, so
that a player's reads never cost it its turn. All tokens of one name share one allowance; it lives
as long as a token of that name is remembered or a stream of it is open, which bounds how many there
are. Bad tokens are counted by the address that they come from.
"""

import ipaddress
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import ceil
from typing import Final
from weakref import WeakValueDictionary

from dealer_service.access.refusal import AccessRefusal, Reason
from dealer_service.config import Limits, Network

BURST_SECONDS: Final = 2.0
COUNTED_ADDRESSES: Final = 10_000

_ROUNDING: Final = 1e-6
"""What sums of floats may be wrong by, in seconds."""

_PEER: Final = re.compile(r"ipv[46]:(?:%5B|\[)?([0-9A-Fa-f.:]+?)(?:%[^\]]*?)?(?:%5D|\])?:[0-9]+")


class Allowance:
    """What one caller may still ask for; `tick` is in seconds of a clock that never goes back."""

    __slots__ = ("__weakref__", "_emptied", "_most_streams", "_per_byte", "_per_call", "streams")

    def __init__(self, limits: Limits) -> None:
        self.streams = 0
        self._most_streams = limits.streams
        self._per_call, self._per_byte = 1 / limits.calls, 1 / limits.bytes
        # When calls and bytes will have run out: of reads, then of changes.
        self._emptied = [0.0, 0.0, 0.0, 0.0]

    def take(self, tick: float, size: int, *, changes: bool) -> AccessRefusal | None:
        """Take one call of `size` bytes; a refusal, and nothing taken, where that is too much."""
        emptied = self._emptied
        place = 2 if changes else 0
        calls, count = emptied[place], emptied[place + 1]
        calls = max(calls, tick) + self._per_call
        # A request that alone is more than a burst passes a bucket that is empty.
        count = max(count, tick) + min(size * self._per_byte, BURST_SECONDS)
        over = max(calls, count) - tick - BURST_SECONDS
        if over > _ROUNDING:
            return rate_limited(over)
        emptied[place], emptied[place + 1] = calls, count
        return None

    def open_stream(self) -> AccessRefusal | None:
        """Count one more stream, which `close_stream` must end; a refusal where there are too many.

        Nothing is counted then.
        """
        most = self._most_streams
        if self.streams >= most:
            message = f"a caller may have {most} streams at a time: end one first"
            return AccessRefusal(Reason.TOO_MANY_STREAMS, message, (("streams", str(most)),))
        self.streams += 1
        return None

    def close_stream(self) -> None:
        """Count one stream less."""
        self.streams -= 1


class Allowances:
    """The allowance of each caller by its name, as long as somebody holds it."""

    __slots__ = ("_by_name", "_limits")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._by_name: WeakValueDictionary[str, Allowance] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._by_name)

    def of(self, name: str) -> Allowance:
        """Give a caller's allowance; the same one while it is held."""
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = Allowance(self._limits)
        return found


class BadTokens:
    """Counts bad tokens by the address that they come from; the oldest addresses are forgotten."""

    __slots__ = ("_bound", "_clock", "_emptied", "_rate")

    def __init__(
        self, rate: int, clock: Callable[[], float], *, bound: int = COUNTED_ADDRESSES
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._bound = bound
        self._emptied: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._emptied)

    def refuse(self, peer: str) -> AccessRefusal | None:
        """Refuse an address from which too many bad tokens came lately."""
        over = self._emptied.get(address_of(peer), 0.0) - self._clock() - BURST_SECONDS
        return rate_limited(over) if over > _ROUNDING else None

    def count(self, peer: str) -> None:
        """Count one."""
        address, tick = address_of(peer), self._clock()
        self._emptied[address] = max(self._emptied.get(address, 0.0), tick) + 1 / self._rate
        self._emptied.move_to_end(address)
        if len(self._emptied) > self._bound:
            self._emptied.popitem(last=False)


def origin_of(peer: str, forwarded: str | None, proxies: Sequence[Network]) -> str:
    """Give the peer that a call is of, in gRPC's form: who a proxy names, where one is trusted.

    `forwarded` is the header x-forwarded-for. Its last address is the proxy's own word; what stands
    before that is whatever the caller sent.
    """
    named = (forwarded or "").rpartition(",")[2].strip()
    if not named or not any(_is_in(peer, proxy) for proxy in proxies):
        return peer
    try:
        address = ipaddress.ip_address(named)
    except ValueError:
        return peer
    return f"ipv4:{address}:0" if address.version == 4 else f"ipv6:[{address}]:0"


def _is_in(peer: str, network: Network) -> bool:
    match = _PEER.fullmatch(peer)
    if match is None:
        return False
    try:
        address = ipaddress.ip_address(match[1])
    except ValueError:
        return False
    plain = getattr(address, "ipv4_mapped", None) or address
    return plain in network


def address_of(peer: str) -> str:
    """Give the address without its port of gRPC's "ipv4:A:PORT" or "ipv6:%5BA%5D:PORT".

    Of IPv6 that is the network of 64 bits: one host has all of its addresses.
    """
    match = _PEER.fullmatch(peer)
    if match is None:
        return peer
    try:
        address = ipaddress.ip_address(match[1])
    except ValueError:
        return peer
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((int(address), 64), strict=False))


def rate_limited(seconds: float) -> AccessRefusal:
    """Refuse a call that may be made again in so many seconds."""
    wait = max(1, ceil((seconds - _ROUNDING) * 1000))
    message = f"too much was asked for: call again in {wait} ms"
    return AccessRefusal(Reason.RATE_LIMITED, message, (("retry_after_ms", str(wait)),))
