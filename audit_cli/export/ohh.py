"""A told hand as Open Hand History: JSON by the specification 1.4.7 (hh-specs.handhistory.org).

A file is hands, each a JSON object in one line, with an empty line between them. The id of a player
is its seat. Amounts are decimals, exact, in units of the currency: XPM, play money, where none is
given, and chips in a tournament. What the format has no word for is said with what it has:

- a live post is a `Post Extra Blind`, a dead one a `Post Dead`; the big blind's ante a `Post Ante`;
- an uncalled bet that went back is in no pot, as in all histories of this format;
- boards that were dealt for a second run are rounds of the same street, behind the first board's;
- blinds that were chopped are a pot in which each gets its own back;
- who saw all cards, or none of its own, observed the hand.

All that happened is said; there is no hand that this format can not say.
"""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

from audit_cli import __version__
from audit_cli.export.money import CHIPS, prize_money
from audit_cli.poker.rules import Structure
from audit_cli.told.events import (
    Act,
    Acted,
    BlindsChopped,
    BoardDealt,
    HolesDealt,
    Mucked,
    Posted,
    Returned,
    RunsAgreed,
    Shown,
    Street,
    What,
)
from audit_cli.told.moments import moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.export.money import Money
    from audit_cli.told.events import Awarded
    from audit_cli.told.hand import Game, Hand, Tournament

Fields = dict[str, Any]

SPEC_VERSION = "1.4.7"
NETWORK = "Cutcard"
PLAY_MONEY = "XPM"

_SECOND = 1_000
_LIMITS = {Structure.NO_LIMIT: "NL", Structure.POT_LIMIT: "PL", Structure.FIXED_LIMIT: "FL"}
_POSTS = {
    What.ANTE: "Post Ante",
    What.SMALL_BLIND: "Post SB",
    What.BIG_BLIND: "Post BB",
    What.STRADDLE: "Straddle",
    What.LIVE: "Post Extra Blind",
    What.DEAD: "Post Dead",
}
_ACTS = {
    Act.FOLD: "Fold",
    Act.CHECK: "Check",
    Act.CALL: "Call",
    Act.BET: "Bet",
    Act.RAISE: "Raise",
}
_STREETS = {
    Street.PREFLOP: "Preflop",
    Street.FLOP: "Flop",
    Street.TURN: "Turn",
    Street.RIVER: "River",
}


def write_ohh(game: Game, hand: Hand, money: Money) -> str:
    """Return a hand as one line of JSON."""
    return _json({"ohh": tell_ohh(game, hand, money)}) + "\n"


def bind_ohh(hands: Sequence[str]) -> str:
    """Return the text of an `.ohh` file."""
    return "\n".join(hands)


def tell_ohh(game: Game, hand: Hand, money: Money) -> Fields:
    """Return the fields of the hand's object; decimals are Decimal or int."""
    tournament = hand.tournament
    if tournament is not None:
        money = CHIPS
    hero = next((seat.seat for seat in hand.dealt_in if seat.player == hand.hero), None)
    ante = hand.rules.ante
    fields: Fields = {
        "spec_version": SPEC_VERSION,
        "site_name": game.origin,
        "network_name": NETWORK,
        "internal_version": __version__,
    }
    if tournament is not None:
        fields["tournament"] = True
        fields["tournament_info"] = _tournament(tournament)
    fields |= {
        "game_number": f"{hand.game}-{hand.number}",
        "start_date_utc": _date(hand.opened_at),
        "table_name": hand.game
        if tournament is None
        else f"{tournament.number} {tournament.table}",
        "game_type": _game_type(hand),
        "bet_limit": {"bet_type": _LIMITS[hand.rules.structure], "bet_cap": 0},
        "table_size": hand.max_seats,
        "currency": "Chips" if tournament is not None else money.currency or PLAY_MONEY,
        "dealer_seat": hand.button,
        "small_blind_amount": money.units(hand.rules.small_blind),
        "big_blind_amount": money.units(hand.rules.big_blind),
        "ante_amount": money.units(0 if ante is None else ante[1]),
        "hero_player_id": hero,
        "flags": _flags(hand, hero),
        "players": _players(hand, money),
        "rounds": _rounds(hand, money),
        "pots": _pots(hand, money),
    }
    return fields


def _game_type(hand: Hand) -> str:
    if not hand.rules.game.two_count:
        return "Holdem"
    return "OmahaHiLo" if hand.rules.game.hi_lo else "Omaha"


def _flags(hand: Hand, hero: int | None) -> list[str]:
    flags = []
    if any(isinstance(event, RunsAgreed) for event in hand.events):
        flags.append("Run_It_Twice")
    if hero is None:
        flags.append("Observed")
    return flags


