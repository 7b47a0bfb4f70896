"""How PokerStars writes amounts, dates, levels and names: the small change of its histories."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from audit_cli.export.eastern import eastern
from audit_cli.export.money import CHIPS, prize_money
from audit_cli.poker.rules import Structure

if TYPE_CHECKING:
    from audit_cli.export.money import Money
    from audit_cli.poker.rules import HandRules
    from audit_cli.told.hand import Hand

_SYMBOLS = {"": "", "USD": "$", "EUR": "€", "GBP": "£", "CAD": "$"}
_LIMITS = {
    Structure.NO_LIMIT: "No Limit",
    Structure.POT_LIMIT: "Pot Limit",
    Structure.FIXED_LIMIT: "Limit",
}
_ROMAN = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L")),
    *((40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
_HANDS_OF_A_GAME = 1_000_000
_TEENS = (11, 12, 13)


def amount(chips: int, money: Money) -> str:
    """Return an amount as it stands in a line: `$0.50`, `$12`, or chips as they are."""
    whole, rest = divmod(chips, money.per_unit)
    symbol = _SYMBOLS[money.currency]
    if not rest:
        return f"{symbol}{whole}"
    return f"{symbol}{whole}.{rest * 100 // money.per_unit:02}"


def stakes(hand: Hand, money: Money) -> str:
    """Return the stakes of the header: blinds, or the two bets of fixed limit."""
    limits = hand.rules.limits
    small, big = hand.rules.small_blind, hand.rules.big_blind
    if limits is not None:
        small, big = limits.small_bet, limits.big_bet
    both = [amount(small, money), amount(big, money)]
    if any("." in text for text in both):
        both = [text if "." in text else f"{text}.00" for text in both]
    told = "/".join(both)
    return f"({told} {money.currency})" if money.currency else f"({told})"


def game_name(rules: HandRules) -> str:
    """Return the game and its limit: `Hold'em No Limit`, `5 Card Omaha Hi/Lo Pot Limit`."""
    game = rules.game
    name = "Hold'em"
    if game.two_count:
        name = "Omaha" if game.hole_cards == 4 else f"{game.hole_cards} Card Omaha"
        name = f"{name} Hi/Lo" if game.hi_lo else name
    return f"{name} {_LIMITS[rules.structure]}"


def hand_id(hand: Hand) -> int:
    """Return a number that no other hand has: 33 bits of the game's, and the hand's own below.

    It stays below 2^53, so that no reader's floating-point numbers run two into one.
    """
    return (int(hand.game[:9], 16) >> 3) * _HANDS_OF_A_GAME + hand.number % _HANDS_OF_A_GAME


def dated(at: int) -> str:
    """Return a time in milliseconds as a header has it, by UTC and by the time of New York."""
    when = datetime.fromtimestamp(at // 1000, UTC)
    return f"{_clock(when)} UTC [{_clock(eastern(when))} ET]"


def _clock(when: datetime) -> str:
    return f"{when:%Y/%m/%d} {when.hour}:{when:%M:%S}"


def buy_in(hand: Hand) -> str:
    """Return what a tournament cost to enter: `$10+$1 USD`, in play money `10+1`, or `Freeroll`."""
    tournament = hand.tournament
    assert tournament is not None
    if not tournament.buy_in and not tournament.fee:
        return "Freeroll "
    money = prize_money(tournament)
    parts = f"{amount(tournament.buy_in, money)}+{amount(tournament.fee, money)}"
    return f"{parts} {tournament.currency}" if tournament.currency else parts


def roman(number: int) -> str:
    """Return a level, from 1, as a Roman number."""
    text = ""
    for value, letters in _ROMAN:
        times, number = divmod(number, value)
        text += letters * times
    return text


def ordinal(place: int) -> str:
    """Return a place: `1st`, `2nd`, `3rd`, `11th`."""
    ending = "th" if place % 100 in _TEENS else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"


def table_money(hand: Hand, money: Money) -> Money:
    """Return what chips are worth at the table: in a tournament, chips."""
    return CHIPS if hand.tournament is not None else money
