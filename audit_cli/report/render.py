"""A report as text for people and as one JSON object for machines.

Text from the input is escaped to printable ASCII, so that no file can move a reader's cursor.
"""

from __future__ import annotations

import json
import textwrap

from audit_cli.problem import printable
from audit_cli.report.finding import (
    ExitStatus,
    Finding,
    Fork,
    Notice,
    Promise,
    Report,
    Stand,
    Verdict,
)
from audit_cli.report.meaning import MEANINGS

MAX_DETAILS = 20
MAX_OPINIONS = 40

_COLOURS = {
    Verdict.HOLDS: "32",
    Verdict.BROKEN: "31;1",
    Verdict.NOT_ESTABLISHED: "33",
    Verdict.NOT_APPLICABLE: "2",
}
_LONGEST = 500
# Text is not folded into less than this.
_NARROWEST = 30

_SUMMARIES = {
    ExitStatus.HOLDS: "all that was asked for holds",
    ExitStatus.BROKEN: "a promise is broken",
    ExitStatus.UNREADABLE: "not readable as this format; what could be checked is above",
    ExitStatus.NOT_ESTABLISHED: "something asked for is not established",
}


def render_text(report: Report, *, colour: bool, width: int | None = None) -> str:
    """Return the report for people: games, a line a promise with evidence, then details.

    Lines are folded at `width` columns, None for never.
    """
    page = _Page(width)
    several = len(report.games) > 1
    for game in report.games:
        what = "tournament" if game.tournament else "game"
        page.add(f"{what} {game.game} of {game.origin}")
        signed = "all" if game.signed == game.entries else f"{game.signed:,} of them"
        checkpoints = f"{game.checkpoints:,} checkpoint{'' if game.checkpoints == 1 else 's'}"
        source = printable(game.source, 200)
        page.add(f"  {game.entries:,} entries, {signed} under {checkpoints} ({source})")
    page.add("")
    verdicts = report.verdicts()
    for promise in report.lines():
        _add_promise(page, report, promise, verdicts[promise], colour=colour, several=several)
    for verdict in (Verdict.BROKEN, Verdict.NOT_ESTABLISHED):
        details = [f for f in report.findings if f.verdict is verdict and _has_details(f)]
        if details:
            page.add("", f"{verdict.value}:")
        for finding in details[:MAX_DETAILS]:
            _add_details(page, finding, several=several)
        if len(details) > MAX_DETAILS:
            page.add(f"  and {len(details) - MAX_DETAILS:,} more; --json lists them all")
    _add_notices(page, report, several=several)
    if report.referee:
        _add_opinions(page, report, several=several)
    _add_damage(page, report)
    broken = [promise for promise in report.lines() if verdicts[promise] is Verdict.BROKEN]
    if broken:
        page.add("", "in plain words:")
    page.add(*(f"  {promise.value}: {MEANINGS[promise]}" for promise in broken))
    status = report.exit_status()
    page.add("", f"{_SUMMARIES[status]} (exit status {int(status)})")
    return "\n".join(page.lines) + "\n"


