"""What tables and callers may ask of the dealer's log as it is published (PROTOCOL.md section 5).

A unit writes the notices of its stages with its lines, and what publishes brings them into the
log later; so nothing here makes a line, and nothing here can lose one.
"""

from dataclasses import dataclass
from typing import Protocol

from dealer_service.transcript.noted import Stage


@dataclass(frozen=True, slots=True)
class LineProof:
    """One line of the dealer's log, the game's log's size that it names, and what proves it.

    `text` is a C2SP tlog-proof of the line: its index and path, under a checkpoint of the dealer
    that has the co-signatures which the dealer's policy asks for.
    """

    line: bytes
    size: int
    text: str


class Published(Protocol):
    """The dealer's log as the world sees it, whichever dealer of the store writes it."""

    async def wait_for(self, game: str, hand: int, stage: Stage) -> None:
        """Return when the line of that stage can be had by anybody, co-signed by the policy.

        It waits as long as that takes, also for a notice that is not durable yet; who asks cancels
        it. A line that stands there already is found at once. `hand` is 0 for a game's own stages.
        """
        ...

    async def proof(self, game: str, hand: int, stage: Stage) -> LineProof | None:
        """Prove that the line of that stage is in the log; None where it is not there yet."""
        ...
