"""The dealer as a player's program sees it: sit down, hear what happens, act.

    async with Dealer.connect("127.0.0.1:50051", token) as dealer:
        async with await dealer.sit(game, stack=1000, directory=folder) as seat:
            async for event in seat:
                if isinstance(event, MyTurn):
                    await seat.act(Act.CALL if event.decision.call else Act.CHECK)

Links, anchors, reconnecting, following the game into the next one and refusing a dealer that
breaks the protocol happen by themselves. A program that was killed sits down again with the same
folder and goes on in the same seat.
"""

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc
import grpc.aio
import jwt

from cutcard.v1 import fairness_pb2, fairness_pb2_grpc, play_pb2, play_pb2_grpc
from dealer_service.client.calls import KEEPALIVE, Caller, Surroundings
from dealer_service.client.disk import on_disk
from dealer_service.client.files import GameFiles
from dealer_service.client.game_file import download
from dealer_service.client.lines import read_line
from dealer_service.client.operator import Operator
from dealer_service.client.seat import Seat, Spectator
from dealer_service.client.sent import SeatAsked
from dealer_service.client.taking import Taking
from dealer_service.client.verifier import Watched
from dealer_service.transcript.note import NoteKey, parse_vkey


class Dealer:
    """A connection to one dealer under one token; use it as an async context."""

    def __init__(self, channel: grpc.aio.Channel, caller: Caller, player: str, key: str) -> None:
        self.player = player
        self.operator = Operator(channel, caller)
        self._channel = channel
        self._caller = caller
        self._play: play_pb2_grpc.PlayServiceStub = play_pb2_grpc.PlayServiceStub(channel)
        self._fairness: fairness_pb2_grpc.FairnessServiceStub = (
            fairness_pb2_grpc.FairnessServiceStub(channel)
        )
        self._key: NoteKey | None = parse_vkey(key) if key else None
        self._open: list[Seat | Spectator] = []

    @classmethod
    def connect(
        cls,
        address: str,
        token: str,
        *,
        key: str = "",
        credentials: grpc.ChannelCredentials | None = None,
        surroundings: Surroundings | None = None,
    ) -> "Dealer":
        """Connect to "host:port": over TLS with credentials, else in the clear.

        `key` is the verifier key that the player trusts; without one the dealer's own word is
        taken, and kept in the record of each game from then on. ValueError for a token that
        names nobody.
        """
        around = surroundings or Surroundings()
        if credentials is None:
            channel = grpc.aio.insecure_channel(address, options=KEEPALIVE)
        else:
            channel = grpc.aio.secure_channel(address, credentials, options=KEEPALIVE)
        return cls(channel, Caller(around, token), _subject(token), key)

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
        """Stop following all games, without leaving any seat, and close the connection."""
        for each in self._open:
            await each.close()
        await self._channel.close()

    async def key(self) -> NoteKey:
        """Give the verifier key that all checkpoints are held against."""
        if self._key is None:
            answer = await self._caller.call(self._fairness.GetKey, fairness_pb2.GetKeyRequest())
            self._key = parse_vkey(answer.key)
        return self._key

    async def table(self, game: str) -> play_pb2.GetTableResponse:
        """Ask for the table as the dealer tells it; nothing of it is proved."""
        request = play_pb2.GetTableRequest(game=game)
        return await self._caller.call(self._play.GetTable, request)

    async def rules(self, game: str) -> dict[str, Any]:
        """Ask for a game's rule set (PROTOCOL.md 6.1)."""
        request = fairness_pb2.ListEntriesRequest(game=game, limit=1)
        answer = await self._caller.call(self._fairness.ListEntries, request)
        rules = read_line(0, answer.lines[0]).body["rules"]
        assert isinstance(rules, dict)
        return rules

    async def download(self, game: str, path: Path) -> int:
        """Write the game file to `path`, whole or not at all, and give its size in bytes."""
        return await download(self._fairness, self._caller, game, path)

    async def watch(self, game: str) -> "Spectator":
        """Watch a game without a seat."""
        joined = self._caller.surroundings.monotonic()
        table = await self.table(game)
        watched = Watched(game, await self.key(), None, joined, table.size)
        spectator = Spectator(self._play, self._caller, watched)
        self._open.append(spectator)
        return spectator

    async def sit(  # noqa: PLR0913 - what a seat is taken with
        self,
        game: str,
        *,
        stack: int,
        directory: Path,
        seat: int = 0,
        links: bool = True,
        reference: str = "",
    ) -> "Seat":
        """Take a seat (0: the lowest free one), or go on in the one that `directory` tells of.

        Without `links` the player adds no randomness. Sitting accepts that every card of every
        hand can be derived when the game has closed. CallRefusedError when the dealer refuses,
        FileError when the folder's files do not fit.
        """
        key, rules = await self.key(), await self.rules(game)
        joined = self._caller.surroundings.monotonic()
        table = await self.table(game)
        files = await on_disk(GameFiles, directory, key, game, self.player, undo=GameFiles.close)
        try:
            taking = Taking(self._play, self._caller, files, game)
            wanted = SeatAsked("", seat, stack, "", reference)
            hands = rules["max_hands"] if links else 0
            await taking.take(table.my_seat, wanted, hands=hands)
        except BaseException:
            files.close()
            raise
        watched = Watched(game, key, self.player, joined, table.size)
        seated = Seat(self._play, self._caller, watched, files, directory, links=links)
        self._open.append(seated)
        return seated


def _subject(token: str) -> str:
    """Read whom a token is for; the dealer verifies it."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError:
        claims = {}
    subject = claims.get("sub")
    if not isinstance(subject, str) or not subject:
        message = "the token is not a JWT that names its subject"
        raise ValueError(message)
    return subject
