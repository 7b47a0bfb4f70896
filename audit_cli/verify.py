"""Runs the checks over the games of an input and gathers their report.

The checks are told of covered entries only; each is called for the kinds that it asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.check import TOURNAMENT, TakesPlay
from audit_cli.coverage import Ended, Judged, cover
from audit_cli.entries import SHAPES
from audit_cli.gamefile import PLAY, Damage, Extra, Header, Item, Line, Play, Signed
from audit_cli.report.finding import (
    ALWAYS_ASKED,
    TOURNAMENT_PROMISES,
    AuditedGame,
    Damaged,
    Finding,
    Fork,
    Notice,
    Opinion,
    Promise,
    Report,
)
from audit_cli.tournament.shapes import SHAPES as TOURNAMENT_SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from audit_cli.checks.check import Check, CheckMaker, Handler, PlayHandler, Request


MAX_FORKS = 10
"""So many forks are kept with their evidence, and the leaf hashes of so many lines."""
MAX_FORK_LEAVES = 1_000_000


class _Gathered:
    """What the checks emit. Of what proves forks no more is kept than a machine can hold."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.notices: list[Notice] = []
        self.warnings: list[str] = []
        self.forks: list[Fork] = []
        self.damage: list[Damaged] = []
        self.games: list[AuditedGame] = []
        self.opinions: list[Opinion] = []
        self._left_out = False

    def finding(self, finding: Finding, /) -> None:
        self.findings.append(finding)

    def notice(self, notice: Notice, /) -> None:
        self.notices.append(notice)

    def warning(self, text: str, /) -> None:
        self.warnings.append(text)

    def fork(self, fork: Fork, /) -> None:
        held = sum(len(one.leaves) for one in self.forks)
        few = len(self.forks) < MAX_FORKS and held + len(fork.leaves) <= MAX_FORK_LEAVES
        if few or not self.forks:
            self.forks.append(fork)
        elif not self._left_out:
            self._left_out = True
            self.warning(f"there are more forks: the evidence of {len(self.forks)} is kept")

    def opinion(self, opinion: Opinion, /) -> None:
        self.opinions.append(opinion)

    def unreadable(self, damaged: Damaged, /) -> None:
        self.damage.append(damaged)


def audit(
    items: Iterable[Item | Play],
    request: Request,
    makers: Sequence[CheckMaker],
    *,
    required: frozenset[Promise] = frozenset(),
    warnings: Sequence[str] = (),
) -> Report:
    """Return the report on `items`, of one or several inputs in order, by the given checks.

    `required` are the promises of `--require`; `warnings` go into the report as they are.
    """
    gathered = _Gathered()
    gathered.warnings.extend(warnings)
    checks = [make(request, gathered) for make in makers]
    _tell(cover(items, request.trusted, request.ahead), checks, gathered)
    for check in checks:
        check.conclude()
    asked = set(ALWAYS_ASKED)
    if request.trusted is not None:
        asked.add(Promise.SIGNED)
    if request.mine:
        asked.add(Promise.PLAYER_MIXED)
    if request.outside or request.outside_ignored or request.dealer_log or request.proofs:
        asked.add(Promise.CONSISTENT)
    if request.policy is not None:
        asked.add(Promise.WITNESSED)
    if any(game.beacon for game in gathered.games):
        asked.add(Promise.BEACON_MIXED)
    if any(game.tournament for game in gathered.games):
        asked.update(TOURNAMENT_PROMISES)
    return Report(
        games=tuple(gathered.games),
        findings=tuple(gathered.findings),
        damage=tuple(gathered.damage),
        warnings=tuple(gathered.warnings),
        notices=tuple(gathered.notices),
        forks=tuple(gathered.forks),
        asked=frozenset(asked),
        required=required,
        opinions=tuple(gathered.opinions),
    )


def _handlers(checks: Sequence[Check]) -> dict[str, tuple[Handler, ...]]:
    """For each kind of entry the functions to call, in the order of the checks."""
    wanted = [check.handlers() for check in checks]
    return {
        kind: tuple(
            handlers[name] for handlers in wanted for name in (kind, "*") if name in handlers
        )
        for kind in (*SHAPES, "")
    }


def _play(checks: Sequence[Check], handlers: Mapping[str, Sequence[Handler]]) -> PlayHandler:
    """Return what takes the lines of a hand's play: a check that alone is told of them, or all."""
    for check in checks:
        if isinstance(check, TakesPlay) and all(len(handlers[kind]) == 1 for kind in PLAY):
            return check.play

    def one_by_one(play: Play) -> None:
        for line in play.lines():
            for handle in handlers[line.kind]:
                handle(line)

    return one_by_one


def _tournament_handlers(checks: Sequence[Check]) -> dict[str, tuple[Handler, ...]]:
    """For each kind of a tournament's entries the functions to call: the same for all of them."""
    called = tuple(check.handlers()[TOURNAMENT] for check in checks)
    return dict.fromkeys((*TOURNAMENT_SHAPES, ""), called)


def _tell(judged: Iterable[Judged], checks: Sequence[Check], gathered: _Gathered) -> None:
    of_tournaments = [check for check in checks if TOURNAMENT in check.handlers()]
    by_log = {
        False: (checks, _handlers(checks)),
        True: (of_tournaments, _tournament_handlers(of_tournaments)),
    }
    told, handlers = by_log[False]
    take_play = _play(checks, handlers)
    header: Header | None = None
    for item in judged:
        if isinstance(item, Line):
            for handle in handlers[item.kind]:
                handle(item)
        elif isinstance(item, Play):
            take_play(item)
        elif isinstance(item, Header):
            header = item
            told, handlers = by_log[item.tournament]
            for check in told:
                check.begin(item)
        elif isinstance(item, Ended):
            assert header is not None
            gathered.games.append(_audited(header, item))
            for check in told:
                check.end(item)
        else:
            _tell_beside(item, told, gathered)


def _tell_beside(
    item: Signed | Extra | Damage | Finding, checks: Sequence[Check], gathered: _Gathered
) -> None:
    """Pass on what is no entry of the signed log."""
    if isinstance(item, Signed):
        for check in checks:
            check.signed(item)
    elif isinstance(item, Extra):
        for check in checks:
            check.behind(item)
    elif isinstance(item, Damage):
        problem = item.problem
        gathered.damage.append(Damaged(item.source, item.number, str(problem), problem.hint))
    else:
        gathered.finding(item)


def _audited(header: Header, ended: Ended) -> AuditedGame:
    return AuditedGame(
        source=header.source,
        game=header.game,
        origin=header.origin,
        entries=ended.entries,
        signed=ended.covered,
        checkpoints=ended.checkpoints,
        beacon=ended.beacon,
        tournament=header.tournament,
    )
