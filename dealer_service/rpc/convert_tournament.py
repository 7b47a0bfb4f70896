"""From a tournament's values to the messages of the contract: lists, the lobby, and answers."""

from collections.abc import Iterable
from typing import Final

from cutcard.v1 import tournament_entry_pb2, tournament_pb2
from dealer_service.rpc.convert_structure import structure_message
from dealer_service.rules.tournament.directing import still_to_win
from dealer_service.rules.tournament.entry import Share, Structure
from dealer_service.rules.tournament.state import (
    Entrant,
    Phase,
    Standing,
    Table,
    TournamentState,
    clock_ends_at,
)
from dealer_service.store.api import LogHead, LogState
from dealer_service.tables.tournament.facts import phase_word, read_tournament_meta

_GONE: Final = frozenset({LogState.LOST, LogState.ARCHIVED})
_OUT: Final = frozenset({Standing.BUSTED, Standing.OUT})


def encode_opened(tournament: str, structure: Structure, size: int) -> bytes:
    """Answer OpenTournament."""
    return tournament_pb2.OpenTournamentResponse(
        tournament=tournament, structure=structure_message(structure), size=size
    ).SerializeToString()


def encode_registered(player: str, state: TournamentState, size: int) -> bytes:
    """Answer Register."""
    entrant = state.entrants[player].entrant
    return tournament_pb2.RegisterResponse(entrant=entrant, size=size).SerializeToString()


def stack_of(player: str, state: TournamentState) -> int:
    """Give the chips of a player that sits."""
    one = state.entrants[player]
    return state.tables[one.table].seats[one.seat].stack


def summary_state(head: LogHead) -> str:
    """Say in one word where a tournament is, as lists do."""
    if head.facts.state in _GONE:
        return str(head.facts.state)
    return read_tournament_meta(head.facts.meta).state


def summary_message(head: LogHead, *, keeps: bool) -> tournament_pb2.TournamentSummary:
    """Write what lists show of a tournament; its reference to those alone who keep the books."""
    meta = read_tournament_meta(head.facts.meta)
    return tournament_pb2.TournamentSummary(
        tournament=head.log,
        name=meta.name,
        state=summary_state(head),
        players=meta.players,
        players_in=meta.players_in,
        players_max=meta.players_max,
        tables=meta.tables,
        level=meta.level,
        opened_at=head.facts.opened_at,
        size=head.next_index,
        reference=meta.reference if keeps else "",
    )


def reference_of(head: LogHead) -> str:
    """Give the operator's own reference of a tournament."""
    return read_tournament_meta(head.facts.meta).reference


def lobby_message(
    state: TournamentState,
    size: int,
    *,
    reference: str,
    deal: tournament_pb2.DealProposal | None,
) -> tournament_pb2.GetTournamentResponse:
    """Write a tournament as everybody may see it, but for its players."""
    structure = state.structure
    tables = state.open_tables
    summary = tournament_pb2.TournamentSummary(
        tournament=state.opened.tournament,
        name=structure.name,
        state=phase_word(state),
        players=state.players,
        players_in=state.players_in,
        players_max=structure.players_max,
        tables=len(tables),
        level=state.level,
        opened_at=state.opened_at,
        size=size,
        reference=reference,
    )
    return tournament_pb2.GetTournamentResponse(
        summary=summary,
        structure=structure_message(structure),
        tables=[_table(one) for one in state.tables.values()],
        level_ends_at=clock_ends_at(state) or 0,
        registration_open=state.registration_open and state.phase is not Phase.CLOSED,
        hand_for_hand=state.hand_for_hand,
        prizes=state.prizes,
        pool=still_to_win(state) if state.registration_open else state.pool,
        deal=deal,
    )


def shares_of(message: Iterable[tournament_entry_pb2.Share]) -> tuple[Share, ...]:
    """Read the shares of a deal, by rising name."""
    return tuple(sorted((Share(one.player, one.amount) for one in message), key=_name_of))


def deal_message(
    shares: Iterable[Share], left: int, agreed: Iterable[str]
) -> tournament_pb2.DealProposal:
    """Write a deal that is proposed."""
    return tournament_pb2.DealProposal(
        shares=[tournament_entry_pb2.Share(player=one.player, amount=one.amount) for one in shares],
        left=left,
        agreed=sorted(agreed),
    )


def _name_of(share: Share) -> str:
    return share.player


def player_message(state: TournamentState, one: Entrant) -> tournament_pb2.TournamentPlayer:
    """Write how a player of a tournament stands."""
    sits = one.standing is Standing.PLAYING
    word = str(one.standing)
    if one.standing in _OUT:
        word = "out"
    elif one.player in state.lost:
        word = "deciding"
    table = state.tables[one.table] if sits else None
    return tournament_pb2.TournamentPlayer(
        player=one.player,
        entrant=one.entrant,
        state=word,
        table=one.table if sits else 0,
        game=table.game if table else "",
        seat=one.seat if sits else 0,
        stack=table.seats[one.seat].stack if table else 0,
        place=one.place,
        prize=one.prize,
        reentries=one.reentries,
        rebuys=one.rebuys,
        added_on=one.added_on,
        house=one.house,
    )


def _table(one: Table) -> tournament_pb2.TournamentTableSummary:
    return tournament_pb2.TournamentTableSummary(
        table=one.table,
        game=one.game,
        players=len(one.seats),
        hand=one.hand,
        in_hand=one.open is not None,
        broken=one.broken,
    )
