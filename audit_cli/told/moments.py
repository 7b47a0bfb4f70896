"""Times of a log as other formats write them: dates, by UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_START = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 253_402_300_799_999


def moment(at: int) -> datetime | None:
    """Return the moment of a time in milliseconds, None where it is beyond the year 9999."""
    return _START + timedelta(milliseconds=at) if at <= _LATEST else None
