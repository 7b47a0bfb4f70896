"""Tokens that tell players and operators apart: JWTs signed with EdDSA under a key of their own.

The key signs tokens and nothing else, and is never the log's. A token names its issuer (the
dealer's origin), its audience ("cutcard"), its subject, its role, and when it was issued and
expires (RFC 7519 4.1); a token that lacks one of them, is signed by another algorithm or is for
another dealer is refused. A verified token is remembered until it expires, within a bound, so
that a caller's second call costs a look-up and not a signature check.
"""

import os
import re
import stat
import tempfile
from collections import OrderedDict
from collections.abc import Callable
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

from dealer_service.access.refusal import AccessError, AccessRefusal, Reason
from dealer_service.access.roles import OPEN_METHODS, Caller, Role, refuse_call

AUDIENCE: Final = "cutcard"
ALGORITHM: Final = "EdDSA"
MAX_TOKEN_CHARACTERS: Final = 4096
MAX_TTL_SECONDS: Final = 366 * 24 * 3600
CLOCK_SKEW_SECONDS: Final = 60
REMEMBERED_TOKENS: Final = 10_000

_SUBJECT = re.compile(r"[A-Za-z0-9._-]{1,64}")
_CLAIMS: Final = ("iss", "aud", "sub", "role", "iat", "exp")
_REASONS: Final[tuple[tuple[type[Exception], Reason, str], ...]] = (
    (jwt.InvalidSignatureError, Reason.TOKEN_INVALID, "the token's signature does not hold"),
    (jwt.InvalidAlgorithmError, Reason.TOKEN_INVALID, "a token is signed with EdDSA alone"),
    (jwt.InvalidAudienceError, Reason.WRONG_AUDIENCE, f'the token is not for "{AUDIENCE}"'),
    (jwt.InvalidIssuerError, Reason.WRONG_ISSUER, "the token is another dealer's"),
    (jwt.MissingRequiredClaimError, Reason.TOKEN_INVALID, "the token lacks a claim"),
    (jwt.PyJWTError, Reason.TOKEN_INVALID, "the token is not a JWT of this dealer's form"),
)


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
    # mkstemp makes the file with mode 0600.
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, path)
    except FileExistsError:
        message = f"{path} exists, and a token key is never written over"
        raise AccessError(message) from None
    finally:
        Path(beside).unlink()
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


def issue(  # noqa: PLR0913 - the claims of a token
    key: TokenKey, subject: str, role: Role, *, ttl: int, now: float, origin: str
) -> str:
    """Sign a token for `subject` (1 to 64 of [A-Za-z0-9._-]), valid for `ttl` seconds from now.

    AccessError for a name or a time that no token may have.
    """
    if _SUBJECT.fullmatch(subject) is None:
        message = "a token's subject is 1 to 64 characters of [A-Za-z0-9._-]"
        raise AccessError(message)
    if not 1 <= ttl <= MAX_TTL_SECONDS:
        message = f"a token is valid for 1 to {MAX_TTL_SECONDS} seconds, and not for {ttl}"
        raise AccessError(message)
    claims = {
        "iss": origin,
        "aud": AUDIENCE,
        "sub": subject,
        "role": str(role),
        "iat": int(now),
        "exp": int(now) + ttl,
    }
    return jwt.encode(claims, key.private, algorithm=ALGORITHM)


class Gate:
    """Lets calls in: verifies tokens under one public key and asks the table of roles."""

    __slots__ = ("_bound", "_key", "_origin", "_remembered")

    def __init__(
        self, key: Ed25519PublicKey, origin: str, *, remembered: int = REMEMBERED_TOKENS
    ) -> None:
        self._key = key
        self._origin = origin
        self._bound = remembered
        self._remembered: OrderedDict[str, tuple[Caller, int]] = OrderedDict()

    def admit(
        self, method: str, authorization: str | None, now: float
    ) -> Caller | AccessRefusal | None:
        """Say who makes a call, or why it is refused; None for a method that is open to all.

        `authorization` is the header of that name, "Bearer TOKEN"; `now` is in seconds since
        1970.
        """
        if method in OPEN_METHODS:
            return None
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            message = 'the call needs the header "authorization: Bearer TOKEN"'
            return AccessRefusal(Reason.TOKEN_MISSING, message)
        caller = self.verify(token.strip(), now)
        if isinstance(caller, AccessRefusal):
            return caller
        return refuse_call(caller, method) or caller

    def verify(self, token: str, now: float) -> Caller | AccessRefusal:
        """Say whose token it is at `now`, in seconds since 1970, or why it is refused."""
        known = self._remembered.get(token)
        if known is None:
            return self._check(token, now)
        caller, expires = known
        if now >= expires:
            del self._remembered[token]
            return _expired(expires)
        self._remembered.move_to_end(token)
        return caller

    def _check(self, token: str, now: float) -> Caller | AccessRefusal:
        if len(token) > MAX_TOKEN_CHARACTERS:
            message = f"a token has at most {MAX_TOKEN_CHARACTERS} characters"
            most = (("max_characters", str(MAX_TOKEN_CHARACTERS)),)
            return AccessRefusal(Reason.TOKEN_INVALID, message, most)
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                self._key,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                issuer=self._origin,
                # Times are judged below, by the clock that came in.
                options={
                    "require": list(_CLAIMS),
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except (jwt.PyJWTError, ValueError) as error:
            return _refusal(error)
        judged = _judge(claims, now)
        if isinstance(judged, Caller):
            self._remembered[token] = (judged, claims["exp"])
            if len(self._remembered) > self._bound:
                self._remembered.popitem(last=False)
        return judged


def _judge(claims: dict[str, Any], now: float) -> Caller | AccessRefusal:
    issued, expires, subject, role = (claims[name] for name in ("iat", "exp", "sub", "role"))
    if type(issued) is not int or type(expires) is not int:
        return AccessRefusal(Reason.TOKEN_INVALID, "the token's times are not whole seconds")
    if not isinstance(subject, str) or _SUBJECT.fullmatch(subject) is None:
        return AccessRefusal(Reason.TOKEN_INVALID, "the token's subject can be no caller's name")
    if role not in tuple(Role):
        return AccessRefusal(Reason.TOKEN_INVALID, "the token's role is none")
    not_before = claims.get("nbf", issued)
    if type(not_before) is not int or max(issued, not_before) > now + CLOCK_SKEW_SECONDS:
        return AccessRefusal(Reason.TOKEN_NOT_YET_VALID, "the token is not valid yet")
    if now >= expires:
        return _expired(expires)
    return Caller(subject, Role(role))


def _expired(expires: int) -> AccessRefusal:
    message = f"the token expired at {expires} (seconds since 1970); ask the operator for another"
    return AccessRefusal(Reason.TOKEN_EXPIRED, message, (("expired_at", str(expires)),))


def _refusal(error: Exception) -> AccessRefusal:
    for kind, reason, message in _REASONS:
        if isinstance(error, kind):
            return AccessRefusal(reason, message)
    return AccessRefusal(Reason.TOKEN_INVALID, "the token is not a JWT")
