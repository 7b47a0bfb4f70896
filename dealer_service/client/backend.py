"""A dealer as a backend of many players sees it: all that they call goes over one stream a node.

    async with Backend.connect("127.0.0.1:50051", own_token) as backend:
        ann, ben = backend.player(ann_token), backend.player(ben_token)
        async with await ann.sit(game, stack=1000, directory=folder) as seat:
            ...

Each player is a `Dealer` as any, with its own token, record and chain. The way is shared, and so
is what was told of where each game is.
"""

from collections.abc import Sequence
from functools import partial
from types import TracebackType
from typing import Self

import grpc

from dealer_service.client.bearer import Bearer, TokenSource
from dealer_service.client.calls import Caller, Surroundings
from dealer_service.client.carried import CarriedPlay
from dealer_service.client.routes import Routes
from dealer_service.client.session import Dealer


class Backend:
    """One way to a dealer, on however many nodes, for many players; use it as an async context."""

    def __init__(self, surroundings: Surroundings, routes: Routes, key: str) -> None:
        self._surroundings, self._routes, self._key = surroundings, routes, key
        self._players: set[Dealer] = set()

    @classmethod
    def connect(  # noqa: PLR0913 - how a dealer is reached, and what of it is trusted
        cls,
        address: str | Sequence[str],
        token: TokenSource,
        *,
        key: str = "",
        credentials: grpc.ChannelCredentials | None = None,
        allow_plaintext: bool = False,
        surroundings: Surroundings | None = None,
    ) -> "Backend":
        """Connect as `Dealer.connect` does.

        The token, of any role, is the backend's own: it opens the streams and asks for nothing.
        One that is read from a file or a function is read again before it expires. ValueError and
        OSError as there.
        """
        addresses = [address] if isinstance(address, str) else list(address)
        around, bearer = surroundings or Surroundings(), Bearer(token)
        play = partial(CarriedPlay, bearer=bearer, wall=around.wall)
        routes = Routes(addresses, credentials, allow_plaintext=allow_plaintext, play=play)
        return cls(around, routes, key)

    def player(self, token: TokenSource) -> Dealer:
        """Give a player's own view of the dealer; closing it leaves the backend as it is.

        ValueError for a token that names nobody, OSError for a file.
        """
        caller = Caller(self._surroundings, Bearer(token), self._routes)
        player = Dealer(caller, self._key, lambda: self._forget(player))
        self._players.add(player)
        return player

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop following all games of all players, and close all connections."""
        for player in tuple(self._players):
            await player.close()
        await self._routes.close()

    async def _forget(self, player: Dealer) -> None:
        self._players.discard(player)
