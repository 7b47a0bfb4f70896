"""The log key and the sealing keys, from wherever their URIs say that they are kept.

A log key is one Ed25519 seed, for one origin for ever (protocol section 6). Its content is one
line, `cutcard-log-key/1 <origin> <64 hex digits>`: the origin stands in it, so that a key is never
used under another name. A sealing key's file is 32 bytes, in a variable 64 hex digits. A variable
is taken out of the environment when its key is opened, so that no child process inherits it.

Files are made at the first start. Variables and keys in tokens have to be there.
"""

import os
import re
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Final

from dealer_service.store.hsm import (
    make_token_cipher,
    make_token_signer,
    open_token_cipher,
    open_token_signer,
)
from dealer_service.store.key_file import read_or_make, wipe
from dealer_service.store.key_uri import KeyFile, KeyPlace, KeyVariable
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import (
    KEY_BYTES,
    Cipher,
    FileCipher,
    KeyedSealer,
    file_cipher,
    keyed_sealer,
)
from dealer_service.transcript.note import NoteSigner, note_signer

SEED_BYTES: Final = 32

_LOG_KEY: Final = "log key"
_SEALING_KEY: Final = "sealing key"
_FORMAT: Final = "cutcard-log-key/1"
_LINE = re.compile(rb"cutcard-log-key/1 ([a-z0-9./-]{1,128}) ([0-9a-f]{64})\n")
_HEX = re.compile(rb"([0-9a-f]{64})\n")

Fresh = Callable[[int], bytes]
"""fresh(n) gives n random bytes."""


def open_log_key(
    place: KeyPlace,
    origin: str,
    fresh: Fresh,
    *,
    first_start: bool,
    environ: MutableMapping[str, str] = os.environ,
) -> NoteSigner:
    """Give the signer of `origin`; a file is made at the first start.

    StoreError: the reasons of `read_or_make`, KEY_MISSING, KEY_MALFORMED (of a file
    KEY_FILE_MALFORMED), KEY_EXPOSED, KEY_UNREACHABLE, or KEY_OF_ANOTHER_ORIGIN.
    """

    def make() -> bytes:
        return f"{_FORMAT} {origin} {fresh(SEED_BYTES).hex()}\n".encode("ascii")

    if isinstance(place, KeyFile):
        content = read_or_make(place.path, _LOG_KEY, make, first_start=first_start)
        signer = _parse_log_key(place, content)
    else:
        signer = read_log_key(place, environ)
        if isinstance(place, KeyVariable):
            del environ[place.name]
    if signer.name != origin:
        message = (
            f"the log key {_name(place)} is of the origin {signer.name!r} and not of {origin!r}: "
            "an origin keeps its key, and a new origin needs a new key file"
        )
        raise StoreError(Reason.KEY_OF_ANOTHER_ORIGIN, message)
    return signer


def read_log_key(place: KeyPlace, environ: MutableMapping[str, str] = os.environ) -> NoteSigner:
    """Give the signer of a key that is there already, whosever it is; StoreError as above."""
    if isinstance(place, KeyFile):
        content = read_or_make(place.path, _LOG_KEY, lambda: b"", first_start=False)
        return _parse_log_key(place, content)
    if isinstance(place, KeyVariable):
        return _parse_log_key(place, _variable(place, _LOG_KEY, environ))
    name, key = open_token_signer(place)
    return NoteSigner(name, key)


def open_sealing_keys(
    places: Sequence[KeyPlace],
    origin: str,
    fresh: Fresh,
    *,
    first_start: bool,
    environ: MutableMapping[str, str] = os.environ,
) -> KeyedSealer:
    """Give the sealer of one key or more: the first seals, all open.

    The first is made at the first start where it is a file. StoreError as for the log key.
    """
    ciphers = [
        open_sealing_key(place, fresh, first_start=first_start and not index, environ=environ)
        for index, place in enumerate(places)
    ]
    return keyed_sealer(origin, ciphers, fresh)


