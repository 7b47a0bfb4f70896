"""The report's sections beside the battery: verdict, requirements, flaws, the suites of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.report import markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_COLOURS: Final = {"PASS": "good", "FAIL": "bad", "NOT SHOWN": "open"}


def verdict(battery: Mapping[str, Any]) -> str:
    """Say in one box how the run ended and why."""
    passed = battery["decision"] == "pass"
    head = "Passed" if passed else "Failed"
    tests = len(battery["tests"])
    words = (
        f"{tests} tests on {battery['hands']:,} decks: {battery['why']}."
        if passed
        else f"{tests} tests on {battery['hands']:,} decks; {battery['why']}."
    )
    return (
        f'<div class="verdict {"good" if passed else "bad"}"><strong>{head}</strong>'
        f"{markup.text(words)}</div>"
    )


def identity(facts: Iterable[tuple[str, object]]) -> str:
    """List what this is evidence of, with the hashes that hold it."""
    return markup.facts(
        (name, markup.code(told) if _is_hash(told) else markup.text(told)) for name, told in facts
    )


def _is_hash(told: object) -> bool:
    return isinstance(told, str) and len(told) >= 40 and " " not in told


def requirements(matrix: Mapping[str, Any]) -> str:
    """Show the requirement matrix with what was ruled and why."""
    totals = ", ".join(f"{count} {name}" for name, count in matrix["totals"].items() if count)
    columns = [("id", "k"), ("requirement", "w"), ("sources", "m"), ("says", "m"), ("why", "a")]
    rows = [
        [
            markup.text(row["id"]),
            markup.text(row["requirement"]),
            markup.text(row["sources"]),
            markup.tag("span", markup.text(row["status"]), of=_COLOURS.get(row["status"], "")),
            markup.text(row["why"]),
        ]
        for row in matrix["requirements"]
    ]
    words = (
        f"{totals}. PASS and FAIL are worked out from figures in this bundle; BY DOCUMENT rests on "
        "its documents and on the project's own tests; NOT SHOWN says what is missing."
    )
    return (
        markup.tag("h2", "Requirements")
        + markup.tag("p", markup.text(words))
        + markup.table(columns, rows)
    )


def flaws(sensitivity: Mapping[str, Any]) -> str:
    """Show which planted flaws the battery found, and how often it cried where there was none."""
    columns = [
        ("flaw", "k"),
        ("planted", ""),
        ("amount", "k"),
        ("found by", ""),
        ("", "k"),
    ]
    rows = [
        [
            markup.text(one["flaw"]),
            markup.text(one["planted"]),
            markup.text(one["amount"]),
            "<br>".join(_sight(seen) for seen in one["tests"]) or _alarms(one["alarms"]),
            _sign(one),
        ]
        for one in sensitivity["cases"]
    ]
    clean = sensitivity.get("clean")
    alarms = (
        markup.tag(
            "p",
            markup.text(
                f"In {clean['runs']:,} clean runs of {clean['decks']:,} decks each, the battery "
                f"raised {len(clean['alarms'])} false alarms before any confirmation; up to "
                f"{clean['most_alarms']} are chance at its level of 1 %."
            ),
        )
        if clean and clean["runs"]
        else ""
    )
    words = (
        "A battery that finds nothing proves little unless it finds what is there. These "
        "generators are broken on purpose, in ways that real dealers were; each has to be found at "
        "the amount of data that is stated for it."
    )
    return (
        markup.tag("h2", "Does the battery find flaws?")
        + markup.tag("p", markup.text(words))
        + markup.table(columns, rows)
        + alarms
    )


def _sight(seen: Mapping[str, Any]) -> str:
    told = f"p = {markup.chance(seen['p'])}" if seen["stated"] else "certain"
    return markup.text(f"{seen['test']}: {told}")


def _alarms(alarms: Iterable[Mapping[str, Any]]) -> str:
    told = ", ".join(f"{one['test']}: p = {markup.chance(one['p'])}" for one in alarms)
    return markup.text(told or "nothing, as it should be")


def _sign(case: Mapping[str, Any]) -> str:
    good = bool(case["good"])
    words = ("found" if good else "missed") if case["tests"] else ("clean" if good else "alarm")
    return markup.tag("span", words, of="good" if good else "bad")


def suites(external: Mapping[str, Any]) -> str:
    """Tell what other people's suites said, each run once."""
    columns = [("suite", "k"), ("version", ""), ("program's SHA-256", ""), ("what it said", "")]
    rows = [
        [
            markup.text(one["suite"]),
            markup.text(one["version"]),
            markup.code(str(one["sha256"])[:16]),
            markup.text(one["said"]),
        ]
        for one in external["suites"]
    ]
    words = (
        "Run once each on this generator's bytes, and told as they are: their raw output is in the "
        "bundle. A few extreme p-values are to be expected of suites with hundreds of them, and "
        "none of these decides the verdict."
    )
    return (
        markup.tag("h2", "Suites of others")
        + markup.tag("p", markup.text(words))
        + (markup.table(columns, rows) if rows else markup.tag("p", "None was on the machine."))
    )


def limits(document: str) -> str:
    """Say in plain words what statistics can not show."""
    return markup.tag("h2", "What this can not show") + markup.bullets(document)
