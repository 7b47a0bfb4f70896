"""What an operator calls, typed: games from opening to closing, and the movements of chips.

Each change draws a request id of its own, unless the caller gives one to make it repeatable
across restarts of its own.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import grpc.aio

from cutcard.v1 import entry_pb2, operate_pb2
from dealer_service.client.calls import Caller, Failed, Tries, header

_HAND_SECONDS: Final = 1800.0


@dataclass(frozen=True, slots=True)
class OpenedGame:
    """A game that was opened, with its whole rule set."""

    game: str
    rules: entry_pb2.RuleSet


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game as the dealer lists it; `signed_size` is above `size` only for a lost log."""

    game: str
    state: str
    size: int
    signed_size: int
    hands: int
    players: int
    opened_at: int
    previous: str
    next: str
    reference: str
    rules: entry_pb2.RuleSet
    tournament: str


@dataclass(frozen=True, slots=True)
class ChipMovement:
    """One movement of chips between a wallet and a table, or from a game to the next.

    Settle it, then keep its cursor: following from there, each movement comes exactly once.
    """

    cursor: int
    at: int
    game: str
    index: int
    what: str
    player: str
    seat: int
    amount: int
    reference: str


class Operator:
    """The operator's calls."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def open_game(
        self,
        rules: entry_pb2.RuleSet | None = None,
        *,
        reference: str = "",
        request_id: str = "",
    ) -> OpenedGame:
        """Open a cash game; fields of the rules left at zero or empty get the dealer's defaults."""
        request = operate_pb2.OpenGameRequest(
            request_id=self._id(request_id),
            rules=rules or entry_pb2.RuleSet(),
            reference=reference,
        )
        answer = await self._caller.call(lambda at: at.operate.OpenGame, request)
        return OpenedGame(answer.game, answer.rules)

    async def list_games(self, state: str = "") -> AsyncIterator[GameSummary]:
        """List all games, or those in one state, page by page."""
        token = ""
        while True:
            request = operate_pb2.ListGamesRequest(state=state, page_token=token)
            answer = await self._caller.call(lambda at: at.operate.ListGames, request)
            for game in answer.games:
                yield _summary(game)
            token = answer.next_page_token
            if not token:
                return

    async def get_game(self, game: str) -> GameSummary:
        """Give one game."""
        request = operate_pb2.GetGameRequest(game=game)
        return _summary((await self._caller.call(lambda at: at.operate.GetGame, request)).summary)

    async def pause(self, game: str, *, request_id: str = "") -> None:
        """Let no hand open until the game is resumed."""
        request = operate_pb2.PauseGameRequest(request_id=self._id(request_id), game=game)
        await self._caller.call(lambda at: at.operate.PauseGame, request)

    async def resume(self, game: str, *, request_id: str = "") -> None:
        """Let hands open again."""
        request = operate_pb2.ResumeGameRequest(request_id=self._id(request_id), game=game)
        await self._caller.call(lambda at: at.operate.ResumeGame, request)

    async def close(self, game: str, *, reference: str = "", request_id: str = "") -> int:
        """Close a game, when its open hand has ended, and give the size of its log."""
        request = operate_pb2.CloseGameRequest(
            request_id=self._id(request_id), game=game, reference=reference
        )
        answer = await self._caller.call(
            lambda at: at.operate.CloseGame, request, total=_HAND_SECONDS
        )
        return answer.size

    async def void_hand(self, game: str, hand: int, *, request_id: str = "") -> None:
        """End an open hand whose deck is not committed; a game has two such ends at most."""
        request = operate_pb2.VoidHandRequest(request_id=self._id(request_id), game=game, hand=hand)
        await self._caller.call(lambda at: at.operate.VoidHand, request)

    async def remove_player(
        self, game: str, player: str, *, reference: str = "", request_id: str = ""
    ) -> int | None:
        """Take a player from its seat and give the chips that left; None when a hand is open."""
        request = operate_pb2.RemovePlayerRequest(
            request_id=self._id(request_id), game=game, player=player, reference=reference
        )
        answer = await self._caller.call(lambda at: at.operate.RemovePlayer, request)
        return answer.stack if answer.HasField("stack") else None

    async def follow_chips(
        self, after: int = 0, *, stop_at_end: bool = False
    ) -> AsyncIterator[ChipMovement]:
        """Give every movement of chips behind a cursor, and reconnect from the last one given."""
        caller = self._caller
        tries = Tries(caller, "", None)
        while True:
            request = operate_pb2.FollowChipsRequest(after=after, stop_at_end=stop_at_end)
            token = caller.bearer.token
            async with caller.routes.use() as link:
                stream = link.operate.FollowChips(request, metadata=header(token))
                try:
                    async for answer in stream:
                        tries.succeeded()
                        after = answer.cursor
                        yield _movement(answer)
                    if stop_at_end:
                        return
                    wait = tries.next_wait()
                except grpc.aio.AioRpcError as error:
                    wait = await tries.judge(Failed(error, link.address, token))
                finally:
                    stream.cancel()
            await caller.surroundings.sleep(wait)

    def _id(self, given: str) -> str:
        return given or self._caller.surroundings.request_id()


def _summary(game: operate_pb2.GameSummary) -> GameSummary:
    return GameSummary(
        game=game.game,
        state=game.state,
        size=game.size,
        signed_size=game.signed_size,
        hands=game.hands,
        players=game.players,
        opened_at=game.opened_at,
        previous=game.previous,
        next=game.next,
        reference=game.reference,
        rules=game.rules,
        tournament=game.tournament,
    )


def _movement(answer: operate_pb2.FollowChipsResponse) -> ChipMovement:
    return ChipMovement(
        cursor=answer.cursor,
        at=answer.at,
        game=answer.game,
        index=answer.index,
        what=answer.what,
        player=answer.player,
        seat=answer.seat,
        amount=answer.amount,
        reference=answer.reference,
    )
