"""Who is dealt into the next hand, on which positions, and what they owe (sections 6.3 and 8).

What a `hand_opened` says of seats and blinds follows from the state before it alone; here it is
worked out, for the dealer that writes the line and for the fold that checks it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dealer_service.quick import maker
from dealer_service.rules.button import (
    Positions,
    is_passed,
    place_button,
    place_dead_button,
)
from dealer_service.rules.entry import (
    Button,
    Choice,
    HandLevel,
    HandOpened,
    MissedBlinds,
    Newcomers,
    Owed,
    RuleSet,
    SeatState,
    SeatWord,
    StraddleKind,
)
from dealer_service.rules.positions import clockwise
from dealer_service.rules.table_state import (
    Seat,
    TableState,
    departed_list,
    miss_list,
    seat_word,
)

_IN, _ABSENT, _WAITING = SeatWord.IN, SeatWord.ABSENT, SeatWord.WAITING
_OUT = frozenset({SeatWord.SITTING_OUT, SeatWord.NO_CHIPS})
make_seat_state: Final = maker(SeatState)
_LEFT_OUT = {SeatWord.IN: SeatWord.WAITING, SeatWord.ABSENT: SeatWord.SITTING_OUT}


@dataclass(frozen=True, slots=True)
class Lineup:
    """The seats dealt in, rising, the positions, and who straddles."""

    dealt_in: tuple[int, ...]
    positions: Positions
    straddle: int | None = None


def line_up(state: TableState, button: int | None = None) -> Lineup | None:
    """Give who would be dealt in now, and where; None where that is fewer than two seats.

    `button` is the seat that has it in the first hand, where the rules do not say.
    """
    ready, waiting = [], []
    for number, seat in state.seats.items():
        word = seat_word(state.rules, seat)
        if word is _IN or word is _ABSENT:
            ready.append(number)
        elif word is _WAITING:
            waiting.append(number)
    if waiting:
        ready = _end_waits(state, ready, waiting)
    if len(ready) < 2:
        return None
    positions = _place(state, ready, button)
    if state.rules.newcomers is Newcomers.BY_POSITION:
        rest = _leave_between(ready, positions)
        if rest != ready:
            ready, positions = rest, _place(state, rest, button)
    return Lineup(tuple(ready), positions, _straddler(state, ready, positions))


def next_opening(
    state: TableState,
    at: int,
    commitment: str,
    *,
    level: HandLevel | None = None,
    button: int | None = None,
) -> HandOpened | None:
    """Give the `hand_opened` of the time `at`; None where fewer than two seats are in.

    At a tournament's table `level` is what the hand is played by, and `button` the seat that has
    it in the table's first hand.
    """
    lineup = line_up(state, button)
    if lineup is None:
        return None
    place, blinds = lineup.positions, state.blinds
    return HandOpened(
        hand=state.hand + 1,
        commitment=commitment,
        button=place.button,
        big_blind_seat=place.big_blind,
        seats=_seat_states(state, lineup),
        misses=miss_list(state),
        voids=state.voids,
        small_blind_seat=place.small_blind,
        dead_small_blind_seat=place.dead_small_blind,
        straddle_seat=lineup.straddle,
        last_small_blind_seat=blinds.small if blinds else None,
        last_big_blind_seat=blinds.big if blinds else None,
        departed=departed_list(state, at),
        level=level,
    )


def _end_waits(state: TableState, ready: list[int], waiting: Sequence[int]) -> list[int]:
    """Add to the seats that are ready those that wait no more."""
    # Heads-up under the moving button the big blind might never come to a third seat.
    least = 3 if state.rules.button is Button.MOVING else 2
    if len(ready) < least:
        return sorted((*ready, *waiting))
    last = state.last.positions.big_blind if state.last else 0
    for number in clockwise(waiting, last):
        with_it = sorted((*ready, number))
        if _place(state, with_it).big_blind == number:
            return with_it
    return ready


def _leave_between(ready: list[int], place: Positions) -> list[int]:
    """Leave out who sits between the button and the small blind (TDA 2024 rule 10-A).

    With three seats or more; and two at least stay, else nobody is left out.
    """
    if len(ready) < 3:
        return ready
    small = place.small_seat
    rest = [n for n in ready if n == small or not is_passed(n, place.button, small)]
    return rest if len(rest) >= 2 else ready


def _place(state: TableState, dealt_in: Sequence[int], button: int | None = None) -> Positions:
    if button is not None:
        return place_button(dealt_in, button, stays=True)
    if state.rules.button is Button.DEAD and state.last is not None:
        return place_dead_button(dealt_in, state.last, void=state.button_stays)
    return place_button(dealt_in, state.button, stays=state.button_stays)


def _straddler(state: TableState, dealt_in: Sequence[int], place: Positions) -> int | None:
    rule = state.rules.straddle
    if rule is None or len(dealt_in) < 3:
        return None
    cost = 2 * state.rules.big_blind
    for number in _may_straddle(rule.kind, dealt_in, place):
        seat = state.seats[number]
        if Choice.STRADDLE in seat.choices and seat.stack >= cost:
            return number
    return None


def _may_straddle(kind: StraddleKind, dealt_in: Sequence[int], place: Positions) -> Iterable[int]:
    """Give the seats that a straddle may come from, the first of them first."""
    blinds = {place.small_blind, place.big_blind}
    if kind is StraddleKind.UNDER_THE_GUN:
        seats: Sequence[int] = clockwise(dealt_in, place.big_blind)[:1]
    elif kind is StraddleKind.BUTTON:
        seats = [place.button] if place.button in dealt_in else []
    else:
        # To the right: against the clock, the button itself first.
        seats = clockwise(dealt_in, place.button)[::-1]
    return [seat for seat in seats if seat not in blinds]


def _seat_states(state: TableState, lineup: Lineup) -> tuple[SeatState, ...]:
    dealt_in = frozenset(lineup.dealt_in)
    missed = _missed(state, lineup.positions)
    return tuple(
        _state_in(state.rules, number, seat, lineup)
        if number in dealt_in
        else _state_out(state.rules, number, seat, missed)
        for number, seat in state.seats.items()
    )


def _state_in(rules: RuleSet, number: int, seat: Seat, lineup: Lineup) -> SeatState:
    bank, rule = seat.bank_ms, rules.time_bank
    if rule is not None and bank is not None:
        bank = min(rule.max_ms, bank + rule.per_hand_ms)
    return make_seat_state(
        number,
        seat.player,
        seat.stack,
        _ABSENT if seat.sitting_out else _IN,
        seat.anchor,
        seat.choices or None,
        _posts(rules, number, seat.owes, lineup) if seat.owes else None,
        None,
        bank,
        seat.house or None,
    )


def _state_out(rules: RuleSet, number: int, seat: Seat, missed: Mapping[int, Owed]) -> SeatState:
    owes, waits, word = seat.owes, seat.waits, seat_word(rules, seat)
    # Who could be dealt in and is not, is left out by its position for this one hand.
    word = _LEFT_OUT.get(word, word)
    if number in missed and word in _OUT:
        if rules.missed_blinds is MissedBlinds.WAIT:
            waits = waits or missed[number].live > 0
        else:
            owes = _add(owes, missed[number])
    return SeatState(
        seat=number,
        player=seat.player,
        stack=seat.stack,
        state=word,
        anchor=seat.anchor,
        choices=seat.choices or None,
        owes=owes,
        waits=waits or None,
        bank_ms=seat.bank_ms,
        house=seat.house or None,
    )


def _missed(state: TableState, place: Positions) -> dict[int, Owed]:
    """Say which blinds have come to a seat or passed it since the last hand that was not void."""
    rules, last = state.rules, state.blinds
    if rules.missed_blinds is None or last is None:
        return {}
    counts_dead = rules.missed_blinds is MissedBlinds.DEAD
    found: dict[int, Owed] = {}
    for number in state.seats:
        big = is_passed(number, last.big, place.big_blind)
        small = counts_dead and is_passed(number, last.small, place.small_seat)
        if big or small:
            found[number] = Owed(rules.big_blind * big, rules.small_blind * small)
    return found


def _add(owes: Owed | None, missed: Owed) -> Owed:
    if owes is None:
        return missed
    return Owed(max(owes.live, missed.live), max(owes.dead, missed.dead))


def _posts(rules: RuleSet, number: int, owes: Owed, lineup: Lineup) -> Owed | None:
    """Say what of its debt a seat dealt in posts besides its blind or straddle."""
    if number == lineup.positions.big_blind:
        return None
    if number == lineup.straddle:
        owes = replace(owes, live=0)
    elif number == lineup.positions.small_blind and owes.live:
        owes = replace(owes, live=rules.big_blind - rules.small_blind)
    return owes if owes.live or owes.dead else None
