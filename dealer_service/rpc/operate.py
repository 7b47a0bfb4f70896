"""OperateService: what an operator calls."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from functools import partial
from typing import Final

from cutcard.v1 import operate_pb2
from dealer_service.access.roles import Caller
from dealer_service.rpc import convert
from dealer_service.rpc.convert_rules import rules_of
from dealer_service.rpc.kept_rules import require_kept
from dealer_service.rpc.play import at_any_time, request_of, waits_for_end
from dealer_service.rules import closing, seating
from dealer_service.rules.entry import CloseReason, Entry, GameOpened, RuleSet
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.table_reason import TableReason
from dealer_service.rules.table_state import TableState
from dealer_service.store.api import LogHead, LogState, Store, StoredMovement
from dealer_service.tables.floor import Floor
from dealer_service.tables.house import House
from dealer_service.tables.lines import decode
from dealer_service.tables.refused import stopping
from dealer_service.tables.table import Decide, Table

_PAGE: Final = 100
_MOVEMENTS_AT_ONCE: Final = 256
_LOOK_SECONDS: Final = 0.1
"""The time between two looks for movements at the games of other dealers."""


class Operate:
    """The calls of an operator."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    async def open_game(self, caller: Caller, asked: operate_pb2.OpenGameRequest) -> bytes:
        """Open a game."""
        rules = rules_of(asked.rules)
        require_kept(rules, self._floor.house)
        request = request_of(caller, "OpenGame", asked.request_id, asked)
        return await self._floor.open_game(
            request, rules, asked.reference, convert.encode_game_opened
        )

    async def list_games(self, _caller: Caller, asked: operate_pb2.ListGamesRequest) -> bytes:
        """List games, a page at a time, in the order in which they were opened."""
        size = asked.page_size or _PAGE
        state = LogState(asked.state) if asked.state else None
        after = int(asked.page_token, 16) if asked.page_token else 0
        heads, rules = await self._floor.house.read(
            partial(_page, state=state, after=after, size=size + 1)
        )
        token = f"{heads[size - 1].number:032x}" if len(heads) > size else ""
        games = [convert.summary_message(head, rules.get(head.log)) for head in heads[:size]]
        message = operate_pb2.ListGamesResponse(games=games, next_page_token=token)
        return message.SerializeToString()

    async def get_game(self, _caller: Caller, asked: operate_pb2.GetGameRequest) -> bytes:
        """Show one game."""
        head = await self._floor.head(asked.game)
        rules = await self._floor.house.read(partial(_rules, log=head.log))
        summary = convert.summary_message(head, rules)
        return operate_pb2.GetGameResponse(summary=summary).SerializeToString()

    async def pause_game(self, caller: Caller, asked: operate_pb2.PauseGameRequest) -> bytes:
        """Open no hand until the game is resumed."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "PauseGame", asked.request_id, asked),
            at_any_time(seating.pause),
            convert.encode_size(operate_pb2.PauseGameResponse),
        )

    async def resume_game(self, caller: Caller, asked: operate_pb2.ResumeGameRequest) -> bytes:
        """Let hands open again."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "ResumeGame", asked.request_id, asked),
            at_any_time(seating.resume),
            convert.encode_size(operate_pb2.ResumeGameResponse),
        )

    async def close_game(self, caller: Caller, asked: operate_pb2.CloseGameRequest) -> bytes:
        """Close a game between hands, cash every seat out, and reveal."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "CloseGame", asked.request_id, asked),
            at_any_time(partial(closing.close_game, reason=CloseReason.OPERATOR)),
            convert.encode_size(operate_pb2.CloseGameResponse),
            reference=asked.reference,
            waits=waits_for_end,
        )

    async def void_hand(self, caller: Caller, asked: operate_pb2.VoidHandRequest) -> bytes:
        """End a hand before its deck is committed."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "VoidHand", asked.request_id, asked),
            partial(_void_hand, asked.hand),
            convert.encode_size(operate_pb2.VoidHandResponse),
        )

    async def remove_player(self, caller: Caller, asked: operate_pb2.RemovePlayerRequest) -> bytes:
        """Take a player from its seat."""
        return await self._floor.change(
            asked.game,
            request_of(caller, "RemovePlayer", asked.request_id, asked),
            at_any_time(partial(seating.remove_player, player=asked.player)),
            convert.encode_player_removed,
            reference=asked.reference,
        )

    async def follow_chips(
        self, _caller: Caller, asked: operate_pb2.FollowChipsRequest
    ) -> AsyncGenerator[bytes, None]:
        """Stream every movement of chips behind a cursor."""
        house = self._floor.house
        after = asked.after
        while True:
            seen = house.chips.count
            moved = await house.read(partial(_movements, after=after))
            for stored in moved:
                yield convert.movement_message(stored).SerializeToString()
                after = stored.cursor
            if moved:
                continue
            if asked.stop_at_end:
                return
            if house.chips.is_over:
                raise stopping()
            await _news(house, seen)


def _void_hand(hand: int, table: Table) -> Decide:
    def decide(state: TableState, at: int) -> tuple[Entry, ...] | Refusal:
        of = state.rules.tournament
        if of is not None:
            message = f"this is table {of.table} of a tournament: stop that to start no hand here"
            return Refusal(TableReason.TOURNAMENT_TABLE, message, {"table": of.table})
        return table.dealing.void_by_operator(state, at, hand)

    return decide


async def _news(house: House, seen: int) -> None:
    """Return when chips may have moved; those of other dealers are looked for."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LOOK_SECONDS if house.is_shared else None):
            await house.chips.after(seen)


def _movements(store: Store, *, after: int) -> tuple[StoredMovement, ...]:
    return store.movements(after, _MOVEMENTS_AT_ONCE)


def _page(
    store: Store, *, state: LogState | None, after: int, size: int
) -> tuple[tuple[LogHead, ...], dict[str, RuleSet]]:
    heads = store.heads(state=state, after=after, limit=size)
    rules = {head.log: found for head in heads if (found := _rules(store, log=head.log))}
    return heads, rules


def _rules(store: Store, *, log: str) -> RuleSet | None:
    """Give a game's rules from its first line; None where that is lost."""
    for line in store.lines(log, 0, 1):
        _, opened = decode(line)
        if isinstance(opened, GameOpened):
            return opened.rules
    return None
