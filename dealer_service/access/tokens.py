"""The dealer's own token key, and the tokens that it signs: JWTs under EdDSA.

The key signs tokens and nothing else, and is never the log's. A token names its issuer (the
dealer's origin), its audience ("cutcard"), its subject, when it was issued and expires (RFC 7519
4.1), and its role: everywhere, table by table, or both.
"""

import base64
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from dealer_service.access.refusal import AccessError
from dealer_service.access.roles import Role
from dealer_service.durable import make_private

AUDIENCE: Final = "cutcard"
ALGORITHM: Final = "EdDSA"
MAX_TTL_SECONDS: Final = 366 * 24 * 3600
MAX_TABLES: Final = 32
"""A token may name so many games, which keeps it within what a call's metadata may hold."""

NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
GAME: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class TokenKey:
    """The key that signs tokens; in no repr."""

    private: Ed25519PrivateKey = field(repr=False)

    @property
    def public(self) -> Ed25519PublicKey:
        """The half that verifies."""
        return self.private.public_key()


def make_token_key(path: Path, seed: bytes) -> TokenKey:
    """Write a new key file of mode 0600 from 32 fresh bytes; AccessError where a file is.

    The file is there whole or not at all, also after a crash.
    """
    private = Ed25519PrivateKey.from_private_bytes(seed)
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    if not make_private(path, pem):
        message = f"{path} exists, and a token key is never written over"
        raise AccessError(message)
    return TokenKey(private)


def load_token_key(path: Path) -> TokenKey:
    """Read a key file; AccessError when others can read it or it holds no Ed25519 key.

    FileNotFoundError where there is none.
    """
    with path.open("rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            message = f"{path} has mode {mode:04o}, and a key's file must be its owner's: 0600"
            raise AccessError(message)
        pem = file.read()
    try:
        private = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        private = None
    if not isinstance(private, Ed25519PrivateKey):
        message = f"{path} does not hold an Ed25519 private key in PEM"
        raise AccessError(message)
    return TokenKey(private)


def open_token_key(path: Path, fresh: Callable[[int], bytes]) -> TokenKey:
    """Read a key file, or make one, with `fresh(32)`, where there is none; AccessError, OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return load_token_key(path)
    except FileNotFoundError:
        return make_token_key(path, fresh(32))


def key_id(key: Ed25519PublicKey) -> str:
    """Name a key by its JWK thumbprint (RFC 7638 3, RFC 8037 2)."""
    x = base64.urlsafe_b64encode(key.public_bytes_raw()).rstrip(b"=").decode("ascii")
    members = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":"))
    digest = hashlib.sha256(members.encode("ascii")).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii")


def issue(  # noqa: PLR0913 - the claims of a token
    key: TokenKey,
    subject: str,
    role: Role | None,
    *,
    ttl: int,
    now: float,
    origin: str,
    tables: Mapping[str, Role] | None = None,
) -> str:
    """Sign a token for `subject` (1 to 64 of [A-Za-z0-9._-]), valid for `ttl` seconds from now.

    `role` counts everywhere, but at the games that `tables` names (by their IDs) the role there.
    AccessError for a name, a game, a time or a number of games that no token may have.
    """
    if NAME.fullmatch(subject) is None:
        message = "a token's subject is 1 to 64 characters of [A-Za-z0-9._-]"
        raise AccessError(message)
    if not 1 <= ttl <= MAX_TTL_SECONDS:
        message = f"a token is valid for 1 to {MAX_TTL_SECONDS} seconds, and not for {ttl}"
        raise AccessError(message)
    if role is None and not tables:
        message = "a token is for a role everywhere, or for a role at a game"
        raise AccessError(message)
    if len(tables or ()) > MAX_TABLES or not all(GAME.fullmatch(game) for game in tables or ()):
        message = f"a token names at most {MAX_TABLES} games, each by 32 lower-case hex digits"
        raise AccessError(message)
    claims: dict[str, Any] = {
        "iss": origin,
        "aud": AUDIENCE,
        "sub": subject,
        "iat": int(now),
        "exp": int(now) + ttl,
    }
    if role is not None:
        claims["role"] = str(role)
    if tables:
        claims["tables"] = {game: str(one) for game, one in tables.items()}
    headers = {"kid": key_id(key.public)}
    return jwt.encode(claims, key.private, algorithm=ALGORITHM, headers=headers)
