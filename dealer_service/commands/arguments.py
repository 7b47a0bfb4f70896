"""The options of every sub-command, and the environment variables that stand for them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dealer_service.access.roles import Role
from dealer_service.bots.level import Level
from dealer_service.commands.adding import Adder, Commands
from dealer_service.commands.game_arguments import add_game
from dealer_service.commands.reading import (
    blinds,
    game,
    game_or_new,
    name,
    number,
    one_of,
    origin,
    pace,
    seconds,
    table_role,
)
from dealer_service.commands.serving import add_log_key, add_sealing_keys, add_serve
from dealer_service.commands.tournament_arguments import add_tournament
from dealer_service.config import DEFAULT_ADDRESS

_FROM_WHERE: Final = (
    "The token is that of --token-file, else of CUTCARD_TOKEN, else, beside the dealer, one that "
    "is issued by the key in --directory."
)


_ROLES: Final = tuple(role.value for role in Role)


def add_commands(commands: Commands, environ: Mapping[str, str]) -> None:
    """Add every sub-command."""
    add = Adder(commands, environ)
    add_serve(add)
    _add_health(add)
    _add_token(add)
    _add_key(add)
    _add_keys(add)
    _add_migrate(add)
    _add_bots(add)
    _add_play(add)
    add_game(add)
    add_tournament(add)
    _add_fetch(add)
    _add_export(add)
    _add_demo(add)


def _add_health(add: Adder) -> None:
    parser = add.command(
        "health",
        help="ask a dealer whether it serves",
        epilog="It asks once, by grpc.health.v1 and without a token. Without --address it asks the "
        "dealer on this machine whose settings the environment has: where CUTCARD_LISTEN says, and "
        "over TLS by the certificate of CUTCARD_TLS_CERT alone. Exit status: 0 it serves, 1 it "
        "does not, or can not be reached, 2 the command line is wrong.",
    )
    words = f"the dealer's address (default: that of CUTCARD_LISTEN here, else {DEFAULT_ADDRESS})"
    add.option(parser, "--address", str, None, words, metavar="HOST:PORT")
    words = "one of its services, such as cutcard.v1.PlayService (default: the dealer as a whole)"
    add.option(parser, "--service", str, "", words, metavar="NAME")
    words = "how long it may take (default 3s)"
    add.option(parser, "--timeout", seconds, "3s", words, metavar="TIME")
    add.tls(parser)
    words = "the name that its certificate must have (default: that of the address)"
    add.option(parser, "--server-name", str, None, words, metavar="NAME")


def _add_token(add: Adder) -> None:
    parser = add.command(
        "token",
        help="print a token for a role",
        epilog="A player plays, and so does one of the house's own (house), which is marked as "
        "such; a watcher looks at tables and asks for proofs, an operator opens and closes games, "
        "an auditor sees all of them and changes nothing. A token for a game is good for the games "
        "that go on from it, too, and one for a tournament for its tables.",
    )
    words = "whom it is for: for a player, its name at every table"
    parser.add_argument("name", type=name, metavar="NAME", help=words)
    words = "what it is for everywhere, but at the games of --table: " + ", ".join(_ROLES)
    parser.add_argument("--role", choices=_ROLES, metavar="ROLE", help=words)
    words = "what it is for at one game; given again, for each of several"
    parser.add_argument(
        "--table", type=table_role, action="append", default=[], metavar="GAME=ROLE", help=words
    )
    words = "how long it is good: 30m, 12h, 7d (default 12h)"
    add.option(parser, "--ttl", seconds, "12h", words, metavar="TIME")
    add.directory(parser)
    add_log_key(add, parser)


def _add_key(add: Adder) -> None:
    parser = add.command("key", help="print the verifier key of the dealer's logs")
    add.directory(parser)
    add_log_key(add, parser)


def _add_keys(add: Adder) -> None:
    parser = add.command(
        "keys",
        help="make, show or change the dealer's keys",
        epilog="make: make what is missing of log key, sealing key and token key, before a first "
        "start. show: say what there is. rotate-sealing: make another sealing key, and keep the "
        "old one for opening; with --sealing-key, the first URI is of the key to make, and those "
        "behind it are of the ones there are. No secret is printed. Exit status: 0 done, 2 the "
        "command line is wrong, 3 a key is missing, malformed, exposed or out of reach.",
    )
    actions = ("make", "show", "rotate-sealing")
    parser.add_argument("action", choices=actions, help="what to do: " + ", ".join(actions))
    words = "with make: the dealer's name in all its logs, for ever"
    add.option(parser, "--origin", origin, None, words, metavar="NAME")
    add.directory(parser)
    add_log_key(add, parser)
    add_sealing_keys(add, parser)


def _add_migrate(add: Adder) -> None:
    parser = add.command(
        "migrate",
        help="bring the store of an older dealer up to date",
        epilog="Stop every dealer and back the store up before. All of it is done or nothing, and "
        "a store that is up to date is left as it is. Exit status: 0 done, or nothing to do, 2 the "
        "command line is wrong, 3 not done: the store is in use, away, newer, or not a store.",
    )
    add.directory(parser)
    words = "the store that dealers share (CUTCARD_STORE; default: the file in --directory)"
    default = add.from_environment("CUTCARD_STORE", "")
    add.option(parser, "--store", str, default, words, metavar="URL")
    parser.add_argument("--dry-run", action="store_true", help="say what would be done, and stop")


def _add_bots(add: Adder) -> None:
    parser = add.command(
        "bots",
        help="fill a table or a tournament with house players",
        epilog="At a table, a house player tops its stack up when it is below a quarter of what it "
        "sat down with; when it is broke and may not, it leaves, and where a person comes to a "
        "full table, one makes way at the next hand. ^C lets all of them leave. In a tournament, "
        "who is broke buys again where that is worth ten big blinds, and takes an add-on that "
        "costs no more by the chip than the buy-in; ^C takes registrations back before the start. "
        "Without --tokens, tokens are issued by the key in --directory, for the role house.",
    )
    add.address(parser)
    which = parser.add_mutually_exclusive_group(required=True)
    words = "the game to join, or new to open one; the new one's ID is printed"
    which.add_argument("--game", type=game_or_new, metavar="ID|new", help=words)
    words = "the tournament to enter"
    which.add_argument("--tournament", type=game, metavar="ID", help=words)
    words = "how many house players (default: all free seats; a new table has six seats)"
    add.option(parser, "--seats", number(1, 10), None, words, metavar="N")
    words = "how many house players in a tournament (default: all free places)"
    add.option(parser, "--players", number(1, 10_000), None, words, metavar="N")
    words = "chips of each at a table (default: 100 big blinds)"
    add.option(parser, "--stack", number(1), None, words, metavar="CHIPS")
    words = "leave after so many hands of the table (default: play until the game closes)"
    add.option(parser, "--hands", number(1), 0, words, metavar="N")
    words = "how often each may top up, or buy again in a tournament (default: without end)"
    add.option(parser, "--rebuys", number(0), None, words, metavar="N")
    words = "beginner, intermediate, professional, or mixed for all in turn (default mixed)"
    add.option(parser, "--level", one_of(*Level, "mixed"), "mixed", words, metavar="LEVEL")
    words = "blinds of a new game (default 1/2)"
    add.option(parser, "--blinds", blinds, "1/2", words, metavar="SMALL/BIG")
    words = "how much later a new game is told to those who do not play in it (default 0s)"
    add.option(parser, "--watch-delay", seconds, "0s", words, metavar="TIME")
    words = "about how many seconds they think (default 0.7)"
    add.option(parser, "--pace", pace, 0.7, words, metavar="SECONDS")
    words = "make their choices repeatable; the cards never are"
    add.option(parser, "--seed", int, None, words, metavar="N")
    add.directory(parser)
    words = "a file with a token on each line, of house players and, for a new game, an operator"
    add.option(parser, "--tokens", Path, None, words, metavar="FILE")
    words = "their names, with a number behind (default house)"
    add.option(parser, "--names", name, "house", words, metavar="NAME")
    add.records(parser)


def _add_play(add: Adder) -> None:
    parser = add.command(
        "play",
        help="take a seat in the terminal",
        epilog=f"{_FROM_WHERE} Where standard input is no terminal, each of its lines is an act in "
        "its turn, and its end leaves the seat. Exit status: 0 left, or the game is over, 1 the "
        "client refused the dealer, or the dealer is gone, 2 the command line is wrong, 3 no seat, "
        "130 gone without waiting for the hand's end.",
    )
    add.address(parser)
    parser.add_argument("--game", type=game, required=True, metavar="ID", help="which game")
    words = "which seat (default: the lowest that is free)"
    add.option(parser, "--seat", number(1, 10), 0, words, metavar="N")
    words = "with how many chips (default: 100 big blinds)"
    add.option(parser, "--stack", number(1), None, words, metavar="CHIPS")
    add.token(parser)
    add.records(parser)
    parser.add_argument("--no-color", action="store_true", help="no colours (also NO_COLOR)")


def _add_fetch(add: Adder) -> None:
    parser = add.command(
        "fetch", help="write a game's or a tournament's file, to be audited", epilog=_FROM_WHERE
    )
    parser.add_argument(
        "game", type=game, metavar="GAME", help="the game's, or the tournament's, ID"
    )
    words = "where to (default GAME.jsonl)"
    add.option(parser, "--output", Path, None, words, metavar="FILE")
    words = (
        "write there, too, what proves that the dealer's log tells of the game and its hands, each "
        "a .tlog-proof; status 1 where the log lacks some"
    )
    add.option(parser, "--log-proofs", Path, None, words, metavar="DIR")
    add.reach(parser)


def _add_export(add: Adder) -> None:
    parser = add.command(
        "export",
        help="write the files of all finished games and tournaments",
        epilog=f"It needs an operator's or an auditor's token. {_FROM_WHERE} Files that are there "
        "already are left as they are. Exit status: 0 all files are there, 1 some games are "
        "archived and their files are elsewhere, 3 the dealer can not be reached or refuses.",
    )
    words = (
        "where to: each game's file is GAME.jsonl there, a tournament's with those of its tables "
        "behind it"
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help=words)
    add.reach(parser)


def _add_demo(add: Adder) -> None:
    parser = add.command(
        "demo",
        help="deal a game and two tournaments to house players here, and audit them",
        epilog="A cash game first, then a Sit & Go of six and a tournament; the first that does "
        "not hold in the audit is the last. Exit status: the audit's (0 all that was asked for "
        "holds, 1 broken, 3 unreadable, 4 not established); 5 when there was nothing to audit.",
    )
    words = "a folder of each run's own is made in it (default demo)"
    add.option(parser, "--directory", Path, "demo", words, metavar="DIR")
    add.option(
        parser, "--hands", number(1, 1000), 30, "how many hands of it (default 30)", metavar="N"
    )
    words = "how many house players play the cash game (default 6)"
    add.option(parser, "--seats", number(2, 10), 6, words, metavar="N")
    words = "how many play the tournament (default 45; 0: only the cash game is played)"
    add.option(parser, "--players", number(0, 1000), 45, words, metavar="N")
    words = "make their choices repeatable; the cards never are"
    add.option(parser, "--seed", int, None, words, metavar="N")
