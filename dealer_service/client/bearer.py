"""Whom a client's calls are for: its token, taken anew from its source when it is no longer good.

A token lives for hours and a seat may last longer. Where the source is a file or a function, it is
read again when the dealer takes the token no longer, and the call made again under the new one. A
token for somebody else is not taken: a seat is its player's alone.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import jwt

from dealer_service.client.disk import on_disk

TokenSource: TypeAlias = str | Path | Callable[[], str]
"""A token, a file that holds it alone, or a function that gives it (called in a thread)."""


class Bearer:
    """A token and where a newer one comes from; `name` is its subject.

    ValueError for a token that names nobody, OSError for a file that can not be read.
    """

    __slots__ = ("_read", "name", "token")

    def __init__(self, source: TokenSource) -> None:
        self._read = _reader(source)
        self.token = self._read()
        self.name = _subject(self.token)

    def __repr__(self) -> str:
        """Tell whom it is for, and nothing of the token."""
        return f"Bearer({self.name!r})"

    async def renew(self, used: str) -> bool:
        """Look for another token than the one that was `used`; False where there is none."""
        if self.token == used:
            try:
                fresh = await on_disk(self._read)
                if _subject(fresh) == self.name:
                    self.token = fresh
            except (OSError, ValueError):
                return False
        return self.token != used


def _reader(source: TokenSource) -> Callable[[], str]:
    if isinstance(source, str):
        return lambda: source
    if isinstance(source, Path):
        return lambda: source.read_text(encoding="utf-8").strip()
    return source


def expiry(token: str) -> float | None:
    """Read when a token expires, in seconds since 1970; None where it does not say."""
    expires = _claims(token).get("exp")
    return float(expires) if isinstance(expires, int | float) else None


def _subject(token: str) -> str:
    """Read whom a token is for; the dealer verifies it."""
    subject = _claims(token).get("sub")
    if not isinstance(subject, str) or not subject:
        message = "the token is not a JWT that names its subject"
        raise ValueError(message)
    return subject


def _claims(token: str) -> dict[str, Any]:
    try:
        return jwt.decode(token, options={"verify_signature": False})
    except jwt.PyJWTError:
        return {}
