"""A table as it is on disk, which is all that anybody may be told of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dealer_service.rules.table_state import TableState
from dealer_service.rules.turn import Decision
from dealer_service.tables.log import Unit
from dealer_service.tables.watchers import Batch, PrivateOpenings


@dataclass(frozen=True, slots=True)
class Standing:
    """A durable state, the size of its log, and the newest checkpoint with its size.

    `openings` are the open hand's, by player; `deadline` is when the clock acts, in milliseconds
    since 1970, 0 where nobody is to act.
    """

    state: TableState
    size: int
    checkpoint: str
    checkpoint_size: int
    decision: Decision | None
    deadline: int
    openings: Mapping[str, PrivateOpenings] = field(repr=False)


def tell_decision(unit: Unit, standing: Standing) -> None:
    """Put the turn that stands behind a unit's lines into the last thing that all are told."""
    if standing.decision is None:
        return
    last = unit.told[-1][1] if unit.told else None
    if not isinstance(last, Batch):
        last = Batch(unit.next_index)
        unit.told.append(("", last))
    last.decision, last.deadline = standing.decision, standing.deadline
