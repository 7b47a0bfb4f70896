"""Signed notes and their keys (C2SP signed-note), with Ed25519 keys alone.

A note is a text, an empty line, and one signature line a signer. `open_note` refuses the whole
note when a known key's signature fails, so that a bad signature beside a good one is never
overlooked; signatures of unknown keys are listed and prove nothing. At most 64 signatures are
read (C2SP asks for 16 or more) and at most 65,535 bytes.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Final, NoReturn, Protocol

from dealer_service.transcript.ed25519 import VerifyKey, signing_key, verify_key
from dealer_service.transcript.refusal import Reason, TranscriptError

MAX_SIGNATURES: Final = 64
MAX_NOTE_BYTES: Final = 65_535
MAX_NAME_BYTES: Final = 255
KEY_ID_BYTES: Final = 4

_ED25519: Final = b"\x01"
_DASH: Final = "\u2014 "
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_BARRED = re.compile(r"[\s\x00-\x1f+]")
_HAS_CONTROL: Final = "it has a control character other than a newline"
_BAD_LINE: Final = "a signature line is a dash, a key's name and base64"
_VKEY = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)")


@dataclass(frozen=True, slots=True)
class NoteKey:
    """A name and the public key that signs under it; `str` gives its vkey."""

    name: str
    key: VerifyKey

    @property
    def key_id(self) -> bytes:
        """The 4 bytes that stand before each of its signatures."""
        return key_id(self.name, _ED25519, self.key.raw)

    def __str__(self) -> str:
        return write_vkey(self.name, _ED25519, self.key.raw)


class PrivateKey(Protocol):
    """What signs: a `SigningKey`, or one that is kept elsewhere and never seen."""

    @property
    def public(self) -> VerifyKey:
        """The half that verifies."""
        ...

    def sign(self, message: bytes) -> bytes:
        """Sign by Ed25519: 64 bytes."""
        ...


@dataclass(frozen=True, slots=True)
class NoteSigner:
    """A name and the private key that signs under it."""

    name: str
    key: PrivateKey = field(repr=False)

    @property
    def verifier(self) -> NoteKey:
        """The public half."""
        return NoteKey(self.name, self.key.public)


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line: name, key ID (4 bytes) and what follows it (64 bytes for Ed25519)."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def signer(self) -> str:
        """The key's name and ID, such as "dealer.example.com+463015b5"."""
        return f"{self.name}+{self.key_id.hex()}"

    def line(self) -> str:
        """Write the signature's line, with its newline."""
        stamped = base64.b64encode(self.key_id + self.signature).decode("ascii")
        return f"{_DASH}{self.name} {stamped}\n"


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note: its text, with the final newline, and its signature lines, unverified."""

    text: str
    signatures: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class OpenedNote:
    """A note with at least one good signature, and who signed it, in order.

    A known signer is there once, an unknown one once for each different signature line.
    """

    text: str
    verified: tuple[Signature, ...]
    unverified: tuple[Signature, ...]


def note_signer(name: str, seed: bytes | bytearray) -> NoteSigner:
    """Make a signer from a name and a 32-byte seed; TranscriptError BAD_KEY otherwise."""
    _require_name(name)
    return NoteSigner(name, signing_key(seed))


def parse_vkey(vkey: str) -> NoteKey:
    """Read "name+hexid+base64(0x01 || key)"; TranscriptError BAD_KEY for anything else.

    A key of small or mixed order and an ID that is not the key's are refused, too.
    """
    return NoteKey(*read_vkey(vkey, _ED25519))


def read_vkey(vkey: str, kind: bytes) -> tuple[str, VerifyKey]:
    """Read the name and Ed25519 key of a verifier key of the type `kind`, one byte.

    TranscriptError BAD_KEY for another type, an ID that is not the key's, or no such key.
    """
    match = _VKEY.fullmatch(vkey)
    if match is None:
        message = "a verifier key is written name+hexid+base64"
        raise TranscriptError(Reason.BAD_KEY, message)
    name, written_id, public = match.groups()
    _require_name(name)
    decoded = strict_base64(public)
    if decoded is None or decoded[:1] != kind:
        message = f"the verifier key is not Ed25519 (type 0x{kind.hex()}) in padded base64"
        raise TranscriptError(Reason.BAD_KEY, message)
    key = verify_key(decoded[1:])
    right_id = key_id(name, kind, key.raw).hex()
    if right_id != written_id:
        message = f"the verifier key's ID is {right_id} and not {written_id}"
        raise TranscriptError(Reason.BAD_KEY, message)
    return name, key


def write_vkey(name: str, kind: bytes, raw: bytes) -> str:
    """Write "name+hexid+base64(kind || key)" for a key of the type `kind`, one byte."""
    public = base64.b64encode(kind + raw).decode("ascii")
    return f"{name}+{key_id(name, kind, raw).hex()}+{public}"


def sign_note(text: str, signers: Sequence[NoteSigner]) -> str:
    """Sign `text`, which ends with a newline, with each of 1 to 64 signers, in order.

    TranscriptError NOTE_MALFORMED where the result would not be a note.
    """
    message = _encode(text)
    if not text.endswith("\n"):
        _refuse("the text must end with a newline")
    if _CONTROL.search(text):
        _refuse(_HAS_CONTROL)
    if not 1 <= len(signers) <= MAX_SIGNATURES:
        _refuse(f"{len(signers)} signatures, where a note has 1 to {MAX_SIGNATURES}")
    lines = []
    for signer in signers:
        if not is_key_name(signer.name):
            _refuse(_BAD_LINE)
        stamp = key_id(signer.name, _ED25519, signer.key.public.raw)
        lines.append(Signature(signer.name, stamp, signer.key.sign(message)).line())
    note = f"{text}\n{''.join(lines)}"
    _require_length(len(_encode(note)))
    return note


def parse_note(note: bytes) -> Note:
    """Split a note into its text and signature lines; TranscriptError NOTE_MALFORMED."""
    _require_length(len(note))
    try:
        whole = note.decode("utf-8")
    except UnicodeDecodeError:
        whole = None
    if whole is None:
        _refuse("it is not UTF-8")
    if _CONTROL.search(whole):
        _refuse(_HAS_CONTROL)
    head, gap, tail = whole.rpartition("\n\n")
    if not gap or not tail.endswith("\n"):
        _refuse("no empty line, or no complete signature line behind it")
    return Note(head + "\n", _parse_signatures(tail))


def parse_signatures(lines: bytes) -> tuple[Signature, ...]:
    """Read 1 to 64 signature lines without a text, as a witness answers them.

    TranscriptError NOTE_MALFORMED for anything else.
    """
    _require_length(len(lines))
    try:
        text = lines.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if not text.endswith("\n"):
        _refuse("signature lines are UTF-8, each ended by a newline")
    return _parse_signatures(text)


def add_signatures(note: str, signatures: Iterable[Signature]) -> str:
    """Put signature lines behind those of a note, each once, in the order given.

    A signer that stands in the note already is left out. TranscriptError NOTE_MALFORMED where
    the result would have more than 64 signatures or is too long.
    """
    signers = {signature.signer for signature in parse_note(_encode(note)).signatures}
    added: list[str] = []
    for signature in signatures:
        if signature.signer not in signers:
            signers.add(signature.signer)
            added.append(signature.line())
    whole = note + "".join(added)
    parse_note(_encode(whole))
    return whole


def open_note(note: bytes, known: Iterable[NoteKey]) -> OpenedNote:
    """Verify every signature of a known key, and list those of others.

    TranscriptError NOTE_MALFORMED, NOTE_INVALID_SIGNATURE (a known key's fails),
    NOTE_AMBIGUOUS_KEY (two known keys share a name and ID that the note uses) or
    NOTE_NO_VERIFIABLE_SIGNATURE.
    """
    parsed = parse_note(note)
    message = parsed.text.encode("utf-8")
    keys: dict[str, list[NoteKey]] = {}
    for key in known:
        keys.setdefault(f"{key.name}+{key.key_id.hex()}", []).append(key)
    verified: dict[str, Signature] = {}
    unverified: dict[Signature, None] = {}
    for signature in parsed.signatures:
        candidates = keys.get(signature.signer, [])
        if not candidates:
            unverified.setdefault(signature)
            continue
        if len(candidates) > 1:
            problem = f"{signature.signer} is the name and ID of more than one known key"
            raise TranscriptError(Reason.NOTE_AMBIGUOUS_KEY, problem)
        if not candidates[0].key.verifies(signature.signature, message):
            problem = f"the signature of {signature.signer} does not hold"
            raise TranscriptError(Reason.NOTE_INVALID_SIGNATURE, problem)
        verified.setdefault(signature.signer, signature)
    if not verified:
        problem = "no signature of the note is a known key's"
        raise TranscriptError(Reason.NOTE_NO_VERIFIABLE_SIGNATURE, problem)
    return OpenedNote(parsed.text, tuple(verified.values()), tuple(unverified))


def strict_base64(text: str) -> bytes | None:
    """Decode padded standard base64; None unless encoding again gives the very same text."""
    try:
        decoded = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if base64.b64encode(decoded).decode("ascii") == text else None


@lru_cache(maxsize=256)
def is_key_name(name: str) -> bool:
    """Say whether `name` may name a key: 1 to 255 bytes, no space of any script, no plus."""
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return False
    return 0 < size <= MAX_NAME_BYTES and _BARRED.search(name) is None


@lru_cache(maxsize=256)
def key_id(name: str, kind: bytes, raw: bytes) -> bytes:
    """Give the 4 bytes that tell a name and a key of the type `kind`, one byte, from others."""
    named = name.encode() + b"\n" + kind + raw
    return sha256(named).digest()[:KEY_ID_BYTES]


def _encode(text: str) -> bytes:
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError:
        encoded = None
    if encoded is None:
        _refuse("it is not UTF-8")
    return encoded


def _require_length(size: int) -> None:
    if size > MAX_NOTE_BYTES:
        _refuse(f"{size} bytes, where a note has at most {MAX_NOTE_BYTES}")


def _require_name(name: str) -> None:
    if not is_key_name(name):
        message = "a key's name is 1 to 255 bytes without spaces and plus signs"
        raise TranscriptError(Reason.BAD_KEY, message)


def _parse_signatures(tail: str) -> tuple[Signature, ...]:
    lines = tail[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        _refuse(f"{len(lines)} signatures, where at most {MAX_SIGNATURES} are read")
    return tuple(_parse_signature(line) for line in lines)


def _parse_signature(line: str) -> Signature:
    name, gap, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not gap or not is_key_name(name):
        _refuse(_BAD_LINE)
    stamped = strict_base64(encoded)
    if stamped is None or len(stamped) <= KEY_ID_BYTES:
        _refuse("a signature is not a key ID and more in padded base64")
    return Signature(name, stamped[:KEY_ID_BYTES], stamped[KEY_ID_BYTES:])


def _refuse(why: str) -> NoReturn:
    message = f"not a signed note: {why}"
    raise TranscriptError(Reason.NOTE_MALFORMED, message)
