"""Ed25519 as the protocol has it: RFC 8032, cofactorless, and nothing but the prime-order group.

Protocol section 6 refuses S >= L, non-canonical encodings, and keys or R whose order is not
exactly L. A key's order is found once, by point arithmetic on public values, when a `VerifyKey`
is made. With A of order L, the cofactorless equation R = [S]B - [k]A leaves R in the subgroup
that B generates, so that only the identity is left to refuse; the equation itself, on the very
bytes of R, is the cryptography package's.
"""

from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from dealer_service.transcript.refusal import Reason, TranscriptError

KEY_BYTES: Final = 32
SEED_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64

_P: Final = 2**255 - 19
_L: Final = 2**252 + 27742317777372353535851937790883648493
_D: Final = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_ONE: Final = pow(2, (_P - 1) // 4, _P)
_SIGN_BIT: Final = 1 << 255
_IDENTITY_BYTES: Final = (1).to_bytes(32, "little")

_Point = tuple[int, int, int, int]  # extended coordinates X, Y, Z, T with XY = ZT


@dataclass(frozen=True, slots=True)
class VerifyKey:
    """A public key of order L; build it with `verify_key`."""

    raw: bytes
    _public: Ed25519PublicKey = field(repr=False, compare=False)

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Say whether `signature` (64 bytes) is this key's over `message`, by the strict rule."""
        if len(signature) != SIGNATURE_BYTES:
            return False
        r, s = signature[:32], int.from_bytes(signature[32:], "little")
        if s >= _L or r == _IDENTITY_BYTES or _y_of(r) >= _P:
            return False
        try:
            self._public.verify(signature, message)
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key; its seed is in no repr. Build it with `signing_key`."""

    public: VerifyKey
    _private: Ed25519PrivateKey = field(repr=False, compare=False)

    def sign(self, message: bytes) -> bytes:
        """Sign `message` (RFC 8032 5.1.6): 64 bytes, always the same ones."""
        return self._private.sign(message)


def verify_key(raw: bytes) -> VerifyKey:
    """Take a public key of 32 bytes; TranscriptError BAD_KEY unless it is canonical, of order L."""
    if len(raw) != KEY_BYTES:
        message = f"an Ed25519 key has {KEY_BYTES} bytes, not {len(raw)}"
        raise TranscriptError(Reason.BAD_KEY, message)
    point = _decoded(raw)
    if point is None:
        message = "the Ed25519 key is not the canonical encoding of a point"
        raise TranscriptError(Reason.BAD_KEY, message)
    if _is_identity(point) or not _is_identity(_times(_L, point)):
        message = "the Ed25519 key's order is not L: it is of small or mixed order"
        raise TranscriptError(Reason.BAD_KEY, message)
    return VerifyKey(raw, Ed25519PublicKey.from_public_bytes(raw))


def signing_key(seed: bytes | bytearray) -> SigningKey:
    """Take a private key's seed of 32 bytes (RFC 8032 5.1.5); TranscriptError BAD_KEY otherwise.

    The seed is copied out of Python's reach, and a `bytearray` may be wiped then.
    """
    if len(seed) != SEED_BYTES:
        message = f"an Ed25519 seed has {SEED_BYTES} bytes, not {len(seed)}"
        raise TranscriptError(Reason.BAD_KEY, message)
    private = Ed25519PrivateKey.from_private_bytes(seed)
    public = private.public_key()
    return SigningKey(VerifyKey(public.public_bytes_raw(), public), private)


def _y_of(encoding: bytes) -> int:
    return int.from_bytes(encoding, "little") & (_SIGN_BIT - 1)


def _decoded(encoding: bytes) -> _Point | None:
    """Decode a point (RFC 8032 5.1.3); None unless `encoding` is canonical and on the curve."""
    y = _y_of(encoding)
    negative = encoding[31] >> 7
    if y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x + u) % _P == 0:
        x = x * _SQRT_MINUS_ONE % _P
    if (v * x * x - u) % _P or (x == 0 and negative):
        return None
    if x & 1 != negative:
        x = _P - x
    return x, y, 1, x * y % _P


def _plus(one: _Point, other: _Point) -> _Point:
    """Add two points by the complete formulas of RFC 8032 5.1.4."""
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = 2 * t1 * t2 * _D % _P
    d = 2 * z1 * z2 % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(scalar: int, point: _Point) -> _Point:
    """Multiply a public point; the time taken depends on `scalar`, which is public too."""
    result = (0, 1, 1, 0)
    for bit in f"{scalar:b}":
        result = _plus(result, result)
        if bit == "1":
            result = _plus(result, point)
    return result


def _is_identity(point: _Point) -> bool:
    x, y, z, _ = point
    return x == 0 and y == z
