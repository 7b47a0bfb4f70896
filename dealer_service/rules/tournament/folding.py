"""What each entry makes of a tournament's state, and that it can follow at all (14.4 to 14.10)."""

from collections.abc import Iterable

from dealer_service.rules.tournament.entry import TournamentEntry
from dealer_service.rules.tournament.state import TournamentState


def fold(entries: Iterable[tuple[int, TournamentEntry]]) -> TournamentState:
    """Fold a whole log, from its `tournament_opened` on; ImpossibleEntry where it does not fit."""
    raise NotImplementedError


def evolve(state: TournamentState | None, at: int, entry: TournamentEntry) -> TournamentState:
    """Fold one entry of the time `at`; the first one, on None, is `tournament_opened`.

    ImpossibleEntry for an entry that can not stand here.
    """
    raise NotImplementedError
