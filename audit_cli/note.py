"""C2SP signed notes and verifier keys, read strictly, with Ed25519 (type 0x01) signatures.

A note is text, a blank line, and signature lines `— NAME BASE64`, where the base64 holds a key ID
of four bytes and the signature. A signature of a known key that fails spoils the whole note;
signatures of unknown keys are listed and prove nothing. Base64 is canonical: padded, without
line breaks, its unused bits zero.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64encode
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from audit_cli import ed25519
from audit_cli.problem import Problem, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SIGNATURES = 64

_ED25519 = 1
_KEY_ID = re.compile(r"[0-9a-f]{8}")
_MARK = "\N{EM DASH} "
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_MIN_SIGNATURE = 5


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A named public key: what a vkey text holds."""

    name: str
    key_id: bytes
    key: ed25519.PublicKey

    def __str__(self) -> str:
        """NAME+ID, as messages and lists name the key."""
        return f"{self.name}+{self.key_id.hex()}"

    @property
    def text(self) -> str:
        """The whole vkey, NAME+ID+BASE64, from which anyone can verify."""
        return f"{self}+{b64encode(bytes([_ED25519]) + self.key.encoded).decode('ascii')}"


class Signature(NamedTuple):
    """One signature line: the signer's name, its key ID of four bytes, and the bytes behind."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        """NAME+ID of the key that the line names."""
        return f"{self.name}+{self.key_id.hex()}"

    @property
    def line(self) -> str:
        """The line as it stands in a note, with its LF."""
        encoded = b64encode(self.key_id + self.signature).decode("ascii")
        return f"{_MARK}{self.name} {encoded}\n"


class Note(NamedTuple):
    """A well-formed note: the signed text with its final newline, and its signature lines."""

    text: str
    signatures: tuple[Signature, ...]


class NoteVerdict(Enum):
    """What the known keys say about a note."""

    OK = "ok"
    MALFORMED = "malformed"
    INVALID_SIGNATURE = "invalid_signature"
    NO_VERIFIABLE_SIGNATURE = "no_verifiable_signature"
    AMBIGUOUS_KEY = "ambiguous_key"


@dataclass(frozen=True, slots=True)
class OpenedNote:
    """The verdict, with the keys (NAME+ID) that verified and those that are not known."""

    verdict: NoteVerdict
    verified: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    problem: Problem | None = None


def decode_base64(text: str) -> bytes | None:
    """Return the bytes of canonical padded base64 (RFC 4648 section 4), or None."""
    try:
        data = binascii.a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    return data if b64encode(data).decode("ascii") == text else None


def is_name(name: str) -> bool:
    """Whether a key may have this name: not empty, no space in it and no plus sign."""
    return "+" not in name and name.split() == [name]


def parse_vkey(  # noqa: PLR0911  (one return a kind of refusal)
    text: str,
) -> VerifierKey | Problem:
    """Return the key of a vkey text NAME+ID+BASE64 of order L, or why it is refused."""
    form = "a verifier key is NAME+ID+BASE64, as `cutcard-dealer key` prints it"
    parts = text.split("+", 2)
    if len(parts) != 3:
        return Problem("not a verifier key", form)
    name, key_id, encoded = parts
    if not is_name(name):
        return Problem("a verifier key without a proper name", form)
    if _KEY_ID.fullmatch(key_id) is None:
        return Problem("a verifier key whose ID is not eight lower-case hex digits", form)
    data = decode_base64(encoded)
    if data is None:
        return Problem("a verifier key whose base64 is not canonical", form)
    if data[:1] != b"\x01":
        return Problem("a verifier key of another type than Ed25519 (0x01)", form)
    if len(data) != 1 + ed25519.KEY_BYTES:
        return Problem(f"a verifier key of {len(data) - 1} bytes", "an Ed25519 key has 32 bytes")
    expected = sha256(name.encode("utf-8") + b"\n" + data).digest()[:4]
    if key_id != expected.hex():
        return Problem("a verifier key whose ID is not of its name and key", "copy it whole")
    key = ed25519.load_key(data[1:])
    if isinstance(key, Problem):
        return key
    return VerifierKey(name, expected, key)


def parse_note(  # noqa: PLR0911  (one return a kind of refusal)
    data: bytes | str,
) -> Note | Problem:
    """Return the note's parts without looking at any key, or the first thing that is wrong."""
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return Problem("a note that is not UTF-8", "", error.start)
    control = _CONTROL.search(data)
    if control is not None:
        return Problem(
            f"a note with the control character {control.group()!a}",
            "a note has no control character but LF",
        )
    head, blank, block = data.rpartition("\n\n")
    if not blank:
        return Problem("a note without a blank line before its signatures")
    if not block.endswith("\n"):
        return Problem("a note without signatures, each ended by a newline")
    lines = block[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        return Problem(f"a note of {len(lines)} signatures", f"at most {MAX_SIGNATURES} are read")
    signatures = []
    for line in lines:
        name, _, encoded = line.removeprefix(_MARK).partition(" ")
        if not line.startswith(_MARK) or not is_name(name):
            return Problem(
                f"{printable(line, 40)!r} where a signature line should be",
                "a signature line is an em dash, a space, the key's name, a space, and base64",
            )
        signed = decode_base64(encoded)
        if signed is None or len(signed) < _MIN_SIGNATURE:
            return Problem(f"a signature of {printable(name)} that is not proper base64")
        signatures.append(Signature(name, signed[:4], signed[4:]))
    return Note(head + "\n", tuple(signatures))


def verify_note(note: Note, keys: Iterable[VerifierKey]) -> OpenedNote:
    """Return the verdict of the known `keys` on a note; every signature of theirs is tried."""
    known: dict[tuple[str, bytes], list[VerifierKey]] = {}
    for key in keys:
        known.setdefault((key.name, key.key_id), []).append(key)
    message = note.text.encode("utf-8")
    verified: list[str] = []
    unverified: list[str] = []
    for signature in dict.fromkeys(note.signatures):
        candidates = known.get((signature.name, signature.key_id), [])
        if not candidates:
            unverified.append(str(signature))
        elif len(candidates) > 1:
            return OpenedNote(NoteVerdict.AMBIGUOUS_KEY)
        elif not ed25519.verify(candidates[0].key, message, signature.signature):
            return OpenedNote(NoteVerdict.INVALID_SIGNATURE)
        elif str(signature) not in verified:
            verified.append(str(signature))
    verdict = NoteVerdict.OK if verified else NoteVerdict.NO_VERIFIABLE_SIGNATURE
    return OpenedNote(verdict, tuple(verified), tuple(unverified))


def open_note(data: bytes | str, keys: Iterable[VerifierKey]) -> OpenedNote:
    """`parse_note` and `verify_note` in one, with MALFORMED for what does not parse."""
    note = parse_note(data)
    if isinstance(note, Problem):
        return OpenedNote(NoteVerdict.MALFORMED, problem=note)
    return verify_note(note, keys)
