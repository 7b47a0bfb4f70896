"""Audits a tournament's files without the decks and hands of its tables: the event alone.

`judge_event` reads, covers and reports as `cutcard-audit verify` does; of the checks it has those
of tournaments and SIGNED. A whole audit is `tests.support.audits.judge`.
"""

import io
from collections.abc import Mapping

from audit_cli.checks import Request
from audit_cli.checks.check import TOURNAMENT, Emit, Handler
from audit_cli.checks.signed import SignedBy
from audit_cli.coverage import Ended
from audit_cli.gamefile import Extra, Header, Line, Signed, read_game_file
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.report.finding import TOURNAMENT_PROMISES, Promise, Report, Verdict
from audit_cli.spool import Spool
from audit_cli.tournament.check import Tournaments
from audit_cli.verify import audit

JUDGED = (*TOURNAMENT_PROMISES, Promise.ORDERED, Promise.COMPLETE)
"""What the event's checks speak of."""


class EventAlone:
    """The checks of tournaments, as `checks.log` tells them of both kinds of logs."""

    def __init__(self, _: Request, emit: Emit) -> None:
        self.tournaments = Tournaments(emit)
        self.header: Header | None = None
        self.leaves = Spool()

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **self.tournaments.tables.handlers,
            "*": self._line,
            TOURNAMENT: self.tournaments.line,
        }

    def _line(self, line: Line) -> None:
        self.leaves.add(line.leaf)
        if line.kind == "game_closed":
            self.tournaments.tables.game_closed(line, self.leaves)

    def begin(self, header: Header, /) -> None:
        self.header = header
        self.leaves = Spool()
        if header.tournament:
            self.tournaments.begin(header)
        else:
            self.tournaments.tables.begin()

    def signed(self, _: Signed, /) -> None:
        pass

    def behind(self, _: Extra, /) -> None:
        pass

    def end(self, ended: Ended, /) -> None:
        assert self.header is not None
        if self.header.tournament:
            self.tournaments.end(ended)
        else:
            self.tournaments.tables.end(ended)

    def conclude(self) -> None:
        self.tournaments.conclude()


def judge_event(data: bytes, key: str | None = None) -> Report:
    """Audit the joined files of an event."""
    trusted = None if key is None else parse_vkey(key)
    assert trusted is None or isinstance(trusted, VerifierKey)
    items = read_game_file(io.BytesIO(data), "event")
    return audit(items, Request(trusted=trusted), (SignedBy, EventAlone))


def broken_of_event(report: Report) -> set[str]:
    """Name the event's promises that are broken."""
    verdicts = report.verdicts()
    return {promise.value for promise in JUDGED if verdicts[promise] is Verdict.BROKEN}


def unproved_of_event(report: Report) -> set[str]:
    """Name the event's promises that are not established."""
    verdicts = report.verdicts()
    return {promise.value for promise in JUDGED if verdicts[promise] is Verdict.NOT_ESTABLISHED}
