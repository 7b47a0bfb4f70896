"""A tournament as it is on disk, which is all that anybody may be told of it."""

from dataclasses import dataclass

from dealer_service.rules.tournament.state import TournamentState


@dataclass(frozen=True, slots=True)
class TournamentStanding:
    """A durable state, the size of its log, and the newest checkpoint with its size."""

    state: TournamentState
    size: int
    checkpoint: str
    checkpoint_size: int
