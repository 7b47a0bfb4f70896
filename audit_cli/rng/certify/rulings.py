"""What a bundle's figures say of a requirement, by its tests, its code, the core or its games.

Each ruling names the files that say it. Where no figure decides, that is what it says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from audit_cli.rng.certify.evidence import BATTERY, CODE, CORE, REPLAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from audit_cli.rng.certify.evidence import Evidence


class Status(StrEnum):
    """What a row says."""

    PASS = "PASS"  # noqa: S105  (no password)
    FAIL = "FAIL"
    NOT_APPLICABLE = "NOT APPLICABLE"
    BY_DOCUMENT = "BY DOCUMENT"
    NOT_SHOWN = "NOT SHOWN"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What figures say of a requirement: the status, why, and the files that say it."""

    status: Status
    why: str
    files: tuple[str, ...] = ()


def listed(words: Iterable[str]) -> str:
    """Return words as one enumeration."""
    return ", ".join(words)


def is_named(name: str, prefixes: Iterable[str]) -> bool:
    """Whether a test is one of these: `S1` is S1, S1b and S1.mean, and not S10."""
    return any(re.match(rf"{re.escape(each)}(?![0-9])", name) for each in prefixes)


def find_tests(battery: Mapping[str, Any], *prefixes: str) -> list[Mapping[str, Any]]:
    """Return the tests of a battery that have one of these names."""
    return [one for one in battery["tests"] if is_named(one["test"], prefixes)]


def rejected(battery: Mapping[str, Any]) -> dict[str, str]:
    """Return the tests that a run failed by, each with how: none where it passed."""
    if battery["decision"] == "pass":
        return {}
    found = dict.fromkeys(battery["failed_checks"], "does not hold")
    judged = (battery["confirmation"] or {}).get("judged", [])
    for one in [*battery["certain"], *judged, *([] if judged else battery["suspects"])]:
        if one in battery["certain"] or one["holm"] <= float(battery.get("alpha", 0.01)):
            found[one["test"]] = f"p = {one['p']:.3g} ({one['level']} level)"
    return found


def by_tests(evidence: Evidence, prefixes: Sequence[str], words: str, *, least: int = 0) -> Ruling:
    """Rule by tests of the battery: fail where one is rejected, not shown where there is none."""
    battery = evidence.battery
    if battery is None:
        return Ruling(Status.NOT_SHOWN, "the bundle has no results of a battery")
    found = find_tests(battery, *prefixes)
    if not found:
        why = f"no test of {listed(prefixes)} was made on these data"
        return Ruling(Status.NOT_SHOWN, why, (BATTERY,))
    bad = [f"{name} {how}" for name, how in rejected(battery).items() if is_named(name, prefixes)]
    if bad:
        return Ruling(Status.FAIL, f"{words}: {listed(bad)}", (BATTERY,))
    holm = [one["holm"] for one in found if one["holm"] is not None]
    smallest = f", the smallest adjusted p-value {min(holm):.3g}" if holm else ""
    hands = battery["hands"]
    why = f"{words}: {len(found)} tests on {hands:,} decks, none rejected{smallest}"
    if hands < least:
        why = f"{why}; but {least:,} decks are asked for"
        return Ruling(Status.NOT_SHOWN, why, (BATTERY,))
    return Ruling(Status.PASS, why, (BATTERY,))


def by_code(evidence: Evidence, words: str) -> Ruling:
    """Rule by the known answers and exact counts of the code."""
    code = evidence.code
    if code is None:
        return Ruling(Status.NOT_SHOWN, "the bundle has no known answers")
    bad = [one["test"] for one in code["tests"] if not one["p"]]
    if bad:
        return Ruling(Status.FAIL, f"{words}: {listed(bad)} did not hold", (CODE,))
    engines = listed(code["engines"])
    why = f"{words}: {len(code['tests'])} checks of the code hold on the engines {engines}"
    return Ruling(Status.PASS, why, (CODE,))


def by_core(evidence: Evidence, holds: Callable[[Mapping[str, Any]], tuple[bool, str]]) -> Ruling:
    """Rule by what was read in the dealer's sources."""
    if evidence.core is None:
        why = "no dealer is installed where this bundle was made, so its sources were not read"
        return Ruling(Status.NOT_SHOWN, why)
    good, why = holds(evidence.core)
    return Ruling(Status.PASS if good else Status.FAIL, why, (CORE,))


def both(*rulings: Ruling) -> Ruling:
    """Join rulings: the worst status, all reasons."""
    worst = (Status.FAIL, Status.NOT_SHOWN, Status.BY_DOCUMENT, Status.NOT_APPLICABLE, Status.PASS)
    status = min((ruling.status for ruling in rulings), key=worst.index)
    files = tuple(dict.fromkeys(name for ruling in rulings for name in ruling.files))
    return Ruling(status, "; ".join(ruling.why for ruling in rulings), files)


def by_games(evidence: Evidence, promises: Sequence[str], words: str) -> Ruling:
    """Rule by the games that were replayed for the bundle; by document where there were none."""
    replay = evidence.replay
    if replay is None or not (replay["games"] or replay["unreadable"]):
        why = f"{words}: no game was replayed for this bundle; the tests named here hold it"
        return Ruling(Status.BY_DOCUMENT, why)
    told: list[str] = []
    worst = Status.PASS
    for game in replay["games"]:
        for promise in promises:
            said = game["promises"][promise]
            if said == "broken":
                worst = Status.FAIL
            elif said != "holds" and worst is Status.PASS:
                worst = Status.NOT_SHOWN
            if said != "holds":
                told.append(f"{promise} {said} in {game['game']}")
    if replay["unreadable"] and worst is Status.PASS:
        worst = Status.NOT_SHOWN
        told.append(f"{len(replay['unreadable'])} files could not be read")
    if not replay["hands"] and worst is Status.PASS:
        worst = Status.NOT_SHOWN
        told.append("no hand was dealt in them")
    why = f"{words}: {listed(promises)} in {len(replay['games'])} games, {replay['hands']:,} hands"
    return Ruling(worst, f"{why}; {listed(told)}" if told else f"{why}, all hold", (REPLAY,))
