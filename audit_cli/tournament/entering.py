"""Who may enter, buy chips, leave, or share what is left (protocol 14.5, 14.9): what is commanded.

Each function judges one kind of entry by the state before it, and returns what has to follow it
directly. A right that a player had not breaks SEATED, a wrong number of chips COUNTED, and a deal
PLACED.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.placing import still_to_win
from audit_cli.tournament.planned import Planned, tell
from audit_cli.tournament.structure_shape import MAX_NAMES, MAX_STACKS

if TYPE_CHECKING:
    from audit_cli.gamefile import Line
    from audit_cli.tournament.speaking import Speaker
    from audit_cli.tournament.state import Entrant, State, Table

JudgeOfKind = Callable[["State", "Line", "Speaker"], Iterable[Planned]]


def _break(  # noqa: PLR0913, PLR0917 - a finding with its parts
    speaker: Speaker,
    promise: Promise,
    line: Line,
    text: str,
    expected: object = None,
    found: object = None,
) -> None:
    if found is None:
        found = tell(line.kind, line.body)
    speaker.broken(promise, text, line, expected, found)


def _registered(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    body, structure = line.body, state.structure
    name = body["player"]
    known = state.entrants.get(name)
    number = known.number if known is not None and known.number else len(state.by_number) + 1
    if number > MAX_NAMES:
        text = f"{name} registers as one name more than may"
        _break(speaker, Promise.SEATED, line, text, f"{MAX_NAMES:,} at most", number)
    if body["entrant"] != number:
        text = f"{name} gets another entrant number"
        _break(speaker, Promise.SEATED, line, text, number, body["entrant"])
    if known is not None and (known.stands or known.annulled):
        text = f"{name} registers, and {'is in' if known.is_in else 'was in before'}"
        _break(speaker, Promise.SEATED, line, text, "a name that was not in")
        return []
    _check_room(state, line, speaker)
    full = state.players_in >= structure.players_max
    if not state.started:
        if full:
            text = f"{name} registers, and {structure.players_max:,} players are in"
            _break(speaker, Promise.SEATED, line, text, f"{structure.players_max:,} at most")
        return []
    always = structure.start_at is None
    house = body.get("house", False)
    open_seats = always or not state.registration_closed
    if structure.take_over and full and open_seats and not house:
        return _plan_taking_over(state, line, speaker)
    if state.registration_closed:
        text = f"{name} registers when registration has closed"
        _break(speaker, Promise.SEATED, line, text)
    elif full:
        text = f"{name} registers, and {structure.players_max:,} players are in"
        _break(speaker, Promise.SEATED, line, text, f"{structure.players_max:,} at most")
    return []


def _check_room(state: State, line: Line, speaker: Speaker) -> None:
    """See that no more chips come into play than may ever be."""
    if state.stacks_given >= MAX_STACKS:
        text = f"{line.body['player']} gets chips, and {MAX_STACKS:,} times some were given"
        _break(speaker, Promise.SEATED, line, text)


def _plan_taking_over(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    name = line.body["player"]
    for table in state.open_tables():
        if table.hand is not None or not table.orbiting:
            continue
        for seat, holder in sorted(table.seats.items()):
            one = state.entrants[holder]
            if one.house:
                fields = {
                    "player": name,
                    "house_player": holder,
                    "table": table.number,
                    "seat": seat,
                    "stack": state.structure.stack,
                    "removed": one.stack,
                }
                return [Planned("taken_over", fields, Promise.SEATED, at_once=True)]
    text = f"{name} registers, and no house player's seat is to be taken over"
    _break(speaker, Promise.SEATED, line, text)
    return []


def _withdrawn(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    name = line.body["player"]
    entrant = state.entrants.get(name)
    if state.started:
        text = f"{name} withdraws after the start"
        _break(speaker, Promise.SEATED, line, text)
    elif entrant is None or not entrant.is_in:
        _break(speaker, Promise.SEATED, line, f"{name} withdraws, and is not in")
    return []


def _reentered(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    name, structure = line.body["player"], state.structure
    entrant = state.entrants.get(name)
    if entrant is None or not entrant.busted or entrant.disqualified or entrant.is_in:
        _break(speaker, Promise.SEATED, line, f"{name} enters again, and has not busted")
    elif entrant.reentries >= structure.reentries:
        text = f"{name} enters again once more than it may"
        _break(speaker, Promise.SEATED, line, text, structure.reentries, entrant.reentries + 1)
    _check_room(state, line, speaker)
    if state.registration_closed or not structure.late:
        text = f"{name} enters again when registration has closed"
        _break(speaker, Promise.SEATED, line, text)
    if state.players_in >= structure.players_max:
        text = f"{name} enters again, and {structure.players_max:,} players are in"
        _break(speaker, Promise.SEATED, line, text, f"{structure.players_max:,} at most")
    return []


def _held(state: State, line: Line, speaker: Speaker) -> tuple[Entrant, Table] | None:
    """Return player and table where the player sits where an entry says."""
    body = line.body
    entrant = state.entrants.get(body["player"])
    place = (body["table"], body["seat"])
    if entrant is not None and (entrant.table, entrant.seat) == place:
        return entrant, state.tables[entrant.table]
    where = "nowhere"
    if entrant is not None and entrant.table:
        where = f"table {entrant.table}, seat {entrant.seat}"
    text = f"{line.kind} of {body['player']} at a seat that it does not hold"
    _break(speaker, Promise.SEATED, line, text, where)
    return None


def _rebought(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    held, rule = _held(state, line, speaker), state.structure.rebuy
    if rule is None:
        text = "chips are bought again, and the structure has no rebuy"
        _break(speaker, Promise.SEATED, line, text)
        return []
    entrant = _judge_purchase(
        state, line, speaker, held, chips=rule.chips, buys="buys", act="buys chips"
    )
    if entrant is not None and not state.may_rebuy(entrant, entrant.stack):
        text = f"{entrant.name} buys chips that it may not buy"
        most = rule.most or "any number of"
        expected = f"{most} times, with at most {rule.max_stack}, while registration is open"
        found = f"{entrant.rebuys} bought before, with {entrant.stack}"
        _break(speaker, Promise.SEATED, line, text, expected, found)
    return []


def _added_on(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    held, rule = _held(state, line, speaker), state.structure.add_on
    if rule is None:
        text = "chips are added on, and the structure has no add-on"
        _break(speaker, Promise.SEATED, line, text)
        return []
    entrant = _judge_purchase(
        state, line, speaker, held, chips=rule.chips, buys="adds on", act="adds on"
    )
    if entrant is None:
        return []
    if entrant.added_on:
        _break(speaker, Promise.SEATED, line, f"{entrant.name} adds on twice")
    if not state.in_break or state.level != state.structure.late_levels:
        text = f"{entrant.name} adds on outside the break of the add-on"
        expected = f"in the break after level {state.structure.late_levels}"
        _break(speaker, Promise.SEATED, line, text, expected)
    return []


def _judge_purchase(  # noqa: PLR0913 - a purchase, and the words for it
    state: State,
    line: Line,
    speaker: Speaker,
    held: tuple[Entrant, Table] | None,
    *,
    chips: int,
    buys: str,
    act: str,
) -> Entrant | None:
    """Judge what any purchase of chips is held to; give who made it, where it sits."""
    body = line.body
    if body["chips"] != chips:
        text = f"{body['player']} {buys} another number of chips"
        _break(speaker, Promise.COUNTED, line, text, chips, body["chips"])
    _check_room(state, line, speaker)
    if held is None:
        return None
    entrant, table = held
    if table.hand is not None:
        text = f"{entrant.name} {act} in the middle of a hand of table {table.number}"
        _break(speaker, Promise.SEATED, line, text)
    return entrant


def _disqualified(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    held = _held(state, line, speaker)
    if held is None:
        return []
    entrant, table = held
    if table.hand is not None:
        text = f"{entrant.name} is disqualified in the middle of a hand of table {table.number}"
        _break(speaker, Promise.ORDERED, line, text)
    others = state.unseated or any(
        one.is_in and one.stack for one in state.entrants.values() if one is not entrant
    )
    if not others:
        text = f"{entrant.name} is disqualified, and no other player has chips"
        _break(speaker, Promise.SEATED, line, text)
    if line.body["stack"] != entrant.stack:
        text = f"{entrant.name} is disqualified with another stack"
        _break(speaker, Promise.COUNTED, line, text, entrant.stack, line.body["stack"])
    return []


def _why_no_deal(state: State) -> str | None:
    """Say why nobody can agree on a deal now; None where they can."""
    reasons = (
        (not state.structure.deals, "the structure has no deals"),
        (state.shares is not None, "a deal was made before"),
        (not state.registration_closed, "registration is open"),
        (len(state.open_tables()) != 1, "more tables than one are open"),
        (not state.ready, "a hand is open"),
        (bool(state.unplaced), "who has busted is not placed yet"),
        (state.ended, "the tournament is over"),
    )
    return next((why for is_so, why in reasons if is_so), None)


def _deal_agreed(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    shares = line.body["shares"]
    wrong = _why_no_deal(state)
    if wrong is not None:
        _break(speaker, Promise.PLACED, line, f"a deal is agreed on, and {wrong}")
    names = [share["player"] for share in shares]
    wanted = sorted(name for name, one in state.entrants.items() if one.is_in)
    if names != wanted:
        text = "a deal is not of every player in, by rising name"
        _break(speaker, Promise.PLACED, line, text, ", ".join(wanted), ", ".join(names))
    total, left = sum(share["amount"] for share in shares), line.body["left"]
    if total + left != still_to_win(state):
        text = "the shares of a deal and what is left are not what is still to be won"
        found = f"{total} and {left}, together {total + left}"
        _break(speaker, Promise.PLACED, line, text, still_to_win(state), found)
    return []


def _stopped(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    if not state.started or state.ended:
        text = f"{line.kind}, and the tournament does not run"
        _break(speaker, Promise.ORDERED, line, text)
    elif state.stopped == (line.kind == "stopped"):
        text = f"{line.kind}, and the tournament {'is' if state.stopped else 'was not'} stopped"
        _break(speaker, Promise.ORDERED, line, text)
    return []


JUDGES: dict[str, JudgeOfKind] = {
    "registered": _registered,
    "withdrawn": _withdrawn,
    "reentered": _reentered,
    "rebought": _rebought,
    "added_on": _added_on,
    "disqualified": _disqualified,
    "deal_agreed": _deal_agreed,
    "stopped": _stopped,
    "resumed": _stopped,
}
