"""A report as text for people and as one JSON object for machines.

Text from the input is escaped to printable ASCII, so that no file can move a reader's cursor.
"""

from __future__ import annotations

import json

from audit_cli.problem import printable
from audit_cli.report.finding import ExitStatus, Finding, Fork, Promise, Report, Verdict

MAX_DETAILS = 20

_COLOURS = {
    Verdict.HOLDS: "32",
    Verdict.BROKEN: "31;1",
    Verdict.NOT_ESTABLISHED: "33",
    Verdict.NOT_APPLICABLE: "2",
}
_LONGEST = 500

_SUMMARIES = {
    ExitStatus.HOLDS: "all that was asked for holds",
    ExitStatus.BROKEN: "a promise is broken",
    ExitStatus.UNREADABLE: "not readable as this format; what could be checked is above",
    ExitStatus.NOT_ESTABLISHED: "something asked for is not established",
}


def render_text(report: Report, *, colour: bool) -> str:
    """Return the report for people: games, a line a promise with evidence, then details."""
    lines = [
        f"game {game.game} of {game.origin}: {game.entries:,} entries, {game.signed:,} of them "
        f"under {game.checkpoints:,} checkpoints ({printable(game.source, 200)})"
        for game in report.games
    ]
    lines.append("")
    verdicts = report.verdicts()
    for promise in Promise:
        lines += _promise_lines(report, promise, verdicts[promise], colour=colour)
    several = len(report.games) > 1
    for verdict in (Verdict.BROKEN, Verdict.NOT_ESTABLISHED):
        details = [f for f in report.findings if f.verdict is verdict and _has_details(f)]
        if details:
            lines += ["", f"{verdict.value}:"]
        for finding in details[:MAX_DETAILS]:
            lines += _detail_lines(finding, several=several)
        if len(details) > MAX_DETAILS:
            lines.append(f"  and {len(details) - MAX_DETAILS:,} more; --json lists them all")
    if report.notices:
        lines += ["", "to know:", *(f"  {_safe(notice)}" for notice in report.notices)]
    if report.damage:
        lines += ["", "not of this format:"]
    for damaged in report.damage:
        place = f"{printable(damaged.source, 200)}, line {damaged.line:,}"
        lines.append(f"  {place}: {_safe(damaged.reason)}")
        if damaged.hint:
            lines.append(f"    hint: {_safe(damaged.hint)}")
    status = report.exit_status()
    lines += ["", f"{_SUMMARIES[status]} (exit status {int(status)})"]
    return "\n".join(lines) + "\n"


def _safe(words: str) -> str:
    return printable(words, _LONGEST)


def _has_details(finding: Finding) -> bool:
    places = (finding.hand, finding.entry, finding.line, finding.expected, finding.found)
    return finding.verdict is Verdict.BROKEN or any(place is not None for place in places)


def _promise_lines(
    report: Report, promise: Promise, verdict: Verdict, *, colour: bool
) -> list[str]:
    findings = report.of(promise)
    deciding = [finding for finding in findings if finding.verdict is verdict]
    shown = f"{verdict.value:<16}"
    if colour:
        shown = f"\x1b[{_COLOURS[verdict]}m{shown}\x1b[0m"
    asked = "" if promise in report.asked | report.required else " (not asked for)"
    texts = list(dict.fromkeys(_safe(finding.text) for finding in deciding))
    if not texts:
        texts = ["no check reported on it"]
    first = texts[0]
    if len(deciding) > 1 and verdict is Verdict.BROKEN:
        first = f"{first}, and {len(deciding) - 1:,} more below"
        texts = texts[:1]
    lines = [f"{promise.value:<13} {shown} {first}{asked}"]
    indent = " " * 31
    lines += [f"{indent}{more}" for more in texts[1:4]]
    lines += [f"{indent}{_safe(item)}" for finding in deciding[:1] for item in finding.evidence]
    return lines


def _detail_lines(finding: Finding, *, several: bool) -> list[str]:
    place = [finding.promise.value]
    if several and finding.game is not None:
        place.append(f"game {finding.game}")
    if finding.hand is not None:
        place.append(f"hand {finding.hand:,}")
    if finding.entry is not None:
        place.append(f"entry {finding.entry:,}")
    if finding.line is not None:
        place.append(f"line {finding.line:,}")
    lines = [f"  {', '.join(place)}: {_safe(finding.text)}"]
    if finding.expected is not None:
        lines.append(f"    expected  {_safe(finding.expected)}")
    if finding.found is not None:
        lines.append(f"    found     {_safe(finding.found)}")
    lines += [f"    {_safe(item)}" for item in finding.evidence]
    return lines


def render_json(report: Report) -> str:
    """Return the report for machines: one JSON object on one line."""
    verdicts = report.verdicts()
    status = report.exit_status()
    value = {
        "exit_status": int(status),
        "summary": _SUMMARIES[status],
        "games": [
            {
                "source": game.source,
                "game": game.game,
                "origin": game.origin,
                "entries": game.entries,
                "signed": game.signed,
                "checkpoints": game.checkpoints,
            }
            for game in report.games
        ],
        "promises": [
            {
                "promise": promise.value,
                "verdict": verdicts[promise].value,
                "asked": promise in report.asked | report.required,
                "required": promise in report.required,
                "findings": [_finding_value(finding) for finding in report.of(promise)],
            }
            for promise in Promise
        ],
        "damage": [
            {"source": d.source, "line": d.line, "reason": d.reason, "hint": d.hint}
            for d in report.damage
        ],
        "warnings": list(report.warnings),
        "notices": list(report.notices),
    }
    return json.dumps(value) + "\n"


def _finding_value(finding: Finding) -> dict[str, object]:
    value: dict[str, object] = {"verdict": finding.verdict.value, "text": finding.text}
    for name in ("game", "hand", "entry", "line", "expected", "found"):
        content = getattr(finding, name)
        if content is not None:
            value[name] = content
    if finding.evidence:
        value["evidence"] = list(finding.evidence)
    return value


def render_fork(fork: Fork) -> str:
    """Return the evidence of a fork as one JSON object, enough to check it by."""
    value = {
        "format": "cutcard-fork/1",
        "log": fork.log_origin,
        "key": fork.key,
        "notes": list(fork.notes),
        "leaves": [leaf.hex() for leaf in fork.leaves],
    }
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
