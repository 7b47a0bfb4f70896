"""What a game is, in a few lines: where, when, and by which rules of the house."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.problem import printable
from audit_cli.told.hand import NOT_CLOSED, Hand
from audit_cli.told.moments import moment

if TYPE_CHECKING:
    from audit_cli.poker.rules import HandRules
    from audit_cli.review.painting import Paint
    from audit_cli.told.hand import Game

_ANTES = {"each": "of each", "big_blind": "of the big blind"}


def tell_game(game: Game, paint: Paint) -> list[str]:
    """Return the lines above a game's hands."""
    lines = [
        f"{paint.strong('Game')} {game.game} of {game.origin}",
        *_table(game),
        f"{_rules(game.rules.hand)}; {game.rules.seats} seats",
        f"{_when(game.opened_at)} to {_end(game)}",
    ]
    if not game.revealed:
        lines.append("not revealed: cards are those that the file tells")
    return lines


def tell_level(hand: Hand) -> str:
    """Return by which level a tournament's hand is played: "level 3, blinds 100 and 200"."""
    if hand.tournament is None:
        return ""
    return f"level {hand.tournament.level}, {', '.join(_stakes(hand.rules))}"


def _table(game: Game) -> list[str]:
    """Say of which tournament a game is a table, by its name where it is known."""
    place = game.rules.tournament
    if place is None:
        return []
    hands = (told.hand for told in game.hands)
    tournaments = (hand.tournament for hand in hands if isinstance(hand, Hand))
    name = next((one.name for one in tournaments if one is not None and one.name), "")
    named = f"tournament {place.tournament}{f', {printable(name)}' if name else ''}"
    return [f"table {place.table} of {named}"]


def _when(at: int) -> str:
    return f"{moment(at):%Y-%m-%d %H:%M:%S} UTC"


def _end(game: Game) -> str:
    return "no close in this file" if game.closed_at == NOT_CLOSED else _when(game.closed_at)


def _rules(rules: HandRules) -> str:
    structure = rules.structure.value.replace("_", "-")
    name = "hold'em"
    if rules.game.two_count:
        name = f"Omaha{' hi-lo' if rules.game.hi_lo else ''} of {rules.game.hole_cards} cards"
    parts = [f"{structure} {name}", *_stakes(rules)]
    if rules.straddle is not None:
        parts.append(f"{rules.straddle[0].replace('_', '-')} straddles")
    if rules.runs:
        parts.append("runs of two boards")
    if rules.chop:
        parts.append("blinds may be chopped")
    if rules.rake is not None:
        parts.append(f"rake {rules.rake.per_ten_thousand / 100:g}%")
    return ", ".join(parts)


def _stakes(rules: HandRules) -> list[str]:
    parts = [f"blinds {rules.small_blind:,} and {rules.big_blind:,}"]
    if rules.limits is not None:
        parts.append(f"bets {rules.limits.small_bet:,} and {rules.limits.big_bet:,}")
    if rules.ante is not None:
        parts.append(f"an ante {_ANTES[rules.ante[0]]} of {rules.ante[1]:,}")
    return parts
