"""What a dealer's log tells beyond the games of the input: second lines, games never revealed.

Two lines for one stage are a fork of the dealer, whichever game they are of (CONSISTENT). A game
that was opened and never revealed breaks nothing of another one; such games are listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.logged import MAX_LISTED
from audit_cli.checks.voice import count
from audit_cli.problem import Problem
from audit_cli.report.finding import Finding, Fork, NotedProof, Notice, Promise, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection

    from audit_cli.checks.check import Emit
    from audit_cli.checks.dealer_log import Second, WholeLog
    from audit_cli.note import VerifierKey


def tell_log(emit: Emit, key: VerifierKey, log: WholeLog, games: Collection[str]) -> None:
    """Report on the log as a whole; `games` are those of the input."""
    for second in log.seconds:
        _tell_second(emit, key, log, second)
    for trouble in log.troubles:
        of = "" if trouble.game is None else f" (game {trouble.game})"
        text = f"entry {trouble.index:,} of the dealer's log does not fit: {trouble.text}{of}"
        if trouble.game is None or trouble.game in games:
            emit.finding(Finding(Promise.CONSISTENT, Verdict.BROKEN, text, game=trouble.game))
        else:
            emit.notice(Notice(text))
    _tell_games(emit, log, games)


def _tell_games(emit: Emit, log: WholeLog, games: Collection[str]) -> None:
    seen = log.games.values()
    unrevealed = [one for one in seen if one.game not in games and one.revealed_at is None]
    listed = [
        f"game {one.game}: {one.state}, {count(one.hand, 'hand')}"
        for one in unrevealed[:MAX_LISTED]
    ]
    if len(unrevealed) > MAX_LISTED:
        listed.append(f"and {len(unrevealed) - MAX_LISTED:,} more")
    hands = count(sum(one.hand for one in seen), "hand")
    voids = count(sum(one.voids for one in seen), "void")
    text = (
        f"the dealer's log has {count(len(seen), 'game')}, {hands}, {voids}; of the games that "
        f"are not here {len(unrevealed):,} were opened and are not revealed"
    )
    emit.notice(Notice(text, None, tuple(listed)))


def _tell_second(emit: Emit, key: VerifierKey, log: WholeLog, second: Second) -> None:
    noted, index = second.told.noted, second.told.index
    emit.finding(
        Finding(
            Promise.CONSISTENT,
            Verdict.BROKEN,
            f"the dealer's log has two lines for {noted} of game {noted.game}: "
            f"entries {second.first:,} and {index:,}",
            game=noted.game,
            hand=noted.hand or None,
        )
    )
    shown = []
    for at in (second.first, index):
        path = log.tree.inclusion(at)
        line = next(iter(log.tree.entries(at, at + 1)))
        if isinstance(path, Problem) or isinstance(line, Problem):
            return
        shown.append(NotedProof(at, line.decode("ascii"), path))
    notes = (log.note_text, log.note_text)
    emit.fork(Fork(log.checkpoint.origin, key.text, notes, noted=tuple(shown)))
