"""The options of `cutcard-dealer game` and of each of its actions."""

import argparse
import re
from pathlib import Path
from typing import Final

from dealer_service.commands.adding import Adder
from dealer_service.commands.reading import blinds, matching, name, number, one_of
from dealer_service.commands.reading import game as game_id

_STATES: Final = ("open", "paused", "closed", "revealed", "lost", "archived")
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")


def add_game(add: Adder) -> None:
    """Add `game` and its actions."""
    parser = add.command(
        "game",
        help="open, list, pause and close cash games",
        epilog="`cutcard-dealer game ACTION --help` tells more of each. The token is an operator's "
        "(an auditor's will do to list and show): that of --token-file, else of CUTCARD_TOKEN, "
        "else, beside the dealer, one that is issued by the key in --directory.",
    )
    below = add.below(parser)
    _add_open(below)
    _add_list(below)
    show = _add_one(below, "show", "print what a game is, and its rules")
    _json(show)
    _change(below, _add_one(below, "pause", "open no hand any more; the open one plays on"))
    _change(below, _add_one(below, "resume", "let hands open again"))
    close = _add_one(
        below,
        "close",
        "close a game, cash every seat out and reveal the secrets",
        "In the middle of a hand it waits for the hand's end. A game is closed for ever.",
    )
    below.reference(close)
    _change(below, close)
    void = _add_one(
        below,
        "void",
        "end the open hand, as long as its deck is not committed",
        "A game has two such ends at most, and the log tells of each.",
    )
    void.add_argument("hand", type=number(1), metavar="HAND", help="the number of the open hand")
    _change(below, void)
    remove = _add_one(
        below,
        "remove",
        "take a player from its seat",
        "An open hand plays on as an absent player's, and the chips leave at its end.",
    )
    remove.add_argument("player", type=name, metavar="PLAYER", help="its name")
    below.reference(remove)
    _change(below, remove)


def _add_open(add: Adder) -> None:
    parser = add.command(
        "open",
        help="open a cash game, and print its ID",
        epilog="What is not said is the dealer's usual. Rules are a JSON file with the fields of "
        "PROTOCOL.md 6.1; the options below go before what it says.",
    )
    add.option(parser, "--rules", Path, None, "the rules, in JSON", metavar="FILE")
    add.option(parser, "--blinds", blinds, None, "the blinds", metavar="SMALL/BIG")
    add.option(parser, "--seats", number(2, 10), None, "seats of the table", metavar="N")
    add.reference(parser)
    _change(add, parser)
    add.reach(parser)


def _add_list(add: Adder) -> None:
    parser = add.command("list", help="list games, a line each")
    words = f"only those in one state: {', '.join(_STATES)}"
    add.option(parser, "--state", one_of(*_STATES), None, words, metavar="STATE")
    _json(parser)
    add.reach(parser)


def _add_one(add: Adder, action: str, words: str, epilog: str = "") -> argparse.ArgumentParser:
    parser = add.command(action, help=words, epilog=epilog)
    parser.add_argument("game", type=game_id, metavar="GAME", help="the game's ID")
    add.reach(parser)
    return parser


def _change(add: Adder, parser: argparse.ArgumentParser) -> None:
    request = matching(_REQUEST_ID, "8 to 64 of A-Z a-z 0-9 . _ -")
    words = "the request's ID: the same again has no second effect (default: a new one)"
    add.option(parser, "--request-id", request, None, words, metavar="ID")


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, an object a line")
