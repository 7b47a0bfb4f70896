"""Where a key is kept, as a URI: `file:PATH`, `env:NAME`, or `pkcs11:…` (RFC 7512).

A PKCS#11 URI names the token, the object and, in its query, the module's file and the file that
holds the PIN. A PIN in the URI itself is refused: command lines and environments are read by many.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import unquote

from dealer_service.store.refusal import Reason, StoreError

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PATH_PARTS: Final = frozenset({"token", "serial", "object", "type"})
_QUERY_PARTS: Final = frozenset({"module-path", "pin-source"})
_HINTS: Final = {
    "pin-value": "put the PIN alone into a file of mode 0600, and name it by pin-source=file:PATH",
    "module-name": "name the module's file by module-path=/usr/lib/….so",
}


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key in a file."""

    path: Path

    def __str__(self) -> str:
        return f"file:{self.path}"


@dataclass(frozen=True, slots=True)
class KeyVariable:
    """A key in a variable of the environment."""

    name: str

    def __str__(self) -> str:
        return f"env:{self.name}"


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """A PKCS#11 token: the module that speaks with it, its label or serial, its PIN's file."""

    module: Path
    token: str
    serial: str
    pin: Path = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyInToken:
    """A key in a PKCS#11 token, by its label there."""

    place: TokenPlace
    label: str

    def __str__(self) -> str:
        token = f"token={self.place.token}" if self.place.token else f"serial={self.place.serial}"
        return f"pkcs11:{token};object={self.label}"


KeyPlace = KeyFile | KeyVariable | KeyInToken


def parse_key_uri(uri: str) -> KeyPlace:
    """Read a URI; StoreError KEY_URI_WRONG, which tells of its parts and not of their values."""
    scheme, _, rest = uri.partition(":")
    if scheme == "file" and rest and not rest.startswith("//"):
        return KeyFile(Path(unquote(rest)))
    if scheme == "env" and _NAME.fullmatch(rest):
        return KeyVariable(rest)
    if scheme != "pkcs11":
        _refuse("it is none of file:PATH, env:NAME and pkcs11:token=…;object=…?module-path=…")
    return _parse_pkcs11(rest)


def _parse_pkcs11(rest: str) -> KeyInToken:
    path, _, query = rest.partition("?")
    parts = _split(path, ";", _PATH_PARTS)
    asked = _split(query, "&", _QUERY_PARTS)
    if parts.get("type", "private") not in ("private", "secret-key"):
        _refuse("its type is neither private nor secret-key")
    if not (parts.get("token") or parts.get("serial")):
        _refuse("it names no token: token=LABEL, or serial=NUMBER")
    if not parts.get("object"):
        _refuse("it names no key: object=LABEL")
    if not asked.get("module-path"):
        _refuse("it names no module: ?module-path=/usr/lib/….so")
    source = asked.get("pin-source", "")
    pin = source.removeprefix("file:").removeprefix("//")
    if not source.startswith(("file:", "/")) or not pin.startswith("/"):
        _refuse("it names no file that holds the PIN: &pin-source=file:/PATH")
    place = TokenPlace(
        module=Path(asked["module-path"]),
        token=parts.get("token", ""),
        serial=parts.get("serial", ""),
        pin=Path(pin),
    )
    return KeyInToken(place, parts["object"])


def _split(text: str, between: str, known: frozenset[str]) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in filter(None, text.split(between)):
        name, equals, value = part.partition("=")
        if name in _HINTS:
            _refuse(f"{name} is not taken: {_HINTS[name]}")
        if name not in known or not equals or name in parts:
            allowed = ", ".join(sorted(known))
            _refuse(f"a part of it is none of {allowed}, or comes twice")
        parts[name] = unquote(value, errors="strict")
    return parts


def _refuse(why: str) -> NoReturn:
    message = f"a key's URI can not be read: {why}"
    raise StoreError(Reason.KEY_URI_WRONG, message)
