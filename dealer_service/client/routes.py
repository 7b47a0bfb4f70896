"""Which node a call goes to: the owner of its game, where a dealer has named one.

Dealers that share a store send a call to the node that deals the game (GAME_ELSEWHERE). From then
on the calls of that game go there, until that node is gone: then to an address that was configured,
the next one where that is gone, too. Every address is spoken to in one way: with the same
credentials, so that a node must show a certificate for the very name under which it was named; and
in the clear on loopback alone unless that is allowed, whoever names the address, since the token
goes along. There is one channel an address, while it is used; those of one process to one address
share a connection, as gRPC has it, but no more of them than that has room for.
"""

import asyncio
import re
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Final, TypeAlias

import grpc.aio

from cutcard.v1 import (
    fairness_pb2_grpc,
    operate_pb2_grpc,
    play_pb2_grpc,
    tournament_pb2_grpc,
)
from dealer_service.client.carried import CarriedPlay
from dealer_service.config import DEFAULT_ADDRESS, is_loopback

KEEPALIVE: Final = (
    # A node that is frozen answers no ping, and is left for another one.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    # A ping that is not answered by then ends the connection; otherwise that takes a minute more.
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),
    # A dealer that comes back is found again within a second or two.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)
NO_PROXY: Final = ("grpc.enable_http_proxy", 0)
"""In the clear: a proxy that the environment names would read the token and the cards."""

SHARING: Final = 200
"""So many callers of this process share a connection, on which a dealer takes 1,000 streams."""

MOST_GAMES: Final = 4_096
"""Of so many games the owner is remembered; of others it is asked for again."""

_ADDRESS = re.compile(
    r"(?P<host>[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):(?P<port>[0-9]{1,5})"
)
_MAX_PORT: Final = 65_535
_callers: Final = count()


Play: TypeAlias = play_pb2_grpc.PlayServiceStub | CarriedPlay
"""PlayService at a node: call by call, or all calls over one stream."""


class AddressError(ValueError):
    """An address that is none, or to which a token must not go; the text says which."""


class Link:
    """One node: its address, and its services on one channel."""

    __slots__ = ("_channel", "address", "fairness", "operate", "play", "tournaments", "users")

    def __init__(self, address: str, channel: grpc.aio.Channel, play: Play) -> None:
        self.address = address
        self.users = 0
        self._channel = channel
        self.play = play
        self.operate: operate_pb2_grpc.OperateServiceStub = operate_pb2_grpc.OperateServiceStub(
            channel
        )
        self.fairness: fairness_pb2_grpc.FairnessServiceStub = (
            fairness_pb2_grpc.FairnessServiceStub(channel)
        )

        self.tournaments: tournament_pb2_grpc.TournamentServiceStub = (
            tournament_pb2_grpc.TournamentServiceStub(channel)
        )

    async def close(self) -> None:
        """Close the channel; what runs on it breaks."""
        if isinstance(self.play, CarriedPlay):
            await self.play.close()
        await self._channel.close()


class Routes:
    """The nodes of one dealer, and which of them has which game.

    AddressError where an address that is given can not be used.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        credentials: grpc.ChannelCredentials | None = None,
        *,
        allow_plaintext: bool = False,
        play: Callable[[grpc.aio.Channel], Play] = play_pb2_grpc.PlayServiceStub,
    ) -> None:
        self._credentials = credentials
        self._play = play
        self._allow_plaintext = allow_plaintext
        if not addresses:
            message = "a dealer has one address at least"
            raise AddressError(message)
        for address in addresses:
            self._check(address)
        # Channels share a connection where all their options are the same.
        self._sharing = ("cutcard.sharing", next(_callers) // SHARING)
        self._addresses = tuple(addresses)
        self._first = 0
        self._links: dict[str, Link] = {}
        self._owners: OrderedDict[str, str] = OrderedDict()
        self._named: Counter[str] = Counter()
        self._waiting: dict[str, dict[asyncio.Future[None], str]] = {}

    @property
    def home(self) -> str:
        """The address for what is of no game, and of games whose owner was not named."""
        return self._addresses[self._first]

    def address(self, game: str) -> str:
        """Give where the calls of a game go."""
        return self._owners.get(game, self.home)

    @asynccontextmanager
    async def use(self, game: str = "") -> AsyncIterator[Link]:
        """Give the node for a game's calls, and keep its channel open meanwhile."""
        address = self.address(game)
        link = self._links.get(address)
        if link is None:
            channel = self._connect(address)
            link = self._links[address] = Link(address, channel, self._play(channel))
        link.users += 1
        try:
            yield link
        finally:
            link.users -= 1
            await self._close_unused()

    def name_owner(self, game: str, address: str) -> None:
        """Send the calls of a game to the node that a dealer named; AddressError."""
        self._check(address)
        if self._owners.get(game) != address:
            self._set(game, address)

    def go_on(self, game: str, successor: str) -> None:
        """Take it that the game which goes on from another is dealt by the same node."""
        owner = self._owners.get(game)
        if owner is not None and successor not in self._owners:
            self._set(successor, owner)

    def lost(self, game: str, address: str) -> None:
        """Learn that a node does not answer: the game's next call goes to another, if there is."""
        if self._owners.get(game) == address:
            self._forget(game)
        if address == self.home:
            self._first = (self._first + 1) % len(self._addresses)

    def moved(self, game: str, address: str) -> "asyncio.Future[None]":
        """Give what is done when another node is named for a game; cancel it when unused."""
        moved: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(game, {})[moved] = address
        moved.add_done_callback(lambda done: self._stop_waiting(game, done))
        return moved

    async def close(self) -> None:
        """Close every channel."""
        links, self._links = list(self._links.values()), {}
        for link in links:
            await link.close()

    def _connect(self, address: str) -> grpc.aio.Channel:
        options = (*KEEPALIVE, self._sharing)
        if self._credentials is None:
            return grpc.aio.insecure_channel(f"dns:///{address}", options=(*options, NO_PROXY))
        return grpc.aio.secure_channel(f"dns:///{address}", self._credentials, options=options)

    def _check(self, address: str) -> None:
        found = _ADDRESS.fullmatch(address)
        if found is None or int(found["port"]) > _MAX_PORT:
            message = f"{address[:300]!r} is no address: give HOST:PORT, such as {DEFAULT_ADDRESS}"
            raise AddressError(message)
        secure = self._credentials is not None or self._allow_plaintext
        if not secure and not is_loopback(found["host"].strip("[]")):
            message = f"{address} is not on loopback, and a token must not cross a network bare"
            raise AddressError(message)

    def _set(self, game: str, address: str) -> None:
        self._forget(game)
        self._owners[game] = address
        self._named[address] += 1
        if len(self._owners) > MOST_GAMES:
            self._forget(next(iter(self._owners)))
        for moved, left in tuple(self._waiting.get(game, {}).items()):
            if left != address and not moved.done():
                moved.set_result(None)

    def _forget(self, game: str) -> None:
        owner = self._owners.pop(game, None)
        if owner is not None:
            self._named[owner] -= 1

    def _stop_waiting(self, game: str, moved: "asyncio.Future[None]") -> None:
        waiting = self._waiting.get(game, {})
        waiting.pop(moved, None)
        if not waiting:
            self._waiting.pop(game, None)

    async def _close_unused(self) -> None:
        unused = [
            link
            for address, link in self._links.items()
            if not link.users and address != self.home and self._named[address] <= 0
        ]
        for link in unused:
            del self._links[link.address]
        for link in unused:
            await link.close()
