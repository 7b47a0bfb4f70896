"""What the operator may do with a tournament, and what its last players agree on (14.9, 14.10)."""

from dealer_service.rules.tournament.entering import Answer
from dealer_service.rules.tournament.entry import Share
from dealer_service.rules.tournament.state import TournamentState


def stop(state: TournamentState, at: int) -> Answer:
    """Start no hand any more, and stop the clocks; open hands play on."""
    raise NotImplementedError


def resume(state: TournamentState, at: int) -> Answer:
    """Go on after a stop."""
    raise NotImplementedError


def cancel(state: TournamentState, at: int, secret: str) -> Answer:
    """Cancel: before the start at once, later when it is stopped and no hand is open.

    `secret` is that of the draw that comes next, shown before the start. Later the players are
    placed, and closing the tables and `tournament_closed` are due.
    """
    raise NotImplementedError


def close_restored(state: TournamentState, at: int, secret: str) -> Answer:
    """Close a tournament whose log was restored, behind the `table_closed` of its tables."""
    raise NotImplementedError


def disqualify(state: TournamentState, at: int, player: str) -> Answer:
    """Take a player that sits out, with its chips, between hands of its table."""
    raise NotImplementedError


def agree_deal(state: TournamentState, at: int, shares: tuple[Share, ...], left: int) -> Answer:
    """Share what is still to be won, every player in having agreed."""
    raise NotImplementedError


def still_to_win(state: TournamentState) -> int:
    """Give what those in still play for; before registration has closed, the pool."""
    raise NotImplementedError
