"""Chip races: whose chips are of a lower unit than the level's, and what they become.

Protocol 14.8, after TDA 2024 rule 24-A: whole chips are kept, the odd ones are raced, nobody gets
more than one chip of a race, and nobody is raced out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.planned import Planned

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from audit_cli.tournament.state import State, Table


MAX_ITEMS = 32_768
"""So many numbers one draw's stream has, none of them dropped."""


@dataclass(frozen=True, slots=True)
class Race:
    """A race at a table: `stacks` of the raced by name, what each has above whole chips."""

    unit: int
    stacks: dict[str, int]
    rests: dict[str, int]
    new_chips: int
    items: list[int]
    names: dict[int, str]

    @property
    def is_due(self) -> bool:
        """Whether anybody has chips of a lower unit."""
        return bool(self.stacks)

    @property
    def is_drawn(self) -> bool:
        """Whether a chip is raced."""
        return bool(self.items)

    def winners(self, order: Sequence[int]) -> set[str]:
        """Return who gets a chip: each that comes for the first time, until none is left."""
        firsts = dict.fromkeys(self.names[number] for number in order if number in self.names)
        return set(list(firsts)[: self.new_chips])

    def colored_up(
        self, state: State, table: Table, winners: Collection[str], draw: int | None
    ) -> Planned:
        """Return the entry that the race asks for."""
        changed = []
        for seat, name in sorted(table.seats.items()):
            if name not in self.stacks:
                continue
            stack = self.stacks[name] - self.rests[name] + self.unit * (name in winners)
            stack = stack or self.unit
            if stack != state.entrants[name].stack:
                changed.append({"seat": seat, "stack": stack})
        fields = {"table": table.number, "unit": self.unit, "stacks": changed}
        if draw is not None:
            fields["draw"] = draw
        return Planned("colored_up", fields, Promise.COUNTED, at_once=draw is not None)


def race_at(state: State, table: Table) -> Race:
    """Return the race that is due at a table before its next hand."""
    unit = state.unit
    raced = sorted(
        (
            one
            for name in table.seats.values()
            if (one := state.entrants[name]).stack and one.unit < unit
        ),
        key=lambda one: one.name,
    )
    rests = {one.name: one.stack % unit for one in raced}
    old = max(min((one.unit for one in raced), default=1), 1)
    total = sum(rests.values())
    whole, left = divmod(total, unit)
    items: list[int] = []
    for one in raced:
        # What no stream can draw from need not be listed whole.
        odd = min(-(-rests[one.name] // old), MAX_ITEMS)
        items += [one.number] * odd
    return Race(
        unit,
        {one.name: one.stack for one in raced},
        rests,
        whole + (2 * left >= unit),
        items,
        {one.number: one.name for one in raced},
    )