class _Page:
    """Lines of text, folded behind their own indent."""

    def __init__(self, width: int | None) -> None:
        self.lines: list[str] = []
        self._width = width

    def add(self, *lines: str) -> None:
        """Add lines; what does not fit goes on two columns further in."""
        for line in lines:
            indent = len(line) - len(line.lstrip(" ")) + 2
            self._fold(line, indent)

    def add_beside(self, label: str, shown: str, text: str) -> None:
        """Add a line with a label of so many columns, shown otherwise than it is counted."""
        start = len(self.lines)
        self._fold(f"{label}{text}", len(label))
        self.lines[start] = shown + self.lines[start][len(label) :]

    def _fold(self, line: str, indent: int) -> None:
        if self._width is None or len(line) <= self._width:
            self.lines.append(line)
            return
        own = len(line) - len(line.lstrip(" "))
        self.lines += textwrap.wrap(
            line[own:],
            max(self._width, indent + _NARROWEST),
            initial_indent=line[:own],
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _safe(words: str) -> str:
    return printable(words, _LONGEST)


def _has_details(finding: Finding) -> bool:
    places = (finding.hand, finding.entry, finding.line, finding.expected, finding.found)
    return finding.verdict is Verdict.BROKEN or any(place is not None for place in places)


def _place(finding: Finding, *, several: bool) -> list[str]:
    """Say where a finding is; the game where there are several."""
    place = [f"game {finding.game[:8]}"] if several and finding.game is not None else []
    for name in ("hand", "entry", "line"):
        number = getattr(finding, name)
        if number is not None:
            place.append(f"{name} {number:,}")
    return place


def _add_promise(  # noqa: PLR0913 - what is shown, of what, and how
    page: _Page, report: Report, promise: Promise, verdict: Verdict, *, colour: bool, several: bool
) -> None:
    deciding = [finding for finding in report.of(promise) if finding.verdict is verdict]
    asked = "" if promise in report.asked | report.required else " (not asked for)"
    texts = list(dict.fromkeys(_safe(finding.text) for finding in deciding))
    if not texts:
        texts = ["nothing was there to be judged"]
    if verdict is Verdict.BROKEN:
        place = ", ".join(_place(deciding[0], several=several))
        more = f"; {len(deciding) - 1:,} more below" if len(deciding) > 1 else ""
        texts = [f"{place}: {texts[0]}{more}" if place else f"{texts[0]}{more}"]
    word = f"{verdict.value:<16}"
    label = f"{promise.value:<13} {word} "
    shown = label
    if colour:
        shown = f"{promise.value:<13} \x1b[{_COLOURS[verdict]}m{word}\x1b[0m "
    page.add_beside(label, shown, f"{texts[0]}{asked}")
    blank = " " * len(label)
    evidence = [_safe(item) for finding in deciding[:1] for item in finding.evidence]
    for text in (*texts[1:4], *evidence):
        page.add_beside(blank, blank, text)


def _add_details(page: _Page, finding: Finding, *, several: bool) -> None:
    place = [finding.promise.value, *_place(finding, several=several)]
    page.add(f"  {', '.join(place)}: {_safe(finding.text)}")
    for label, value in (("expected", finding.expected), ("found", finding.found)):
        if value is not None:
            margin = f"    {label:<8}  "
            page.add_beside(margin, margin, _safe(value))
    page.add(*(f"    {_safe(item)}" for item in finding.evidence))


def _add_notices(page: _Page, report: Report, *, several: bool) -> None:
    """Add what is to be known, by game where there are several."""
    if report.notices:
        page.add("", "to know:")
    game = None
    for notice in report.notices:
        if several and notice.game is not None and notice.game != game:
            page.add(f"  game {_safe(notice.game[:8])}")
        game = notice.game
        indent = "    " if several and game is not None else "  "
        page.add(f"{indent}{_safe(notice.text)}")
        page.add(*(f"{indent}  {_safe(item)}" for item in notice.details))


def _add_damage(page: _Page, report: Report) -> None:
    if report.damage:
        page.add("", "not of this format:")
    for damaged in report.damage:
        place = f"{printable(damaged.source, 200)}, line {damaged.line:,}"
        page.add(f"  {place}: {_safe(damaged.reason)}")
        if damaged.hint:
            page.add(f"    hint: {_safe(damaged.hint)}")


def _add_opinions(page: _Page, report: Report, *, several: bool) -> None:
    """Add what the referee says, hands of one mind together."""
    page.add("", f"{report.referee}, as a referee that decides nothing:")
    hands: dict[tuple[str, Stand, str], list[int]] = {}
    for opinion in report.opinions:
        said = (opinion.game, opinion.stand, opinion.text)
        hands.setdefault(said, []).append(opinion.hand)
    if not hands:
        page.add("  no hand ended")
    games = [game.game for game in report.games]
    stands = list(Stand)
    order = sorted(hands, key=lambda said: (games.index(said[0]), stands.index(said[1])))
    game = None
    for said in order[:MAX_OPINIONS]:
        if several and said[0] != game:
            game = said[0]
            page.add(f"  game {_safe(game[:8])}")
        text = f": {_safe(said[2])}" if said[2] else ""
        noun = "hand" if len(hands[said]) == 1 else "hands"
        page.add(f"  {said[1].value}, {noun} {_ranges(hands[said])}{text}")
    if len(order) > MAX_OPINIONS:
        page.add(f"  and {len(order) - MAX_OPINIONS:,} more; --json lists them all")


def _ranges(numbers: list[int]) -> str:
    """Say rising numbers with their runs drawn together: "1-5, 7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(
        f"{first:,}" if first == last else f"{first:,}-{last:,}" for first, last in runs
    )


def render_json(report: Report) -> str:
    """Return the report for machines: one JSON object on one line."""
    verdicts = report.verdicts()
    status = report.exit_status()
    value: dict[str, object] = {
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
            | ({"tournament": True} if game.tournament else {})
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
            for promise in report.lines()
        ],
        "damage": [
            {"source": d.source, "line": d.line, "reason": d.reason, "hint": d.hint}
            for d in report.damage
        ],
        "warnings": list(report.warnings),
        "notices": [_notice_value(notice) for notice in report.notices],
    }
    if report.referee:
        value["referee"] = _referee_value(report)
    return json.dumps(value) + "\n"


def _referee_value(report: Report) -> dict[str, object]:
    counts = {stand.value: 0 for stand in Stand}
    hands = []
    for opinion in report.opinions:
        counts[opinion.stand.value] += 1
        told: dict[str, object] = {
            "game": opinion.game,
            "hand": opinion.hand,
            "stand": opinion.stand.value,
        }
        if opinion.text:
            told["text"] = opinion.text
        hands.append(told)
    return {"name": report.referee, "counts": counts, "hands": hands}


def _finding_value(finding: Finding) -> dict[str, object]:
    value: dict[str, object] = {"verdict": finding.verdict.value, "text": finding.text}
    for name in ("game", "hand", "entry", "line", "expected", "found"):
        content = getattr(finding, name)
        if content is not None:
            value[name] = content
    if finding.evidence:
        value["evidence"] = list(finding.evidence)
    return value


def _notice_value(notice: Notice) -> dict[str, object]:
    value: dict[str, object] = {"text": notice.text}
    if notice.game is not None:
        value["game"] = notice.game
    if notice.details:
        value["details"] = list(notice.details)
    return value


def render_fork(fork: Fork) -> str:
    """Return the evidence of a fork as one JSON object, enough to check it by."""
    value: dict[str, object] = {
        "format": "cutcard-fork/1",
        "log": fork.log_origin,
        "key": fork.key,
        "notes": list(fork.notes),
        "leaves": [leaf.hex() for leaf in fork.leaves],
    }
    if fork.prefix_root is not None:
        value["proof"] = [step.hex() for step in fork.proof]
        value["prefix_root"] = fork.prefix_root.hex()
    if fork.noted:
        value["noted"] = [
            {"index": one.index, "line": one.line, "proof": [step.hex() for step in one.proof]}
            for one in fork.noted
        ]
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
