"""How sub-commands and their options are added, and the options that several of them share."""

import argparse
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from dealer_service.commands.reading import name, reference
from dealer_service.config import DEFAULT_ADDRESS

_DIRECTORY: Final = "cutcard-dealer"
_RECORDS: Final = "cutcard-records"
_NOT_NAME = re.compile(r"[^A-Za-z0-9._-]")


class Commands(Protocol):
    """What sub-commands are added to; argparse has no public name for it."""

    def add_parser(
        self,
        name: str,
        *,
        help: str,  # noqa: A002 - argparse's own word
        description: str,
        epilog: str | None,
        allow_abbrev: bool,
    ) -> argparse.ArgumentParser:
        """Add one."""
        ...


class Gathering(argparse.Action):
    """Gathers values; the first that is given replaces what the environment has."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,  # noqa: ANN401 - argparse's own type
        option_string: str | None = None,
    ) -> None:
        """Add one value to those that were given before."""
        del parser, option_string
        have = getattr(namespace, self.dest)
        before = [] if have is self.default else have
        setattr(namespace, self.dest, [*before, values])


class Adder:
    """Adds sub-commands and options; an option's default is its environment variable's."""

    def __init__(self, commands: Commands, environ: Mapping[str, str]) -> None:
        self._commands = commands
        self._environ = environ

    def command(self, name: str, *, help: str, epilog: str = "") -> argparse.ArgumentParser:  # noqa: A002 - argparse's own word
        """Add a sub-command."""
        return self._commands.add_parser(
            name, help=help, description=help, epilog=epilog or None, allow_abbrev=False
        )

    def below(self, parser: argparse.ArgumentParser) -> "Adder":
        """Add to a sub-command sub-commands of its own; which one it is, is its `action`."""
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        return Adder(actions, self._environ)

    def option(  # noqa: PLR0913 - what an option is
        self,
        parser: argparse._ActionsContainer,
        name: str,
        read: Callable[[str], Any],
        default: object,
        help: str,  # noqa: A002 - argparse's own word
        *,
        metavar: str | None = None,
    ) -> None:
        """Add an option that takes a value; a default that is text is read as one that is given."""
        parser.add_argument(name, type=read, default=default, metavar=metavar, help=help)

    def from_environment(self, variable: str, default: str | None) -> str | None:
        """Give what the environment has, else the default."""
        return self._environ.get(variable) or default

    def directory(self, parser: argparse.ArgumentParser) -> None:
        """Add where the dealer keeps its things."""
        default = self.from_environment("CUTCARD_DIRECTORY", _DIRECTORY)
        words = f"where the dealer keeps store and keys (default {_DIRECTORY})"
        self.option(parser, "--directory", Path, default, words, metavar="DIR")

    def address(self, parser: argparse.ArgumentParser) -> None:
        """Add how a dealer is reached."""
        given = (self.from_environment("CUTCARD_ADDRESS", None) or DEFAULT_ADDRESS).split()
        words = (
            "the dealer's address; given again, another one, for when that does not answer "
            f"(CUTCARD_ADDRESS, with spaces between; default {DEFAULT_ADDRESS})"
        )
        parser.add_argument(
            "--address", action=Gathering, default=given, metavar="HOST:PORT", help=words
        )
        self.tls(parser)
        words = "send tokens in the clear to an address that is not on loopback"
        parser.add_argument("--allow-plaintext", action="store_true", help=words)
        words = "the dealer's verifier key, from a source you trust (CUTCARD_KEY)"
        default = self.from_environment("CUTCARD_KEY", None)
        self.option(parser, "--key", str, default, words, metavar="VKEY")

    def reach(self, parser: argparse.ArgumentParser) -> None:
        """Add how a dealer is reached, and by which token."""
        self.address(parser)
        self.token(parser)

    def tls(self, parser: argparse.ArgumentParser) -> None:
        """Add how TLS is spoken with a dealer."""
        parser.add_argument("--tls", action="store_true", help="speak TLS with it")
        words = "speak TLS, and trust the certificates in this PEM file"
        self.option(parser, "--ca", Path, None, words, metavar="FILE")
        words = "show this certificate (PEM), where the dealer wants one of its callers"
        self.option(parser, "--tls-cert", Path, None, words, metavar="FILE")
        words = "the key of that certificate (PEM)"
        self.option(parser, "--tls-key", Path, None, words, metavar="FILE")

    def reference(self, parser: argparse.ArgumentParser) -> None:
        """Add the caller's own reference of what it opens or changes."""
        words = "your own reference, which is not published"
        self.option(parser, "--reference", reference, None, words, metavar="TEXT")

    def records(self, parser: argparse.ArgumentParser) -> None:
        """Add where a client keeps its record and its chain."""
        default = self.from_environment("CUTCARD_RECORDS", _RECORDS)
        words = f"where records and chains are kept (CUTCARD_RECORDS; default {_RECORDS})"
        self.option(parser, "--records", Path, default, words, metavar="DIR")

    def token(self, parser: argparse.ArgumentParser) -> None:
        """Add where a player's token comes from."""
        self.directory(parser)
        words = "a file that holds the player's token alone; it is read again when that expires"
        self.option(parser, "--token-file", Path, None, words, metavar="FILE")
        words = "the player's name, where the token is issued here (default: yours here)"
        default = _NOT_NAME.sub("-", self._environ.get("USER", ""))[:64] or "player"
        self.option(parser, "--name", name, default, words)
