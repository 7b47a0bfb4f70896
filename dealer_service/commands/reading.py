"""What an option's text may be: each reader gives the value, or says what would be right."""

import argparse
import re
from collections.abc import Callable
from typing import Final

from dealer_service.access.roles import Role

_ORIGIN = re.compile(r"[a-z0-9./-]{1,128}")
_GAME = re.compile(r"[0-9a-f]{32}")
_REFERENCE = re.compile(r"[ -~]{1,128}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_MOMENT = re.compile(r"([1-9][0-9]{0,4})(ms|s)")
_TIME = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_TRUE: Final = ("1", "true", "yes")
_FALSE: Final = ("0", "false", "no", "")


def number(least: int, most: int = 2**53 - 1) -> Callable[[str], int]:
    """Read a whole number from `least` to `most`."""

    def read(text: str) -> int:
        if re.fullmatch("[0-9]{1,16}", text) and least <= int(text) <= most:
            return int(text)
        above = "" if most == 2**53 - 1 else f" to {most}"
        message = f"{text!a} is no whole number from {least}{above or ' on'}"
        raise argparse.ArgumentTypeError(message)

    return read


def one_of(*words: str) -> Callable[[str], str]:
    """Read one of some words."""

    def word(text: str) -> str:
        if text in words:
            return text
        message = f"{text!a} is none of {', '.join(words)}"
        raise argparse.ArgumentTypeError(message)

    return word


def matching(pattern: re.Pattern[str], what: str) -> Callable[[str], str]:
    """Read a text that a pattern matches; `what` says what that is."""

    def match(text: str) -> str:
        if pattern.fullmatch(text):
            return text
        message = f"{text!a} is not {what}"
        raise argparse.ArgumentTypeError(message)

    return match


name: Final = matching(_NAME, "1 to 64 characters of A-Z a-z 0-9 . _ -")
game: Final = matching(_GAME, "a game's ID: 32 hex digits")
reference: Final = matching(_REFERENCE, "1 to 128 characters of printable ASCII")


def table_role(text: str) -> tuple[str, Role]:
    """Read GAME=ROLE."""
    before, _, after = text.partition("=")
    return game(before), Role(one_of(*Role)(after))


def game_or_new(text: str) -> str:
    """Read a game's ID, or the word new."""
    return text if text == "new" else game(text)


def origin(text: str) -> str:
    """Read a dealer's name."""
    if _ORIGIN.fullmatch(text) and "/games/" not in text:
        return text
    message = f"{text!a} is not 1 to 128 characters of a-z 0-9 . / - without /games/"
    raise argparse.ArgumentTypeError(message)


def seconds(text: str) -> int:
    """Read a length of time, in seconds."""
    match = _TIME.fullmatch(text)
    if match is None:
        message = f"{text!a} is no time: 90s, 30m, 12h or 7d"
        raise argparse.ArgumentTypeError(message)
    return int(match[1]) * _SECONDS[match[2]]


def moment(text: str) -> float:
    """Read a short time, in seconds: 10ms to 10s."""
    match = _MOMENT.fullmatch(text)
    length = 0.0 if match is None else int(match[1]) / (1000 if match[2] == "ms" else 1)
    if not 0.01 <= length <= 10:
        message = f"{text!a} is no time from 10ms to 10s"
        raise argparse.ArgumentTypeError(message)
    return length


def pace(text: str) -> float:
    """Read a number of seconds with up to three decimals."""
    if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", text):
        return float(text)
    message = f"{text!a} is no number of seconds"
    raise argparse.ArgumentTypeError(message)


def blinds(text: str) -> tuple[int, int]:
    """Read SMALL/BIG."""
    small, slash, big = text.partition("/")
    if not slash:
        message = f"{text!a} is not SMALL/BIG, such as 50/100"
        raise argparse.ArgumentTypeError(message)
    amounts = number(1)(small), number(1)(big)
    if amounts[0] > amounts[1]:
        message = f"the small blind of {text} is above the big one"
        raise argparse.ArgumentTypeError(message)
    return amounts


def truth(text: str) -> bool:
    """Read 1 or 0."""
    if text.lower() in (*_TRUE, *_FALSE):
        return text.lower() in _TRUE
    message = f"{text!a} is neither 1 nor 0"
    raise argparse.ArgumentTypeError(message)
