"""What every family of faults has at hand: the process that forks, a folder, the seed, how much."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.campaign import Run, rehearse
from tests.chaos.houses import Stable
from tests.chaos.plans import Plan
from tests.chaos.verdict import Final


@dataclass
class Bench:
    """`quick` asks for a sample of everything; `finals` are the games without faults, by plan."""

    stable: Stable
    folder: Path
    seed: str
    quick: bool = False
    finals: dict[str, Final] = field(default_factory=dict)

    async def undisturbed(self, plan: Plan) -> Final:
        """Give how a plan ends without faults; it is played once."""
        if plan.name not in self.finals:
            folder = self.folder / f"undisturbed-{plan.name}"
            self.finals[plan.name] = await rehearse(self.stable, plan, self.seed, folder)
        return self.finals[plan.name]


Family = Callable[[Bench], AsyncIterator[Run]]
"""A family of faults: gives its runs one after another."""
