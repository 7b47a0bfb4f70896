"""By when something must have come: a line's checkpoint, the player's cards (PROTOCOL.md 11).

Pure. It is due five seconds after what it belongs to came, by the client's own clock. Where a
stream breaks it may be lost with that stream, and is due five seconds after the next one begins;
but not for ever: what three streams ended without, which told other things, is withheld when
fifteen seconds have passed.
"""

from dataclasses import dataclass, replace
from typing import Final

PATIENCE_SECONDS: Final = 5.0
MOST_STREAMS: Final = 3


@dataclass(frozen=True, slots=True)
class Due:
    """What waits since `begun`, on the stream that began at `since`, if that is later.

    `streams` is how many streams had ended when it began to wait.
    """

    begun: float
    since: float
    streams: int

    @classmethod
    def from_now(cls, now: float, streams: int) -> "Due":
        """Begin to wait."""
        return cls(now, now, streams)

    @property
    def deadline(self) -> float:
        """When it is overdue, if the stream goes on."""
        return self.since + PATIENCE_SECONDS

    def again(self, now: float) -> "Due":
        """Wait anew, on a stream that begins."""
        return replace(self, since=now)

    def is_withheld(self, now: float, streams: int) -> bool:
        """Say whether streams enough have ended without it, of `streams` in all by now."""
        is_long = now > self.begun + MOST_STREAMS * PATIENCE_SECONDS
        return is_long and streams - self.streams >= MOST_STREAMS
