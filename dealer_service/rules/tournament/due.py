"""What is due at a tournament, in the order of 14.8, and when time alone makes something due."""

from collections.abc import Mapping

from dealer_service.rules.tournament.entry import TournamentEntry
from dealer_service.rules.tournament.state import TournamentState
from dealer_service.rules.tournament.step import DrawnOrder, Held, Step


def due(state: TournamentState, at: int, held: Held) -> Step | None:
    """Give the first thing to be done now; None where nothing is.

    `held` tells by table until when its next hand waits for anchors (`awaited_anchors`).
    """
    raise NotImplementedError


def next_time(state: TournamentState, held: Held) -> int | None:
    """Give the earliest time at which time alone may make something due; None if never."""
    raise NotImplementedError


def awaited_anchors(state: TournamentState, table: int) -> Mapping[str, int]:
    """Say for whose anchor the next hand of a table waits, and until when at the latest.

    These are the players that have sat down since its last hand and registered with `anchors`;
    the shell leaves out those who have an anchor, and holds the table until the greatest time.
    """
    raise NotImplementedError


def take(
    state: TournamentState,
    at: int,
    step: Step,
    drawn: DrawnOrder | None = None,
    games: tuple[str, ...] = (),
) -> tuple[TournamentEntry, ...]:
    """Give the entries, one unit, with which a step is taken; not for START_HAND, CLOSE_TABLE.

    `games` are the ids of the tables that it opens, `step.games` of them.
    """
    raise NotImplementedError
