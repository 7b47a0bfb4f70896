"""The options of every sub-command, and the environment variables that stand for them."""

import argparse
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from dealer_service.config import DEFAULT_ADDRESS

_DIRECTORY: Final = "cutcard-dealer"
_RECORDS: Final = "cutcard-records"
_ORIGIN = re.compile(r"[a-z0-9./-]{1,128}")
_GAME = re.compile(r"[0-9a-f]{32}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]")
_TIME = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LEVELS: Final = ("debug", "info", "warning", "error")
_TRUE: Final = ("1", "true", "yes")
_FALSE: Final = ("0", "false", "no", "")

_SERVE_EXIT: Final = (
    "Each option but --accept-restore may come from the environment: CUTCARD_DIRECTORY, "
    "CUTCARD_ORIGIN, CUTCARD_LISTEN, CUTCARD_ALLOW_PLAINTEXT (1 or 0), CUTCARD_LOG_FORMAT, "
    "CUTCARD_LOG_LEVEL. Exit status: 0 stopped by SIGTERM or SIGINT, 1 failed while serving, 2 the "
    "command line is wrong, 3 can not start: keys, store, journal, or an address in use."
)
_FROM_WHERE: Final = (
    "The token is that of --token-file, else of CUTCARD_TOKEN, else, beside the dealer, one that "
    "is issued by the key in --directory."
)


class Commands(Protocol):
    """What sub-commands are added to; argparse has no public name for it."""

    def add_parser(
        self,
        name: str,
        *,
        help: str,  # noqa: A002 - argparse's own word
        description: str,
        epilog: str | None,
        allow_abbrev: bool,
    ) -> argparse.ArgumentParser:
        """Add one."""
        ...


def add_commands(commands: Commands, environ: Mapping[str, str]) -> None:
    """Add every sub-command."""
    add = _Adder(commands, environ)
    _add_serve(add)
    _add_token(add)
    _add_key(add)
    _add_bots(add)
    _add_play(add)
    _add_fetch(add)
    _add_demo(add)


class _Adder:
    """Adds sub-commands and options; an option's default is its environment variable's."""

    def __init__(self, commands: Commands, environ: Mapping[str, str]) -> None:
        self._commands = commands
        self._environ = environ

    def command(self, name: str, *, help: str, epilog: str = "") -> argparse.ArgumentParser:  # noqa: A002 - argparse's own word
        """Add a sub-command."""
        return self._commands.add_parser(
            name, help=help, description=help, epilog=epilog or None, allow_abbrev=False
        )

    def option(  # noqa: PLR0913 - what an option is
        self,
        parser: argparse.ArgumentParser,
        name: str,
        read: Callable[[str], Any],
        default: object,
        help: str,  # noqa: A002 - argparse's own word
        *,
        metavar: str | None = None,
    ) -> None:
        """Add an option that takes a value; a default that is text is read as one that is given."""
        parser.add_argument(name, type=read, default=default, metavar=metavar, help=help)

    def from_environment(self, variable: str, default: str | None) -> str | None:
        """Give what the environment has, else the default."""
        return self._environ.get(variable) or default

    def directory(self, parser: argparse.ArgumentParser) -> None:
        """Add where the dealer keeps its things."""
        default = self.from_environment("CUTCARD_DIRECTORY", _DIRECTORY)
        words = f"where the dealer keeps store and keys (default {_DIRECTORY})"
        self.option(parser, "--directory", Path, default, words, metavar="DIR")

    def address(self, parser: argparse.ArgumentParser) -> None:
        """Add how a dealer is reached."""
        default = self.from_environment("CUTCARD_ADDRESS", DEFAULT_ADDRESS)
        words = f"the dealer's address (CUTCARD_ADDRESS; default {DEFAULT_ADDRESS})"
        self.option(parser, "--address", str, default, words, metavar="HOST:PORT")
        parser.add_argument("--tls", action="store_true", help="speak TLS with it")
        words = "speak TLS, and trust the certificates in this PEM file"
        self.option(parser, "--ca", Path, None, words, metavar="FILE")
        words = "send tokens in the clear to an address that is not on loopback"
        parser.add_argument("--allow-plaintext", action="store_true", help=words)
        words = "the dealer's verifier key, from a source you trust (CUTCARD_KEY)"
        default = self.from_environment("CUTCARD_KEY", None)
        self.option(parser, "--key", str, default, words, metavar="VKEY")

    def records(self, parser: argparse.ArgumentParser) -> None:
        """Add where a client keeps its record and its chain."""
        default = self.from_environment("CUTCARD_RECORDS", _RECORDS)
        words = f"where records and chains are kept (CUTCARD_RECORDS; default {_RECORDS})"
        self.option(parser, "--records", Path, default, words, metavar="DIR")

    def token(self, parser: argparse.ArgumentParser) -> None:
        """Add where a player's token comes from."""
        self.directory(parser)
        words = "a file that holds the player's token alone"
        self.option(parser, "--token-file", Path, None, words, metavar="FILE")
        words = "the player's name, where the token is issued here (default: yours here)"
        default = _NOT_NAME.sub("-", self._environ.get("USER", ""))[:64] or "player"
        self.option(parser, "--name", _name, default, words)


