"""TournamentService: what players, operators and whoever looks on call about tournaments."""

from collections.abc import Callable
from functools import partial
from typing import Final

from google.protobuf.message import Message

from cutcard.v1 import tournament_pb2
from dealer_service.access.roles import Caller
from dealer_service.rpc import convert_tournament as convert
from dealer_service.rpc.convert_structure import structure_of
from dealer_service.rpc.kept_rules import require_kept
from dealer_service.rpc.lobby import Lobbies
from dealer_service.rpc.play import request_of
from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament import directing, entering
from dealer_service.rules.tournament.entry import Share, TournamentEntry
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.store.api import LogHead, LogState, Store
from dealer_service.tables.floor import Floor
from dealer_service.tables.tournament.changes import Decide, Encode
from dealer_service.tables.tournament.tournament import Tournament

_PAGE: Final = 100
_STATES: Final = {
    "registering": LogState.OPEN,
    "running": LogState.OPEN,
    "break": LogState.OPEN,
    "stopped": LogState.PAUSED,
    "ending": LogState.CLOSED,
    "closed": LogState.REVEALED,
    "lost": LogState.LOST,
    "archived": LogState.ARCHIVED,
}
"""By the word for where a tournament is, the state of its log."""

Changes = Callable[[Tournament], Decide]


