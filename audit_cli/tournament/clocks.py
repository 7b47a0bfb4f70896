"""Levels and breaks: when one has ended, and what begins then (protocol 14.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit_cli.tournament.state import State


def has_level_ended(state: State, at: int) -> bool:
    """Whether the level that is played is over; in a break it is."""
    if not state.started or state.level < 1 or state.level >= len(state.structure.levels):
        return False
    if state.in_break or state.level_over:
        return True
    if state.structure.level_by != "time":
        return False
    return state.clock.at(at) >= state.structure.level(state.level).length


def is_break_due(state: State, at: int) -> bool:
    """Whether a break begins now."""
    level = state.structure.level(state.level)
    return has_level_ended(state, at) and not state.in_break and level.break_ms > 0


def is_level_due(state: State, at: int) -> bool:
    """Whether the next level begins now."""
    if not has_level_ended(state, at):
        return False
    level = state.structure.level(state.level)
    if state.in_break:
        return state.clock.at(at) >= level.break_ms
    return level.break_ms == 0


def is_closing_due(state: State, at: int) -> bool:
    """Whether registration closes now: before the level behind the last late one, or for one."""
    if state.registration_closed or not state.started:
        return False
    if state.players_in <= 1:
        return True
    return state.level == state.structure.late_levels and is_level_due(state, at)


def tell_clock(state: State, at: int) -> str:
    """Say how far the level or the break is."""
    level = state.structure.level(state.level)
    if state.in_break:
        return f"the break of {level.break_ms} ms has run {state.clock.at(at)}"
    if state.level >= len(state.structure.levels):
        return f"level {state.level} is the last"
    if state.structure.level_by == "time":
        return f"level {state.level} of {level.length} ms has run {state.clock.at(at)}"
    return f"level {state.level} is of {level.length} {state.structure.level_by}"
