"""How commands reach a dealer: which address, in the clear or over TLS, by which token."""

import argparse
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import grpc
import jwt

from dealer_service.access.roles import Role
from dealer_service.client import CallRefusedError, Dealer
from dealer_service.client.bearer import TokenSource
from dealer_service.client.calls import Patience, Surroundings
from dealer_service.client.durable import FileError
from dealer_service.client.routes import AddressError
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.keeping import TokenOffice
from dealer_service.commands.unreached import hint_of
from dealer_service.transcript.refusal import TranscriptError

Action = Callable[[Dealer, argparse.Namespace], Awaitable[int]]

_PATIENCE = Patience(total=15.0)
_TOKEN_SECONDS = 24 * 3600


def connect(options: argparse.Namespace, token: TokenSource) -> Dealer:
    """Connect by the options that `Adder.address` adds; Failure."""
    try:
        return Dealer.connect(
            options.address,
            token,
            key=options.key or "",
            credentials=_credentials(options),
            allow_plaintext=options.allow_plaintext,
            surroundings=Surroundings(patience=_PATIENCE),
        )
    except AddressError as error:
        bare = "is not on loopback" in str(error)
        hint = "say --tls, or --allow-plaintext where the network is your own" if bare else ""
        raise Failure(str(error), hint, status=Exit.USAGE) from None
    except TranscriptError as error:
        message = f"--key: {error}"
        raise Failure(message, "`cutcard-dealer key` prints it", status=Exit.USAGE) from None
    except ValueError as error:
        raise Failure(str(error), "ask the operator for one", status=Exit.USAGE) from None


async def act_as(options: argparse.Namespace, role: Role, act: Action) -> int:
    """Do an action at the dealer by a token of that role; the exit status, or a Failure."""
    async with connect(options, token_for(options, role)) as dealer:
        with explained():
            return await act(dealer, options)


def player_token(options: argparse.Namespace) -> TokenSource:
    """Give a player's token, as `token_for` does."""
    return token_for(options, Role.PLAYER)


def token_for(options: argparse.Namespace, role: Role) -> TokenSource:
    """Give the token of `token_file`, else of the environment, else one of the dealer's own key.

    All but the environment's are given anew when they have expired.
    """
    if options.token_file is not None:
        path: Path = options.token_file
        try:
            path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            message = f"--token-file {path} can not be read: {error}"
            raise Failure(message, status=Exit.USAGE) from None
        return path
    given = os.environ.get("CUTCARD_TOKEN", "").strip()
    if given:
        return given
    office = TokenOffice(options.directory)
    return partial(office.issue, options.name, role, _TOKEN_SECONDS)


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
            raise Failure(message, hint_of(refusal.message)) from None
        wrong = "".join(f"; {field}: {words}" for field, words in refusal.violations)
        message = f"the dealer refused ({refusal.reason}): {refusal.message}{wrong}"
        raise Failure(message) from None
    except FileError as error:
        raise Failure(str(error)) from None


def _credentials(options: argparse.Namespace) -> grpc.ChannelCredentials | None:
    """Give what TLS is spoken with; None where it is not."""
    if (options.tls_cert is None) != (options.tls_key is None):
        message = "--tls-cert and --tls-key go together"
        raise Failure(message, status=Exit.USAGE)
    if not options.tls and options.ca is None and options.tls_cert is None:
        return None
    return grpc.ssl_channel_credentials(
        _read("--ca", options.ca),
        _read("--tls-key", options.tls_key),
        _read("--tls-cert", options.tls_cert),
    )


def _read(option: str, path: Path | None) -> bytes | None:
    try:
        return None if path is None else path.read_bytes()
    except OSError as error:
        message = f"{option} {path}: {error.strerror}"
        raise Failure(message, status=Exit.USAGE) from None
