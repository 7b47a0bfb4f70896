"""Hand secrets at rest: AES-256-GCM under a key from a file (NIST SP 800-38D).

Origin, game and hand are bound in as associated data, so that a sealed secret opens only where
it belongs. The nonce is 12 fresh random bytes; one key seals far fewer than 2^32 secrets.

A sealed secret is: one byte 0x01, the key's ID (4 bytes), the nonce (12), the ciphertext and tag.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from dealer_service.store.key_file import read_or_make
from dealer_service.store.refusal import Reason, StoreError

KEY_BYTES: Final = 32

_FORM: Final = b"\x01"
_NONCE_BYTES: Final = 12
_PREFIX_BYTES: Final = 5
_TAG_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Sealer:
    """Seals and opens the secrets of one origin; `fresh(n)` gives n random bytes."""

    origin: str
    key_id: bytes
    _cipher: AESGCM = field(repr=False)
    _fresh: Callable[[int], bytes] = field(repr=False)

    def seal(self, game: bytes, hand: int, secret: bytes) -> bytes:
        """Seal the secret of a hand of a game (16 bytes)."""
        nonce = self._fresh(_NONCE_BYTES)
        sealed = self._cipher.encrypt(nonce, secret, self._bound(game, hand))
        return _FORM + self.key_id + nonce + sealed

    def unseal(self, game: bytes, hand: int, sealed: bytes) -> bytes:
        """Open a sealed secret.

        StoreError SEALED_UNDER_ANOTHER_KEY, or SEAL_BROKEN when it was damaged or is of another
        origin, game or hand.
        """
        where = f"the sealed secret of hand {hand} of game {game.hex()}"
        body = sealed[_PREFIX_BYTES:]
        if sealed[:1] != _FORM or len(body) < _NONCE_BYTES + _TAG_BYTES:
            message = f"{where} is damaged: it has not the form of one"
            raise StoreError(Reason.SEAL_BROKEN, message)
        if sealed[1:_PREFIX_BYTES] != self.key_id:
            message = (
                f"{where} was sealed under key {sealed[1:_PREFIX_BYTES].hex()}, and this dealer "
                f"has key {self.key_id.hex()}: bring the sealing key of this store back"
            )
            raise StoreError(Reason.SEALED_UNDER_ANOTHER_KEY, message)
        nonce, ciphertext = body[:_NONCE_BYTES], body[_NONCE_BYTES:]
        try:
            return self._cipher.decrypt(nonce, ciphertext, self._bound(game, hand))
        except InvalidTag:
            message = f"{where} does not open: it is damaged, or of another origin, game or hand"
            raise StoreError(Reason.SEAL_BROKEN, message) from None

    def _bound(self, game: bytes, hand: int) -> bytes:
        parts = (b"cutcard/v1/seal", self.origin.encode("ascii"), game, hand.to_bytes(8, "big"))
        return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def sealer(origin: str, key: bytes, fresh: Callable[[int], bytes]) -> Sealer:
    """Make a sealer from a 32-byte key; StoreError KEY_FILE_MALFORMED for another length."""
    if len(key) != KEY_BYTES:
        message = f"the sealing key has {len(key)} bytes and must have {KEY_BYTES}"
        raise StoreError(Reason.KEY_FILE_MALFORMED, message)
    key_id = sha256(b"cutcard/v1/seal-key-id\n" + key).digest()[: _PREFIX_BYTES - 1]
    return Sealer(origin, key_id, AESGCM(key), fresh)


def open_sealing_key(
    path: Path, origin: str, fresh: Callable[[int], bytes], *, first_start: bool
) -> Sealer:
    """Give the sealer of the key file at `path`: 32 bytes, made at the first start.

    StoreError: the reasons of `read_or_make`, and KEY_FILE_MALFORMED for another length.
    """
    key = read_or_make(path, "sealing key", lambda: fresh(KEY_BYTES), first_start=first_start)
    if len(key) != KEY_BYTES:
        message = f"the sealing key {path} has {len(key)} bytes and must have {KEY_BYTES}"
        raise StoreError(Reason.KEY_FILE_MALFORMED, message)
    return sealer(origin, key, fresh)
