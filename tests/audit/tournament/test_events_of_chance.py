"""Whatever is asked of a tournament when, the audit finds nothing wrong with what the dealer logs.

Here an event's own log is judged; its tables' hands are of chance, and have no logs.
"""

import os
from collections.abc import Sequence
from random import Random
from typing import Final

import pytest

from audit_cli.checks import Emit  # noqa: TC001 - checks come before what they are made of
from audit_cli.gamefile import Header, Line
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.report.finding import Finding, Notice
from audit_cli.tournament.log import TournamentLog
from audit_cli.tournament.speaking import Speaker
from audit_cli.transcript_line import Entry, parse_tournament_entry
from dealer_service.rules.tournament.entry import TournamentEntry
from dealer_service.tables.tournament.lines import encode
from tests.support.chance_events import ID, play_by_chance
from tests.support.game_files import Signer
from tests.support.tournament_play import ORIGIN

EVENTS: Final = int(os.environ.get("CUTCARD_TOURNAMENTS", "48"))


class Found:
    """Collects what the audit says."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def finding(self, finding: Finding, /) -> None:
        self.findings.append(finding)

    def notice(self, notice: Notice, /) -> None:
        pass

    def warning(self, text: str, /) -> None:
        pass

    def fork(self, fork: object, /) -> None:
        pass

    def opinion(self, opinion: object, /) -> None:
        pass

    def unreadable(self, damaged: object, /) -> None:
        pass


def judge(log: Sequence[tuple[int, TournamentEntry]]) -> list[Finding]:
    """Have the audit judge the lines of a tournament's log, one by one."""
    found = Found()
    emit: Emit = found
    speaker = Speaker(emit)
    speaker.begin(ID.hex())
    key = parse_vkey(Signer().vkey)
    assert isinstance(key, VerifierKey)
    judged = TournamentLog(Header("event", 1, ID.hex(), ORIGIN, key, tournament=True), speaker)
    for number, (at, entry) in enumerate(log):
        line = encode(at, entry)
        read = parse_tournament_entry(line)
        assert isinstance(read, Entry), read
        judged.line(Line(number + 2, number, read.at, read.kind, read.body, b"", len(line)))
    return found.findings


NO_TIME_TO_DECIDE: Final = 3_606
"""Of one hand two bust, of whom one might buy chips but has no time to."""


@pytest.mark.parametrize("seed", [*range(EVENTS), NO_TIME_TO_DECIDE])
def test_an_honest_event_of_chance_is_found_to_be_right(seed: int) -> None:
    assert judge(play_by_chance(seed).log) == []


@pytest.mark.parametrize("seed", range(EVENTS // 2))
def test_an_event_that_lacks_a_line_is_judged_to_its_end(seed: int) -> None:
    """One of a hand is told of; no other makes the audit stumble."""
    log = play_by_chance(seed).log
    dice = Random(seed)
    for _ in range(3):
        missing = dice.randrange(1, len(log))
        findings = judge([*log[:missing], *log[missing + 1 :]])
        assert findings or "hand" not in type(log[missing][1]).__name__.lower()
