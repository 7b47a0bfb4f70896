"""Strict Ed25519 verification (protocol 6): RFC 8032, cofactorless, and no odd points.

Refused are S >= L, encodings that are not canonical, and keys or R whose order is not exactly L.
The key's order is worked out once, when it is loaded. With the key in the group of prime order,
the cofactorless equation R = [S]B - [k]A puts R there too, and an R in that group has order L
unless it is the identity: so beside the equation only that and the encoding are left to check.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from audit_cli.problem import Problem

SIGNATURE_BYTES = 64
KEY_BYTES = 32

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_1 = pow(2, (_P - 1) // 4, _P)
_SIGN = 1 << 255

# Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z (RFC 8032 5.1.4).
_Point = tuple[int, int, int, int]
_IDENTITY: _Point = (0, 1, 1, 0)


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key of order L; only `load_key` makes one."""

    encoded: bytes
    backend: Ed25519PublicKey = field(repr=False, compare=False)


def _add(p: _Point, q: _Point) -> _Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % _P
    b = (p[1] + p[0]) * (q[1] + q[0]) % _P
    c = 2 * p[3] * q[3] * _D % _P
    d = 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _is_identity(p: _Point) -> bool:
    return p[0] % _P == 0 and (p[1] - p[2]) % _P == 0


def _times(number: int, p: _Point) -> _Point:
    result = _IDENTITY
    while number:
        if number & 1:
            result = _add(result, p)
        p = _add(p, p)
        number >>= 1
    return result


def _decode(encoded: bytes) -> _Point | Problem:
    """RFC 8032 5.1.3, refusing y >= p and the sign bit on x = 0."""
    number = int.from_bytes(encoded, "little")
    sign, y = number >> 255, number & (_SIGN - 1)
    if y >= _P:
        return Problem("the encoding of the point is not canonical")
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if v * x * x % _P == _P - u and u:
        x = x * _SQRT_MINUS_1 % _P
    if v * x * x % _P != u:
        return Problem("the bytes are no point of the curve")
    if x == 0 and sign:
        return Problem("the encoding of the point is not canonical")
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


@lru_cache(maxsize=256)
def load_key(encoded: bytes) -> PublicKey | Problem:
    """Return the key of 32 bytes, or why it is refused: length, encoding, order."""
    if len(encoded) != KEY_BYTES:
        return Problem(f"a key of {len(encoded)} bytes", f"an Ed25519 key has {KEY_BYTES}")
    point = _decode(encoded)
    if isinstance(point, Problem):
        return point
    if _is_identity(point) or not _is_identity(_times(_L, point)):
        return Problem("the order of the key is not L", "a key of an honest generator has order L")
    return PublicKey(encoded, Ed25519PublicKey.from_public_bytes(encoded))


def verify(key: PublicKey, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (R then S, 64 bytes) signs `message` by the module's rules."""
    if len(signature) != SIGNATURE_BYTES:
        return False
    r = int.from_bytes(signature[:32], "little") & (_SIGN - 1)
    if r == 1 or r >= _P or int.from_bytes(signature[32:], "little") >= _L:
        return False
    try:
        key.backend.verify(signature, message)
    except InvalidSignature:
        return False
    return True
