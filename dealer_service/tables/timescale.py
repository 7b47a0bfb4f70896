"""How a clock that counts by itself keeps to another's time: never back, and only what is certain.

Another clock's time is known within the round trip of asking for it. As long as the own count fits
into that, nothing is changed; what certainly differs is made up for by running a little quicker or
slower. A count that is behind by more than a second is set forward at once: the machine stood
still without noticing, and everybody else's time went on. One that is ahead by more than a second
runs at half speed, for it may not go back.
"""

from dataclasses import dataclass
from typing import Final

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""

FAR_NS: Final = 1_000 * MS
"""A count that differs by more is not drifting."""

_GENTLY: Final = 50
_HALF: Final = 500


@dataclass(frozen=True, slots=True)
class Reading:
    """Another clock's time: `at` (ms) was read between `began` and `ended` (elapsed ns)."""

    at: int
    began: int
    ended: int

    @property
    def round_trip(self) -> int:
        """How long it took to ask, in nanoseconds."""
        return self.ended - self.began

    @property
    def earliest(self) -> int:
        """What the other clock gave at the least when the answer came, in nanoseconds.

        It gives whole milliseconds, rounded up or down.
        """
        return (self.at - 1) * MS

    @property
    def latest(self) -> int:
        """What it gave at the most, in nanoseconds."""
        return (self.at + 1) * MS + self.round_trip

    def difference(self, time: int) -> int:
        """Give how far ahead the other clock certainly is of the `time` (ns) when it was heard.

        Less than 0 where it is behind, and 0 where both may be the same.
        """
        return max(0, self.earliest - time) + min(0, self.latest - time)


@dataclass(frozen=True, slots=True)
class Scale:
    """Time by time elapsed, both in nanoseconds: it is `at` when `since`.

    From then on it runs quicker by so many thousandths (slower, where less than 0) for `span`.
    """

    since: int
    at: int
    quicker: int = 0
    span: int = 0

    def time(self, elapsed: int) -> int:
        """Give the time."""
        passed = elapsed - self.since
        if not self.quicker:
            return self.at + passed
        return self.at + passed + min(passed, self.span) * self.quicker // 1000

    def corrected(self, reading: Reading, elapsed: int) -> "Scale":
        """Give the scale from `elapsed` on, by what was heard before; it never goes back."""
        ahead = reading.difference(self.time(reading.ended))
        now = self.time(elapsed)
        if ahead > FAR_NS:
            return Scale(elapsed, max(now, reading.earliest + elapsed - reading.ended))
        if ahead == 0:
            return Scale(elapsed, now)
        quicker = _GENTLY if ahead > 0 else -_GENTLY if ahead >= -FAR_NS else -_HALF
        return Scale(elapsed, now, quicker, ahead * 1000 // quicker)


def scale_from(reading: Reading) -> Scale:
    """Give the scale of a clock that is set for the first time: half the round trip is added."""
    return Scale(reading.ended, reading.at * MS + reading.round_trip // 2)
