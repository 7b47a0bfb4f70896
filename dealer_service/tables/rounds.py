"""What a table needs of a beacon: which network it is, and a round when it is there."""

from collections.abc import Callable
from typing import Protocol

from dealer_service.beacon.rounds import Network, Round
from dealer_service.tables.clock import Timer


class Rounds(Protocol):
    """The rounds of one network; what it gives has the network's signature."""

    @property
    def network(self) -> Network:
        """Whose rounds they are."""
        ...

    def find(self, number: int) -> Round | None:
        """Give a round that is there."""
        ...

    def want(self, number: int, call: Callable[[], None]) -> Timer:
        """Have a round fetched as soon as it is due, and call once when it is there."""
        ...
