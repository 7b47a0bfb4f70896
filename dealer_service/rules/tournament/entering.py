"""What players may ask of a tournament: enter and leave it, and buy chips (14.5)."""

from typing import TypeAlias

from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament.entry import TournamentEntry
from dealer_service.rules.tournament.state import TournamentState

Answer: TypeAlias = tuple[TournamentEntry, ...] | Refusal


def waits_for_hand(answer: Answer) -> bool:
    """Say whether an answer is refused only because a hand is open, and may be asked again."""
    raise NotImplementedError


def register(  # noqa: PLR0913 - what a registration says
    state: TournamentState,
    at: int,
    player: str,
    *,
    anchors: bool,
    house: bool,
    accepts_reveal: str,
) -> Answer:
    """Enter, enter again after busting, or take over a house player's seat where it is full."""
    raise NotImplementedError


def withdraw(state: TournamentState, at: int, player: str) -> Answer:
    """Take a registration back, before the start."""
    raise NotImplementedError


def rebuy(state: TournamentState, at: int, player: str) -> Answer:
    """Buy chips again, between hands."""
    raise NotImplementedError


def decline_rebuy(state: TournamentState, at: int, player: str) -> Answer:
    """Buy none, having no chips: the player is out."""
    raise NotImplementedError


def add_on(state: TournamentState, at: int, player: str) -> Answer:
    """Buy the add-on, in its break."""
    raise NotImplementedError
