"""A told hand as PHH, the poker hand history format: TOML that plays again to the same stacks.

Fields and actions are those of the PHH specification (arXiv 2312.11753). Amounts are chips, whole
numbers, whatever they are worth: a reader of other numbers would share pots otherwise. What the
format has no word for is said with what it has:

- antes of each are trimmed (`ante_trimming_status`), the big blind's ante and dead posts are not;
- a live post is a blind below 0, PokerKit's sign for a bet that is posted out of turn;
- rake is not played: `finishing_stacks` are without it, and `_rake` tells how much it was;
- why the dealer acted for a player, and cards shown when the hand was over, are commentaries.

A hand that its reader would play to other stacks, or not at all, is not written, with the reason:
two boards, chopped blinds, games without a code, turns or calls that go another way, and odd chips
that do.
"""

from __future__ import annotations

import json
from datetime import time
from typing import TYPE_CHECKING

from audit_cli.export.replay import FIXED_RAISES, Ceiling, Start, Table
from audit_cli.export.sharing import OtherwiseError
from audit_cli.poker.rules import Structure
from audit_cli.problem import Problem
from audit_cli.told.events import (
    Act,
    Acted,
    Awarded,
    BlindsChopped,
    BoardDealt,
    By,
    Mucked,
    Posted,
    Returned,
    RunsAgreed,
    Shown,
    What,
)
from audit_cli.told.made import made_hand
from audit_cli.told.moments import moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.export.money import Money
    from audit_cli.poker.rules import HandRules
    from audit_cli.told.hand import Game, Hand

Value = str | int | bool | time | list[int] | list[str]

_UNSEEN = "??"
# PokerKit holds FO/8 to the pot alone, not to its bets.
_CEILINGS = {"NT": Ceiling.STACK, "FT": Ceiling.FIXED, "PO": Ceiling.POT, "FO/8": Ceiling.POT}
_WHOLE = 5
_BETS = (What.SMALL_BLIND, What.BIG_BLIND, What.STRADDLE, What.LIVE)
_FORCED = (What.SMALL_BLIND, What.BIG_BLIND, What.STRADDLE)
_TIME_OUT = " # time ran out"
_AWAY = " # the player is away"
_GONE = " # the player has left"


def write_phh(game: Game, hand: Hand, money: Money) -> str | Problem:
    """Return a hand's fields as lines of TOML, or why PHH can not say it."""
    code = _code(hand.rules)
    if code is None:
        return Problem(f"PHH has no code for {_game_name(hand.rules)}")
    if any(isinstance(event, RunsAgreed) for event in hand.events):
        return Problem("PHH has no second board")
    if any(isinstance(event, BlindsChopped) for event in hand.events):
        return Problem("PHH has no act that chops blinds")
    start = _start(hand, code)
    try:
        actions = _actions(hand, Table(start))
    except OtherwiseError as otherwise:
        return Problem(f"played again from PHH, {otherwise}")
    fields = _required(hand, code, start, actions) | _optional(game, hand, money)
    return "".join(f"{name} = {_toml(value)}\n" for name, value in fields.items())


def bind_phh(hands: Sequence[str]) -> str:
    """Return the text of a `.phh` file: one hand; of several, as games may have, a `.phhs`."""
    return hands[0] if len(hands) == 1 else bind_phhs(hands)


def bind_phhs(hands: Sequence[str]) -> str:
    """Return the text of a `.phhs` file: each hand a table, numbered from 1."""
    return "\n".join(f"[{number}]\n{hand}" for number, hand in enumerate(hands, 1))


def _code(rules: HandRules) -> str | None:
    """Return the code of the variant, or None."""
    game, structure = rules.game, rules.structure
    if not game.two_count:
        return {Structure.NO_LIMIT: "NT", Structure.FIXED_LIMIT: "FT"}.get(structure)
    if game.hole_cards != 4:
        return None
    if game.hi_lo:
        return "FO/8" if structure is Structure.FIXED_LIMIT else None
    return "PO" if structure is Structure.POT_LIMIT else None


def _game_name(rules: HandRules) -> str:
    structure = rules.structure.value.replace("_", "-")
    game = rules.game
    if not game.two_count:
        return f"{structure} hold'em"
    return f"{structure} Omaha{' hi-lo' if game.hi_lo else ''} of {game.hole_cards} hole cards"


def _start(hand: Hand, code: str) -> Start:
    rules = hand.rules
    places = {seat: place for place, seat in enumerate(hand.order)}
    antes, blinds = [0] * len(places), [0] * len(places)
    forced = [False] * len(places)
    dead = False
    for event in hand.events:
        if not isinstance(event, Posted):
            continue
        place = places[event.seat]
        if event.what in _BETS:
            blinds[place] += event.amount
            forced[place] |= event.what in _FORCED
        else:
            antes[place] += event.amount
            dead |= event.what is What.DEAD or _is_dead_ante(rules)
    signed = [bet if forced[place] else -bet for place, bet in enumerate(blinds)]
    limits = rules.limits
    small, big = (
        (rules.big_blind, rules.big_blind) if limits is None else (limits.small_bet, limits.big_bet)
    )
    return Start(
        _CEILINGS[code],
        (small, small, big, big),
        FIXED_RAISES if code == "FT" else None,
        any(antes) and not dead,
        tuple(antes),
        tuple(signed),
        tuple(seat.stack for seat in hand.dealt_in),
    )


def _is_dead_ante(rules: HandRules) -> bool:
    return rules.ante is not None and rules.ante[0] == "big_blind"


