"""What the last players propose to each other as a deal (PROTOCOL.md 14.9).

A proposal is in no log and ends with the process; a deal is made, and logged, when every player in
has agreed to the same one.
"""

from dataclasses import dataclass

from dealer_service.rules.refusal import Refusal
from dealer_service.rules.tournament.directing import agree_deal
from dealer_service.rules.tournament.entering import Answer, waits_for_hand
from dealer_service.rules.tournament.entry import Share
from dealer_service.rules.tournament.reason import TournamentReason
from dealer_service.rules.tournament.state import IN, TournamentState


@dataclass(frozen=True, slots=True)
class Proposal:
    """Shares of what is still to be won, what is left to be played for, and who has agreed."""

    shares: tuple[Share, ...]
    left: int
    agreed: frozenset[str]


class Proposals:
    """The proposal that stands, if one does; a new one takes its place."""

    __slots__ = ("_stands",)

    def __init__(self) -> None:
        self._stands: Proposal | None = None

    def standing(self, state: TournamentState) -> Proposal | None:
        """Give the proposal that stands; one ends as soon as a player is out."""
        stands = self._stands
        if stands is None or state.deal is not None:
            return None
        return stands if {one.player for one in stands.shares} == _players(state) else None

    def propose(
        self, state: TournamentState, at: int, player: str, shares: tuple[Share, ...], left: int
    ) -> Answer:
        """Propose, and so agree; the operator, with no name, agrees to nothing."""
        made = agree_deal(state, at, shares, left)
        if isinstance(made, Refusal) and not waits_for_hand(made):
            return made
        if player and player not in _players(state):
            return _not_in()
        agreed = frozenset([player] if player else [])
        self._stands = Proposal(shares, left, agreed)
        return made if agreed >= _players(state) else ()

    def agree(
        self, state: TournamentState, at: int, player: str, shares: tuple[Share, ...], left: int
    ) -> Answer:
        """Agree to the proposal that stands; the last one's agreement makes the deal.

        That waits for the end of an open hand.
        """
        if player not in _players(state):
            return _not_in()
        stands = self.standing(state)
        if stands is None or (stands.shares, stands.left) != (shares, left):
            message = "another proposal stands, or none: read it, and agree to that one"
            return Refusal(TournamentReason.NO_DEAL_NOW, message)
        self._stands = stands = Proposal(shares, left, stands.agreed | {player})
        if not stands.agreed >= _players(state):
            return ()
        return agree_deal(state, at, shares, left)


def _players(state: TournamentState) -> frozenset[str]:
    return frozenset(one.player for one in state.entrants.values() if one.standing in IN)


def _not_in() -> Refusal:
    return Refusal(TournamentReason.NOT_IN, "only a player that is in agrees to a deal")
