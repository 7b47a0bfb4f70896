"""Finds the engine that a command line names, and lets it deal a few known hands first."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from audit_cli.inputs import UsageError, reason
from audit_cli.rng.engines import libcrypto
from audit_cli.rng.engines.batches import Batches
from audit_cli.rng.engines.plain import Plain

if TYPE_CHECKING:
    from audit_cli.rng.hands import Engine

_KNOWN: Final = bytes(range(32))
_HANDS: Final = 4


def engine(name: str) -> Engine:
    """Return the engine of `--engine`; `auto` is the fastest that runs here.

    UsageError where the engine named can not run here.
    """
    if name == "plain":
        return Plain()
    if name == "numpy":
        return Batches()
    found = _native()
    if name == "auto":
        return Batches() if isinstance(found, UsageError) else found
    if name != "numba":
        message = f"there is no engine {name}"
        raise UsageError(message, "engines: auto, plain, numpy, numba")
    if isinstance(found, UsageError):
        raise found
    return found


def every_engine() -> tuple[Engine, ...]:
    """Return all engines that can run here: what can not has derived nothing here."""
    found = _native()
    native = () if isinstance(found, UsageError) else (found,)
    return (Plain(), Batches(), *native)


@lru_cache(maxsize=1)
def _native() -> Engine | UsageError:
    """Return the compiled engine, or why there is none."""
    library = libcrypto.load()
    if library is None:
        return UsageError(
            "the numba engine calls libcrypto, and this machine has none that it can load",
            "install OpenSSL 1.1.1 or 3, or use --engine numpy: the same bits",
        )
    try:
        from audit_cli.rng.engines.native import Native  # noqa: PLC0415  (numba is an extra)
    except ImportError as error:
        return UsageError(
            f"the numba engine can not import numba: {error}",
            "install the extra: pip install 'cutcard[fast]', or use --engine numpy: the same bits",
        )
    found = Native()
    try:
        own = found.lab(_KNOWN, 0, _HANDS)
    except OSError as error:
        return UsageError(
            f"the numba engine can not keep what it compiles: {reason(error)}",
            "name a folder with room for it: NUMBA_CACHE_DIR=DIR",
        )
    if not np.array_equal(own.decks, Plain().lab(_KNOWN, 0, _HANDS).decks):
        return UsageError(
            f"the numba engine deals other decks with this machine's {library.version}",
            "use --engine numpy",
        )
    return found