def _add_serve(add: _Adder) -> None:
    parser = add.command("serve", help="run the service", epilog=_SERVE_EXIT)
    add.directory(parser)
    origin = add.from_environment("CUTCARD_ORIGIN", None)
    words = (
        "the dealer's name in all its logs, for ever; needed at the first start (on loopback, "
        "localhost is taken), afterwards the log key tells it"
    )
    add.option(parser, "--origin", _origin, origin, words, metavar="NAME")
    listen = add.from_environment("CUTCARD_LISTEN", DEFAULT_ADDRESS)
    words = f"where to listen (default {DEFAULT_ADDRESS})"
    add.option(parser, "--listen", str, listen, words, metavar="HOST:PORT")
    parser.add_argument(
        "--allow-plaintext",
        type=_truth,
        nargs="?",
        const=True,
        default=add.from_environment("CUTCARD_ALLOW_PLAINTEXT", "0"),
        metavar="1|0",
        help="listen without TLS on an address that is not on loopback",
    )
    words = "take a store back that lacks signed lines: void open hands, close whole games"
    parser.add_argument("--accept-restore", action="store_true", help=words)
    form = add.from_environment("CUTCARD_LOG_FORMAT", "text")
    words = "how events are logged on standard error: text or json (default text)"
    add.option(parser, "--log-format", _one_of("text", "json"), form, words, metavar="FORMAT")
    level = add.from_environment("CUTCARD_LOG_LEVEL", "info")
    words = f"which events are logged: {', '.join(_LEVELS)} and worse (default info)"
    add.option(parser, "--log-level", _one_of(*_LEVELS), level, words, metavar="LEVEL")


def _add_token(add: _Adder) -> None:
    parser = add.command("token", help="print a token for a player or an operator")
    words = "whom it is for: for a player, its name at every table"
    parser.add_argument("name", type=_name, metavar="NAME", help=words)
    parser.add_argument("--role", choices=("player", "operator"), required=True)
    words = "how long it is good: 30m, 12h, 7d (default 12h)"
    add.option(parser, "--ttl", _seconds, "12h", words, metavar="TIME")
    add.directory(parser)


def _add_key(add: _Adder) -> None:
    parser = add.command("key", help="print the verifier key of the dealer's logs")
    add.directory(parser)


def _add_bots(add: _Adder) -> None:
    parser = add.command(
        "bots",
        help="fill a table with house players",
        epilog="A house player tops its stack up when it is below a quarter of what it sat down "
        "with; when it is broke and may not, it leaves. ^C lets all of them leave. Without "
        "--tokens, tokens are issued by the key in --directory.",
    )
    add.address(parser)
    words = "the game to join, or new to open one; the new one's ID is printed"
    parser.add_argument("--game", type=_game_or_new, required=True, metavar="ID|new", help=words)
    words = "how many house players (default: all free seats; a new table has six seats)"
    add.option(parser, "--seats", _number(1, 10), None, words, metavar="N")
    words = "chips of each (default: 100 big blinds)"
    add.option(parser, "--stack", _number(1), None, words, metavar="CHIPS")
    words = "leave after so many hands of the table (default: play until the game closes)"
    add.option(parser, "--hands", _number(1), 0, words, metavar="N")
    words = "how often each may top up (default: without end)"
    add.option(parser, "--rebuys", _number(0), None, words, metavar="N")
    words = "blinds of a new game (default 1/2)"
    add.option(parser, "--blinds", _blinds, "1/2", words, metavar="SMALL/BIG")
    words = "about how many seconds they think (default 0.7)"
    add.option(parser, "--pace", _pace, 0.7, words, metavar="SECONDS")
    words = "make their choices repeatable; the cards never are"
    add.option(parser, "--seed", int, None, words, metavar="N")
    add.directory(parser)
    words = "a file with a token on each line, of players and, for a new game, an operator"
    add.option(parser, "--tokens", Path, None, words, metavar="FILE")
    words = "their names, with a number behind (default house)"
    add.option(parser, "--names", _name, "house", words, metavar="NAME")
    add.records(parser)


