"""Times of a log as people and other formats write them: dates, by UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_START = datetime(1970, 1, 1, tzinfo=UTC)


def moment(at: int) -> datetime:
    """Return the moment of a time in milliseconds; a game is told up to the year 9999 alone."""
    return _START + timedelta(milliseconds=at)