def open_sealing_key(
    place: KeyPlace,
    fresh: Fresh,
    *,
    first_start: bool,
    environ: MutableMapping[str, str] = os.environ,
) -> Cipher:
    """Give the cipher of one sealing key; StoreError as above."""
    if isinstance(place, KeyFile):
        content = read_or_make(
            place.path, _SEALING_KEY, lambda: fresh(KEY_BYTES), first_start=first_start
        )
        return _parse_sealing_key(place.path, content)
    if isinstance(place, KeyVariable):
        content = _variable(place, _SEALING_KEY, environ)
        match = _HEX.fullmatch(content)
        if match is None:
            message = f"the sealing key {place} is not 64 hex digits"
            raise StoreError(Reason.KEY_MALFORMED, message)
        key = _unhex(content, match.start(1))
        wipe(content)
        cipher = file_cipher(key)
        wipe(key)
        del environ[place.name]
        return cipher
    return open_token_cipher(place)


def make_log_key(place: KeyPlace, origin: str, fresh: Fresh) -> NoteSigner:
    """Make an origin's log key in a file or a token; StoreError KEY_EXISTS where there is one."""
    if isinstance(place, KeyFile):
        _require_no_file(place.path, _LOG_KEY)
        return open_log_key(place, origin, fresh, first_start=True)
    if isinstance(place, KeyVariable):
        raise _not_made(place)
    return NoteSigner(origin, make_token_signer(place, origin))


def make_sealing_key(place: KeyPlace, fresh: Fresh) -> Cipher:
    """Make a sealing key in a file or a token; StoreError KEY_EXISTS where there is one."""
    if isinstance(place, KeyFile):
        _require_no_file(place.path, _SEALING_KEY)
        return open_sealing_key(place, fresh, first_start=True)
    if isinstance(place, KeyVariable):
        raise _not_made(place)
    return make_token_cipher(place)


def _parse_log_key(place: KeyFile | KeyVariable, content: bytearray) -> NoteSigner:
    match = _LINE.fullmatch(content)
    if match is None:
        file = isinstance(place, KeyFile)
        message = (
            f"the log key {_name(place)} is not one line of {_FORMAT}, origin and 64 hex digits"
        )
        raise StoreError(Reason.KEY_FILE_MALFORMED if file else Reason.KEY_MALFORMED, message)
    origin, at = match[1].decode("ascii"), match.start(2)
    seed = _unhex(content, at)
    wipe(content)
    signer = note_signer(origin, seed)
    wipe(seed)
    return signer


def _parse_sealing_key(path: Path, content: bytearray) -> FileCipher:
    if len(content) != KEY_BYTES:
        message = f"the sealing key {path} has {len(content)} bytes and must have {KEY_BYTES}"
        raise StoreError(Reason.KEY_FILE_MALFORMED, message)
    cipher = file_cipher(content)
    wipe(content)
    return cipher


def _variable(place: KeyVariable, what: str, environ: MutableMapping[str, str]) -> bytearray:
    try:
        content = bytearray(environ[place.name], "ascii", "replace")
    except KeyError:
        message = f"the {what} {place} is missing: the environment has no such variable"
        raise StoreError(Reason.KEY_MISSING, message) from None
    if not content.endswith(b"\n"):
        content += b"\n"
    return content


def _unhex(digits: bytearray, at: int) -> bytearray:
    """Read 64 hex digits from `at` on into bytes that can be wiped, by way of nothing else."""
    return bytearray(
        int(digits[place : place + 2], 16) for place in range(at, at + 2 * KEY_BYTES, 2)
    )


def _name(place: KeyPlace) -> str:
    return str(place.path) if isinstance(place, KeyFile) else str(place)


def _require_no_file(path: Path, what: str) -> None:
    if os.path.lexists(path):
        message = f"the {what} {path} is there already, and a key is never made in its place"
        raise StoreError(Reason.KEY_EXISTS, message)


def _not_made(place: KeyVariable) -> StoreError:
    message = f"no key can be made in a variable: make one in a file, and put it into {place}"
    return StoreError(Reason.KEY_URI_WRONG, message)
