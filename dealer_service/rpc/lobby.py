"""The answer of GetTournament, of which only what changed is written anew.

Everybody asks for the lobby, and a large one has thousands of players: writing them all for each
call would hold up every table of the dealer. Of each tournament that was asked for lately the
players are kept as they were written, and the whole answer as long as nothing changed.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from cutcard.v1 import tournament_pb2
from dealer_service.rpc import convert_tournament as convert
from dealer_service.rules.tournament.state import Entrant, Seat, Standing, TournamentState
from dealer_service.tables.tournament.proposals import Proposal

REMEMBERED: Final = 16
"""The lobbies of so many tournaments are kept."""

ANSWERS: Final = 8
"""So many answers are kept of one state of a tournament."""


@dataclass(frozen=True, slots=True)
class _Player:
    """A player as it was written, and what was written."""

    entrant: Entrant
    seat: Seat | None
    decides: bool
    wire: bytes


@dataclass(slots=True)
class _Kept:
    """A lobby as it was written last: of which state, and its answers by size, reference, deal."""

    state: TournamentState | None = None
    players: dict[str, _Player] = field(default_factory=dict)
    wire: bytes = b""
    answers: dict[tuple[int, str, Proposal | None], bytes] = field(default_factory=dict)


class Lobbies:
    """The lobbies of a dealer's tournaments."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def write(
        self, state: TournamentState, size: int, *, reference: str, deal: Proposal | None
    ) -> bytes:
        """Write the lobby of a tournament in a state, whose log has `size` lines."""
        tournament = state.opened.tournament
        kept = self._kept.setdefault(tournament, _Kept())
        self._kept.move_to_end(tournament)
        if len(self._kept) > REMEMBERED:
            self._kept.popitem(last=False)
        if kept.state is not state:
            _write_players(kept, state)
        asked = size, reference, deal
        if asked not in kept.answers:
            if len(kept.answers) >= ANSWERS:
                # Proposals come and go without a line.
                kept.answers.clear()
            told = convert.deal_message(deal.shares, deal.left, deal.agreed) if deal else None
            rest = convert.lobby_message(state, size, reference=reference, deal=told)
            # Fields of one message may come in any order, so that players stand behind the rest.
            kept.answers[asked] = rest.SerializeToString() + kept.wire
        return kept.answers[asked]


def _write_players(kept: _Kept, state: TournamentState) -> None:
    players = kept.players
    for name, entrant in state.entrants.items():
        seat = None
        if entrant.standing is Standing.PLAYING:
            seat = state.tables[entrant.table].seats[entrant.seat]
        decides = name in state.lost
        was = players.get(name)
        if was is None or (was.entrant, was.seat, was.decides) != (entrant, seat, decides):
            player = convert.player_message(state, entrant)
            message = tournament_pb2.GetTournamentResponse(players=[player])
            players[name] = _Player(entrant, seat, decides, message.SerializeToString())
    kept.state = state
    kept.wire = b"".join([one.wire for one in players.values()])
    kept.answers = {}
