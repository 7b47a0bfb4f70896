"""A figure beside its yardstick: both measured in turn, round after round, in the same run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Better = Literal["higher", "lower"]
Rate = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Goal:
    """What is measured, against what, and the ratio of the two that is hoped for."""

    name: str
    unit: str
    yardstick: str
    better: Better
    ratio: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured goal: the values of every round, and a remark for the reader of the table."""

    goal: Goal
    values: tuple[float, ...]
    yardsticks: tuple[float, ...]
    remark: str = ""

    @property
    def value(self) -> float:
        """The median of the rounds."""
        return median(self.values)

    @property
    def yardstick_value(self) -> float:
        """The median of the yardstick's rounds."""
        return median(self.yardsticks)

    @property
    def ratio(self) -> float:
        """The value by its yardstick."""
        return self.value / self.yardstick_value

    @property
    def reached(self) -> bool:
        """Whether the ratio is on the right side of the goal."""
        if self.goal.better == "higher":
            return self.ratio >= self.goal.ratio
        return self.ratio <= self.goal.ratio

    @property
    def noise(self) -> float:
        """How far the ratio of a single round strays from the whole run's, as a share of it."""
        ratios = [own / other for own, other in zip(self.values, self.yardsticks, strict=True)]
        return max(abs(ratio - self.ratio) for ratio in ratios) / self.ratio

    def as_json(self) -> dict[str, str | float]:
        """Give the figure as bench.json holds it."""
        return {
            "name": self.goal.name,
            "value": self.value,
            "unit": self.goal.unit,
            "yardstick": self.goal.yardstick,
            "yardstick_value": self.yardstick_value,
            "ratio": self.ratio,
            "better": self.goal.better,
            "goal": self.goal.ratio,
        }


def measure_in_turn(goal: Goal, own: Rate, other: Rate, rounds: int, remark: str = "") -> Figure:
    """Measure both once a round; what comes first changes, so that neither has the warmer turn."""
    values: list[float] = []
    yardsticks: list[float] = []
    for number in range(rounds):
        turns = [(own, values), (other, yardsticks)]
        for rate, into in turns if number % 2 else reversed(turns):
            into.append(rate())
    return Figure(goal, tuple(values), tuple(yardsticks), remark)


def table(figures: Sequence[Figure]) -> str:
    """Lay figures out for a reader."""
    rows = [("figure", "value", "yardstick", "ratio", "noise", "goal", "")]
    rows += [
        (
            figure.goal.name,
            f"{figure.value:,.5g} {figure.goal.unit}",
            f"{figure.yardstick_value:,.5g} {figure.goal.yardstick}",
            f"{figure.ratio:.3g}",
            f"±{figure.noise:.0%}",
            f"{'≥' if figure.goal.better == 'higher' else '≤'} {figure.goal.ratio:g}",
            "reached" if figure.reached else "MISSED",
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines += ["", *(f"{f.goal.name}: {f.remark}" for f in figures if f.remark)]
    return "\n".join(lines)
