"""The command lines of `rng`, `certify`, `bundle` and `fingerprint`, read without numpy."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, Any

from audit_cli.inputs import UsageError
from audit_cli.rng.sizes import amount, amount_or_none

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINES = ("auto", "plain", "numpy", "numba")
PRESETS = ("quick", "cert", "gli", "deep")
LEVELS = ("raw", "scaled", "deck", "game")
FORMATS = (
    "u8",
    "u32le",
    "u32be",
    "u64le",
    "bits-reversed",
    "ascii01",
    "dieharder",
    "csv",
)

Commands = argparse._SubParsersAction  # noqa: SLF001  (argparse has no public name for it)


def add_commands(commands: Commands[Any]) -> None:
    """Add the commands of certification to the audit's."""
    rng = commands.add_parser(
        "rng",
        help="dump and test the generator",
        description="streams of the generator, and statistics that know what they can show",
        allow_abbrev=False,
    )
    inner = rng.add_subparsers(dest="rng_command", required=True, metavar="COMMAND")
    _add_dump(inner)
    _add_collect(inner)
    _add_test(inner)
    _add_selftest(inner)
    _add_external(inner)
    _add_monitor(inner)
    _add_certify(commands)
    _add_bundle(commands)
    _add_fingerprint(commands)


def _command(
    commands: Commands[Any], name: str, words: str, module: str, status: str
) -> argparse.ArgumentParser:
    """Add a command that `run` of a module under `audit_cli.rng` carries out."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=words, description=words, epilog=f"exit status: {status}", allow_abbrev=False
    )
    parser.set_defaults(run=_late(module))
    return parser


def _late(module: str) -> Callable[[argparse.Namespace], int]:
    def run(options: argparse.Namespace) -> int:
        try:
            found = importlib.import_module(f"audit_cli.rng.{module}")
        except ModuleNotFoundError as missing:
            name = (missing.name or "").partition(".")[0]
            if name not in {"numpy", "scipy"}:
                raise
            message = f"this command counts with {name}, which is not installed"
            raise UsageError(message, "install the extra: pip install 'cutcard[rng]'") from None
        status: int = found.run(options)
        return status

    return run


def _add_live(parser: argparse.ArgumentParser) -> None:
    """Where a dealer is, and how it is spoken to."""
    parser.add_argument(
        "--dealer", metavar="HOST:PORT", help="a running dealer in certification mode"
    )
    parser.add_argument("--ca", metavar="FILE", help="the certificate that signed the dealer's")
    parser.add_argument("--token", metavar="FILE", help="a file with the bearer token")
    parser.add_argument(
        "--insecure", action="store_true", help="without TLS, to this machine alone"
    )


def _add_origins(parser: argparse.ArgumentParser) -> None:
    """Where the hands come from: one of these."""
    parser.add_argument(
        "--secret", metavar="HEX", help="the laboratory's secret, 32 bytes: the same hands anywhere"
    )
    parser.add_argument(
        "--system", action="store_true", help="a fresh secret of the operating system for each hand"
    )
    _add_live(parser)
    parser.add_argument("--hands", metavar="FILE", help="hands that `rng collect` wrote")


def _add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--engine", choices=ENGINES, default="auto", help="all give the same bits (the fastest)"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one for each core)")


def _add_dump(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "dump",
        "write what the generator gives, for any suite to read",
        "dump.command",
        "0 written, 1 the dealer's hands do not derive, 2 the command line is wrong, "
        "3 the input can not be read",
    )
    _add_origins(parser)
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="raw",
        help="raw generator bytes, scaled draws, decks, or what a game sees (raw)",
    )
    parser.add_argument("--format", choices=FORMATS, default="u8", help="how it is written (u8)")
    parser.add_argument(
        "--stream",
        choices=("per-hand", "continuous"),
        default="per-hand",
        help="a new generator for each hand as in play, or one that runs on (per-hand)",
    )
    parser.add_argument("--count", type=amount, metavar="N", help="how many hands: 1000, 10M")
    parser.add_argument(
        "--bytes", type=amount, metavar="SIZE", help="how many bytes: 10M, 246G (without end)"
    )
    parser.add_argument(
        "--skip", type=amount_or_none, default=0, metavar="N", help="hands to leave out first"
    )
    parser.add_argument(
        "--split", type=amount, metavar="SIZE", help="begin a new file after so many bytes"
    )
    parser.add_argument("--out", default="-", metavar="FILE", help="where to (standard output)")
    parser.add_argument(
        "--engine", choices=ENGINES, default="auto", help="all give the same bits (the fastest)"
    )


def _add_collect(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "collect",
        "keep hands that can not be derived again: of a dealer, or of the operating system",
        "collect_command",
        "0 collected, 1 a hand does not derive, 2 the command line is wrong, "
        "3 the dealer can not be read",
    )
    parser.add_argument("--system", action="store_true", help="of the operating system's source")
    _add_live(parser)
    parser.add_argument(
        "--count", type=amount, required=True, metavar="N", help="how many hands: 1000, 10M"
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="the file of hands")


def _add_test(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "test",
        "the battery: plan, count, judge",
        "test_command",
        "0 passed, 1 failed, 2 the command line is wrong, 3 the input can not be read",
    )
    _add_origins(parser)
    parser.add_argument("--decks", metavar="FILE", help="decks of anyone's shuffle, 52 bytes each")
    parser.add_argument(
        "--preset",
        choices=PRESETS,
        help="1 M, 10 M, 70 M or 1 G decks (quick; of a file all)",
    )
    parser.add_argument(
        "--count", type=amount, metavar="N", help="another number of decks: 10k, 25M"
    )
    parser.add_argument(
        "--run",
        dest="folder",
        metavar="DIR",
        help="where plan, counts and results are kept, and a run that stopped goes on (a new one)",
    )
    parser.add_argument(
        "--sign-key", metavar="FILE", help="the key that signs the plan (made for it if absent)"
    )
    parser.add_argument("--plan-only", action="store_true", help="write the plan and stop")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask cluster's scheduler")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    _add_engine(parser)


def _add_selftest(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "selftest",
        "does the battery find what it should, and nothing else",
        "selftest_command",
        "0 every flaw found and few false alarms, 1 not, 2 the command line is wrong, "
        "3 it could not be finished",
    )
    parser.add_argument(
        "--flaws",
        nargs="?",
        const="all",
        metavar="F01,...",
        help="plant these flaws and look for them: all of them, or none (all)",
    )
    parser.add_argument(
        "--clean", type=int, default=200, metavar="N", help="clean runs to judge, or 0 (200)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="only what needs 100,000 decks or fewer"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--workers", type=int, metavar="N", help="processes (one for each core)")


def _add_external(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "external",
        "run the suites of others that are on this machine",
        "external.command",
        "0 run, whatever they said, 2 the command line is wrong, 3 a suite could not be run",
    )
    _add_origins(parser)
    parser.add_argument(
        "--suites",
        metavar="NAME,...",
        help="dieharder, ent, rngtest, practrand, testu01, sts (all that are found)",
    )
    parser.add_argument(
        "--bytes",
        type=amount,
        metavar="SIZE",
        help="how much each may read at most: 100M, 4G (what its usual run needs)",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="where their words are kept")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_monitor(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "monitor",
        "the battery over the revealed hands of live games",
        "monitor.command",
        "the first that applies: 2 the command line is wrong, 1 a look failed or a hand does not "
        "derive, now or before, 3 something can not be read, 0 nothing found",
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="game files, or folders of them")
    parser.add_argument("--log", metavar="HOST:PORT", help="a dealer whose finished games are read")
    parser.add_argument("--ca", metavar="FILE", help="the certificate that signed the dealer's")
    parser.add_argument("--token", metavar="FILE", help="a file with an auditor's bearer token")
    parser.add_argument(
        "--insecure", action="store_true", help="without TLS, to this machine alone"
    )
    parser.add_argument("--key", metavar="VKEY", help="the dealer's verifier key")
    parser.add_argument("--state", required=True, metavar="DIR", help="what was seen so far")
    parser.add_argument(
        "--every", type=int, metavar="N", help="hands a look (1,000,000, or as the state has it)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def _add_certify(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "certify",
        "make the evidence bundle of a dealer's generator",
        "certify.command",
        "0 made and nothing failed, 1 made and something failed, "
        "2 the command line is wrong, 3 something can not be read",
    )
    _add_origins(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="the bundle's folder, new")
    parser.add_argument("--preset", choices=PRESETS, help="how many decks (cert)")
    parser.add_argument(
        "--count", type=amount, metavar="N", help="another number of decks: 100k, 25M"
    )
    parser.add_argument(
        "--run",
        dest="folder",
        metavar="DIR",
        help="a run of `rng test` to use, or where to keep one (DIR.run beside the bundle)",
    )
    parser.add_argument(
        "--sign-key", metavar="FILE", help="the laboratory's key (made for it if absent)"
    )
    parser.add_argument(
        "--flaws", default="all", metavar="F01,...", help="the flaw bank: all, some, or none (all)"
    )
    parser.add_argument("--quick", action="store_true", help="a short flaw bank, 20 clean runs")
    parser.add_argument(
        "--external",
        nargs="?",
        const="all",
        metavar="NAME,...",
        help="run the suites of others, too: these, or all that are found",
    )
    parser.add_argument(
        "--bytes", type=amount, metavar="SIZE", help="for suites that read as much as they get"
    )
    parser.add_argument(
        "--games", metavar="DIR", action="append", default=[], help="game files to verify for it"
    )
    parser.add_argument(
        "--games-key", metavar="VKEY", help="the verifier key of the dealer that dealt the games"
    )
    parser.add_argument(
        "--skip-builds", action="store_true", help="do not build the project's wheel twice"
    )
    _add_engine(parser)


def _add_bundle(commands: Commands[Any]) -> None:
    bundle = commands.add_parser(
        "bundle",
        help="check an evidence bundle, or repeat it",
        description="check an evidence bundle, or repeat it",
        allow_abbrev=False,
    )
    inner = bundle.add_subparsers(dest="bundle_command", required=True, metavar="COMMAND")
    verify = _command(
        inner,
        "verify",
        "check a bundle's files and signatures, without a network",
        "certify.verify_command",
        "0 whole and signed, 1 not, 2 the command line is wrong, 3 it can not be read",
    )
    verify.add_argument("bundle", metavar="DIR")
    verify.add_argument("--key", metavar="VKEY", help="the laboratory's verifier key")
    verify.add_argument("--json", action="store_true", help="print one JSON object")
    reproduce = _command(
        inner,
        "reproduce",
        "derive the data and count again: results byte for byte",
        "certify.reproduce_command",
        "0 the same bytes, 1 other bytes, 2 the command line is wrong, 3 it can not be read",
    )
    reproduce.add_argument("bundle", metavar="DIR")
    reproduce.add_argument("--out", metavar="DIR", help="keep what was made here, a new folder")
    reproduce.add_argument(
        "--hands", metavar="FILE", help="the hands of a bundle that no secret repeats"
    )
    reproduce.add_argument("--json", action="store_true", help="print one JSON object")
    _add_engine(reproduce)


def _add_fingerprint(commands: Commands[Any]) -> None:
    parser = _command(
        commands,
        "fingerprint",
        "is the installed dealer the one that was certified",
        "certify.fingerprint_command",
        "0 the same (or only told), 1 another, 2 the command line is wrong, 3 it can not be read",
    )
    parser.add_argument("--bundle", metavar="DIR", help="the evidence to compare with")
    parser.add_argument(
        "--site", metavar="DIR", help="where the dealer's package is (this Python's)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
