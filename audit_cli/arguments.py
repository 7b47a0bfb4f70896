"""The command lines of `witness`, `watch` and `page`; each command is imported when it runs."""

from __future__ import annotations

import argparse
from typing import Any

MAX_WORKERS = 64
Commands = argparse._SubParsersAction  # noqa: SLF001  (argparse has no public name for it)


def hand_number(text: str) -> int:
    """Read the number of a hand, from 1."""
    if not (text.isascii() and text.isdigit() and len(text) < 17 and int(text)):
        message = f"a hand's number is a whole number from 1 on, not {text[:40]!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def workers(text: str) -> int:
    """Read a number of processes, from 1 to 64."""
    if not (text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= MAX_WORKERS):
        message = f"a number of processes from 1 to {MAX_WORKERS}, not {text[:40]!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def add_tournament(parser: argparse.ArgumentParser) -> None:
    """Add to a command that tells hands where else it reads of their tournament."""
    parser.add_argument(
        "--tournament",
        metavar="FILE",
        help="the file of the tournament whose table this is, where it is not joined with it: what "
        "it is called, what it cost to enter, who went out in which place",
    )


def add_witness(commands: Commands[Any]) -> None:
    """Add `witness` to the audit's commands."""
    parser = commands.add_parser(
        "witness",
        help="co-sign dealers' logs, and prove a fork of one",
        description="serve a witness (C2SP tlog-witness): co-sign what logs sign as long as it "
        "only grows, and keep every signed checkpoint, so that a fork can be proved",
        epilog="exit status: 0 ended when it was told to, 2 the command line is wrong",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--state",
        metavar="DIR",
        required=True,
        help="the witness's folder, its key and its checkpoints: made if absent, for it alone",
    )
    parser.add_argument(
        "--name", metavar="NAME", help="the key's name, to begin with: witness.example.org/w1"
    )
    parser.add_argument(
        "--log",
        metavar="VKEY",
        action="append",
        default=[],
        help="the verifier key of a log, named as its origin line; once for each log",
    )
    parser.add_argument("--logs", metavar="FILE", help="verifier keys of logs, one a line")
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:8477",
        help="where it serves HTTP (127.0.0.1:8477)",
    )
    parser.add_argument(
        "--show-key",
        action="store_true",
        help="print the witness's own verifier key, for policies, and end",
    )
    parser.set_defaults(run=_witness)


def add_watch(commands: Commands[Any]) -> None:
    """Add `watch` to the audit's commands."""
    parser = commands.add_parser(
        "watch",
        help="follow a dealer's log, and tell what does not fit",
        description="follow a dealer's log by its tiles: hold each checkpoint to what was seen "
        "before, list games and hands, and write evidence of forks and of lines that no honest "
        "dealer has",
        epilog="exit status, the first that applies: 2 the command line is wrong, 1 something is "
        "wrong with the log or its games, 3 the log can not be followed, 4 something asked for "
        "is not established, 0 nothing is wrong",
        allow_abbrev=False,
    )
    parser.add_argument("url", metavar="URL", help="where the log is published, or a folder of it")
    parser.add_argument(
        "--key", metavar="VKEY", required=True, help="the dealer's verifier key, as you trust it"
    )
    parser.add_argument(
        "--state", metavar="DIR", required=True, help="what was seen, kept (made if absent)"
    )
    parser.add_argument(
        "--evidence", metavar="DIR", help="where evidence is written (the folder of --state)"
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        nargs="+",
        action="extend",
        default=[],
        help="checkpoints of the log from elsewhere (a witness, another monitor) to compare with",
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        help="which witnesses you trust, and how many are enough (a C2SP tlog-policy)",
    )
    parser.add_argument(
        "--reveal-within",
        type=float,
        default=24,
        metavar="HOURS",
        help="so soon after its close a game is revealed (24)",
    )
    parser.add_argument(
        "--longest",
        type=float,
        default=336,
        metavar="HOURS",
        help="so soon after its opening a game is closed (336)",
    )
    parser.add_argument(
        "--void-rate",
        type=float,
        default=0.02,
        metavar="SHARE",
        help="the share of hands that are void at a dealer that does nothing wrong (0.02)",
    )
    parser.add_argument("--list", action="store_true", help="list every game, too")
    parser.add_argument(
        "--game", metavar="GAME", help="print the lines of one game that were read, and end"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--serve",
        metavar="HOST:PORT",
        help="stay, look again and again, and serve the state, /metrics and /healthz over HTTP",
    )
    parser.add_argument(
        "--every",
        type=float,
        default=60,
        metavar="SECONDS",
        help="with --serve, how long it waits between looks (60)",
    )
    parser.set_defaults(run=_watch)


def _watch(options: argparse.Namespace) -> int:
    from audit_cli.watch.command import run  # noqa: PLC0415  (quick start)

    return run(options)


def _witness(options: argparse.Namespace) -> int:
    from audit_cli.witness.command import run  # noqa: PLC0415  (quick start)

    return run(options)


def add_page(commands: Commands[Any]) -> None:
    """Add `page` to the audit's commands."""
    parser = commands.add_parser(
        "page",
        help="write the page that proves a game in a browser",
        description="write one HTML file that audits game files in a browser, without any network, "
        "and shows their hands at the table; or show a game in it",
        epilog="exit status: 0 written, 2 the command line is wrong",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="where the page is written (cutcard.html; with --open a new folder for passing "
        "things); - is standard output",
    )
    parser.add_argument(
        "--open",
        metavar="FILE",
        help="put this game file into the page, and open it in the browser; - is standard input",
    )
    parser.add_argument(
        "--key", metavar="VKEY", help="the dealer's verifier key, from a source you trust"
    )
    parser.add_argument("--hand", metavar="N", type=hand_number, help="the hand to be shown first")
    parser.set_defaults(run=_page)


def _page(options: argparse.Namespace) -> int:
    from audit_cli.page.command import run  # noqa: PLC0415  (quick start)

    return run(options)
