"""How `bots` and `play` reach a dealer: which address, in the clear or over TLS, by which token."""

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import jwt

from dealer_service.access.roles import Role
from dealer_service.client import CallRefusedError, Dealer
from dealer_service.client.calls import Patience, Surroundings
from dealer_service.client.durable import FileError
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.keeping import TokenOffice
from dealer_service.config import SettingError, check_address
from dealer_service.transcript.refusal import TranscriptError

_PATIENCE = Patience(total=15.0)
_TOKEN_SECONDS = 24 * 3600


def connect(options: argparse.Namespace, token: str) -> Dealer:
    """Connect by the options `address`, `tls`, `ca`, `allow_plaintext` and `key`; Failure."""
    secure = options.tls or options.ca is not None
    try:
        check_address(options.address, allow_plaintext=True)
        check_address(options.address, allow_plaintext=secure or options.allow_plaintext)
    except SettingError as error:
        if "is no address" in str(error):
            raise Failure(str(error), status=Exit.USAGE) from None
        message = f"{options.address} is not on loopback, and a token must not cross a network bare"
        hint = "say --tls, or --allow-plaintext where the network is your own"
        raise Failure(message, hint, status=Exit.USAGE) from None
    try:
        return Dealer.connect(
            options.address,
            token,
            key=options.key or "",
            credentials=_credentials(options.ca) if secure else None,
            surroundings=Surroundings(patience=_PATIENCE),
        )
    except TranscriptError as error:
        message = f"--key: {error}"
        raise Failure(message, "`cutcard-dealer key` prints it", status=Exit.USAGE) from None
    except ValueError as error:
        raise Failure(str(error), "ask the operator for one", status=Exit.USAGE) from None


def player_token(options: argparse.Namespace) -> str:
    """Give a player's token, as `token_for` does."""
    return token_for(options, Role.PLAYER)


def token_for(options: argparse.Namespace, role: Role) -> str:
    """Give the token of `token_file`, else of the environment, else one of the dealer's own key."""
    if options.token_file is not None:
        try:
            return str(options.token_file.read_text(encoding="utf-8").strip())
        except (OSError, UnicodeDecodeError) as error:
            message = f"--token-file {options.token_file} can not be read: {error}"
            raise Failure(message, status=Exit.USAGE) from None
    given = os.environ.get("CUTCARD_TOKEN", "").strip()
    if given:
        return given
    return TokenOffice(options.directory).issue(options.name, role, _TOKEN_SECONDS)


def read_claims(token: str) -> tuple[str, str]:
    """Give name and role that a token tells of, unverified; Failure where it is none."""
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
        return str(claims["sub"]), str(claims["role"])
    except (jwt.PyJWTError, KeyError):
        message = "a token is not one of a dealer's"
        hint = "`cutcard-dealer token` prints one"
        raise Failure(message, hint, status=Exit.USAGE) from None


@contextmanager
def explained() -> Iterator[None]:
    """Turn what the dealer refuses, and files that do not fit, into a Failure."""
    try:
        yield
    except CallRefusedError as error:
        refusal = error.refusal
        if refusal.code in {"UNAVAILABLE", "DEADLINE_EXCEEDED"}:
            message = f"the dealer can not be reached: {refusal.message}"
            hint = "is `cutcard-dealer serve` running, and --address its address?"
            raise Failure(message, hint) from None
        wrong = "".join(f"; {field}: {words}" for field, words in refusal.violations)
        message = f"the dealer refused ({refusal.reason}): {refusal.message}{wrong}"
        raise Failure(message) from None
    except FileError as error:
        raise Failure(str(error)) from None


def _credentials(ca: Path | None) -> grpc.ChannelCredentials:
    try:
        return grpc.ssl_channel_credentials(ca.read_bytes() if ca is not None else None)
    except OSError as error:
        message = f"--ca {ca}: {error.strerror}"
        raise Failure(message, status=Exit.USAGE) from None
