"""The options of `cutcard-dealer tournament` and of each of its actions."""

import argparse
import re
from pathlib import Path
from typing import Final

from dealer_service.commands.adding import Adder
from dealer_service.commands.reading import game as tournament_id
from dealer_service.commands.reading import matching, name, number, one_of, seconds

_STATES: Final = (
    "registering",
    "running",
    "break",
    "stopped",
    "ending",
    "closed",
    "lost",
    "archived",
)
_MOST_PLAYERS: Final = 10_000
_TITLE: Final = re.compile(r"[ -~]{1,64}")


def add_tournament(add: Adder) -> None:
    """Add `tournament` and its actions."""
    parser = add.command(
        "tournament",
        help="open, run, enter and watch tournaments",
        epilog="`cutcard-dealer tournament ACTION --help` tells more of each. The token is that of "
        "--token-file, else of CUTCARD_TOKEN, else, beside the dealer, one that is issued by the "
        "key in --directory, for the role that the action needs.",
    )
    below = add.below(parser)
    _add_open(below)
    _add_list(below)
    _add_one(below, "show", "print a tournament's lobby")
    _add_one(below, "stop", "start no hand any more, and stop the clocks")
    _add_one(below, "resume", "go on after a stop")
    _add_one(below, "cancel", "cancel one that has not started, or is stopped between hands")
    disqualify = _add_one(below, "disqualify", "take a player out, with its chips")
    disqualify.add_argument("player", type=name, metavar="PLAYER", help="its name")
    register = _add_one(below, "register", "enter, or enter again, without playing yet")
    words = "the player will add no randomness"
    register.add_argument("--no-links", action="store_true", help=words)
    _add_one(below, "withdraw", "take a registration back, before the start")
    _add_one(below, "watch", "follow a tournament's log, verified, line by line")
    play = _add_one(
        below,
        "play",
        "enter and play in the terminal",
        "Lines are typed as with `cutcard-dealer play`; + 1 buys a rebuy or the add-on, and q goes "
        "away: the seat is then an absent player's until you play again. Exit status: that of "
        "`play`.",
    )
    below.records(play)
    play.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR)")


def _add_open(add: Adder) -> None:
    parser = add.command(
        "open",
        help="open a tournament, and print its ID",
        epilog="What is not said is the dealer's usual: a Sit & Go of one table of nine. A "
        "structure is a JSON file with the fields of PROTOCOL.md 14.3; the options below go before "
        "what it says.",
    )
    add.option(parser, "--structure", Path, None, "a structure, in JSON", metavar="FILE")
    text = matching(_TITLE, "1 to 64 characters of printable ASCII")
    add.option(parser, "--title", text, None, "its name", metavar="TEXT")
    most = number(2, _MOST_PLAYERS)
    add.option(parser, "--players", most, None, "how many it has at most", metavar="N")
    add.option(parser, "--seats", number(2, 10), None, "seats of a table", metavar="N")
    add.option(parser, "--stack", number(1), None, "chips at the start", metavar="CHIPS")
    add.option(parser, "--level", seconds, None, "the length of every level", metavar="TIME")
    add.option(parser, "--buy-in", number(0), None, "of each entry, for the pool", metavar="N")
    add.option(parser, "--fee", number(0), None, "of each entry, besides", metavar="N")
    words = "start so long from now, and not when it is full"
    add.option(parser, "--start-in", seconds, None, words, metavar="TIME")
    add.reference(parser)
    add.reach(parser)


def _add_list(add: Adder) -> None:
    parser = add.command("list", help="list tournaments, a line each")
    words = f"only those in one state: {', '.join(_STATES)}"
    add.option(parser, "--state", one_of(*_STATES), None, words, metavar="STATE")
    add.reach(parser)


def _add_one(add: Adder, action: str, words: str, epilog: str = "") -> argparse.ArgumentParser:
    parser = add.command(action, help=words, epilog=epilog)
    parser.add_argument("tournament", type=tournament_id, metavar="ID", help="the tournament's ID")
    add.reach(parser)
    return parser
