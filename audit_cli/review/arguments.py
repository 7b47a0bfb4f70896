"""The command line of `review`; the command is imported when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.arguments import add_tournament, hand_number

if TYPE_CHECKING:
    import argparse

    from audit_cli.arguments import Commands

WHEN = ("auto", "always", "never")


def add_review(commands: Commands[Any]) -> None:
    """Add `review` to the audit's commands."""
    parser = commands.add_parser(
        "review",
        help="tell a game hand by hand in plain poker words",
        description="tell a game file hand by hand in plain poker words, with each player's "
        "figures of the session; the file is believed as it stands, so verify it first",
        epilog="exit status, the first that applies: 2 the command line is wrong or the output can "
        "not be written, 3 the input can not be read as a game file, 1 a hand does not fit "
        "together, 0 told. Colours are for `less -R` too, with --color always",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="a game file; - is standard input")
    parser.add_argument("--hand", metavar="N", type=hand_number, help="this hand alone")
    parser.add_argument(
        "--player", metavar="NAME", help="the hands that dealt this player in, and its figures"
    )
    parser.add_argument(
        "--hero",
        metavar="NAME",
        help="as this player saw it: the hands that dealt it in, its own cards, what was shown",
    )
    parser.add_argument(
        "--color",
        choices=WHEN,
        default="auto",
        help="colours: auto on a terminal, unless NO_COLOR is set (the default), always, or never",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_tournament(parser)
    parser.set_defaults(run=_review)


def _review(options: argparse.Namespace) -> int:
    from audit_cli.review.command import run  # noqa: PLC0415  (quick start)

    return run(options)
