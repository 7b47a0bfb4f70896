"""The session in a table: a line for each player, the shares that trackers show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.review.painting import Paint
    from audit_cli.review.statistics import Session

_HEADINGS = (
    *("player", "hands", "VPIP", "PFR", "3-bet", "WTSD", "W$SD", "aggression"),
    *("biggest pot", "net"),
)
LEGEND = (
    "VPIP: put chips in by will before the flop, where it had a turn; PFR: raised there; 3-bet:",
    "raised over the first raise, where it faced one; WTSD: went to showdown, of the flops seen;",
    "W$SD: won there; aggression: bets and raises for each call from the flop on; biggest pot:",
    "most won in a hand.",
)


def lay_out(sessions: Mapping[str, Session], paint: Paint) -> list[str]:
    """Return the lines of the table, with what its headings mean."""
    rows = [_HEADINGS, *[_row(player, session) for player, session in sessions.items()]]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADINGS))]
    lines = [_line(row, widths) for row in rows]
    return [paint.strong(lines[0]), *lines[1:], *map(paint.faint, LEGEND)]


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row: the name to the left, figures to the right."""
    cells = [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join([f"{row[0]:<{widths[0]}}", *cells])


def _row(player: str, session: Session) -> tuple[str, ...]:
    return (
        player,
        f"{session.hands:,}",
        _share(session.vpip, session.first_turns),
        _share(session.pfr, session.first_turns),
        _share(session.three_bets, session.three_bet_chances),
        _share(session.showdowns, session.flops),
        _share(session.showdowns_won, session.showdowns),
        _ratio(session),
        f"{session.biggest_pot:,}",
        f"{session.net:+,}" if session.net else "0",
    )


def _share(part: int, whole: int) -> str:
    """Return a share in whole per cent, halves up; a dash where there was nothing to share."""
    return f"{(200 * part + whole) // (2 * whole)}%" if whole else "-"


def _ratio(session: Session) -> str:
    if session.aggression is None:
        return "no calls" if session.moves else "-"
    return f"{session.aggression:.1f}"
