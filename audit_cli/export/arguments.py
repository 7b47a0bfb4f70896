"""The command line of `export`; the command is imported when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.arguments import add_tournament, hand_number

if TYPE_CHECKING:
    import argparse

    from audit_cli.arguments import Commands

NAMES = ("pokerstars", "ohh", "phh")
CURRENCIES = ("none", "USD", "EUR", "GBP", "CAD")


def add_export(commands: Commands[Any]) -> None:
    """Add `export` to the audit's commands."""
    parser = commands.add_parser(
        "export",
        help="write a game's hands for trackers and other programs",
        description="write the hands of a game file as histories that trackers and other programs "
        "read; the file is believed as it stands, so verify it first",
        epilog="exit status, the first that applies: 2 the command line is wrong or the output can "
        "not be written, 3 the input can not be read as a game file, 1 a hand does not fit "
        "together, 0 written. Void hands, and hands that a format can not say, are named on "
        "standard error and left out",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="a game file; - is standard input")
    parser.add_argument(
        "--format", required=True, choices=NAMES, help=f"the format: {', '.join(NAMES)}"
    )
    parser.add_argument("--hand", metavar="N", type=hand_number, help="this hand alone")
    parser.add_argument(
        "--hero",
        metavar="NAME",
        help="as this player saw it: the hands that dealt it in, its own cards, what was shown",
    )
    parser.add_argument(
        "--output",
        metavar="FILE|DIR",
        help="where to write: a file, or for each game one in a folder (standard output)",
    )
    parser.add_argument(
        "--currency",
        choices=CURRENCIES,
        default="none",
        help="what chips are told as, or in a tournament what was paid to enter: none for chips as "
        "they are (the default; trackers take that for play money)",
    )
    parser.add_argument(
        "--per-unit",
        type=int,
        choices=(1, 10, 100),
        help="with --currency, how many chips, or units of a tournament's money, make one of it "
        "(100)",
    )
    add_tournament(parser)
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    from audit_cli.export.command import run  # noqa: PLC0415  (quick start)

    return run(options)
