"""The time in New York, by which hand histories are dated wherever they were played.

The rule of the United States since 2007 (Energy Policy Act of 2005, section 110): an hour more
from 2:00 on the second Sunday of March to 2:00, by that time, on the first Sunday of November.
Written out here since a machine need not have the data of time zones.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_STANDARD = timedelta(hours=-5)
_SUMMER = timedelta(hours=-4)
_SUNDAY = 6
# In UTC both changes come at 2:00 of the time before them.
_BEGINS = timedelta(hours=2) - _STANDARD
_ENDS = timedelta(hours=2) - _SUMMER


def eastern(at: datetime) -> datetime:
    """Return the wall clock of New York at a time of UTC, from 2007 on; without a zone."""
    begins = _sunday(at.year, 3, 2) + _BEGINS
    ends = _sunday(at.year, 11, 1) + _ENDS
    offset = _SUMMER if begins <= at < ends else _STANDARD
    return (at + offset).replace(tzinfo=None)


def _sunday(year: int, month: int, number: int) -> datetime:
    """Return the midnight, by UTC, with which the so many-th Sunday of a month begins."""
    first = datetime(year, month, 1, tzinfo=UTC)
    days = (_SUNDAY - first.weekday()) % 7 + 7 * (number - 1)
    return first + timedelta(days=days)
