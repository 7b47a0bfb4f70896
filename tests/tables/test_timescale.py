"""A count that keeps to another clock's time: by what is certain alone, and never back."""

from hypothesis import given
from hypothesis import strategies as st

from dealer_service.tables.timescale import FAR_NS, MS, Reading, Scale, scale_from

SECOND = 1_000 * MS
START = 1_767_225_600_000


def heard(scale: Scale, elapsed: int, ahead_ms: int, round_trip: int = 0) -> Reading:
    """Tell what a clock that is ahead of the scale gives at `elapsed`, in the middle of asking."""
    middle = elapsed - round_trip // 2
    return Reading(scale.time(middle) // MS + ahead_ms, elapsed - round_trip, elapsed)


def test_it_begins_with_half_the_round_trip_added() -> None:
    scale = scale_from(Reading(START, 5 * SECOND, 5 * SECOND + 80 * MS))
    assert scale.time(5 * SECOND + 80 * MS) == (START + 40) * MS


def test_what_may_be_the_round_trip_alone_changes_nothing() -> None:
    scale = Scale(0, START * MS)
    for ahead in (-45, 0, 45):
        after = scale.corrected(heard(scale, SECOND, ahead, 100 * MS), SECOND)
        assert after.time(9 * SECOND) == scale.time(9 * SECOND)


def test_a_little_behind_it_runs_quicker_until_it_is_there() -> None:
    scale = Scale(0, START * MS)
    after = scale.corrected(heard(scale, SECOND, 501), SECOND)
    assert after.time(SECOND) == scale.time(SECOND)
    assert after.time(2 * SECOND) - scale.time(2 * SECOND) == 50 * MS
    for elapsed in (11 * SECOND, 60 * SECOND):
        assert after.time(elapsed) - scale.time(elapsed) == 500 * MS


def test_a_little_ahead_it_runs_slower_until_the_other_is_there() -> None:
    scale = Scale(0, START * MS)
    after = scale.corrected(heard(scale, SECOND, -501), SECOND)
    assert scale.time(2 * SECOND) - after.time(2 * SECOND) == 50 * MS
    assert scale.time(60 * SECOND) - after.time(60 * SECOND) == 500 * MS


def test_far_behind_it_is_set_forward_at_once() -> None:
    scale = Scale(0, START * MS)
    after = scale.corrected(heard(scale, SECOND, 60_001), SECOND + 7 * MS)
    assert after.time(SECOND + 7 * MS) == scale.time(SECOND + 7 * MS) + 60 * SECOND


def test_far_ahead_it_runs_at_half_speed_until_the_other_is_there() -> None:
    scale = Scale(0, START * MS)
    after = scale.corrected(heard(scale, 0, -60_001), 0)
    assert after.time(10 * SECOND) == scale.time(5 * SECOND)
    assert after.time(120 * SECOND) == scale.time(60 * SECOND)
    assert after.time(130 * SECOND) == scale.time(70 * SECOND)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 20 * SECOND),
            st.integers(-100_000, 100_000),
            st.integers(0, 3 * SECOND),
            st.integers(0, SECOND),
        ),
        max_size=20,
    )
)
def test_whatever_it_hears_it_never_goes_back(steps: list[tuple[int, int, int, int]]) -> None:
    scale, elapsed = Scale(0, START * MS), 0
    last = scale.time(0)
    for pause, ahead, round_trip, late in steps:
        elapsed += pause + round_trip
        assert scale.time(elapsed) >= last
        last = scale.time(elapsed)
        reading = heard(scale, elapsed, ahead, round_trip)
        elapsed += late
        last = scale.time(elapsed)
        scale = scale.corrected(reading, elapsed)
        assert scale.time(elapsed) >= last


@given(st.integers(-FAR_NS // MS + 2, 5_000_000), st.integers(0, 500 * MS))
def test_beats_bring_it_to_within_a_round_trip(ahead: int, round_trip: int) -> None:
    """Of a clock that it is behind, at once or within half a minute of beats."""
    other = START + ahead
    scale, elapsed = Scale(0, START * MS), 0
    for _ in range(30):
        elapsed += SECOND
        at = other + (elapsed - round_trip // 2) // MS
        scale = scale.corrected(Reading(at, elapsed - round_trip, elapsed), elapsed)
    difference = scale.time(elapsed) - (other * MS + elapsed)
    assert abs(difference) <= round_trip + 5 * MS
