"""When a hand may start, what its end may say, and who has busted (protocol 14.4, 14.7, 14.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.report.finding import Promise
from audit_cli.tournament.busting import plan_bust, plan_busts
from audit_cli.tournament.clocks import tell_clock
from audit_cli.tournament.due import find_due, find_hold
from audit_cli.tournament.planned import Planned, tell
from audit_cli.tournament.races import race_at
from audit_cli.tournament.rounds import FEWEST, is_round_over

if TYPE_CHECKING:
    from audit_cli.gamefile import Line
    from audit_cli.tournament.entering import JudgeOfKind
    from audit_cli.tournament.speaking import Speaker
    from audit_cli.tournament.state import OpenHand, State, Table


def _hand_started(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    body = line.body
    table = state.tables.get(body["table"])
    if table is None or not table.is_open:
        text = f"a hand starts at table {body['table']}, which is not open"
        speaker.broken(Promise.ORDERED, text, line)
        return []
    if table.hand is not None:
        text = f"a hand starts at table {table.number}, where hand {table.hand.number} is open"
        speaker.broken(Promise.ORDERED, text, line)
    if body["hand"] != table.last_hand + 1:
        text = f"a hand of table {table.number} has another number"
        speaker.broken(Promise.ORDERED, text, line, table.last_hand + 1, body["hand"])
    _judge_level(state, line, speaker)
    _judge_round(state, table, line, speaker)
    _judge_due(state, table, line, speaker)
    _judge_players(state, table, line, speaker)
    _judge_button(state, table, line, speaker)
    race = race_at(state, table)
    if race.is_due:
        text = f"a hand starts at table {table.number} before its chips are colored up"
        names = ", ".join(race.stacks)
        speaker.broken(Promise.COUNTED, text, line, f"colored_up to {race.unit} of {names}")
    return []


def _judge_level(state: State, line: Line, speaker: Speaker) -> None:
    level = line.body["level"]
    if level != state.level:
        text = "a hand is of another level than the last begun"
        speaker.broken(Promise.LEVELS, text, line, state.level, level)
    if state.stopped:
        speaker.broken(Promise.LEVELS, "a hand starts while the tournament is stopped", line)
    if state.in_break:
        text = "a hand starts in a break"
        speaker.broken(Promise.LEVELS, text, line, tell_clock(state, line.at))


def _judge_round(state: State, table: Table, line: Line, speaker: Speaker) -> None:
    if not state.hand_for_hand:
        return
    if state.round is None:
        if state.open_hands:
            text = "a round hand for hand begins while a hand is open"
            speaker.broken(Promise.LEVELS, text, line)
        return
    if table.number in state.round and not is_round_over(state):
        text = f"table {table.number} starts two hands in one round hand for hand"
        speaker.broken(Promise.LEVELS, text, line)


def _judge_due(state: State, table: Table, line: Line, speaker: Speaker) -> None:
    """See that nothing is due, and that nothing holds the table back."""
    due = find_due(state, line.at)
    if due and not (state.in_break and due[0].kind == "level_begun"):
        if due[0].told() in state.said:
            return
        state.said.add(due[0].told())
        text = f"a hand starts at table {table.number} while {due[0].kind} is due"
        found = tell(line.kind, line.body)
        speaker.broken(due[0].promise, text, line, due[0].told(), found)
        return
    hold = find_hold(state, table.number)
    if hold is not None:
        text = f"a hand starts at table {table.number}, and {hold}"
        speaker.broken(Promise.SEATED, text, line)


def _judge_players(state: State, table: Table, line: Line, speaker: Speaker) -> None:
    body, chips = line.body, state.chips(table)
    if len(chips) < FEWEST or body["players"] > len(chips):
        text = f"a hand of table {table.number} deals in more players than have chips there"
        speaker.broken(Promise.COUNTED, text, line, len(chips), body["players"])
    if body["big_blind_seat"] not in chips:
        text = f"a big blind of table {table.number} without chips"
        expected = f"one of seats {', '.join(map(str, chips))}"
        speaker.broken(Promise.SEATED, text, line, expected, body["big_blind_seat"])


def _judge_button(state: State, table: Table, line: Line, speaker: Speaker) -> None:
    if table.last_hand:
        return
    button, drawn = line.body["button"], state.button_seat(table)
    if not drawn:
        text = f"the first hand of table {table.number} starts without a draw for its button"
        speaker.broken(Promise.DRAWN, text, line, "drawn, what button", f"button {button}")
    elif button != drawn:
        text = f"the first button of table {table.number} is not the one that was drawn"
        speaker.broken(Promise.DRAWN, text, line, drawn, button)


def _hand_finished(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    body = line.body
    table = state.tables.get(body["table"])
    hand = None if table is None else table.hand
    if hand is None or hand.number != body["hand"]:
        text = f"a hand of table {body['table']} finishes that is not open"
        expected = "no hand" if hand is None else f"hand {hand.number}"
        speaker.broken(Promise.ORDERED, text, line, expected, f"hand {body['hand']}")
        return []
    _judge_stacks(hand, line, speaker)
    return _plan_busts(state, hand, line)


def _plan_busts(state: State, hand: OpenHand, line: Line) -> list[Planned]:
    """Return the busting that follows at once: of who has no chips and can buy none."""
    busts = []
    for item in line.body["stacks"]:
        name = state.tables[line.body["table"]].seats.get(item["seat"])
        if item["stack"] or name is None or _may_decide(state, name):
            continue
        start = hand.stacks.get(item["seat"], 0)
        busts.append(plan_bust(state.entrants[name], hand.number, start, at_once=True))
    return busts


def _may_decide(state: State, name: str) -> bool:
    """Whether a player without chips may buy some, and has time to."""
    rule = state.structure.rebuy
    return rule is not None and rule.decide_ms > 0 and state.may_rebuy(state.entrants[name], 0)


def _judge_stacks(hand: OpenHand, line: Line, speaker: Speaker) -> None:
    body = line.body
    told = [(item["seat"], item["stack"]) for item in body["stacks"]]
    seats = [seat for seat, _ in told]
    place = f"hand {hand.number} of table {body['table']}"
    if seats != sorted(set(seats)) or len(seats) != hand.players:
        text = f"{place} does not finish with the stacks of all seats dealt in"
        speaker.broken(Promise.COUNTED, text, line, f"{hand.players} seats, rising", _list(told))
    strange = [seat for seat in seats if seat not in hand.stacks]
    if strange:
        text = f"{place} finishes with seats that had no chips"
        speaker.broken(Promise.COUNTED, text, line, _list(list(hand.stacks.items())), _list(told))
        return
    begun = [(seat, hand.stacks[seat]) for seat in seats]
    if body["void"] and told != begun:
        text = f"{place} is void, and stacks changed"
        speaker.broken(Promise.COUNTED, text, line, _list(begun), _list(told))
    elif sum(stack for _, stack in told) != sum(stack for _, stack in begun):
        text = f"chips come or go in {place}"
        before, after = (sum(stack for _, stack in stacks) for stacks in (begun, told))
        speaker.broken(Promise.COUNTED, text, line, f"{before} chips", f"{after} chips")


def _list(stacks: list[tuple[int, int]]) -> str:
    return ", ".join(f"seat {seat} {stack}" for seat, stack in stacks)


def _busted(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    """Judge who busts: one that can not buy any more, or declines to."""
    body = line.body
    name = body["player"]
    entrant = state.entrants.get(name)
    found = tell(line.kind, line.body)
    if entrant is None or (entrant.table, entrant.seat) != (body["table"], body["seat"]):
        text = f"{name} busts at a seat that it does not hold"
        speaker.broken(Promise.SEATED, text, line, found=found)
    elif entrant.out is None or entrant.stack:
        text = f"{name} busts with chips"
        speaker.broken(Promise.COUNTED, text, line, f"{entrant.stack} chips", found)
    else:
        due = next(iter(plan_busts(state, line.at)), None)
        out = entrant.out
        planned = due if due is not None else plan_bust(entrant, out.hand, out.start)
        names = planned.differences(line.kind, line.body)
        if due is not None and due.fields["player"] != name:
            text = f"{name} busts before {due.fields['player']}"
            speaker.broken(Promise.SEATED, text, line, due.told(), found)
        elif names:
            text = f"busted tells another {' and '.join(names)} ({name})"
            speaker.broken(Promise.COUNTED, text, line, planned.told(), found)
    return []


def _colored_up(state: State, line: Line, speaker: Speaker) -> list[Planned]:
    """Judge a colouring up without a draw; one behind a draw follows from it."""
    table = state.tables.get(line.body["table"])
    if table is None or not table.is_open or table.hand is not None:
        text = f"chips are colored up at table {line.body['table']}, which is not between hands"
        speaker.broken(Promise.ORDERED, text, line)
        return []
    race = race_at(state, table)
    found = tell(line.kind, line.body)
    if not race.is_due:
        text = f"chips are colored up at table {table.number}, and none is of a lower unit"
        speaker.broken(Promise.COUNTED, text, line, found=found)
        return []
    if race.is_drawn:
        text = f"chips are colored up at table {table.number} without a draw of the race"
        speaker.broken(Promise.DRAWN, text, line, "drawn, what race", found)
        return []
    planned = race.colored_up(state, table, (), None)
    names = planned.differences(line.kind, line.body) or []
    if "draw" in line.body:
        names.append("draw")
    if names:
        text = f"colored_up tells another {' and '.join(names)} (table {table.number})"
        speaker.broken(Promise.COUNTED, text, line, planned.told(), found)
    return []


JUDGES: dict[str, JudgeOfKind] = {
    "hand_started": _hand_started,
    "hand_finished": _hand_finished,
    "busted": _busted,
    "colored_up": _colored_up,
}
