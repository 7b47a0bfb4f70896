"""What is due in a tournament (protocol 14.6 to 14.10): the first thing of it, as entries.

Only what the log itself shows is due: commands of players and operators are not, and what is drawn
directly before a hand is asked for when the hand starts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.busting import plan_busts
from audit_cli.tournament.clocks import is_break_due, is_closing_due, is_level_due
from audit_cli.tournament.dealing import new_tables
from audit_cli.tournament.moving import (
    find_breaking,
    is_redraw_due,
    plan_balance,
    plan_break,
    plan_late_seat,
    plan_redraw,
)
from audit_cli.tournament.placing import (
    Placing,
    place_busted,
    place_cancelled,
    place_last,
    still_to_win,
)
from audit_cli.tournament.planned import Planned
from audit_cli.tournament.prizes import count_full, work_out_pool, work_out_prizes
from audit_cli.tournament.rounds import (
    is_hand_for_hand_due,
    is_round_over,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from audit_cli.tournament.state import State


def find_due(state: State, at: int) -> list[Planned]:
    """Return the first thing that is due at a time, as the entries that it begins with."""
    if state.ended:
        return []
    if not state.started:
        return _plan_start(state, at)
    busts = plan_busts(state, at)
    if busts:
        return busts[:1]
    if not is_round_over(state):
        return []
    return _closing(state, at) or _levels(state, at) or _seats(state)


def is_start_due(state: State, at: int) -> bool:
    """Whether the tournament starts now."""
    structure = state.structure
    if structure.start_at is None:
        return state.players_in >= structure.players_max
    return at >= structure.start_at and state.players_in >= structure.players_min


def _plan_start(state: State, at: int) -> list[Planned]:
    players = state.players_in
    if is_start_due(state, at):
        opened = [
            Planned("table_opened", {"table": number}, Promise.SEATED, at_once=True)
            for number in range(1, new_tables(state, players) + 1)
        ]
        return [
            Planned("started", {"players": players}, Promise.SEATED),
            *opened,
            Planned("drawn", {"what": "seats"}, Promise.SEATED, at_once=True),
            *([] if state.structure.late else [_registration_closed(state, at_once=True)]),
            Planned("level_begun", {"level": 1}, Promise.LEVELS, at_once=True),
        ]
    start_at = state.structure.start_at
    if start_at is not None and at >= start_at:
        return [Planned("tournament_closed", {"reason": "cancelled"}, Promise.COMPLETE)]
    return []


def _registration_closed(state: State, *, at_once: bool = False) -> Planned:
    pool = work_out_pool(state)
    prizes = work_out_prizes(state.structure.payout, pool, max(state.players, 1))
    fields = {
        "players": state.players,
        "entries": state.entries,
        "pool": pool,
        "prizes": list(prizes),
    }
    return Planned("registration_closed", fields, Promise.PLACED, at_once)


def _placed(placings: Iterable[Placing]) -> list[Planned]:
    return [Planned("placed", one._asdict(), Promise.PLACED) for one in placings]


def _closing(state: State, at: int) -> list[Planned]:
    if is_closing_due(state, at):
        return [_registration_closed(state)]
    if state.registration_closed and state.unplaced:
        return _placed(place_busted(state))
    due = is_hand_for_hand_due(state)
    if due != state.hand_for_hand:
        kind = "hand_for_hand_begun" if due else "hand_for_hand_ended"
        return [Planned(kind, {}, Promise.LEVELS)]
    return _plan_end(state)


def _is_end_reached(state: State) -> bool:
    """Whether nothing is played for any more (protocol 14.10)."""
    if not state.registration_closed:
        return False
    payout, left = state.structure.payout, 1
    if payout.kind == "satellite":
        left = max(count_full(payout, state.pool, max(state.players, 1)), 1)
    return state.players_in <= left or (state.shares is not None and not state.left)


def _plan_end(state: State) -> list[Planned]:
    if not state.ready or not _is_end_reached(state):
        return []
    satellite = state.structure.payout.kind == "satellite"
    return [*_placed(place_last(state, satellite=satellite)), *plan_closing(state, "finished")]


def plan_closing(state: State, reason: str) -> list[Planned]:
    """Return the closing of all tables and of the tournament."""
    closed = [
        Planned("table_closed", {"table": table.number, "game": table.game}, Promise.LINKED)
        for table in sorted(state.tables.values(), key=lambda table: table.number)
        if not table.closed
    ]
    return [*closed, Planned("tournament_closed", {"reason": reason}, Promise.COMPLETE)]


def plan_cancelling(state: State) -> list[Planned]:
    """Return what cancelling a tournament asks for, if it is stopped and between hands.

    There has to be something left to play for.
    """
    may = state.started and state.stopped and state.ready
    if not may or _is_end_reached(state):
        return []
    if not state.registration_closed:
        total, busted = work_out_pool(state), []
    else:
        # In a round hand for hand that this ends, some may have busted and have no place yet.
        total, busted = still_to_win(state), _placed(place_busted(state))
    won = _placed(place_cancelled(state, total))
    return [*busted, *won, *plan_closing(state, "cancelled")]


def _levels(state: State, at: int) -> list[Planned]:
    if is_break_due(state, at):
        return [Planned("break_begun", {"level": state.level}, Promise.LEVELS)]
    if is_level_due(state, at):
        return [Planned("level_begun", {"level": state.level + 1}, Promise.LEVELS)]
    return []


def _seats(state: State) -> list[Planned]:
    tables = state.open_tables()
    late = plan_late_seat(state, tables)
    if late:
        return late
    if is_redraw_due(state, tables):
        return plan_redraw(state) if state.ready else []
    breaking = find_breaking(state, tables)
    if breaking is not None and breaking.hand is None:
        return [plan_break(breaking)]
    balance = plan_balance(state, [table for table in tables if table is not breaking])
    return [] if balance is None else [balance]


def find_hold(state: State, table: int) -> str | None:
    """Say what keeps a table from starting a hand though nothing can be done about it yet."""
    if not is_round_over(state):
        return None
    if _is_end_reached(state):
        return "the tournament has reached its end"
    deciding = [name for name in state.tables[table].seats.values() if name in state.deciding]
    if deciding:
        return f"{', '.join(deciding)} may still buy chips there"
    tables = state.open_tables()
    if is_redraw_due(state, tables):
        return "seats are to be drawn anew, and no table starts a hand before"
    breaking = find_breaking(state, tables)
    if breaking is not None and breaking.number == table:
        return "the table is to be broken, and starts no hand"
    return None
