"""`cutcard-dealer`: the command line. Says what there is to say, and starts the sub-command.

A sub-command is imported when it runs, so that `--help` stays quick. Each setting of the service
may also come from the environment; what the command line says goes first.
"""

import argparse
import gc
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from dealer_service.commands import say
from dealer_service.commands.arguments import add_commands
from dealer_service.commands.failure import Exit, Failure

_EXTRA = ("cutcard.v1", "google", "grpc", "jwt", "prometheus_client", "structlog")
_OWN_USER = (
    "what is in a dealer's directory is for the dealer's own user alone: run this as that user"
)


class _Parser(argparse.ArgumentParser):
    """argparse, speaking as the rest of the command does."""

    def error(self, message: str) -> NoReturn:
        say.error(message, f"try `{self.prog} --help`")
        sys.exit(Exit.USAGE)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuse what is unknown where it stands, so that the hint names the sub-command."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown


class _Version(argparse.Action):
    """Prints the version; it is looked up only when it is asked for."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> NoReturn:
        del namespace, values, option_string
        from importlib.metadata import version  # noqa: PLC0415  (quick start)

        say.out(f"{say.NAME} {version('cutcard')}")
        parser.exit()


def build_parser(environ: Mapping[str, str]) -> argparse.ArgumentParser:
    """Build the whole command line; defaults come from `environ` where it has them."""
    parser = _Parser(
        prog=say.NAME,
        description="deal poker whose every deal can be proved fair",
        epilog="`cutcard-dealer COMMAND --help` tells more of each",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version")
    add_commands(parser.add_subparsers(dest="command", required=True, metavar="COMMAND"), environ)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    # What can not be done is said by us; the library's own lines would only stand in between.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    options = build_parser(os.environ).parse_args(arguments)
    try:
        return _command(options.command)(options)
    except Failure as failure:
        say.error(str(failure), failure.hint)
        return failure.status
    except PermissionError as error:
        # Such as a directory of another user's: each command looks into it at a place of its own.
        say.error(f"can not use {error.filename}: {error.strerror}", _OWN_USER)
        return Exit.CANNOT_START
    except BrokenPipeError:
        # The reader of our output is gone; keep the interpreter from flushing into it again.
        sys.stdout = None
        return Exit.FAILED
    except KeyboardInterrupt:
        return Exit.INTERRUPTED


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    # Modules stay to the end: looking for garbage among them is a tenth of a start.
    gc.disable()
    try:
        module = importlib.import_module(f"dealer_service.commands.{name}")
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(_EXTRA):
            raise
        message = f"the dealer is not installed whole: {error.name} is missing"
        raise Failure(message, "pip install 'cutcard[dealer]'") from None
    finally:
        gc.enable()
    run: Callable[[argparse.Namespace], int] = module.run
    return run
