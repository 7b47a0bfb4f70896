"""What a log brings to one unit of the store, and what is done when that is written.

A table's unit is written alone, or with others that tell of the same thing: all of it is durable at
once or nothing is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from dealer_service.store.api import Answer, Append, LogAppend, Movement
from dealer_service.tables.house import Committer
from dealer_service.tables.log import Unit
from dealer_service.tables.written import Written

Then = Callable[[BaseException | None], None]
"""then(fault): called last, with what went wrong if anything did."""


@dataclass(frozen=True, slots=True)
class Part:
    """One log's change; `sent(written)` is called when it is on its way, once and at once."""

    change: LogAppend
    movements: Sequence[Movement]
    sent: Callable[[Written], None]


class Host(Protocol):
    """Whoever opens and ends the hands of a table in the table's place: its tournament."""

    @property
    def game(self) -> str:
        """The tournament's id."""
        ...

    def end_hand(self, table: int, unit: Unit, answer: Answer | None, then: Then | None) -> Written:
        """Write the unit of a table in which its hand ended, with what follows from that."""
        ...

    def mind(self) -> None:
        """Hear that something changed at a table between hands."""
        ...

    def table_halted(self, table: int, fault: BaseException) -> None:
        """Hear that a fault of the dealer stopped a table."""
        ...

    def table_lost(self) -> None:
        """Hear that another dealer seems to have a table."""
        ...


def send(
    committer: Committer,
    parts: Sequence[Part],
    answer: Answer | None = None,
    *others: LogAppend,
) -> Written:
    """Write parts as one unit, in order."""
    logs = (*[part.change for part in parts], *others)
    movements = tuple([moved for part in parts for moved in part.movements])
    written = committer.submit(Append(logs, movements, answer))
    for part in parts:
        part.sent(written)
    return written
