"""WITNESSED: a quorum of the policy co-signed the dealer's log over each line of these games.

The lines are those of all covered entries that have one, so that the last root is among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.quorum import Quorum
from audit_cli.checks.voice import count
from audit_cli.report.finding import Finding, Promise, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection

    from audit_cli.checks.check import Emit
    from audit_cli.checks.logged import LoggedGame
    from audit_cli.log.policy import Policy

_NAMED = 3


def conclude_witnessed(emit: Emit, policy: Policy | None, games: Collection[LoggedGame]) -> None:
    """Say for each game what is not witnessed and why, and what is, by whom and when."""
    if policy is None:
        text = "no policy of witnesses is given"
        emit.finding(Finding(Promise.WITNESSED, Verdict.NOT_APPLICABLE, text))
        return
    times: dict[str, int] = {}
    lines = 0
    for game in games:
        _tell_left(emit, game)
        lines += len(game.witnessed)
        for quorum in game.witnessed.values():
            for name, time in quorum.times.items():
                times[name] = max(time, times.get(name, 0))
    if lines:
        of = count(len(games), "game")
        text = (
            f"{count(lines, 'line')} of {of} in the dealer's log, co-signed by {Quorum(times, 0)}"
        )
        emit.finding(Finding(Promise.WITNESSED, Verdict.HOLDS, text))
    else:
        text = "no line of these games is under a co-signed checkpoint of the dealer's log"
        emit.finding(Finding(Promise.WITNESSED, Verdict.NOT_ESTABLISHED, text))


def _tell_left(emit: Emit, game: LoggedGame) -> None:
    left = [noted for key, noted in game.expected.items() if key not in game.witnessed]
    if not left:
        return
    for doubt in game.doubts:
        game.say(emit, Promise.WITNESSED, Verdict.NOT_ESTABLISHED, doubt)
    names = ", ".join(str(noted) for noted in left[:_NAMED])
    more = ", ..." if len(left) > _NAMED else ""
    text = f"{count(len(left), 'line')} of this game not witnessed ({names}{more})"
    game.say(emit, Promise.WITNESSED, Verdict.NOT_ESTABLISHED, text, left[0].hand)
