"""`cutcard-audit`: the command line. Says what there is to say, and starts the sub-command.

A sub-command is imported when it runs, so that `--help` stays quick.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from audit_cli import __version__, say
from audit_cli.arguments import add_page, add_watch, add_witness, workers
from audit_cli.export.arguments import add_export
from audit_cli.inputs import UsageError, WorkerLostError
from audit_cli.review.arguments import add_review
from audit_cli.rng.arguments import add_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = 2
UNREADABLE = 3

_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """argparse, speaking as the rest of the command does."""

    def error(self, message: str) -> NoReturn:
        say.error(message, f"try `{self.prog} --help`")
        sys.exit(USAGE)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse what is unknown where it stands, so that the hint names the sub-command."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=say.NAME,
        description="prove a Cutcard game or tournament from its files alone, and certify a "
        "generator",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{say.NAME} {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    verify = commands.add_parser(
        "verify",
        help="check every promise of a game file, or of a tournament's files",
        description="check every promise of a game file, of a chain of games that go on from "
        "each other (several files in their order, or one file of several games), or of a "
        "tournament: its own file with those of its tables, in any order or joined",
        epilog="exit status, the first that applies: 2 the command line is wrong, 3 the input can "
        "not be read as this format, 1 a promise is broken, 4 something asked for is not "
        "established, 0 all asked for holds",
        allow_abbrev=False,
    )
    verify.add_argument(
        "files", nargs="*", metavar="FILE", help="a game or tournament file; - is standard input"
    )
    verify.add_argument(
        "--key", metavar="VKEY", help="the dealer's verifier key, from a source you trust"
    )
    verify.add_argument(
        "--mine",
        metavar="FILE",
        action="append",
        default=[],
        help="your client's record (one for each game): was your randomness in each deck?",
    )
    verify.add_argument(
        "--checkpoint",
        metavar="NOTE",
        nargs="+",
        action="extend",
        default=[],
        help="checkpoints from elsewhere (another player, a monitor) to compare with, in files "
        "or as they are",
    )
    verify.add_argument(
        "--dealer-log",
        metavar="URL|DIR",
        help="the dealer's own log as it is published: its address, or a folder of its files",
    )
    verify.add_argument(
        "--log-proof",
        metavar="FILE",
        action="append",
        default=[],
        help="a proof that a line of these games is in the dealer's log (a .tlog-proof)",
    )
    verify.add_argument(
        "--policy",
        metavar="FILE",
        help="which witnesses of the dealer's log you trust, and how many are enough "
        "(a C2SP tlog-policy)",
    )
    verify.add_argument(
        "--beacon",
        metavar="FILE",
        action="append",
        default=[],
        help="the chain information of a drand network that the rules name (its /info); quicknet's "
        "is built in",
    )
    verify.add_argument(
        "--require",
        metavar="LINE,...",
        action="append",
        default=[],
        help="promises that have to hold, such as SIGNED,PLAYER-MIXED",
    )
    verify.add_argument(
        "--evidence",
        metavar="DIR",
        default=".",
        help="where the evidence of a fork is written (the current directory)",
    )
    verify.add_argument(
        "--referee",
        choices=("pokerkit",),
        help="have each hand played again by this engine too; what it says decides nothing",
    )
    verify.add_argument(
        "--workers",
        metavar="N",
        type=workers,
        help="how many processes share the work, which changes nothing of the report; by default "
        "one a core, up to three, and one for a small file",
    )
    verify.add_argument("--json", action="store_true", help="print one JSON object")
    verify.set_defaults(run=_verify)

    derive = commands.add_parser(
        "derive",
        help="show each step from a hand's secret to its deck",
        description="show each step from a hand's secret to its deck, for one case or a list of "
        "them in the shape of proto/vectors/deal.json; what a case expects is compared",
        epilog="exit status: 0 derived, 1 something expected came out different, 2 the command "
        "line is wrong, 3 the input can not be read as cases",
        allow_abbrev=False,
    )
    derive.add_argument("file", metavar="FILE", help="a JSON file; - is standard input")
    derive.add_argument(
        "--json", action="store_true", help="print the derived values (for a list, a list)"
    )
    derive.set_defaults(run=_derive)
    add_page(commands)
    add_export(commands)
    add_review(commands)
    add_witness(commands)
    add_watch(commands)
    add_commands(commands)
    return parser


def _verify(options: argparse.Namespace) -> int:
    from audit_cli.verify_command import run  # noqa: PLC0415  (quick start)

    return run(options)


def _derive(options: argparse.Namespace) -> int:
    from audit_cli.derive_command import run  # noqa: PLC0415  (quick start)

    return run(options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        say.flush()
    except UsageError as wrong:
        say.error(str(wrong), wrong.hint)
        return USAGE
    except WorkerLostError as lost:
        say.error(str(lost), "nothing is wrong with the file by that; try again, or --workers 1")
        return UNREADABLE
    except BrokenPipeError:
        # The reader of our output is gone; keep the interpreter from flushing into it again.
        sys.stdout = None
        return UNREADABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return status
