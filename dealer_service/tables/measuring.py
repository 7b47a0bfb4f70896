"""What is measured when somebody asks: games, tournaments, and how far watchers are behind."""

from collections import Counter
from typing import Final

from dealer_service.rules.table_state import Phase
from dealer_service.tables.floor import Floor
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.tournament import Tournament
from dealer_service.tables.watchers import NO_LAG

_STATES: Final = ("open", "paused", "closed", "halted")
_TOURNAMENT_STATES: Final = ("registering", "running", "break", "stopped", "ending", "halted")


def measure(floor: Floor) -> None:
    """Set the sizes of all that a dealer has at this moment; call it on the event loop."""
    metrics = floor.house.metrics
    tables = floor.tables
    counted = Counter(_state(table) for table in tables)
    metrics.set_games({state: counted[state] for state in _STATES})
    metrics.held.set(sum(table.awaits_log for table in tables))
    metrics.players.set(sum(len(table.standing.state.seats) for table in tables))
    tournaments = floor.tournaments
    counted = Counter(_tournament_state(one) for one in tournaments)
    metrics.set_tournaments({state: counted[state] for state in _TOURNAMENT_STATES})
    metrics.tournament_players.set(sum(one.standing.state.players_in for one in tournaments))
    audiences = [table.audience for table in tables]
    audiences += [one.audience for one in tournaments]
    if floor.afar is not None:
        audiences += [followed.audience for followed in floor.afar.followed]
    audiences += floor.house.delays.audiences
    metrics.watchers.set(sum(map(len, audiences)))
    lags = [lag for audience in audiences for lag in audience.lags()] or [NO_LAG]
    metrics.backlog_messages.set(max(lag.messages for lag in lags))
    metrics.backlog_bytes.set(max(lag.bytes for lag in lags))
    metrics.backlog_age.set(max(lag.seconds for lag in lags))
    metrics.measure_now()


def _tournament_state(tournament: Tournament) -> str:
    if tournament.is_halted:
        return "halted"
    state = tournament.standing.state
    return "stopped" if state.stopped and state.end is None else str(state.phase)


def _state(table: Table) -> str:
    if table.is_halted:
        return "halted"
    state = table.standing.state
    if state.phase in {Phase.CLOSED, Phase.REVEALED}:
        return "closed"
    return "paused" if state.paused else "open"
