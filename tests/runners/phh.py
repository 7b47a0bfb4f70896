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

from tests.runners.driver import read_cards

UNKNOWN = "??"


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
    """One recorded action; `cards` of a show are None where the player mucked."""

    what: What
    player: int = 0
    to: int = 0
    cards: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded hand of no-limit hold'em with blinds alone; players are seats 1, 2, …."""

    name: str
    stacks: dict[int, int]
    small_blind: int
    big_blind: int
    small_blind_seat: int | None
    big_blind_seat: int
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
    if variant != "NT":
        message = f"variant {variant} is not no-limit hold'em: for a later version"
        raise UnsupportedError(message)
    if any(fields.get("antes") or ()):
        message = "antes: for a later version"
        raise UnsupportedError(message)
    actions = [text.split("#")[0].split() for text in fields["actions"]]
    scale = find_scale(fields, actions)
    stacks = dict(enumerate((whole(chips, scale) for chips in fields["starting_stacks"]), 1))
    blinds = [whole(chips, scale) for chips in fields["blinds_or_straddles"]]
    small, big, seats = place_blinds(blinds, len(stacks), whole(fields["min_bet"], scale))
    hole: dict[int, tuple[str, ...]] = {}
    steps = []
    for words in actions:
        match words:
            case []:
                continue
            case ["d", "dh", player, cards]:
                seat = read_player(player)
                hole[seat] = (*hole.get(seat, ()), *pairs(cards))
            case _:
                steps.append(read_step(words, scale))
    finishing = fields.get("finishing_stacks")
    return Recorded(
        name=name,
        stacks=stacks,
        small_blind=small,
        big_blind=big,
        small_blind_seat=seats[0],
        big_blind_seat=seats[1],
        hole={seat: tuple(read_known(cards)) for seat, cards in hole.items()},
        steps=tuple(steps),
        finishing=(
            dict(enumerate((whole(chips, scale) for chips in finishing), 1)) if finishing else None
        ),
    )


def place_blinds(
    blinds: list[int], players: int, min_bet: int
) -> tuple[int, int, tuple[int | None, int]]:
    """Give small and big blind and their seats; a blind of 0 is nobody's."""
    if players == 2:
        # The blinds are listed small and big, while the first player is the big blind.
        blinds = blinds[1::-1]
    posted = [(seat, chips) for seat, chips in enumerate(blinds, 1) if chips]
    if any(chips < 0 for _, chips in posted) or len(posted) > 2:
        message = "straddles and posts other than the blinds: for a later version"
        raise UnsupportedError(message)
    if not posted or max(chips for _, chips in posted) != min_bet:
        message = "a smallest bet other than the big blind: for a later version"
        raise UnsupportedError(message)
    if len(posted) == 1:
        return 1, min_bet, (None, posted[0][0])
    first, second = posted
    if players == 2:
        first, second = second, first
    if first[1] > second[1]:
        message = "straddles and posts other than the blinds: for a later version"
        raise UnsupportedError(message)
    return first[1], second[1], (first[0], second[0])


def read_step(words: list[str], scale: int) -> Step:
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
    amounts = [fields["min_bet"], *fields["blinds_or_straddles"], *fields["starting_stacks"]]
    amounts += fields.get("finishing_stacks") or ()
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