def _actions(hand: Hand, table: Table) -> list[str]:
    """Return the actions; OtherwiseError where the reader would not end at the same stacks."""
    places = {seat: place for place, seat in enumerate(hand.order)}
    actions = [_deal(hand, place) for place in range(len(hand.order))]
    paid, differs = False, ""
    for event in hand.events:
        if isinstance(event, Acted):
            action, otherwise = _act(table, places[event.seat], event)
            differs = differs or otherwise
            actions.append(action + _by(hand, event))
        elif isinstance(event, (BoardDealt, Returned, Shown, Mucked, Awarded)):
            actions += [f"p{place + 1} cc" for place in table.pass_by()]
        if isinstance(event, BoardDealt):
            table.deal()
            actions.append(f"d db {''.join(event.cards)}")
        elif isinstance(event, Awarded):
            paid = True
        elif isinstance(event, Shown):
            actions.append(_show(table, places[event.seat], event, paid=paid))
        elif isinstance(event, Mucked):
            table.muck(places[event.seat])
            actions.append(f"p{places[event.seat] + 1} sm")
    _compare(hand, table, differs)
    return actions


def _by(hand: Hand, event: Acted) -> str:
    """Return in a commentary why the dealer acted for a player."""
    if event.by is By.ABSENT:
        return _AWAY if hand.seat(event.seat).absent else _GONE
    return _TIME_OUT if event.by is By.CLOCK else ""


def _deal(hand: Hand, place: int) -> str:
    """Deal the hole cards of a place as they are known."""
    holes = hand.dealt_in[place].holes or (_UNSEEN,) * hand.rules.game.hole_cards
    return f"d dh p{place + 1} {''.join(holes)}"


def _act(table: Table, place: int, event: Acted) -> tuple[str, str]:
    """Let a place act; the action, and in words where the reader puts in another amount."""
    player = f"p{place + 1}"
    if event.act is Act.FOLD:
        table.fold(place)
        return f"{player} f", ""
    if event.act in (Act.CHECK, Act.CALL):
        to = table.call(place)
        same = to == event.to
        return f"{player} cc", "" if same else f"{player} would call to {to:,}, not {event.to:,}"
    table.lift(place, event.to)
    return f"{player} cbr {event.to}", ""


def _show(table: Table, place: int, event: Shown, *, paid: bool) -> str:
    """Show cards; who can not, having folded or mucked, does so in a commentary."""
    contenders = table.contenders
    cards = "".join(event.cards)
    if place in contenders and (len(contenders) == 1 or not paid):
        return f"p{place + 1} sm {cards}"
    return f"# p{place + 1} shows {cards}"


def _compare(hand: Hand, table: Table, differs: str) -> None:
    """See that the reader pays what was paid; OtherwiseError where it does not."""
    made = {}
    if len(table.contenders) > 1:
        for place in table.contenders:
            holes, board = hand.dealt_in[place].holes, hand.boards[0]
            if holes is None or len(board) < _WHOLE:
                message = f"p{place + 1} would win or lose by cards that are not known"
                raise OtherwiseError(message)
            made[place] = made_hand(hand, holes, board)
    ended = table.pay(made, hand.rake)
    for place, (seat, stack) in enumerate(zip(hand.dealt_in, ended, strict=True), 1):
        if seat.end != stack:
            message = f"p{place} would end with {stack:,}, not {seat.end:,}"
            raise OtherwiseError(differs or message)


def _required(hand: Hand, code: str, start: Start, actions: list[str]) -> dict[str, Value]:
    # Heads-up the format lists forced bets button first, all else big blind first.
    turn = -1 if len(hand.order) == 2 else 1
    fields: dict[str, Value] = {
        "variant": code,
        "ante_trimming_status": start.trimmed,
        "antes": list(start.antes[::turn]),
        "blinds_or_straddles": list(start.blinds[::turn]),
    }
    if hand.rules.limits is None:
        fields["min_bet"] = hand.rules.big_blind
    else:
        fields["small_bet"] = hand.rules.limits.small_bet
        fields["big_bet"] = hand.rules.limits.big_bet
    return fields | {"starting_stacks": list(start.stacks), "actions": actions}


def _optional(game: Game, hand: Hand, money: Money) -> dict[str, Value]:
    at = moment(hand.opened_at)
    fields: dict[str, Value] = {
        "venue": game.origin,
        "time": at.time().replace(microsecond=0),
        "time_zone": "UTC",
        "day": at.day,
        "month": at.month,
        "year": at.year,
        "hand": hand.number,
        "seats": list(hand.order),
        "seat_count": hand.max_seats,
        "table": hand.game,
        "players": [seat.player for seat in hand.dealt_in],
        "finishing_stacks": [seat.end for seat in hand.dealt_in],
        "winnings": [seat.won for seat in hand.dealt_in],
    }
    if hand.tournament is not None:
        fields["event"] = hand.tournament.name or f"Tournament {hand.tournament.number}"
        fields["level"] = hand.tournament.level
        fields["table"] = hand.tournament.table
        fields["_game"] = hand.game
    elif money.currency and money.per_unit == 1:
        fields["currency"] = money.currency
    elif money.currency:
        fields["_currency"] = money.currency
        fields["_chips_per_unit"] = money.per_unit
    if hand.rake:
        fields["_rake"] = hand.rake
    if hand.hero:
        fields["_hero"] = hand.hero
    return fields


def _toml(value: Value) -> str:
    """Return a value as TOML has it. Text is printable ASCII, so that JSON's strings are TOML's."""
    if isinstance(value, time):
        return value.isoformat()
    if isinstance(value, list) and value and isinstance(value[0], str):
        return json.dumps(value, indent=2) if len(value) > 1 else json.dumps(value)
    return json.dumps(value)