class Tournaments:
    """The calls of TournamentService, but for its stream."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._lobbies = Lobbies()

    async def open_tournament(
        self, caller: Caller, asked: tournament_pb2.OpenTournamentRequest
    ) -> bytes:
        """Open a tournament."""
        structure = structure_of(asked.structure)
        require_kept(structure.rules, self._floor.house, "structure.rules")
        request = request_of(caller, "OpenTournament", asked.request_id, asked)
        return await self._floor.open_tournament(
            request, structure, asked.reference, convert.encode_opened
        )

    async def list_tournaments(
        self, caller: Caller, asked: tournament_pb2.ListTournamentsRequest
    ) -> bytes:
        """List tournaments, a page at a time, in the order in which they were opened."""
        size = asked.page_size or _PAGE
        after = int(asked.page_token, 16) if asked.page_token else 0
        heads = await self._floor.house.read(
            partial(_page, state=asked.state, after=after, size=size + 1)
        )
        token = f"{heads[size - 1].number:032x}" if len(heads) > size else ""
        told = [convert.summary_message(head, keeps=caller.keeps) for head in heads[:size]]
        message = tournament_pb2.ListTournamentsResponse(tournaments=told, next_page_token=token)
        return message.SerializeToString()

    async def get_tournament(
        self, caller: Caller, asked: tournament_pb2.GetTournamentRequest
    ) -> bytes:
        """Show one tournament: the lobby."""
        state, size = await self._floor.tournament_state(asked.tournament)
        running = self._floor.running_tournament(asked.tournament)
        return self._lobbies.write(
            state,
            size,
            reference=await self._reference(caller, asked.tournament, running),
            deal=running.deal if running is not None else None,
        )

    async def register(self, caller: Caller, asked: tournament_pb2.RegisterRequest) -> bytes:
        """Enter, or enter again; where it is full, in a house player's place at a hand's end."""
        decide = partial(
            entering.register,
            player=caller.name,
            anchors=asked.anchors,
            house=caller.is_house,
            accepts_reveal=asked.accepts_reveal,
        )
        return await self._change(
            caller,
            asked,
            lambda _: decide,
            lambda _entries, state, size: convert.encode_registered(caller.name, state, size),
            reference=asked.reference,
        )

    async def withdraw(self, caller: Caller, asked: tournament_pb2.WithdrawRequest) -> bytes:
        """Take a registration back."""
        return await self._change(
            caller,
            asked,
            lambda _: partial(entering.withdraw, player=caller.name),
            _size(tournament_pb2.WithdrawResponse),
            reference=asked.reference,
        )

    async def rebuy(self, caller: Caller, asked: tournament_pb2.RebuyRequest) -> bytes:
        """Buy chips again, between hands."""
        return await self._change(
            caller,
            asked,
            lambda _: partial(entering.rebuy, player=caller.name),
            _stack(tournament_pb2.RebuyResponse, caller.name),
            reference=asked.reference,
        )

    async def decline_rebuy(
        self, caller: Caller, asked: tournament_pb2.DeclineRebuyRequest
    ) -> bytes:
        """Buy none, having no chips."""
        return await self._change(
            caller,
            asked,
            lambda _: partial(entering.decline_rebuy, player=caller.name),
            _size(tournament_pb2.DeclineRebuyResponse),
        )

    async def add_on(self, caller: Caller, asked: tournament_pb2.AddOnRequest) -> bytes:
        """Buy the add-on, in its break."""
        return await self._change(
            caller,
            asked,
            lambda _: partial(entering.add_on, player=caller.name),
            _stack(tournament_pb2.AddOnResponse, caller.name),
            reference=asked.reference,
        )

    async def propose_deal(self, caller: Caller, asked: tournament_pb2.ProposeDealRequest) -> bytes:
        """Propose a deal; a player agrees to what it proposes."""
        shares, name = convert.shares_of(asked.shares), caller.name if caller.plays else ""

        def encode(_entries: object, _state: TournamentState, _size: int) -> bytes:
            deal = convert.deal_message(shares, asked.left, [name] if name else [])
            return tournament_pb2.ProposeDealResponse(deal=deal).SerializeToString()

        return await self._change(
            caller, asked, lambda one: one.proposing(name, shares, asked.left), encode
        )

    async def agree_to_deal(
        self, caller: Caller, asked: tournament_pb2.AgreeToDealRequest
    ) -> bytes:
        """Agree to the deal that is proposed; the last agreement makes it."""
        shares = convert.shares_of(asked.shares)

        def encode(
            entries: tuple[TournamentEntry, ...], _state: TournamentState, size: int
        ) -> bytes:
            agreed = self._agreed(asked.tournament, shares, made=bool(entries))
            return tournament_pb2.AgreeToDealResponse(
                deal=convert.deal_message(shares, asked.left, agreed),
                made=bool(entries),
                size=size,
            ).SerializeToString()

        return await self._change(
            caller, asked, lambda one: one.agreeing(caller.name, shares, asked.left), encode
        )

    async def stop_tournament(
        self, caller: Caller, asked: tournament_pb2.StopTournamentRequest
    ) -> bytes:
        """Start no hand any more, and stop the clocks."""
        return await self._change(
            caller,
            asked,
            lambda _: directing.stop,
            _size(tournament_pb2.StopTournamentResponse),
        )

    async def resume_tournament(
        self, caller: Caller, asked: tournament_pb2.ResumeTournamentRequest
    ) -> bytes:
        """Go on after a stop."""
        return await self._change(
            caller,
            asked,
            lambda _: directing.resume,
            _size(tournament_pb2.ResumeTournamentResponse),
        )

    async def cancel_tournament(
        self, caller: Caller, asked: tournament_pb2.CancelTournamentRequest
    ) -> bytes:
        """Cancel a tournament that has not started, or is stopped between hands."""
        return await self._change(
            caller,
            asked,
            lambda one: one.cancelling(),
            _size(tournament_pb2.CancelTournamentResponse),
            waits=lambda _: False,
        )

    async def disqualify(self, caller: Caller, asked: tournament_pb2.DisqualifyRequest) -> bytes:
        """Take a player out with its chips, between hands of its table."""
        return await self._change(
            caller,
            asked,
            lambda _: partial(directing.disqualify, player=asked.player),
            _size(tournament_pb2.DisqualifyResponse),
            reference=asked.reference,
        )

    async def _change(  # noqa: PLR0913 - what a change is made of
        self,
        caller: Caller,
        asked: Message,
        decide: Changes,
        encode: Encode,
        *,
        reference: str = "",
        waits: Callable[[Refusal], bool] = entering.waits_for_hand,
    ) -> bytes:
        method = type(asked).DESCRIPTOR.name.removesuffix("Request")
        tournament, request_id = asked.tournament, asked.request_id  # type: ignore[attr-defined]
        return await self._floor.change_tournament(
            tournament,
            request_of(caller, method, request_id, asked),
            decide,
            encode,
            reference=reference,
            waits=waits,
        )

    def _agreed(self, tournament: str, shares: tuple[Share, ...], *, made: bool) -> frozenset[str]:
        """Say who has agreed to the deal that stands: everybody, where it is made."""
        if made:
            return frozenset(one.player for one in shares)
        running = self._floor.running_tournament(tournament)
        deal = running.deal if running is not None else None
        return deal.agreed if deal is not None else frozenset()

    async def _reference(self, caller: Caller, tournament: str, running: Tournament | None) -> str:
        """Give the operator's reference, to those alone who keep the books."""
        if not caller.keeps:
            return ""
        if running is not None:
            return running.reference
        return convert.reference_of(await self._floor.house.head(tournament))


def _size(message: type[Message]) -> Encode:
    """Answer a call with the size of the log alone."""
    return lambda _entries, _state, size: message(size=size).SerializeToString()


def _stack(message: type[Message], player: str) -> Encode:
    """Answer a call with a player's chips."""
    return lambda _entries, state, size: message(
        stack=convert.stack_of(player, state), size=size
    ).SerializeToString()


def _page(store: Store, *, state: str, after: int, size: int) -> tuple[LogHead, ...]:
    """Give the heads of up to `size` tournaments behind a number, in one state if it is named."""
    found: list[LogHead] = []
    while len(found) < size:
        heads = store.heads(state=_STATES.get(state), tournaments=True, after=after, limit=size)
        found += [one for one in heads if not state or convert.summary_state(one) == state]
        if len(heads) < size:
            break
        after = heads[-1].number
    return tuple(found[:size])
