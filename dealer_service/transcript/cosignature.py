"""Co-signatures of witnesses (C2SP tlog-cosignature), Ed25519 alone (key type 0x04).

A co-signature says that at its time the co-signed checkpoint was the largest consistent one of
its log that the witness had seen. It is a signature line of the checkpoint's note whose 72 bytes
are a time in seconds, big-endian, and the Ed25519 signature over that time and the note's text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

from dealer_service.transcript.ed25519 import SIGNATURE_BYTES, VerifyKey
from dealer_service.transcript.note import (
    Note,
    NoteSigner,
    Signature,
    key_id,
    read_vkey,
    write_vkey,
)
from dealer_service.transcript.refusal import Reason, TranscriptError

MAX_TIMESTAMP: Final = 2**63 - 1

_TYPE: Final = b"\x04"
_TIMESTAMP_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class WitnessKey:
    """A witness's name and public key; `str` gives its vkey."""

    name: str
    key: VerifyKey

    @property
    def key_id(self) -> bytes:
        """The 4 bytes that stand before each of its co-signatures."""
        return key_id(self.name, _TYPE, self.key.raw)

    @property
    def signer(self) -> str:
        """Its name and ID, as `Signature.signer` gives them."""
        return f"{self.name}+{self.key_id.hex()}"

    def __str__(self) -> str:
        return write_vkey(self.name, _TYPE, self.key.raw)


def parse_witness_vkey(vkey: str) -> WitnessKey:
    """Read "name+hexid+base64(0x04 || key)"; TranscriptError BAD_KEY for anything else."""
    return WitnessKey(*read_vkey(vkey, _TYPE))


def witness_key(signer: NoteSigner) -> WitnessKey:
    """Give the key under which `sign_cosignature` signs for `signer`."""
    return WitnessKey(signer.name, signer.key.public)


def sign_cosignature(text: str, timestamp: int, signer: NoteSigner) -> Signature:
    """Co-sign a checkpoint's text at a time in seconds since 1970.

    TranscriptError COSIGNATURE_MALFORMED for a time that is not 0 to 2^63 - 1.
    """
    signature = signer.key.sign(_message(text, timestamp))
    stamped = timestamp.to_bytes(_TIMESTAMP_BYTES, "big") + signature
    return Signature(signer.name, witness_key(signer).key_id, stamped)


def verify_cosignature(text: str, signature: Signature, key: WitnessKey) -> int:
    """Give the time, in seconds since 1970, at which `key` co-signed a checkpoint's text.

    TranscriptError COSIGNATURE_MALFORMED where the line is not this witness's or its bytes are
    none, NOTE_INVALID_SIGNATURE where it does not hold.
    """
    if signature.signer != key.signer:
        _refuse(f"it is of {signature.signer} and not of {key.signer}")
    if len(signature.signature) != _TIMESTAMP_BYTES + SIGNATURE_BYTES:
        _refuse("it is a time of 8 bytes and a signature of 64")
    timestamp = int.from_bytes(signature.signature[:_TIMESTAMP_BYTES], "big")
    message = _message(text, timestamp)
    if not key.key.verifies(signature.signature[_TIMESTAMP_BYTES:], message):
        problem = f"the co-signature of {key.signer} does not hold"
        raise TranscriptError(Reason.NOTE_INVALID_SIGNATURE, problem)
    return timestamp


def cosigned(note: Note, keys: Iterable[WitnessKey]) -> Mapping[WitnessKey, int]:
    """Give each of `keys` that co-signed the note, and when, in the order of the note's lines.

    Lines of others are passed over; one of a known witness that fails refuses the whole note,
    as `verify_cosignature` does. Of two good ones of a witness the later time counts.
    """
    known = {key.signer: key for key in keys}
    times: dict[WitnessKey, int] = {}
    for signature in note.signatures:
        key = known.get(signature.signer)
        if key is not None:
            timestamp = verify_cosignature(note.text, signature, key)
            times[key] = max(timestamp, times.get(key, 0))
    return times


def _message(text: str, timestamp: int) -> bytes:
    if not 0 <= timestamp <= MAX_TIMESTAMP:
        _refuse("its time is from 0 to 2^63 - 1 seconds")
    return f"cosignature/v1\ntime {timestamp}\n{text}".encode()


def _refuse(why: str) -> NoReturn:
    message = f"not a co-signature: {why}"
    raise TranscriptError(Reason.COSIGNATURE_MALFORMED, message)
