"""Reads recorded hands in the PHH format, one hand (`.phh`) or many (`.phhs`) in a file.

The first player sits directly left of the button and the last one has it; heads-up the first is
the big blind. Amounts that are not whole are scaled up, all of a hand alike.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from dealer_service.rules.entry import (
    AnteKind,
    AnteRule,
    ChoicesCount,
    Limits,
    Owed,
    PotSmallBlind,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
    Variant,
)
from tests.runners.driver import read_cards

GAMES: dict[str, dict[str, Any]] = {
    "NT": {"structure": Structure.NO_LIMIT},
    "FT": {"structure": Structure.FIXED_LIMIT},
    "PO": {
        "variant": Variant.OMAHA,
        "structure": Structure.POT_LIMIT,
        "pot_small_blind": PotSmallBlind.EXACT,
    },
    "FO/8": {"variant": Variant.OMAHA_HI_LO, "structure": Structure.FIXED_LIMIT},
}
HOLE_CARDS = {"NT": 2, "FT": 2, "PO": 4, "FO/8": 4}


class UnsupportedError(ValueError):
    """A hand of something that the engine has not."""


class What(StrEnum):
    FOLD = "f"
    CHECK_OR_CALL = "cc"
    BET_OR_RAISE = "cbr"
    DEAL_BOARD = "db"
    SHOW_OR_MUCK = "sm"


@dataclass(frozen=True, slots=True)
class Step:
    """One recorded action; `cards` of a show are None where the player mucked.

    They are none at all where it showed what it was dealt.
    """

    what: What
    player: int = 0
    to: int = 0
    cards: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Posts:
    """Blinds and their seats, a straddle of twice the big blind, and live posts."""

    small_blind: int
    big_blind: int
    small_blind_seat: int | None
    big_blind_seat: int
    straddle_seat: int | None
    live: dict[int, int]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded hand with all that its table's rules say; players are seats 1, 2, …."""

    name: str
    game: Mapping[str, Any]
    """The fields of a rule set that make up its variant and structure, and its antes."""
    stacks: dict[int, int]
    posts: Posts
    owes: dict[int, Owed]
    hole_cards: int
    hole: dict[int, tuple[str, ...]]
    steps: tuple[Step, ...]
    finishing: dict[int, int] | None

    @property
    def button(self) -> int:
        return len(self.stacks)


def load_file(path: Path) -> dict[str, Any]:
    """Give the hands of a file by name; ValueError if it is not TOML."""
    loaded = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    return {path.stem: loaded} if "variant" in loaded else loaded


def read_hand(name: str, fields: Mapping[str, Any]) -> Recorded:
    """Read one hand: UnsupportedError if it is of another game, ValueError if it is malformed."""
    variant = fields["variant"]
    if variant not in GAMES:
        message = f"variant {variant} is none of {', '.join(GAMES)}"
        raise UnsupportedError(message)
    actions = [text.split("#")[0].split() for text in fields["actions"]]
    scale = find_scale(fields, actions)
    stacks = dict(enumerate((whole(chips, scale) for chips in fields["starting_stacks"]), 1))
    blinds = [whole(chips, scale) for chips in fields["blinds_or_straddles"]]
    game = dict(GAMES[variant])
    smallest = fields.get("min_bet", fields.get("small_bet"))
    posts = place_blinds(blinds, len(stacks), whole(smallest, scale))
    if game["structure"] is Structure.FIXED_LIMIT:
        small, big = (whole(fields[one], scale) for one in ("small_bet", "big_bet"))
        # Records come from houses with caps of their own.
        game["limits"] = Limits(small, big, 0, uncapped_heads_up=False)
    antes = [whole(chips, scale) for chips in fields.get("antes") or ()]
    if len(stacks) == 2:
        # Like the blinds, the antes of two players are listed for the other one.
        antes.reverse()
    trimmed = bool(fields.get("ante_trimming_status"))
    ante, dead = read_antes(antes, posts.big_blind_seat, stacks, trimmed=trimmed)
    if ante is not None:
        game["ante"] = ante
    if posts.straddle_seat is not None:
        game["straddle"] = StraddleRule(StraddleKind.UNDER_THE_GUN, StraddleRaise.BIG_BLIND)
        game["choices"] = ChoicesCount.BEFORE_LINKS
    dealt: dict[int, list[str]] = {}
    steps = []
    for words in actions:
        match words:
            case []:
                continue
            case ["d", "dh", player, cards]:
                dealt.setdefault(read_player(player), []).extend(pairs(cards))
            case _:
                steps.append(read_step(words, scale))
    finishing = fields.get("finishing_stacks")
    each = HOLE_CARDS[variant]
    if each > 2:
        each = max([len(cards) for cards in dealt.values()], default=each)
        game["hole_cards"] = each
    return Recorded(
        name=name,
        game=game,
        stacks=stacks,
        posts=posts,
        owes={
            seat: Owed(posts.live.get(seat, 0), dead.get(seat, 0)) for seat in {*posts.live, *dead}
        },
        hole_cards=each,
        hole={seat: tuple(read_known(cards)) for seat, cards in dealt.items()},
        steps=tuple(steps),
        finishing=(
            dict(enumerate((whole(chips, scale) for chips in finishing), 1)) if finishing else None
        ),
    )


