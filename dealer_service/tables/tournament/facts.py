"""What the store keeps beside a tournament's lines, for lists.

The reference is the operator's own and is not published, so it is no part of the log.
"""

import json
from dataclasses import asdict, dataclass

from dealer_service.rules.tournament.state import Phase, TournamentState
from dealer_service.store.api import LogFacts, LogState


@dataclass(frozen=True, slots=True)
class TournamentMeta:
    """What a list tells of a tournament; `state` is its phase, or "stopped"."""

    reference: str
    name: str
    state: str
    players: int
    players_in: int
    players_max: int
    tables: int
    level: int


def facts_of(state: TournamentState, reference: str) -> LogFacts:
    """Give what lists want to know of a tournament, from its state."""
    meta = TournamentMeta(
        reference=reference,
        name=state.structure.name,
        state=phase_word(state),
        players=state.players,
        players_in=state.players_in,
        players_max=state.structure.players_max,
        tables=len(state.open_tables),
        level=state.level,
    )
    return LogFacts(
        state=_log_state(state),
        meta=json.dumps(asdict(meta), separators=(",", ":"), sort_keys=True).encode("ascii"),
        opened_at=state.opened_at,
        hands=sum(table.hand for table in state.tables.values()),
        players=state.players_in,
        tournament=state.opened.tournament,
    )


def phase_word(state: TournamentState) -> str:
    """Say in one word where a tournament is; one that was stopped and cancelled is over."""
    over = state.phase in {Phase.ENDING, Phase.CLOSED}
    return "stopped" if state.stopped and not over else state.phase.value


def read_tournament_meta(content: bytes) -> TournamentMeta:
    """Read the meta of a tournament's facts."""
    return TournamentMeta(**json.loads(content))


def _log_state(state: TournamentState) -> LogState:
    if state.phase is Phase.CLOSED:
        # It has no secrets that are still to be revealed.
        return LogState.REVEALED
    if state.phase is Phase.ENDING:
        return LogState.CLOSED
    return LogState.PAUSED if state.stopped else LogState.OPEN
