"""C2SP `tlog-cosignature` with Ed25519 (type 0x04): a witness's word, with its time.

A co-signature is a note's signature whose bytes are a time (eight bytes, seconds since 1970) and
64 bytes of Ed25519 over "cosignature/v1", the line "time SECONDS" and the whole text of the note.
Its key ID is the first four bytes of SHA-256(name, LF, 0x04, key).
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit_cli import ed25519
from audit_cli.note import Signature, decode_base64, is_name
from audit_cli.problem import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from audit_cli.note import Note

MAX_TIME = 2**63 - 1

_TYPE = b"\x04"
_TIME_BYTES = 8
_FORM = "a witness's key is NAME+ID+BASE64 of 0x04 and 32 bytes"


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """A witness's named public key for co-signatures."""

    name: str
    key_id: bytes
    key: ed25519.PublicKey

    def __str__(self) -> str:
        """NAME+ID, as messages name the key."""
        return f"{self.name}+{self.key_id.hex()}"

    @property
    def text(self) -> str:
        """The whole vkey, NAME+ID+BASE64."""
        return f"{self}+{b64encode(_TYPE + self.key.encoded).decode('ascii')}"


class Cosigned(NamedTuple):
    """What known witnesses say of a note: the time in seconds of each whose signature holds.

    `failed` are known witnesses whose signature on the note does not hold.
    """

    times: dict[WitnessKey, int]
    failed: tuple[WitnessKey, ...]


def witness_key(name: str, public: bytes) -> WitnessKey | Problem:
    """Return the key of a name and 32 bytes, or why it is refused."""
    if not is_name(name):
        return Problem("a witness's key without a proper name", _FORM)
    key = ed25519.load_key(public)
    if isinstance(key, Problem):
        return key
    key_id = sha256(name.encode("utf-8", "surrogateescape") + b"\n" + _TYPE + public).digest()[:4]
    return WitnessKey(name, key_id, key)


def parse_witness_key(text: str) -> WitnessKey | Problem:
    """Return the key of a vkey text of type 0x04, or why it is refused."""
    parts = text.split("+", 2)
    if len(parts) != 3:
        return Problem("not a witness's key", _FORM)
    name, key_id, encoded = parts
    data = decode_base64(encoded)
    if data is None:
        return Problem("a witness's key whose base64 is not canonical", _FORM)
    if data[:1] != _TYPE:
        return Problem("a witness's key of another type than Ed25519 co-signatures (0x04)", _FORM)
    key = witness_key(name, data[1:])
    if isinstance(key, WitnessKey) and key.key_id.hex() != key_id:
        return Problem("a witness's key whose ID is not of its name and key", "copy it whole")
    return key


def cosigned_message(text: str, time: int) -> bytes:
    """Return the bytes that a witness signs: `text` is the note's, `time` in seconds."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def verify_cosignature(key: WitnessKey, text: str, signature: Signature) -> int | None:
    """Return the time in seconds of a co-signature that holds under `key`, else None."""
    if (signature.name, signature.key_id) != (key.name, key.key_id):
        return None
    stamped = signature.signature
    if len(stamped) != _TIME_BYTES + ed25519.SIGNATURE_BYTES:
        return None
    time = int.from_bytes(stamped[:_TIME_BYTES], "big")
    if time > MAX_TIME:
        return None
    message = cosigned_message(text, time)
    return time if ed25519.verify(key.key, message, stamped[_TIME_BYTES:]) else None


def read_cosignatures(note: Note, keys: Iterable[WitnessKey]) -> Cosigned:
    """Return which of the known witnesses co-signed a note, and when: the latest time of each."""
    known = {(key.name, key.key_id): key for key in keys}
    times: dict[WitnessKey, int] = {}
    failed: list[WitnessKey] = []
    for signature in dict.fromkeys(note.signatures):
        key = known.get((signature.name, signature.key_id))
        if key is None:
            continue
        time = verify_cosignature(key, note.text, signature)
        if time is None:
            failed.append(key)
        else:
            times[key] = max(time, times.get(key, 0))
    return Cosigned(times, tuple(dict.fromkeys(failed)))


@dataclass(frozen=True, slots=True)
class WitnessSigner:
    """A witness's private key with its name; `new_signer` makes one."""

    key: WitnessKey
    private: Ed25519PrivateKey = field(repr=False, compare=False)

    def cosign(self, text: str, time: int) -> str:
        """Return the signature line, LF-ended, on a note's text at `time` in seconds."""
        signed = time.to_bytes(_TIME_BYTES, "big") + self.private.sign(cosigned_message(text, time))
        return Signature(self.key.name, self.key.key_id, signed).line


def new_signer(name: str, seed: bytes) -> WitnessSigner | Problem:
    """Return the signer of a seed of 32 bytes under a name, or why the name is refused."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key = witness_key(name, private.public_key().public_bytes_raw())
    return key if isinstance(key, Problem) else WitnessSigner(key, private)
