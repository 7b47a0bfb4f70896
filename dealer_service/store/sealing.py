"""Hand secrets at rest: AES-256-GCM under a sealing key (NIST SP 800-38D).

Origin, game and hand are bound in as associated data, so that a sealed secret opens only where
it belongs. The nonce is 12 fresh random bytes; one key seals far fewer than 2^32 secrets. The key
may be a file's, a variable's or a token's that never gives it away: what seals is a `Cipher`.

A dealer has one key that seals, and any number of older ones that only open, until `resealing` has
put all under the new one. A sealed secret is: one byte 0x01, the key's ID (4 bytes), the nonce
(12), the ciphertext and tag.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from dealer_service.store.refusal import Reason, StoreError

KEY_BYTES: Final = 32
KEY_ID_BYTES: Final = 4

_FORM: Final = b"\x01"
_NONCE_BYTES: Final = 12
_PREFIX_BYTES: Final = 1 + KEY_ID_BYTES
_TAG_BYTES: Final = 16


class Cipher(Protocol):
    """AES-256-GCM under one key, wherever that is kept; calls may come from any thread."""

    @property
    def key_id(self) -> bytes:
        """The key's ID (4 bytes), which the key alone decides."""
        ...

    def encrypt(self, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """Give ciphertext and tag; StoreError where the key can not be reached."""
        ...

    def decrypt(self, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """Give what was encrypted; InvalidTag when it was not, StoreError as above."""
        ...


class Sealer(Protocol):
    """Seals and opens the hand secrets of one origin; calls may come from any thread."""

    @property
    def key_id(self) -> bytes:
        """The ID of the key that seals."""
        ...

    @property
    def key_ids(self) -> tuple[bytes, ...]:
        """The IDs of all keys that open, the sealing one first."""
        ...

    def seal(self, game: bytes, hand: int, secret: bytes) -> bytes:
        """Seal the secret of a hand of a game (16 bytes)."""
        ...

    def unseal(self, game: bytes, hand: int, sealed: bytes) -> bytes:
        """Open a sealed secret.

        StoreError SEALED_UNDER_ANOTHER_KEY, or SEAL_BROKEN when it was damaged or is of another
        origin, game or hand.
        """
        ...


@dataclass(frozen=True, slots=True)
class FileCipher:
    """A `Cipher` whose key is in this process."""

    key_id: bytes
    _aead: AESGCM = field(repr=False, compare=False)

    def encrypt(self, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """Give ciphertext and tag."""
        return self._aead.encrypt(nonce, data, bound)

    def decrypt(self, nonce: bytes, data: bytes, bound: bytes) -> bytes:
        """Give what was encrypted; InvalidTag when it was not."""
        return self._aead.decrypt(nonce, data, bound)


@dataclass(frozen=True, slots=True)
class KeyedSealer:
    """A `Sealer` over ciphers by key ID; `fresh(n)` gives n random bytes."""

    origin: str
    _sealing: Cipher = field(repr=False)
    _opening: Mapping[bytes, Cipher] = field(repr=False)
    _fresh: Callable[[int], bytes] = field(repr=False)

    @property
    def key_id(self) -> bytes:
        """The ID of the key that seals."""
        return self._sealing.key_id

    @property
    def key_ids(self) -> tuple[bytes, ...]:
        """The IDs of all keys that open, the sealing one first."""
        return tuple(self._opening)

    def seal(self, game: bytes, hand: int, secret: bytes) -> bytes:
        """Seal the secret of a hand of a game (16 bytes)."""
        nonce = self._fresh(_NONCE_BYTES)
        sealed = self._sealing.encrypt(nonce, secret, self._bound(game, hand))
        return _FORM + self._sealing.key_id + nonce + sealed

    def unseal(self, game: bytes, hand: int, sealed: bytes) -> bytes:
        """Open a sealed secret; StoreError as `Sealer` says."""
        where = f"the sealed secret of hand {hand} of game {game.hex()}"
        body = sealed[_PREFIX_BYTES:]
        if sealed[:1] != _FORM or len(body) < _NONCE_BYTES + _TAG_BYTES:
            message = f"{where} is damaged: it has not the form of one"
            raise StoreError(Reason.SEAL_BROKEN, message)
        cipher = self._opening.get(key_of(sealed))
        if cipher is None:
            raise needs_key(where, key_of(sealed), self.key_ids)
        nonce, ciphertext = body[:_NONCE_BYTES], body[_NONCE_BYTES:]
        try:
            return cipher.decrypt(nonce, ciphertext, self._bound(game, hand))
        except InvalidTag:
            message = f"{where} does not open: it is damaged, or of another origin, game or hand"
            raise StoreError(Reason.SEAL_BROKEN, message) from None

    def _bound(self, game: bytes, hand: int) -> bytes:
        parts = (b"cutcard/v1/seal", self.origin.encode("ascii"), game, hand.to_bytes(8, "big"))
        return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def key_of(sealed: bytes) -> bytes:
    """Give the ID of the key that a secret was sealed under."""
    return sealed[1:_PREFIX_BYTES]


def needs_key(what: str, key_id: bytes, has: Sequence[bytes]) -> StoreError:
    """Say that something was sealed under a key which this dealer has not."""
    keys = " and ".join(one.hex() for one in has)
    message = (
        f"{what} was sealed under key {key_id.hex()}, and this dealer has {keys}: bring that "
        "sealing key back, by --sealing-key behind the one that seals"
    )
    return StoreError(Reason.SEALED_UNDER_ANOTHER_KEY, message)


def file_cipher(key: bytes | bytearray) -> FileCipher:
    """Make a cipher of a 32-byte key; StoreError KEY_FILE_MALFORMED for another length."""
    if len(key) != KEY_BYTES:
        message = f"the sealing key has {len(key)} bytes and must have {KEY_BYTES}"
        raise StoreError(Reason.KEY_FILE_MALFORMED, message)
    digest = sha256(b"cutcard/v1/seal-key-id\n")
    digest.update(key)
    # A copy: there are versions of the library that keep no other, so it can not be wiped.
    return FileCipher(digest.digest()[:KEY_ID_BYTES], AESGCM(bytes(key)))


def keyed_sealer(
    origin: str, ciphers: Sequence[Cipher], fresh: Callable[[int], bytes]
) -> KeyedSealer:
    """Make a sealer of one cipher or more: the first seals, all of them open."""
    opening: dict[bytes, Cipher] = {}
    for cipher in ciphers:
        opening.setdefault(cipher.key_id, cipher)
    return KeyedSealer(origin, ciphers[0], opening, fresh)


def sealer(origin: str, key: bytes, fresh: Callable[[int], bytes]) -> KeyedSealer:
    """Make a sealer of a 32-byte key; StoreError KEY_FILE_MALFORMED for another length."""
    return keyed_sealer(origin, (file_cipher(key),), fresh)
