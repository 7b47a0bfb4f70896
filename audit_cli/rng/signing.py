"""Signs what a laboratory fixes, a plan or a bundle's list, as a C2SP note with an Ed25519 key.

A key file is one line `PRIVATE+KEY+NAME+ID+BASE64`, the form that Go's `note` package writes:
the base64 holds the algorithm (0x01) and the 32 bytes of the private key. It is made readable by
its owner alone, and refused where others can read it.
"""

from __future__ import annotations

import os
import stat
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NoReturn

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit_cli.inputs import reason, shown
from audit_cli.note import (
    Note,
    NoteVerdict,
    VerifierKey,
    decode_base64,
    open_note,
    parse_note,
    parse_vkey,
)
from audit_cli.problem import Problem, printable

if TYPE_CHECKING:
    from pathlib import Path

SEED_BYTES: Final = 32

_HEAD: Final = "PRIVATE+KEY+"
_ED25519: Final = b"\x01"
_OWNER_ALONE: Final = 0o600
_LONGEST: Final = 4096


class SigningError(Exception):
    """A key that can not be used, or a text whose signature does not hold."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A named private key; `verifier` is what others are given of it."""

    verifier: VerifierKey
    seed: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """The line of the key file, without its newline: a secret."""
        encoded = b64encode(_ED25519 + self.seed).decode("ascii")
        return f"{_HEAD}{self.verifier}+{encoded}"


def make_key(name: str, seed: bytes) -> SigningKey:
    """Return the key of 32 bytes of randomness. SigningError for a name that notes do not allow."""
    if len(seed) != SEED_BYTES:
        _refuse(f"a private key of {len(seed)} bytes", "an Ed25519 key has 32")
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    data = _ED25519 + public
    key_id = sha256(name.encode("utf-8") + b"\n" + data).digest()[:4]
    key = parse_vkey(f"{name}+{key_id.hex()}+{b64encode(data).decode('ascii')}")
    if isinstance(key, Problem):
        _refuse(f"{printable(name, 40)!r} can not name a key", "no space and no plus sign")
    return SigningKey(key, seed)


def parse_key(text: str) -> SigningKey:
    """Return the key of a key file's text. SigningError where it is none; never names its bytes."""
    line = text.removesuffix("\n")
    parts = line.removeprefix(_HEAD).split("+", 2)
    if not line.startswith(_HEAD) or len(parts) != 3:
        _refuse("not a signing key", "a key file is one line PRIVATE+KEY+NAME+ID+BASE64")
    name, key_id, encoded = parts
    data = decode_base64(encoded)
    if data is None or data[:1] != _ED25519 or len(data) != 1 + SEED_BYTES:
        _refuse("not an Ed25519 signing key", "its base64 holds 0x01 and 32 bytes")
    key = make_key(name, data[1:])
    if key.verifier.key_id.hex() != key_id:
        _refuse("a signing key whose ID is not of its name and key", "copy it whole")
    return key


def read_key(path: Path) -> SigningKey:
    """Return the key of a file that its owner alone can read. SigningError otherwise."""
    try:
        with path.open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            data = stream.read(_LONGEST + 1)
    except OSError as error:
        _refuse(f"can not read {shown(str(path))}: {reason(error)}")
    if os.name == "posix" and mode & 0o077:
        _refuse(f"others can read the key {shown(str(path))}", f"chmod 600 {shown(str(path))}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        _refuse(f"{shown(str(path))} is not a signing key")
    try:
        return parse_key(text)
    except SigningError as error:
        _refuse(f"{shown(str(path))}: {error}", error.hint)


def write_key(path: Path, key: SigningKey) -> None:
    """Write a new key file for its owner alone. SigningError where one is there already."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ALONE)
        with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123  (a descriptor)
            stream.write(key.text + "\n")
            stream.flush()
            os.fsync(descriptor)
    except OSError as error:
        _refuse(f"can not write the key {shown(str(path))}: {reason(error)}")


def sign(text: str, key: SigningKey) -> str:
    """Return the text, which ends with a newline, as a note signed by the key.

    SigningError where a note can not hold it.
    """
    signature = Ed25519PrivateKey.from_private_bytes(key.seed).sign(text.encode("utf-8"))
    encoded = b64encode(key.verifier.key_id + signature).decode("ascii")
    note = f"{text}\n\N{EM DASH} {key.verifier.name} {encoded}\n"
    parsed = parse_note(note)
    if not isinstance(parsed, Note) or parsed.text != text:
        _refuse("a note can not hold this text", "it ends with a newline and has no other control")
    return note


def open_signed(note: bytes | str, vkey: str) -> str:
    """Return the text of a note that the key signed. SigningError where it did not."""
    key = parse_vkey(vkey)
    if isinstance(key, Problem):
        _refuse(str(key), key.hint)
    opened = open_note(note, (key,))
    if opened.verdict is NoteVerdict.MALFORMED:
        _refuse(f"not a signed note: {opened.problem}")
    if opened.verdict is NoteVerdict.NO_VERIFIABLE_SIGNATURE:
        _refuse(f"not signed by {key}", f"signed by {', '.join(opened.unverified) or 'nobody'}")
    if opened.verdict is not NoteVerdict.OK:
        _refuse(f"the signature of {key} does not hold", "the text was changed after it was signed")
    return read_text(note)


def read_text(note: bytes | str) -> str:
    """Return the text of a note, whoever signed it. SigningError where it is none."""
    parsed = parse_note(note)
    if isinstance(parsed, Problem):
        _refuse(f"not a signed note: {parsed}", parsed.hint)
    return parsed.text


def _refuse(message: str, hint: str = "") -> NoReturn:
    raise SigningError(message, hint) from None
