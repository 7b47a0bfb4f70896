"""What the seats of a hand are called, by how many are dealt in: a view, no rule asks for it.

"BTN", "SB" and "BB" stand where the hand has them. The others sit between the big blind and the
button and are named from both ends: the last three before the button are the lojack, the hijack
and the cutoff, those that act before them are under the gun, and the first of several always is.
"""

from collections.abc import Mapping
from typing import Final

from dealer_service.rules.positions import clockwise
from dealer_service.rules.state import Frame

_LATE: Final = ("LJ", "HJ", "CO")


def name_positions(frame: Frame) -> Mapping[int, str]:
    """Name every seat dealt in that has a name, heads-up to ten seats.

    A newcomer between the blinds, or between the small blind and a dead button, has none.
    """
    names = {frame.big_blind_seat: "BB"}
    if frame.small_blind_seat is not None:
        names[frame.small_blind_seat] = "SB"
    if frame.button in frame.place:
        # Heads-up the button has the small blind, and is called the button.
        names[frame.button] = "BTN"
    between = []
    for seat in clockwise(frame.seats, frame.big_blind_seat):
        if seat in names or _has_passed(frame, seat):
            break
        between.append(seat)
    return names | dict(zip(between, _name_between(len(between)), strict=True))


def _has_passed(frame: Frame, seat: int) -> bool:
    """Say whether the button lies between the big blind and a seat, going clockwise."""
    start = frame.big_blind_seat
    return (frame.button - start) % 10 < (seat - start) % 10


def _name_between(count: int) -> tuple[str, ...]:
    early = max(0, count - len(_LATE))
    late = _LATE[len(_LATE) - (count - early) :]
    if early == 0 and count > 1:
        early, late = 1, late[1:]
    first = tuple("UTG" if number == 0 else f"UTG+{number}" for number in range(early))
    return first + late
