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

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc

from cutcard.v1 import fairness_pb2, play_pb2
from dealer_service.client.bearer import Bearer, TokenSource
from dealer_service.client.calls import Caller, Surroundings
from dealer_service.client.contest import Contest
from dealer_service.client.disk import on_disk
from dealer_service.client.files import GameFiles
from dealer_service.client.game_file import download
from dealer_service.client.lines import read_line
from dealer_service.client.log_proof import LogProof, fetch_log_proof
from dealer_service.client.operator import Operator
from dealer_service.client.routes import Routes
from dealer_service.client.seat import Seat, Spectator
from dealer_service.client.sent import SeatAsked
from dealer_service.client.taking import Taking
from dealer_service.client.tournament_following import TournamentFollower, follow_tournament
from dealer_service.client.tournaments import Tournaments
from dealer_service.client.verifier import Watched
from dealer_service.transcript.note import NoteKey, parse_vkey
from dealer_service.transcript.noted import Stage


class Dealer:
    """One dealer under one caller's token, on however many nodes; use it as an async context."""

    def __init__(
        self, caller: Caller, key: str, close: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Begin; `close` ends its connections, where these are not its own alone."""
        self.player = caller.bearer.name
        self.operator = Operator(caller)
        self.tournaments = Tournaments(caller)
        self._caller = caller
        self._key: NoteKey | None = parse_vkey(key) if key else None
        self._close = close or caller.routes.close
        self._open: list[Seat | Spectator | Contest | TournamentFollower] = []

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
    ) -> "Dealer":
        """Connect to "host:port", or to the first of several that answers.

        It goes over TLS with credentials, else in the clear: with `allow_plaintext` also to
        addresses that are not on loopback. The same holds of every node that one of these names
        as a game's owner. A token that is read from a file or a function is read again when it is
        not taken any more. `key` is the verifier key that the player trusts; without one the
        dealer's own word is taken, and kept in the record of each game from then on. ValueError
        for a token that names nobody, or an address that can not be used; OSError for a file.
        """
        addresses = [address] if isinstance(address, str) else list(address)
        routes = Routes(addresses, credentials, allow_plaintext=allow_plaintext)
        return cls(Caller(surroundings or Surroundings(), Bearer(token), routes), key)

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
        """Stop following all games, without leaving any seat, and close all connections."""
        for each in self._open:
            await each.close()
        await self._close()

    async def key(self) -> NoteKey:
        """Give the verifier key that all checkpoints are held against."""
        if self._key is None:
            request = fairness_pb2.GetKeyRequest()
            answer = await self._caller.call(lambda at: at.fairness.GetKey, request)
            self._key = parse_vkey(answer.key)
        return self._key

    async def table(self, game: str) -> play_pb2.GetTableResponse:
        """Ask for the table as the dealer tells it; nothing of it is proved."""
        request = play_pb2.GetTableRequest(game=game)
        return await self._caller.call(lambda at: at.play.GetTable, request)

    async def rules(self, game: str) -> dict[str, Any]:
        """Ask for a game's rule set (PROTOCOL.md 6.1)."""
        request = fairness_pb2.ListEntriesRequest(game=game, limit=1)
        answer = await self._caller.call(lambda at: at.fairness.ListEntries, request)
        rules = read_line(0, answer.lines[0]).body["rules"]
        assert isinstance(rules, dict)
        return rules

    async def download(self, game: str, path: Path) -> int:
        """Write the game file to `path`, whole or not at all, and give its size in bytes."""
        return await download(self._caller, game, path)

    async def log_proof(
        self, game: str, stage: Stage, hand: int = 0, *, wait: float = 0.0
    ) -> LogProof:
        """Have it proved that the dealer's log tells of a stage of a game, or of a hand of it.

        Who follows the game asks its Seat or Spectator, which knows what the line must say. A line
        that is still to come is asked for again for `wait` seconds. CallRefusedError where the log
        has no such line, LogProofError where it is not proved.
        """
        return await fetch_log_proof(self._caller, await self.key(), (game, hand, stage), wait)

    async def watch(self, game: str, directory: Path | None = None) -> "Spectator":
        """Watch a game without a seat; evidence of a breach goes to `directory`."""
        around = self._caller.surroundings
        joined, slept = around.monotonic(), around.slept()
        table = await self.table(game)
        watched = Watched(game, await self.key(), None, joined, table.size, slept=slept)
        spectator = Spectator(self._caller, watched, directory)
        self._open.append(spectator)
        return spectator

    async def follow_tournament(
        self, tournament: str, directory: Path | None = None
    ) -> TournamentFollower:
        """Follow a tournament's log, verified; evidence of a breach goes to `directory`.

        Several players of one process may share it. CallRefusedError where there is none.
        """
        key = await self.key()
        follower = await follow_tournament(self._caller, key, tournament, directory)
        self._open.append(follower)
        return follower

    async def enter(
        self,
        tournament: str,
        *,
        directory: Path,
        links: bool = True,
        reference: str = "",
        follower: TournamentFollower | None = None,
    ) -> Contest:
        """Register with a tournament, unless the player is in it, and play in it.

        Without `links` the player adds no randomness. `follower` is one to share, of any dealer
        object of this process. A program that was killed enters again with the same folder and goes
        on. CallRefusedError when the dealer refuses.
        """
        key = await self.key()
        shared = follower or await self.follow_tournament(tournament, directory)
        view = await shared.until_caught_up()
        me = view.players.get(self.player)
        since = 0
        if me is None or not me.is_in:
            entered = await self.tournaments.register(
                tournament, anchors=links, reference=reference
            )
            since = entered.size
        contest = Contest(self._caller, shared, key, directory, since=since)
        self._open.append(contest)
        return contest

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
        around = self._caller.surroundings
        joined, slept = around.monotonic(), around.slept()
        table = await self.table(game)
        files = await on_disk(GameFiles, directory, key, game, self.player, undo=GameFiles.close)
        try:
            taking = Taking(self._caller, files, game)
            wanted = SeatAsked("", seat, stack, "", reference)
            hands = rules["max_hands"] if links else 0
            await taking.take(table.my_seat, wanted, hands=hands)
        except BaseException:
            files.close()
            raise
        watched = Watched(game, key, self.player, joined, table.size, slept=slept)
        seated = Seat(self._caller, watched, files, directory, links=links)
        self._open.append(seated)
        return seated
