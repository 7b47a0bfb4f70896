"""Single hands, as entries, through the audit's checks of a hand: DEALT, ORDERED and PLAYED."""

from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

from audit_cli.checks.dealt import Dealt
from audit_cli.checks.ordered import Ordered
from audit_cli.checks.played import Played
from audit_cli.checks.table import Table
from audit_cli.derive import CARD_NUMBERS
from audit_cli.gamefile import Line
from audit_cli.report.finding import Damaged, Finding, Fork, Notice, Opinion, Verdict
from audit_cli.transcript_line import Entry as Read
from audit_cli.transcript_line import parse_entry
from dealer_service.rules.entry import Entry, GameOpened, OpenedCard, RuleSet
from dealer_service.tables.lines import encode
from tests.support.game_files import GAME, ORIGIN


class Findings:
    """Keeps what checks say."""

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.findings: list[Finding] = []
        self.opinions: list[Opinion] = []

    def finding(self, finding: Finding, /) -> None:
        self.findings.append(finding)
        if finding.verdict is Verdict.BROKEN:
            self.broken.append(
                f"{finding.promise.value}, entry {finding.entry}: {finding.text}; "
                f"expected {finding.expected}, found {finding.found}"
            )

    def notice(self, _: Notice, /) -> None:
        pass

    def warning(self, _: str, /) -> None:
        pass

    def fork(self, _: Fork, /) -> None:
        pass

    def opinion(self, opinion: Opinion, /) -> None:
        self.opinions.append(opinion)

    def unreadable(self, _: Damaged, /) -> None:
        pass


def lines_of(rules: RuleSet, entries: Iterable[tuple[int, Entry]]) -> list[Line]:
    """Encode entries behind the opening of a game, and read them as the audit does."""
    opened = GameOpened("cutcard/v1", ORIGIN, GAME, rules)
    found = []
    for number, (at, entry) in enumerate([(0, opened), *entries]):
        raw = encode(at, entry)
        read = parse_entry(raw)
        assert isinstance(read, Read), (read, raw)
        found.append(Line(number + 2, number, read.at, read.kind, read.body, b"", len(raw)))
    return found


def audit_hand(lines: Sequence[Line], deck: Sequence[OpenedCard] = ()) -> Findings:
    """Follow one hand; what came before its opening is not known, and not judged."""
    findings = Findings()
    table = Table(GAME, ORIGIN)
    ordered, played, dealt = Ordered(findings), Played(findings), Dealt(findings)
    for check in (ordered, played, dealt):
        check.begin(table)
    for line in lines:
        ordered.line(line)
        if line.kind == "deck_committed":
            ordered.signed()
        table.torn = table.torn or line.kind == "hand_opened"
        if played.clock.acted is not None:
            played.clock.follow(line)
        if line.kind in played.handlers:
            played.handlers[line.kind](line)
        _tell(dealt, line, before=True)
        if line.kind in table.handlers:
            table.handlers[line.kind](line)
        _tell(dealt, line, before=False)
    if deck:
        cards = tuple(CARD_NUMBERS[card.card] for card in deck)
        played.reveal(lines[1].body["hand"], SimpleNamespace(cards=cards))
    return findings


def _tell(dealt: Dealt, line: Line, *, before: bool) -> None:
    handlers: dict[str, Any] = {"hand_opened": dealt.hand_opened}
    if before:
        handlers = {
            "dealt": dealt.dealt,
            "opened": dealt.opened,
            "runs_agreed": dealt.runs_agreed,
        }
    if line.kind in handlers:
        handlers[line.kind](line)
