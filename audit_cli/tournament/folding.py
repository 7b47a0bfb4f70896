"""Takes each entry of a tournament's log into the state, as it stands (protocol 14.4).

An entry is believed whatever the checks said of it, so that one wrong entry is found once and not
again in each behind it. Nothing here fails, whatever an entry names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.tournament.rounds import is_round_over
from audit_cli.tournament.seats import annul, enter, leave, sit
from audit_cli.tournament.state import Entrant, OpenHand, Out, State, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from audit_cli.gamefile import Line


def fold(state: State, line: Line) -> None:
    """Take an entry, not the first one, into the state."""
    take = _TAKERS.get(line.kind)
    if take is not None:
        take(state, line.body, line)


Body = dict[str, Any]


def _registered(state: State, body: Body, _: Line) -> None:
    entrant = state.entrant(body["player"])
    entrant.number = body["entrant"]
    entrant.anchors = body["anchors"]
    entrant.house = body.get("house", False)
    state.by_number[entrant.number] = entrant.name
    if not entrant.stands:
        entrant.stands = True
        state.players += 1
        state.entries += 1
    enter(state, entrant)


def _withdrawn(state: State, body: Body, _: Line) -> None:
    annul(state, state.entrant(body["player"]))


def _started(state: State, _body: Body, _: Line) -> None:
    state.started = True


def _table_opened(state: State, body: Body, _: Line) -> None:
    table = state.table(body["table"])
    table.game = body["game"]
    state.games[table.game] = table.number


def _drawn(state: State, body: Body, _: Line) -> None:
    state.draws = body["draw"]
    state.commitment = body["next_commitment"]
    if body["what"] == "button" and body["order"]:
        state.table(body["table"]).button = state.by_number.get(body["order"][0], "")


def _seated(state: State, body: Body, line: Line) -> None:
    entrant = state.entrant(body["player"])
    sit(state, entrant, (body["table"], body["seat"]), body["stack"], line.at)


def _table_broken(state: State, body: Body, _: Line) -> None:
    state.table(body["table"]).broken = True
    state.open_list = None


def _level_begun(state: State, body: Body, line: Line) -> None:
    state.level = body["level"]
    state.in_break = state.level_over = False
    state.clock.begin(line.at, stopped=state.stopped)


def _break_begun(state: State, _body: Body, line: Line) -> None:
    state.in_break = True
    state.clock.begin(line.at, stopped=state.stopped)


def _hand_started(state: State, body: Body, line: Line) -> None:
    table = state.table(body["table"])
    if table.hand is None:
        state.open_hands += 1
    number, level, players = body["hand"], body["level"], body["players"]
    if state.hand_for_hand:
        if state.round is None or table.number in state.round or is_round_over(state):
            state.round = set()
            state.round_order = line.entry
        state.round.add(table.number)
    table.hand = OpenHand(number, level, body["big_blind_seat"], players, state.chips(table))
    table.last_hand = number
    table.first_players = table.first_players or players
    table.fresh.clear()
    if table.level != level:
        table.level, table.level_hands, table.level_first = level, 0, 0


def _hand_finished(state: State, body: Body, line: Line) -> None:
    table = state.table(body["table"])
    hand, table.hand = table.hand, None
    in_round = state.round is not None and table.number in state.round
    order = state.round_order if in_round else line.entry
    table.last_order = order
    if hand is not None:
        state.open_hands -= 1
        if not body["void"]:
            table.last_big_blind = hand.big_blind
            _count(state, table, hand)
    for item in body["stacks"]:
        entrant = state.entrants.get(table.seats.get(item["seat"], ""))
        if entrant is None:
            continue
        begun = entrant.stack if hand is None else hand.stacks.get(item["seat"], 0)
        entrant.stack = item["stack"]
        if entrant.stack == 0:
            entrant.out = Out(order, table.number, body["hand"], begun, line.at, in_round)
            rule = state.structure.rebuy
            wait = (
                rule.decide_ms
                if rule is not None and state.may_rebuy(entrant, entrant.stack)
                else 0
            )
            state.deciding[entrant.name] = line.at + wait


def _count(state: State, table: Table, hand: OpenHand) -> None:
    """Count a hand that was not void for the level that it was played by."""
    if table.level != hand.level:
        return
    table.level_hands += 1
    table.level_first = table.level_first or hand.players
    structure = state.structure
    if hand.level != state.level or state.level >= len(structure.levels):
        return
    length = structure.level(state.level).length
    if structure.level_by == "orbits":
        length *= table.level_first
    if structure.level_by != "time" and table.level_hands >= length:
        state.level_over = True


def _busted(state: State, body: Body, line: Line) -> None:
    entrant = state.entrant(body["player"])
    if entrant.out is None:
        order = state.table(body["table"]).last_order
        entrant.out = Out(order, body["table"], body["hand"], body["stack"], line.at)
    leave(state, entrant)
    entrant.stack = 0
    entrant.busted = True
    state.unplaced[entrant.name] = None


def _disqualified(state: State, body: Body, line: Line) -> None:
    entrant = state.entrant(body["player"])
    table = state.table(body["table"])
    in_round = state.round is not None and table.number in state.round
    entrant.out = Out(table.last_order, table.number, table.last_hand, 0, line.at, in_round)
    leave(state, entrant)
    entrant.stack = 0
    entrant.busted = entrant.disqualified = True
    state.unplaced[entrant.name] = None


def _moved(state: State, body: Body, line: Line) -> None:
    entrant = state.entrant(body["player"])
    sit(state, entrant, (body["table"], body["seat"]), body["stack"], line.at)


def _colored_up(state: State, body: Body, _: Line) -> None:
    table = state.table(body["table"])
    for item in body["stacks"]:
        name = table.seats.get(item["seat"])
        if name is not None:
            state.entrants[name].stack = item["stack"]
    for name in table.seats.values():
        state.entrants[name].unit = body["unit"]


def _reentered(state: State, body: Body, _: Line) -> None:
    entrant = state.entrant(body["player"])
    leave(state, entrant)
    enter(state, entrant)
    entrant.reentries += 1
    state.entries += 1


def _rebought(state: State, body: Body, _: Line) -> None:
    entrant = state.entrant(body["player"])
    entrant.rebuys += 1
    rule = state.structure.rebuy
    _buy(state, entrant, body["chips"], 0 if rule is None else rule.cost)


def _added_on(state: State, body: Body, _: Line) -> None:
    entrant = state.entrant(body["player"])
    entrant.added_on = True
    rule = state.structure.add_on
    _buy(state, entrant, body["chips"], 0 if rule is None else rule.cost)


def _buy(state: State, entrant: Entrant, chips: int, cost: int) -> None:
    entrant.stack += chips
    state.bought += cost
    state.stacks_given += 1
    if entrant.stack:
        state.deciding.pop(entrant.name, None)
        entrant.out = None


def _taken_over(state: State, body: Body, line: Line) -> None:
    house = state.entrant(body["house_player"])
    annul(state, house)
    house.annulled = True
    entrant = state.entrant(body["player"])
    sit(state, entrant, (body["table"], body["seat"]), body["stack"], line.at)


def _registration_closed(state: State, body: Body, _: Line) -> None:
    state.registration_closed = True
    state.pool = body["pool"]
    state.prizes = tuple(body["prizes"])


def _hand_for_hand(state: State, _body: Body, line: Line) -> None:
    state.hand_for_hand = line.kind == "hand_for_hand_begun"
    state.round = None


def _deal_agreed(state: State, body: Body, _: Line) -> None:
    state.shares = {share["player"]: share["amount"] for share in body["shares"]}
    state.left = body["left"]


def _placed(state: State, body: Body, _: Line) -> None:
    entrant = state.entrant(body["player"])
    entrant.placed = True
    state.given += 1
    state.unplaced.pop(entrant.name, None)
    if state.open_hands == 0:
        # Placing waits for the end of a round.
        state.round = None


def _stopped(state: State, _body: Body, line: Line) -> None:
    state.stopped = True
    state.clock.stop(line.at)


def _resumed(state: State, _body: Body, line: Line) -> None:
    state.stopped = False
    state.clock.resume(line.at)


def _table_closed(state: State, body: Body, _: Line) -> None:
    table = state.table(body["table"])
    table.closed = True
    state.open_list = None
    state.last_closed = max(state.last_closed, table.number)
    state.ended = True
    if table.hand is not None:
        table.hand = None
        state.open_hands -= 1


def _tournament_closed(state: State, body: Body, _: Line) -> None:
    state.ended = state.closed = True
    state.reason = body["reason"]


_TAKERS: dict[str, Callable[[State, Body, Line], None]] = {
    "registered": _registered,
    "withdrawn": _withdrawn,
    "started": _started,
    "table_opened": _table_opened,
    "drawn": _drawn,
    "seated": _seated,
    "moved": _moved,
    "table_broken": _table_broken,
    "level_begun": _level_begun,
    "break_begun": _break_begun,
    "hand_started": _hand_started,
    "hand_finished": _hand_finished,
    "busted": _busted,
    "colored_up": _colored_up,
    "reentered": _reentered,
    "rebought": _rebought,
    "added_on": _added_on,
    "taken_over": _taken_over,
    "disqualified": _disqualified,
    "registration_closed": _registration_closed,
    "hand_for_hand_begun": _hand_for_hand,
    "hand_for_hand_ended": _hand_for_hand,
    "deal_agreed": _deal_agreed,
    "placed": _placed,
    "stopped": _stopped,
    "resumed": _resumed,
    "table_closed": _table_closed,
    "tournament_closed": _tournament_closed,
}
