"""Looks for the flaws that no count of decks shows: F18, F19 and F22 to F25."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from audit_cli.report.finding import Promise
from audit_cli.rng.code.judge import judge_code
from audit_cli.rng.flaws import games_changed, streams
from audit_cli.rng.flaws.bounds import Bound, WrongBound
from audit_cli.rng.raw.judge import judge_lanes
from audit_cli.rng.raw.lanes import LANES_BYTES, measure_lanes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from audit_cli.report.finding import Report


def look_xorshift(seed: bytes) -> Mapping[str, float]:
    """F18, by the lanes of raw bits."""
    return _look_at_lanes(streams.xorshift(seed, LANES_BYTES // 8))


def look_mersenne(seed: bytes) -> Mapping[str, float]:
    """F19, by the lanes of raw bits."""
    return _look_at_lanes(streams.mersenne(seed, LANES_BYTES // 4))


def _look_at_lanes(data: NDArray[np.uint8]) -> Mapping[str, float]:
    return {one.test: one.two_sided for one in judge_lanes(measure_lanes(data))}


def look_river(_: bytes) -> Mapping[str, float]:
    """F22, by `verify`: broken in the very hand, and nowhere else."""
    report = games_changed.verify(games_changed.river_swapped())
    return _look_at_report(report, Promise.REPLAYED, games_changed.RIVER_HAND)


def look_card(_: bytes) -> Mapping[str, float]:
    """F23, by `verify`: broken in the very hand, and nowhere else."""
    report = games_changed.verify(games_changed.card_swapped())
    return _look_at_report(report, Promise.REPLAYED, games_changed.CARD_HAND)


def look_rewritten(_: bytes) -> Mapping[str, float]:
    """F25, by `verify --checkpoint`: nothing without the kept checkpoint, a fork with it."""
    game, honest = games_changed.rewritten(), games_changed.honest()
    alone = games_changed.verify(game)
    report = games_changed.verify(game, outside=honest.note(len(honest.lines)))
    found = _look_at_report(report, Promise.CONSISTENT, None)
    return found if not games_changed.broken(alone) and report.forks else dict.fromkeys(found, 1.0)


def _look_at_report(report: Report, promise: Promise, hand: int | None) -> Mapping[str, float]:
    """Return 0 where this promise is broken in this hand and nothing else is; 1 where not."""
    right = games_changed.broken(report) == {promise: {hand}}
    return {f"verify.{promise.value}": 0.0 if right else 1.0}


def look_bound(bound: Bound, _: bytes) -> Mapping[str, float]:
    """F24, by the checks of the code on crafted bytes."""
    return {one.test: one.p for one in judge_code((WrongBound(bound),))}


BOUNDS: Final[Mapping[Bound, Callable[[bytes], Mapping[str, float]]]] = {
    bound: partial(look_bound, bound) for bound in Bound
}
