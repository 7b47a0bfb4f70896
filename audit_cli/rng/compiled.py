"""How numba compiles here: without the interpreter's lock, and kept on the disk where that can be.

What is kept is kept by the date of the file that a function stands in, and of no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

Compiled = TypeVar("Compiled", bound="Callable[..., Any]")


def part(function: Compiled) -> Compiled:
    """Compile as a part of what calls it, with which it is kept."""
    found: Compiled = numba.njit(nogil=True)(function)
    return found


def kept(function: Compiled) -> Compiled:
    """Compile at the first call, or load what an earlier process compiled."""
    try:
        found: Compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's can be written
        return part(function)
    return found
