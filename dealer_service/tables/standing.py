"""A table as it is on disk, which is all that anybody may be told of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dealer_service.quick import quick
from dealer_service.rules import hand, play
from dealer_service.rules.table_state import TableState
from dealer_service.rules.turn import Decision
from dealer_service.tables.due import NO_GRACE, Grace
from dealer_service.tables.log import Unit
from dealer_service.tables.watchers import Batch, PrivateOpenings


@quick
@dataclass(frozen=True, slots=True)
class Standing:
    """A durable state, the size of its log, and the newest checkpoint with its size.

    `openings` are the open hand's, by player; `grace` is what the clock gives beyond the rules.
    """

    state: TableState
    size: int
    checkpoint: str
    checkpoint_size: int
    openings: Mapping[str, PrivateOpenings] = field(repr=False)
    grace: Grace = NO_GRACE

    @property
    def decision(self) -> Decision | None:
        """The turn that is owed; worked out when somebody asks, since often nobody watches."""
        return hand.decision(self.state.play) if self.state.play is not None else None

    @property
    def deadline(self) -> int:
        """When the clock acts, in milliseconds since 1970; 0 where nobody is to act."""
        due = play.turn_deadline(self.state)
        if due is None or self.state.play is None:
            return 0
        return self.grace.until(self.state.hand, self.state.play.betting.turn, due)


def tell_decision(unit: Unit, standing: Standing) -> None:
    """Put the turn that stands behind a unit's lines into the last thing that all are told."""
    decision = standing.decision
    if decision is None:
        return
    last = unit.told[-1][1] if unit.told else None
    if not isinstance(last, Batch):
        last = Batch(unit.next_index)
        unit.told.append(("", last))
    last.decision, last.deadline = decision, standing.deadline
