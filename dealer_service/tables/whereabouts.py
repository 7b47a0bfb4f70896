"""Why what is asked for does not run here: lost, over, at another dealer, or just opening."""

from typing import Protocol

from dealer_service.store.api import LogHead, LogState
from dealer_service.tables.refused import Refused, ServiceReason, lost, refused


class Others(Protocol):
    """What a dealer among others knows of the games and tournaments that do not run here."""

    async def whereabouts(self, game: str) -> Refused:
        """Say where a game or tournament that is not over is dealt, as a refusal."""
        ...

    def mislaid(self, game: str) -> None:
        """Take note of one of this dealer's own that has lost its table, or does not run."""
        ...


async def not_here(head: LogHead, others: Others | None, what: str, over: str) -> Refused:
    """Build the refusal of a `what` that is in the store and does not run here.

    `over` says that it is over; `others` are the other dealers, None where there are none.
    """
    if head.facts.state is LogState.LOST:
        return lost(head.signed_size)
    if head.facts.state in {LogState.REVEALED, LogState.ARCHIVED}:
        return refused(ServiceReason.GAME_OVER, over)
    if others is not None:
        return await others.whereabouts(head.log)
    # It is in the store, and in a moment it is here.
    message = f"the {what} is just opening: call again in a moment"
    return refused(ServiceReason.GAME_OPENING, message)
