"""Where the dead button puts button and blinds, and which seats a blind has passed (section 8)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.rules.button import (
    LastHand,
    Positions,
    is_passed,
    next_right,
    place_button,
    place_dead_button,
)

Seats = tuple[int, ...]


def hand(dealt_in: Seats, button: int, small: int | None, big: int, dead: int = 0) -> LastHand:
    return LastHand(Positions(button, small, big, dead or None), dealt_in)


# BU-01 to BU-06 of the rule cases: the seats, the last hand's button and blinds; then for each
# hand who is gone, and where button, small blind and big blind stand.
CASES: list[tuple[str, Seats, tuple[int, int, int], list[tuple[Seats, int, int | None, int]]]] = [
    ("BU-01", (1, 2, 3, 4, 5, 6), (4, 5, 6), [((), 5, 6, 1)]),
    ("BU-02", (1, 2, 3, 4), (1, 2, 3), [((3,), 2, None, 4), ((), 3, 4, 1), ((), 4, 1, 2)]),
    ("BU-03", (1, 2, 3, 4), (1, 2, 3), [((2,), 2, 3, 4), ((), 3, 4, 1)]),
    ("BU-06", (1, 2, 3), (1, 2, 3), [((1,), 3, 3, 2)]),
]


@pytest.mark.parametrize(("name", "seats", "before", "then"), CASES, ids=[c[0] for c in CASES])
def test_the_dead_button_moves_as_the_rule_cases_say(
    name: str,
    seats: Seats,
    before: tuple[int, int, int],
    then: list[tuple[Seats, int, int | None, int]],
) -> None:
    last = hand(seats, *before)
    for gone, button, small, big in then:
        seats = tuple(seat for seat in seats if seat not in gone)
        place = place_dead_button(seats, last, void=False)
        assert (place.button, place.small_blind, place.big_blind) == (button, small, big), name
        last = LastHand(place, seats)


def test_a_dead_small_blind_stands_where_the_big_blind_was() -> None:
    """BU-02: the big blind busts, and nobody posts where it would have posted small."""
    place = place_dead_button((1, 2, 4), hand((1, 2, 3, 4), 1, 2, 3), void=False)
    assert (place.dead_small_blind, place.small_seat) == (3, 3)


def test_after_a_small_blind_that_went_its_right_neighbour_keeps_the_last_turn() -> None:
    """BU-03: the button is dead, so that seat 1 acts last once more."""
    place = place_dead_button((1, 3, 4), hand((1, 2, 3, 4), 1, 2, 3), void=False)
    assert place.button == 2
    assert next_right((1, 3, 4), place.button) == 1


def test_the_moving_button_skips_a_seat_that_left() -> None:
    """BU-08: seat 2 left, the button goes to 3 and the blinds are the next two players."""
    assert place_button((1, 3, 4), 1, stays=False) == Positions(3, 4, 1)


@pytest.mark.parametrize(
    ("dealt_in", "last", "places"),
    [
        # who had the big blind has the button now
        ((2, 5), hand((2, 5), 2, 2, 5), (5, 5, 2)),
        ((2, 5), hand((2, 3, 5), 2, 3, 5), (5, 5, 2)),
        ((2, 5), hand((2, 3, 5), 3, 5, 2), (2, 2, 5)),
        # neither had it: the first left of where it was
        ((2, 5), hand((2, 3, 5), 5, 2, 3), (2, 2, 5)),
        ((2, 5), hand((2, 5, 9), 2, 5, 9), (5, 5, 2)),
    ],
)
def test_heads_up_nobody_has_the_big_blind_twice(
    dealt_in: Seats, last: LastHand, places: tuple[int, int, int]
) -> None:
    assert place_dead_button(dealt_in, last, void=False) == Positions(*places)


def test_from_heads_up_a_third_seat_takes_its_place_in_the_round() -> None:
    # Seat 5 comes left of the big blind and is it next.
    assert place_dead_button((1, 3, 5), hand((1, 3), 1, 1, 3), void=False) == Positions(1, 3, 5)
    # Seat 2 comes between: the button can not stay on what becomes the big blind.
    assert place_dead_button((1, 2, 3), hand((1, 3), 1, 1, 3), void=False) == Positions(2, 3, 1)


@pytest.mark.parametrize(
    ("dealt_in", "last", "place"),
    [
        # the same three, and a fourth seat that changes nothing
        ((1, 2, 3), hand((1, 2, 3), 1, 2, 3), Positions(1, 2, 3)),
        ((1, 2, 3, 7), hand((1, 2, 3), 1, 2, 3), Positions(1, 2, 3)),
        # a dead small blind and a dead button stay where they were
        ((1, 2, 4), hand((1, 2, 4), 2, None, 4, 3), Positions(2, None, 4, 3)),
        ((1, 3, 4), hand((1, 3, 4), 2, 3, 4), Positions(2, 3, 4)),
        # one of the three is gone, or is there: as with the moving button
        ((1, 3, 7), hand((1, 2, 3, 7), 1, 2, 3), Positions(1, 3, 7)),
        ((1, 2, 3, 4), hand((1, 3, 4), 2, 3, 4), Positions(2, 3, 4)),
        ((2, 3), hand((1, 2, 3), 1, 2, 3), Positions(2, 2, 3)),
        # two and more than two are never the same
        ((1, 2, 3), hand((1, 3), 1, 1, 3), Positions(1, 2, 3)),
        ((3, 4), hand((3, 4, 7), 2, 3, 4), Positions(3, 3, 4)),
    ],
)
def test_after_a_void_the_positions_stay_where_their_seats_do(
    dealt_in: Seats, last: LastHand, place: Positions
) -> None:
    assert place_dead_button(dealt_in, last, void=True) == place


@given(st.data())
def test_whoever_comes_and_goes_the_blinds_are_two_seats_and_the_button_none_of_them_but_heads_up(
    data: st.DataObject,
) -> None:
    seats = st.sets(st.integers(1, 10), min_size=2).map(lambda some: tuple(sorted(some)))
    first = data.draw(seats)
    last = LastHand(place_button(first, 0, stays=False), first)
    for dealt_in in data.draw(st.lists(seats, max_size=12)):
        before = last.positions.big_blind
        place = place_dead_button(dealt_in, last, void=False)
        assert place.big_blind in dealt_in
        assert place.small_blind is None or place.small_blind in dealt_in
        assert (place.small_blind is None) != (place.dead_small_blind is None)
        assert place.small_seat != place.big_blind
        assert place.big_blind != place.button
        assert (place.button == place.small_blind) == (len(dealt_in) == 2)
        # Who has the big blind has it again only if nobody else could.
        assert place.big_blind != before
        last = LastHand(place, dealt_in)


@pytest.mark.parametrize(
    ("start", "end", "passed"),
    [(2, 5, {3, 4, 5}), (9, 2, {10, 1, 2}), (4, 4, set()), (10, 1, {1})],
)
def test_a_blind_passes_the_seats_on_its_way_and_comes_to_the_last(
    start: int, end: int, passed: set[int]
) -> None:
    assert {seat for seat in range(1, 11) if is_passed(seat, start, end)} == passed
