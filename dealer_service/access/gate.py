"""Lets calls in: checks tokens, once each, and refuses addresses that send too many bad ones.

A verified token is remembered until it expires, within a bound, so that a caller's second call
costs a look-up and not a signature check. When the keys change, all that was remembered is
forgotten: a key that is gone lets nobody in any more. An address over its limit of bad tokens is
refused before a signature is checked; tokens that are remembered pass from it all the same.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Protocol

import jwt

from dealer_service.access.bearer import Bearer
from dealer_service.access.key_set import ALGORITHMS, KeySet, VerifyingKey
from dealer_service.access.limits import Allowances, BadTokens
from dealer_service.access.refusal import AccessRefusal, Reason
from dealer_service.access.roles import Role
from dealer_service.access.tokens import GAME, MAX_TABLES, NAME
from dealer_service.config import Limits

if TYPE_CHECKING:
    from concurrent.futures import Future

MAX_TOKEN_CHARACTERS: Final = 4096
CLOCK_SKEW_SECONDS: Final = 60
REMEMBERED_TOKENS: Final = 10_000
MAX_TIME: Final = 2**53 - 1
"""In seconds since 1970; what is later is no time that a clock could be set for."""

_CLAIMS: Final = ("iss", "aud", "sub", "iat", "exp")
_REASONS: Final[tuple[tuple[type[Exception], Reason, str], ...]] = (
    (jwt.InvalidSignatureError, Reason.TOKEN_INVALID, "the token's signature does not hold"),
    (jwt.InvalidAudienceError, Reason.WRONG_AUDIENCE, "the token is for another audience"),
    (jwt.InvalidIssuerError, Reason.WRONG_ISSUER, "the token is another issuer's"),
    (jwt.MissingRequiredClaimError, Reason.TOKEN_INVALID, "the token lacks a claim"),
    (jwt.PyJWTError, Reason.TOKEN_INVALID, "the token is not a JWT of this dealer's form"),
)
_NO_JWT: Final = AccessRefusal(Reason.TOKEN_INVALID, "the token is not a JWT")


class TokenKeys(Protocol):
    """The keys that tokens are checked by."""

    @property
    def current(self) -> KeySet:
        """All keys that count now."""
        ...

    def refresh(self) -> "Future[None] | None":
        """Read the keys again; None where that was done just now, or there is nothing to read.

        The future is done when they were read, or could not be.
        """
        ...


class Gate:
    """Lets calls in by keys that may change, within limits; `tick` is its clock for these."""

    __slots__ = ("_allowances", "_bad", "_bound", "_keys", "_remembered", "_under")

    def __init__(
        self,
        keys: TokenKeys,
        limits: Limits,
        *,
        tick: Callable[[], float] = monotonic,
        remembered: int = REMEMBERED_TOKENS,
    ) -> None:
        self._keys = keys
        self._allowances = Allowances(limits)
        self._bad = BadTokens(limits.bad_tokens, tick)
        self._bound = remembered
        self._under = keys.current
        # By the whole header, so that a token which is remembered needs no reading.
        self._remembered: OrderedDict[str, Bearer] = OrderedDict()

    def admit(
        self, authorization: str | None, now: float, peer: Callable[[], str]
    ) -> Bearer | AccessRefusal:
        """Say who makes a call, or why nobody is let in.

        `authorization` is the header of that name, "Bearer TOKEN"; `now` is in seconds since 1970;
        `peer` gives the address that the call comes from, as gRPC writes it.
        """
        if self._keys.current is not self._under:
            self._under = self._keys.current
            self._remembered.clear()
        header = authorization or ""
        if header not in self._remembered:
            return self._read(header, now, peer)
        return self._again(header, now)

    def refresh(self) -> "Future[None] | None":
        """Read the keys again, as `TokenKeys.refresh` says."""
        return self._keys.refresh()

    def _again(self, header: str, now: float) -> Bearer | AccessRefusal:
        known = self._remembered[header]
        if now >= known.expires:
            del self._remembered[header]
            return expired(known.expires)
        self._remembered.move_to_end(header)
        return known

    def _read(
        self, authorization: str, now: float, peer: Callable[[], str]
    ) -> Bearer | AccessRefusal:
        scheme, _, rest = authorization.partition(" ")
        token = rest.strip()
        if scheme.lower() != "bearer" or not token:
            message = 'the call needs the header "authorization: Bearer TOKEN"'
            return AccessRefusal(Reason.TOKEN_MISSING, message)
        # One token is remembered once, in however many ways its header is written.
        header = f"Bearer {token}"
        if header in self._remembered:
            return self._again(header, now)
        address = peer()
        too_many = self._bad.refuse(address)
        if too_many is not None:
            return too_many
        bearer = self.verify(token, now)
        if isinstance(bearer, AccessRefusal):
            self._bad.count(address)
            return bearer
        self._remembered[header] = bearer
        if len(self._remembered) > self._bound:
            self._remembered.popitem(last=False)
        return bearer

    def verify(self, token: str, now: float) -> Bearer | AccessRefusal:
        """Check a token at `now`, in seconds since 1970; its bearer, or why it is refused."""
        claims = _check(token, self._under)
        if isinstance(claims, AccessRefusal):
            return claims
        return _judge(claims, now, self._allowances)


def expired(at: int) -> AccessRefusal:
    """Refuse a token that expired, in seconds since 1970."""
    message = f"the token expired at {at} (seconds since 1970); ask the operator for another"
    return AccessRefusal(Reason.TOKEN_EXPIRED, message, (("expired_at", str(at)),))


def _check(token: str, under: KeySet) -> dict[str, Any] | AccessRefusal:
    """Give the claims of a token whose signature, issuer and audience are right."""
    header = _read_header(token)
    if isinstance(header, AccessRefusal):
        return header
    candidates = under.find(header["alg"], header.get("kid"))
    if not candidates:
        return _unknown_key(under)
    refused = _NO_JWT
    for key in candidates:
        found = _check_by(token, key)
        if not isinstance(found, jwt.InvalidSignatureError):
            return found if isinstance(found, dict) else _refusal(found)
        refused = _refusal(found)
    return refused


def _read_header(token: str) -> dict[str, Any] | AccessRefusal:
    """Give the header of a token that may be checked at all."""
    if len(token) > MAX_TOKEN_CHARACTERS:
        message = f"a token has at most {MAX_TOKEN_CHARACTERS} characters"
        most = (("max_characters", str(MAX_TOKEN_CHARACTERS)),)
        return AccessRefusal(Reason.TOKEN_INVALID, message, most)
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        return _NO_JWT
    # RFC 7515 4.1.11: what is critical must be understood, and nothing is that is not usual.
    if "crit" in header or "b64" in header:
        message = "the token's header asks for an extension that this dealer does not know"
        return AccessRefusal(Reason.TOKEN_INVALID, message)
    if header.get("alg") not in ALGORITHMS:
        message = "the token is signed by an algorithm that no key of this dealer is for"
        metadata = (("allowed", " ".join(ALGORITHMS)),)
        return AccessRefusal(Reason.TOKEN_INVALID, message, metadata)
    return header


def _unknown_key(under: KeySet) -> AccessRefusal:
    if not under.is_whole:
        message = "the keys that tokens are checked by can not be read: call again later"
        return AccessRefusal(Reason.TOKEN_KEYS_UNREAD, message, unknown_key=True)
    message = "no key that this dealer knows has signed the token"
    return AccessRefusal(Reason.TOKEN_INVALID, message, unknown_key=True)


def _check_by(token: str, key: VerifyingKey) -> dict[str, Any] | Exception:
    try:
        return jwt.decode(
            token,
            key.public,
            algorithms=[key.algorithm],
            audience=key.audience,
            issuer=key.issuer,
            # Times are judged below, by the clock that came in.
            options={
                "require": list(_CLAIMS),
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        return error


def _judge(claims: dict[str, Any], now: float, allowances: Allowances) -> Bearer | AccessRefusal:
    fault = next(_find_faults(claims), None)
    if fault is not None:
        return AccessRefusal(Reason.TOKEN_INVALID, fault)
    issued, expires, subject = (claims[name] for name in ("iat", "exp", "sub"))
    if max(issued, claims.get("nbf", issued)) > now + CLOCK_SKEW_SECONDS:
        return AccessRefusal(Reason.TOKEN_NOT_YET_VALID, "the token is not valid yet")
    if now >= expires:
        return expired(expires)
    role = Role(claims["role"]) if claims.get("role") is not None else None
    tables = {game: Role(one) for game, one in claims.get("tables", {}).items()}
    return Bearer(subject, role, tables, expires, allowances.of(subject))


def _find_faults(claims: dict[str, Any]) -> Iterator[str]:
    times = [claims.get(name, 0) for name in ("iat", "exp", "nbf")]
    if any(type(one) is not int or not 0 <= one <= MAX_TIME for one in times):
        yield "the token's times are not whole seconds since 1970"
    subject, role, tables = claims["sub"], claims.get("role"), claims.get("tables", {})
    if not isinstance(subject, str) or NAME.fullmatch(subject) is None:
        yield "the token's subject can be no caller's name"
    if role is not None and role not in tuple(Role):
        yield "the token's role is none"
    if not _are_tables(tables):
        yield "the token's tables are not games with their roles"
    if role is None and not tables:
        yield "the token names neither a role nor tables"


def _are_tables(tables: object) -> bool:
    return (
        isinstance(tables, dict)
        and len(tables) <= MAX_TABLES
        and all(GAME.fullmatch(game) and role in tuple(Role) for game, role in tables.items())
    )


def _refusal(error: Exception) -> AccessRefusal:
    for kind, reason, message in _REASONS:
        if isinstance(error, kind):
            return AccessRefusal(reason, message)
    return _NO_JWT
