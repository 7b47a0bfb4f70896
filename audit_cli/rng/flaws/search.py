"""Looks for planted flaws, part by part in worker processes: counts, judges and compares."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.rng.battery.duplicates import judge_duplicates
from audit_cli.rng.battery.judge import judge
from audit_cli.rng.counting.choose import tallier
from audit_cli.rng.counting.duplicates import count_duplicates
from audit_cli.rng.flaws.bank import BANK, DirectCase
from audit_cli.rng.flaws.chance import PASS
from audit_cli.rng.measured import Measured
from audit_cli.rng.verdict import Layer, judge_family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from audit_cli.rng.flaws.bank import Case, Sight
    from audit_cli.rng.outcome import Outcome
    from audit_cli.rng.running.bar import Bar
    from audit_cli.rng.running.pool import Workers

#: Decks of a case that are planted and counted by themselves.
CHUNK: Final = 100_000
#: Holm's level, as for every verdict.
ALPHA: Final = 0.01
#: In more decks than this no flaw of the bank is looked for by decks that come again.
_KEPT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """What a worker is told: hands of the case with this number in `BANK`.

    `count` is 0 where the case is looked for at once.
    """

    number: int
    seed: bytes
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What one test said of a planted flaw."""

    sight: Sight
    p: float

    @property
    def found(self) -> bool:
        """Whether the test saw the flaw as clearly as is stated, within a sample's chance."""
        return self.p <= self.sight.most


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of a case. `alarms` are the tests that Holm's rule rejects at 1 %, least p first.

    A control is as it should be when there is no alarm; a flaw when every stated test saw it and
    one of them is among the alarms.
    """

    name: str
    words: str
    amount: str
    seen: tuple[Seen, ...]
    alarms: tuple[tuple[str, float], ...]

    @property
    def good(self) -> bool:
        """Whether the battery did what it should."""
        if not self.seen:
            return not self.alarms
        alarmed = {test for test, _ in self.alarms}
        return all(one.found for one in self.seen) and any(
            one.sight.test in alarmed for one in self.seen
        )


@dataclass(slots=True)
class _Sum:
    """The counts of a case so far."""

    counts: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    digests: list[NDArray[np.uint64]] = field(default_factory=list)
    hands: int = 0

    def add(self, measured: Measured, keep: bool) -> None:
        self.hands += measured.hands
        for name, table in measured.counts.items():
            self.counts[name] = self.counts[name] + table if name in self.counts else table
        if keep:
            self.digests.append(measured.digests)


def find(numbers: Sequence[int], seed: bytes, workers: Workers, bar: Bar) -> list[CaseResult]:
    """Look for the cases with these numbers in `BANK`; their results in the same order.

    Raises what the workers raise.
    """
    sums = {number: _Sum() for number in numbers}
    found: dict[int, Mapping[str, float]] = {}
    for part, result in workers.each(work, parts(numbers, seed)):
        if isinstance(result, Measured):
            case = BANK[part.number]
            sums[part.number].add(result, keep=case.hands <= _KEPT)
            bar.add(part.count)
        else:
            found[part.number] = result
    for number, total in sums.items():
        if total.hands:
            found[number] = _judge(total)
    return [_result(BANK[number], found[number]) for number in numbers]


def hands_of(numbers: Sequence[int]) -> int:
    """Return how many decks the cases with these numbers take."""
    return sum(BANK[number].hands for number in numbers)


def parts(numbers: Sequence[int], seed: bytes) -> Iterator[Part]:
    """Give the parts of cases, the largest case first, so that no worker waits long at the end."""
    for number in sorted(numbers, key=lambda number: -BANK[number].hands):
        hands = BANK[number].hands
        if not hands:
            yield Part(number, seed, 0, 0)
        for first in range(0, hands, CHUNK):
            yield Part(number, seed, first, min(CHUNK, hands - first))


def work(part: Part) -> Measured | Mapping[str, float]:
    """Do a part: count what is planted, or look at once; in any process."""
    case = BANK[part.number]
    if isinstance(case, DirectCase):
        return case.look(part.seed)
    counting = tallier(
        part.first, part.count, sizes=PASS, native=case.hands > _KEPT and _has_numba()
    )
    for hands in case.plant(part.seed, part.first, part.count):
        counting.add(hands)
    return counting.finish()


def _has_numba() -> bool:
    return find_spec("numba") is not None


def _judge(total: _Sum) -> Mapping[str, float]:
    """Return the two-sided p-value of every test, 0 or 1 for what is exact."""
    outcomes: tuple[Outcome, ...] = judge(total.counts)
    if total.digests:
        again = count_duplicates(np.concatenate(total.digests))
        outcomes += judge_duplicates(total.hands, again.five_pairs, again.equal_pairs)
    return {one.test: one.two_sided for one in outcomes}


def _result(case: Case, p: Mapping[str, float]) -> CaseResult:
    # A test that so few decks can not carry has seen nothing.
    seen = tuple(Seen(sight, p.get(sight.test, 1.0)) for sight in case.sights)
    family = judge_family([(test, Layer.FIRST, value) for test, value in p.items()])
    alarms = sorted((one.p, one.test) for one in family if one.adjusted <= ALPHA)
    return CaseResult(
        case.name, case.words, case.amount, seen, tuple((test, value) for value, test in alarms)
    )
