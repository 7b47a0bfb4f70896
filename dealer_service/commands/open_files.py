"""How many files the process may have open: every connection, and so every watcher, is one."""

from typing import Final

import structlog

try:
    import resource
except ImportError:  # not of this system
    resource = None  # type: ignore[assignment]

ENOUGH: Final = 16_384
"""Connections of ten thousand watchers, the players beside them, and the dealer's own files."""

_log = structlog.get_logger("dealer")


def raise_limit() -> int | None:
    """Raise the limit as far as the system lets this process, and give it; None for no limit."""
    if resource is None:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        except (ValueError, OSError):
            # Some systems call a limit infinite and grant less.
            hard = soft
    return None if hard == resource.RLIM_INFINITY else hard


def mind_open_files() -> None:
    """Raise the limit, and say so where it is low all the same."""
    limit = raise_limit()
    if limit is not None and limit < ENOUGH:
        _log.warning("few_open_files", limit=limit)
