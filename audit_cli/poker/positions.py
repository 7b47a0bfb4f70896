"""Who is where: left of a seat, the button, the blinds, the straddle (protocol 8 and 9.1).

"Left" is the next higher seat number, and after the highest the lowest.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence


class Places(NamedTuple):
    """Where button and blinds stand; `dead` where the small blind is where nobody is dealt in."""

    button: int
    small: int
    big: int
    dead: bool = False

    def __str__(self) -> str:
        """Say them in words."""
        small = f"dead small blind at {self.small}" if self.dead else f"small blind {self.small}"
        return f"button {self.button}, {small}, big blind {self.big}"


class Last(NamedTuple):
    """The hand before: its places (None: this game had none), its seats, whether it was void.

    `button` is the last button, also that of a game before; 0 where there was none.
    """

    button: int = 0
    void: bool = False
    places: Places | None = None
    dealt_in: frozenset[int] = frozenset()


def clockwise(seats: Iterable[int], after: int) -> tuple[int, ...]:
    """`seats` beginning with the first to the left of seat `after`; `after` itself comes last."""
    return _clockwise(tuple(seats), after)


@lru_cache(maxsize=1024)
def _clockwise(seats: tuple[int, ...], after: int) -> tuple[int, ...]:
    rising = sorted(seats)
    at = bisect_right(rising, after)
    return tuple(rising[at:] + rising[:at])


def place_button(dealt_in: Collection[int], last: int, *, stays: bool) -> int:
    """Return the button's seat; `last` is the last one (0: none yet), `stays` after a void."""
    if last == 0:
        return min(dealt_in)
    if stays and last in dealt_in:
        return last
    return clockwise(dealt_in, last)[0]


def place_blinds(dealt_in: Collection[int], button: int) -> tuple[int, int]:
    """Return the seats of small and big blind; heads-up the button has the small one."""
    order = clockwise(dealt_in, button)
    if len(order) == 2:
        return button, order[0]
    return order[0], order[1]


def place_moving(dealt_in: Collection[int], last: Last) -> Places:
    """Return the places of the moving button."""
    return _place_moving(frozenset(dealt_in), last.button, last.void)


@lru_cache(maxsize=1024)
def _place_moving(dealt_in: frozenset[int], last: int, stays: bool) -> Places:
    button = place_button(dealt_in, last, stays=stays)
    return Places(button, *place_blinds(dealt_in, button))


def place_dead(dealt_in: Collection[int], last: Last) -> Places:
    """Return the places of the dead button (TDA 2024 rules 32 and 34-B)."""
    before = last.places
    if before is None:
        return place_moving(dealt_in, last)
    if last.void:
        if _stand(before, dealt_in, last.dealt_in):
            return before
        return place_moving(dealt_in, last)
    if len(dealt_in) == 2:
        had_it = [seat for seat in dealt_in if seat == before.big]
        big = clockwise(dealt_in, had_it[0] if had_it else before.big)[0]
        small = next(seat for seat in dealt_in if seat != big)
        return Places(small, small, big)
    big = clockwise(dealt_in, before.big)[0]
    small, button = before.big, before.small
    if button == big:
        # A newcomer sits between them: the first to the right of the small blind.
        button = clockwise(dealt_in, small - 1)[-1]
    return Places(button, small, big, small not in dealt_in)


def left_out(chips: Collection[int], last: Last) -> frozenset[int]:
    """Return the seats with chips that are not dealt in where newcomers come in by position.

    They lie between the button and the small blind's seat as these stand with all `chips`, the
    seats that have any (TDA 2024 rule 10-A). None where fewer than two would be dealt in.
    """
    if last.places is None or len(chips) < 3:
        return frozenset()
    button, small, *_ = place_dead(chips, last)
    between = frozenset(seat for seat in chips if 0 < (seat - button) % 10 < (small - button) % 10)
    return between if len(chips) - len(between) >= 2 else frozenset()


def _stand(places: Places, now: Collection[int], then: Collection[int]) -> bool:
    """Whether the places of a void hand stay as they were."""
    same = all((seat in now) == (seat in then) for seat in places[:3])
    return same and (len(now) == 2) == (len(then) == 2)


def called(
    waiting: Sequence[int], others: Collection[int], last: Last, *, dead: bool
) -> tuple[int, ...]:
    """Return the waiting seats that are dealt in: all, or the one to whom the big blind comes.

    All of them where too few seats would be dealt in without them.
    """
    if len(others) < (2 if dead else 3):
        return tuple(waiting)
    place = place_dead if dead else place_moving
    reached = [seat for seat in waiting if place({*others, seat}, last).big == seat]
    if len(reached) < 2:
        return tuple(reached)
    after = last.button if last.places is None else last.places.big
    return clockwise(reached, after)[:1]


def has_passed(seat: int, before: int, now: int) -> bool:
    """Whether a blind that moved clockwise has come to a seat or passed it."""
    if before == now:
        return False
    return (seat - before - 1) % 10 <= (now - before - 1) % 10


def straddler(
    kind: str,
    dealt_in: Collection[int],
    places: Places,
    may: Callable[[int], bool],
) -> int | None:
    """Return the seat that straddles; `may` tells who has chosen it and has the chips.

    By the rules of a kind one seat, or with `mississippi` the first of several.
    """
    if len(dealt_in) < 3:
        return None
    blinds = {places.big} if places.dead else {places.small, places.big}
    if kind == "under_the_gun":
        seats: tuple[int, ...] = clockwise(dealt_in, places.big)[:1]
    elif kind == "button":
        seats = (places.button,)
    else:
        # The button first, or the first to the right of where it stands, and on to the right.
        seats = clockwise(dealt_in, places.button)[::-1]
    return next(
        (seat for seat in seats if seat in dealt_in and seat not in blinds and may(seat)), None
    )