def _add_play(add: _Adder) -> None:
    parser = add.command(
        "play",
        help="take a seat in the terminal",
        epilog=f"{_FROM_WHERE} Where standard input is no terminal, each of its lines is an act in "
        "its turn, and its end leaves the seat. Exit status: 0 left, or the game is over, 1 the "
        "client refused the dealer, or the dealer is gone, 2 the command line is wrong, 3 no seat, "
        "130 gone without waiting for the hand's end.",
    )
    add.address(parser)
    parser.add_argument("--game", type=_game, required=True, metavar="ID", help="which game")
    words = "which seat (default: the lowest that is free)"
    add.option(parser, "--seat", _number(1, 10), 0, words, metavar="N")
    words = "with how many chips (default: 100 big blinds)"
    add.option(parser, "--stack", _number(1), None, words, metavar="CHIPS")
    add.token(parser)
    add.records(parser)
    parser.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR)")


def _add_fetch(add: _Adder) -> None:
    parser = add.command("fetch", help="write a game's file, to be audited", epilog=_FROM_WHERE)
    parser.add_argument("game", type=_game, metavar="GAME", help="the game's ID")
    words = "where to (default GAME.jsonl)"
    add.option(parser, "--output", Path, None, words, metavar="FILE")
    add.address(parser)
    add.token(parser)


def _add_demo(add: _Adder) -> None:
    parser = add.command(
        "demo",
        help="deal a game to house players on this machine, and audit it",
        epilog="Exit status: the audit's (0 all that was asked for holds, 1 broken, 3 unreadable, "
        "4 not established); 5 when there was no game to audit.",
    )
    words = "a folder of each run's own is made in it (default demo)"
    add.option(parser, "--directory", Path, "demo", words, metavar="DIR")
    add.option(parser, "--hands", _number(1, 1000), 30, "how many hands (default 30)", metavar="N")
    words = "how many house players (default 6)"
    add.option(parser, "--seats", _number(2, 10), 6, words, metavar="N")
    words = "make their choices repeatable; the cards never are"
    add.option(parser, "--seed", int, None, words, metavar="N")


# What an option's text may be.


def _number(least: int, most: int = 2**53 - 1) -> Callable[[str], int]:
    def number(text: str) -> int:
        if re.fullmatch("[0-9]{1,16}", text) and least <= int(text) <= most:
            return int(text)
        above = "" if most == 2**53 - 1 else f" to {most}"
        message = f"{text!a} is no whole number from {least}{above or ' on'}"
        raise argparse.ArgumentTypeError(message)

    return number


def _one_of(*words: str) -> Callable[[str], str]:
    def word(text: str) -> str:
        if text in words:
            return text
        message = f"{text!a} is none of {', '.join(words)}"
        raise argparse.ArgumentTypeError(message)

    return word


def _matching(pattern: re.Pattern[str], what: str) -> Callable[[str], str]:
    def match(text: str) -> str:
        if pattern.fullmatch(text):
            return text
        message = f"{text!a} is not {what}"
        raise argparse.ArgumentTypeError(message)

    return match


_name = _matching(_NAME, "1 to 64 characters of A-Z a-z 0-9 . _ -")
_game = _matching(_GAME, "a game's ID: 32 hex digits")


def _game_or_new(text: str) -> str:
    return text if text == "new" else _game(text)


def _origin(text: str) -> str:
    if _ORIGIN.fullmatch(text) and "/games/" not in text:
        return text
    message = f"{text!a} is not 1 to 128 characters of a-z 0-9 . / - without /games/"
    raise argparse.ArgumentTypeError(message)


def _seconds(text: str) -> int:
    match = _TIME.fullmatch(text)
    if match is None:
        message = f"{text!a} is no time: 90s, 30m, 12h or 7d"
        raise argparse.ArgumentTypeError(message)
    return int(match[1]) * _SECONDS[match[2]]


def _pace(text: str) -> float:
    if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", text):
        return float(text)
    message = f"{text!a} is no number of seconds"
    raise argparse.ArgumentTypeError(message)


def _blinds(text: str) -> tuple[int, int]:
    small, _, big = text.partition("/")
    amounts = _number(1)(small), _number(1)(big)
    if amounts[0] > amounts[1]:
        message = f"the small blind of {text} is above the big one"
        raise argparse.ArgumentTypeError(message)
    return amounts


def _truth(text: str) -> bool:
    if text.lower() in (*_TRUE, *_FALSE):
        return text.lower() in _TRUE
    message = f"{text!a} is neither 1 nor 0"
    raise argparse.ArgumentTypeError(message)