def read_antes(
    antes: list[int], big_blind_seat: int, stacks: Mapping[int, int], *, trimmed: bool
) -> tuple[AnteRule | None, dict[int, int]]:
    """Give the ante of all or of the big blind, or what seats pay as dead money besides."""
    paid = {seat: chips for seat, chips in enumerate(antes, 1) if chips}
    if any(chips < 0 for chips in paid.values()):
        message = "an ante is below 0"
        raise ValueError(message)
    if not paid:
        return None, {}
    amount = max(paid.values())
    equal = len(paid) == len(stacks) and set(paid.values()) == {amount}
    if equal and (trimmed or min(stacks.values()) >= amount):
        return AnteRule(AnteKind.EACH, amount), {}
    if trimmed:
        message = "antes that differ and are trimmed to each other"
        raise UnsupportedError(message)
    if set(paid) == {big_blind_seat}:
        return AnteRule(AnteKind.BIG_BLIND, amount), {}
    return None, paid


def place_blinds(blinds: list[int], players: int, min_bet: int) -> Posts:
    """Give blinds, straddle and posts with their seats; a blind of 0 is nobody's.

    A hand with one blind has no small blind. What is below 0 is a post of a seat that came in.
    """
    if players == 2:
        # The blinds are listed small and big, while the first player is the big blind.
        blinds = blinds[1::-1]
    live = {seat: -chips for seat, chips in enumerate(blinds, 1) if chips < 0}
    posted = [(seat, chips) for seat, chips in enumerate(blinds, 1) if chips > 0]
    if not posted:
        message = "nobody posts a blind"
        raise UnsupportedError(message)
    if players == 2:
        posted.reverse()
    if posted[:2][-1][1] != min_bet:
        message = f"the smallest bet of {min_bet} is not the big blind"
        raise UnsupportedError(message)
    if len(posted) == 1:
        return Posts(1, min_bet, None, posted[0][0], None, live)
    (small_seat, small), (big_seat, big), *more = posted
    straddle: int | None = None
    for seat, chips in more:
        if chips == 2 * big and straddle is None and seat == big_seat + 1:
            straddle = seat
        elif chips == big:
            live[seat] = chips
        else:
            message = f"seat {seat} posts {chips}, and that is no big blind, nor a straddle of two"
            raise UnsupportedError(message)
    if small > big:
        message = f"a small blind of {small} is above the big blind of {big}"
        raise UnsupportedError(message)
    return Posts(small, big, small_seat, big_seat, straddle, live)


def read_step(words: list[str], scale: int) -> Step:  # noqa: PLR0911 - one for each action
    match words:
        case ["d", "db", cards]:
            return Step(What.DEAL_BOARD, cards=tuple(pairs(cards)))
        case [player, "f"]:
            return Step(What.FOLD, read_player(player))
        case [player, "cc"]:
            return Step(What.CHECK_OR_CALL, read_player(player))
        case [player, "cbr", amount]:
            return Step(What.BET_OR_RAISE, read_player(player), whole(amount, scale))
        case [player, "sm"]:
            return Step(What.SHOW_OR_MUCK, read_player(player))
        case [player, "sm", "-"]:
            return Step(What.SHOW_OR_MUCK, read_player(player), cards=())
        case [player, "sm", cards]:
            known = tuple(read_known(pairs(cards)))
            return Step(What.SHOW_OR_MUCK, read_player(player), cards=known or None)
        case _:
            message = f"the action {' '.join(words)!r} is unknown"
            raise ValueError(message)


def read_player(text: str) -> int:
    if text[:1] != "p" or not text[1:].isdecimal():
        message = f"{text!r} is no player"
        raise ValueError(message)
    return int(text[1:])


def pairs(cards: str) -> list[str]:
    return [cards[i : i + 2] for i in range(0, len(cards), 2)]


def read_known(cards: list[str] | tuple[str, ...]) -> list[str]:
    """Leave out the cards that were never seen."""
    return read_cards("".join(card for card in cards if "?" not in card))


def find_scale(fields: Mapping[str, Any], actions: list[list[str]]) -> int:
    amounts = [fields[one] for one in ("min_bet", "small_bet", "big_bet") if one in fields]
    for one in ("blinds_or_straddles", "starting_stacks", "finishing_stacks", "antes"):
        amounts += fields.get(one) or ()
    amounts += [words[2] for words in actions if len(words) > 2 and words[1] == "cbr"]
    return lcm(*(fraction(amount).denominator for amount in amounts))


def whole(amount: Any, scale: int) -> int:
    return int(fraction(amount) * scale)


def fraction(amount: Any) -> Fraction:
    try:
        return Fraction(Decimal(str(amount)))
    except (InvalidOperation, ValueError, OverflowError):
        message = f"{amount!r} is no amount"
        raise ValueError(message) from None