def _players(hand: Hand, money: Money) -> list[Fields]:
    return [
        {
            "id": seat.seat,
            "seat": seat.seat,
            "name": seat.player,
            "starting_stack": money.units(seat.stack),
            "is_sitting_out": not seat.dealt_in,
        }
        for seat in hand.seats
    ]


def _rounds(hand: Hand, money: Money) -> list[Fields]:
    """Return the rounds as they came; all that was shown is in the last one, the showdown."""
    played = [_round(0, "Preflop", [])]
    for event in hand.events:
        actions: list[Fields] = played[-1]["actions"]
        if isinstance(event, Posted):
            actions.append(_put_in(event, _POSTS[event.what], money, all_in=event.stack == 0))
        elif isinstance(event, HolesDealt):
            actions += _deals(hand)
        elif isinstance(event, Acted):
            actions.append(_put_in(event, _ACTS[event.act], money, all_in=event.all_in))
        elif isinstance(event, BoardDealt):
            played.append(_round(len(played), _STREETS[event.street], list(event.cards)))
    showdown = _showdown(hand)
    if showdown:
        played.append(_round(len(played), "Showdown", []) | {"actions": showdown})
    numbers = count(1)
    for each in played:
        for action in each["actions"]:
            action["action_number"] = next(numbers)
    return played


def _showdown(hand: Hand) -> list[Fields]:
    actions = []
    for event in hand.events:
        if isinstance(event, Shown):
            actions.append(_action(event.seat, "Shows Cards") | {"cards": list(event.cards)})
        elif isinstance(event, Mucked):
            actions.append(_action(event.seat, "Mucks Cards") | _known(hand, event.seat))
    return actions


def _round(number: int, street: str, cards: list[str]) -> Fields:
    return {"id": number, "street": street, "cards": cards, "actions": []}


def _action(player: int, action: str) -> Fields:
    """Return an action that has no number yet."""
    return {"action_number": 0, "player_id": player, "action": action}


def _put_in(event: Posted | Acted, action: str, money: Money, *, all_in: bool) -> Fields:
    fields = _action(event.seat, action)
    if event.amount:
        fields |= {"amount": money.units(event.amount), "is_allin": all_in}
    return fields


def _deals(hand: Hand) -> list[Fields]:
    """Return the hole cards that were seen when they were dealt: the hero's, or everybody's."""
    return [
        _action(seat.seat, "Dealt Cards") | {"cards": list(seat.holes)}
        for seat in hand.dealt_in
        if seat.holes is not None and hand.hero in ("", seat.player)
    ]


def _known(hand: Hand, seat: int) -> Fields:
    holes = hand.seat(seat).holes
    return {} if holes is None else {"cards": list(holes)}


def _pots(hand: Hand, money: Money) -> list[Fields]:
    won = [(pot.number, pot.amount, pot.rake, _wins(pot.awards)) for pot in hand.pots]
    back = _chopped(hand)
    if back:
        # The antes, if there are any, lie in the same pot.
        _, amount, rake, wins = won[0] if won else (0, 0, 0, Counter[int]())
        won = [(0, amount + sum(back.values()), rake, wins + back)]
    return [
        {
            "number": number,
            "amount": money.units(amount),
            "rake": money.units(rake),
            "player_wins": [
                {"player_id": seat, "win_amount": money.units(wins[seat])} for seat in sorted(wins)
            ],
        }
        for number, amount, rake, wins in won
    ]


def _wins(awards: Sequence[Awarded]) -> Counter[int]:
    wins: Counter[int] = Counter()
    for award in awards:
        for winner in award.winners:
            wins[winner.seat] += winner.amount
    return wins


def _chopped(hand: Hand) -> Counter[int]:
    """Return the blinds that went back where they were chopped."""
    back: Counter[int] = Counter()
    if any(isinstance(event, BlindsChopped) for event in hand.events):
        for event in hand.events:
            if isinstance(event, Returned):
                back[event.seat] += event.amount
    return back


def _date(at: int) -> str:
    return moment(at).isoformat(timespec="seconds").replace("+00:00", "Z")


def _tournament(tournament: Tournament) -> Fields:
    money = prize_money(tournament)
    return {
        "tournament_number": tournament.number,
        "name": tournament.name or f"Tournament {tournament.number}",
        "start_date_utc": _date(tournament.started_at),
        "currency": tournament.currency or PLAY_MONEY,
        "buyin_amount": money.units(tournament.buy_in),
        "fee_amount": money.units(tournament.fee),
        "initial_stack": tournament.initial_stack,
        "type": "MTT" if tournament.tables > 1 else "STT",
        "flags": [],
        "speed": {"type": "Normal", "round_time": tournament.level_ms // _SECOND},
    }


def _json(value: object) -> str:
    """Return JSON with decimals as they are, which the standard library would round."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(name)}: {_json(one)}" for name, one in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_json, value))}]"
    return f"{value:f}" if isinstance(value, Decimal) else json.dumps(value)
