"""The keys that tokens are checked by: each for one algorithm, one issuer and one audience.

What a key is decides by which algorithm it verifies, and never the token: an Ed25519 key verifies
EdDSA, a P-256 key ES256, an RSA key of at least 2048 bits RS256 (RFC 7518 3.1, RFC 8037 3.1), and
nothing verifies another, so that no public key can be taken for the secret of an HMAC (RFC 8725
3.1). Of a JWK set (RFC 7517) only what is public is read, and keys that are for something else are
passed over, as its section 5 wants it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from dealer_service.access.refusal import AccessError

MAX_SET_BYTES: Final = 256 * 1024
MAX_KEYS: Final = 64
MAX_KID_CHARACTERS: Final = 256
RSA_BITS: Final = (2048, 8192)

PublicKey = Ed25519PublicKey | EllipticCurvePublicKey | RSAPublicKey

_PUBLIC_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "OKP": ("kty", "crv", "x"),
    "EC": ("kty", "crv", "x", "y"),
    "RSA": ("kty", "n", "e"),
}
_ALGORITHMS: Final[Mapping[tuple[str, str | None], str]] = {
    ("OKP", "Ed25519"): "EdDSA",
    ("EC", "P-256"): "ES256",
    ("RSA", None): "RS256",
}
ALGORITHMS: Final = tuple(_ALGORITHMS.values())


@dataclass(frozen=True, slots=True)
class VerifyingKey:
    """A public key with its name ("" for none), its algorithm, and whose tokens it signs.

    `nameless`: it also verifies tokens that name no key.
    """

    kid: str
    algorithm: str
    public: PublicKey
    issuer: str
    audience: str
    nameless: bool


@dataclass(frozen=True, slots=True)
class KeySet:
    """All keys that count at one time; `is_whole` unless a source of keys was never read yet."""

    keys: tuple[VerifyingKey, ...]
    is_whole: bool = True

    def find(self, algorithm: str, kid: str | None) -> tuple[VerifyingKey, ...]:
        """Give the keys that a token of this algorithm may be signed by.

        A token that names no key may be of the dealer's own, or of one that has no name.
        """
        return tuple(
            key
            for key in self.keys
            if key.algorithm == algorithm and (key.kid == kid if kid else key.nameless)
        )


@dataclass(frozen=True, slots=True)
class ReadSet:
    """What a JWK set holds: keys that verify, and why each other one was passed over."""

    keys: tuple[VerifyingKey, ...]
    passed_over: tuple[str, ...]


def read_jwks(content: bytes, issuer: str, audience: str) -> ReadSet:
    """Read a JWK set; AccessError where it is none, is too large, or holds no key that verifies."""
    if len(content) > MAX_SET_BYTES:
        message = f"it is over {MAX_SET_BYTES} bytes"
        raise AccessError(message)
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    members = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(members, list):
        message = 'it is no JWK set: a JSON object with a list "keys"'
        raise AccessError(message)
    if len(members) > MAX_KEYS:
        message = f"it has more than {MAX_KEYS} keys"
        raise AccessError(message)
    keys: list[VerifyingKey] = []
    passed_over: list[str] = []
    for number, member in enumerate(members):
        try:
            keys.append(_read_key(member, issuer, audience))
        except AccessError as error:
            passed_over.append(f"key {number}: {error}")
    if not keys:
        why = "; ".join(passed_over[:3]) or "it is empty"
        message = f"it holds no key that verifies tokens: {why}"
        raise AccessError(message)
    return ReadSet(tuple(keys), tuple(passed_over))


def _read_key(member: Any, issuer: str, audience: str) -> VerifyingKey:  # noqa: ANN401 - any JSON
    if not isinstance(member, dict):
        message = "not a JSON object"
        raise AccessError(message)
    kind, curve = member.get("kty"), member.get("crv")
    algorithm = _algorithm_of(kind, None if kind == "RSA" else curve)
    for fault in _find_faults(member, algorithm):
        raise AccessError(fault)
    public = {name: member.get(name) for name in _PUBLIC_MEMBERS[str(kind)]}
    try:
        key = jwt.PyJWK(public, algorithm=algorithm).key
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        message = "its numbers are no key"
        raise AccessError(message) from error
    if isinstance(key, RSAPublicKey) and not RSA_BITS[0] <= key.key_size <= RSA_BITS[1]:
        message = f"RSA of {key.key_size} bits: {RSA_BITS[0]} to {RSA_BITS[1]} are taken"
        raise AccessError(message)
    kid = member.get("kid", "")
    return VerifyingKey(kid, algorithm, key, issuer, audience, nameless=not kid)


def _algorithm_of(kind: object, curve: object) -> str:
    for (known, its_curve), algorithm in _ALGORITHMS.items():
        if (kind, curve) == (known, its_curve):
            return algorithm
    message = "neither Ed25519 nor P-256 nor RSA"
    raise AccessError(message)


def _find_faults(member: dict[str, Any], algorithm: str) -> Iterator[str]:
    kid = member.get("kid", "")
    if not isinstance(kid, str) or len(kid) > MAX_KID_CHARACTERS:
        yield "its kid is no short text"
    if member.get("use", "sig") != "sig":
        yield "not for signatures (use)"
    operations = member.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        yield "not to verify by (key_ops)"
    if member.get("alg", algorithm) != algorithm:
        yield f"its alg is not {algorithm}, which is what such a key verifies here"
    if member.keys() & {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}:
        yield "its private half is in the set, so that it is nobody's secret: it needs replacing"
