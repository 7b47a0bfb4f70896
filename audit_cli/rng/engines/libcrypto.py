"""The machine's libcrypto by ctypes: the few functions that the compiled engine calls.

It is the one that this Python's own hashlib is linked with, or else one that the system finds.
Arguments are addresses as integers, so that compiled code can make them of arrays.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

#: sizeof(SHA256_CTX): eight words of state come first.
SHA256_CTX_BYTES: Final = 112

_ADDRESS: Final = ctypes.c_size_t
_NAMES: Final = (
    ("libcrypto.3.dylib",)
    if sys.platform == "darwin"  # its unversioned name ends the process that loads it
    else ("libcrypto.so.3", "libcrypto.so.1.1", "libcrypto-3-x64.dll")
)


@dataclass(frozen=True, slots=True, eq=False)
class Libcrypto:
    """Functions of OpenSSL's libcrypto, the address of its AES-256-CTR, and its name."""

    sha256_transform: Any
    encrypt_init: Any
    encrypt_update: Any
    new_context: Any
    free_context: Any
    aes_256_ctr: int
    version: str


@lru_cache(maxsize=1)
def load() -> Libcrypto | None:
    """Return the machine's libcrypto, None where there is none that has all that is needed."""
    for library in _libraries():
        try:
            return _bind(library)
        except AttributeError:
            continue
    return None


def _libraries() -> Iterator[ctypes.CDLL]:
    names = list(_NAMES)
    with suppress(ImportError, AttributeError):
        # The functions of what a module is linked with are found through the module, too.
        names.insert(0, importlib.import_module("_hashlib").__file__ or "")
    if sys.platform != "darwin":
        names.append(ctypes.util.find_library("crypto") or "")
    for name in filter(None, names):
        try:
            yield ctypes.CDLL(name)
        except OSError:
            continue


def _bind(library: ctypes.CDLL) -> Libcrypto:
    """AttributeError where a function is missing."""

    def function(name: str, result: type[Any] | None, *arguments: type[Any]) -> Any:  # noqa: ANN401
        found = getattr(library, name)
        found.restype, found.argtypes = result, arguments
        return found

    version = function("OpenSSL_version", ctypes.c_char_p, ctypes.c_int)(0)
    return Libcrypto(
        function("SHA256_Transform", None, _ADDRESS, _ADDRESS),
        function("EVP_EncryptInit_ex", ctypes.c_int, *[_ADDRESS] * 5),
        function("EVP_EncryptUpdate", ctypes.c_int, *[_ADDRESS] * 4, ctypes.c_int),
        function("EVP_CIPHER_CTX_new", _ADDRESS),
        function("EVP_CIPHER_CTX_free", None, _ADDRESS),
        function("EVP_aes_256_ctr", _ADDRESS)(),
        version.decode("ascii", "replace"),
    )
