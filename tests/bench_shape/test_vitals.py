"""A soak's verdict: what counts as flat, and what does not."""

import dataclasses

import pytest

from tests.bench.vitals import MIB, Bounds, Vitals, find_faults, slope

BEGIN = Vitals(
    at=100.0,
    rss=200 * MIB,
    cpu=0.0,
    files=60,
    threads=5,
    tasks=1_000,
    store=64 * MIB,
    wal=MIB,
    tables=10,
)


def growing(**by: float) -> list[Vitals]:
    """Ten minutes in which these grow by so much a minute, and shake a little."""
    samples = []
    for number in range(61):
        shake = number % 2
        grown = {
            name: getattr(BEGIN, name) + round(each * number / 6) + shake
            for name, each in by.items()
        }
        samples.append(dataclasses.replace(BEGIN, at=BEGIN.at + 10 * number, **grown))
    return samples


def test_the_growth_is_that_of_the_line_that_fits_best() -> None:
    assert slope(growing(rss=3 * MIB), lambda one: one.rss) == pytest.approx(3 * MIB, rel=0.01)
    assert slope(growing(), lambda one: one.rss) == 0


def test_what_does_not_grow_is_flat() -> None:
    assert find_faults(growing(rss=0, files=0, tasks=0), hands_a_minute=100) == []


@pytest.mark.parametrize(
    ("what", "by"), [("rss", 2 * MIB), ("files", 5), ("threads", 1), ("tasks", 60)]
)
def test_what_grows_is_named(what: str, by: float) -> None:
    (fault,) = find_faults(growing(**{what: by}), hands_a_minute=0)
    assert fault.startswith("memory" if what == "rss" else what)


def test_hands_may_leave_a_little_in_their_tables() -> None:
    bounds = Bounds(slack=0, hand_bytes=1_000)
    samples = growing(rss=90_000)
    assert find_faults(samples, 100, bounds) == []
    assert find_faults(samples, 50, bounds) != []


def test_the_store_may_fill_its_cache_and_no_more() -> None:
    filling = [dataclasses.replace(one, store=one.rss - BEGIN.rss) for one in growing(rss=3 * MIB)]
    assert find_faults(filling, 0) == []
    beyond = [dataclasses.replace(one, store=one.store + 40 * MIB) for one in filling]
    assert find_faults(beyond, 0) != []


def test_a_write_ahead_file_that_is_never_emptied_is_named() -> None:
    (fault,) = find_faults(growing(wal=10 * MIB), 0)
    assert "write-ahead" in fault
