"""A table's wait for the beacon's round of its open hand, where its rules name a beacon.

The round is fetched from the hand's opening on, whether or not all links have come. Where none came
in time the hand is void, as long as the game has such a void left; after that the wait goes on,
because a network has its rounds for ever.
"""

from collections.abc import Callable
from typing import Final

from dealer_service.tables.clock import Timer  # noqa: TC001 - it annotates attributes alone
from dealer_service.tables.rounds import Rounds

LATE_MS: Final = 10_000
"""A hand whose round is not there so long after it was due can not have it."""


class RoundWait:
    """The wait of one table; at most one at a time. `found` is called when the round is there."""

    __slots__ = ("_found", "_number", "_rounds", "_wait")

    def __init__(self, rounds: Rounds | None, found: Callable[[], None]) -> None:
        self._rounds = rounds
        self._found = found
        self._number: int | None = None
        self._wait: Timer | None = None

    def mind(self, number: int | None) -> None:
        """Wait for this round, or for none; as often as it is asked for, once."""
        if number == self._number or self._rounds is None:
            return
        if self._wait is not None:
            self._wait.cancel()
        self._number = number
        self._wait = None if number is None else self._rounds.want(number, self._tell)

    def stop(self) -> None:
        """Wait no longer, and let go of the table: it would be kept until garbage is collected."""
        self.mind(None)
        self._found = _nothing

    def _tell(self) -> None:
        self._number = self._wait = None
        self._found()


def _nothing() -> None:
    """Tell nobody."""
