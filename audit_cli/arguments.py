"""The command lines of `witness` and `watch`; each command is imported when it runs."""

from __future__ import annotations

import argparse
from typing import Any

Commands = argparse._SubParsersAction  # noqa: SLF001  (argparse has no public name for it)


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


def _witness(options: argparse.Namespace) -> int:
    from audit_cli.witness.command import run  # noqa: PLC0415  (quick start)

    return run(options)
