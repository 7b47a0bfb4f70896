"""Spreads tell Prometheus what the library's own histograms tell."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Histogram, disable_created_metrics, generate_latest

from dealer_service.observe.spreads import Spreads

BOUNDS = (0.001, 0.5, 1.0, 10.0)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from((*BOUNDS, 0, 0.2, 3, 99)))))
def test_a_scrape_reads_the_same(values: list[tuple[str, float]]) -> None:
    """By every label, value and bound, values on a bound too."""
    disable_created_metrics()  # type: ignore[no-untyped-call]
    own, other = CollectorRegistry(), CollectorRegistry()
    spreads = Spreads("seconds", "How long.", ("who",), BOUNDS, own)
    histogram = Histogram("seconds", "How long.", ("who",), buckets=BOUNDS, registry=other)
    for who, value in values:
        spreads.of(who).observe(value)
        histogram.labels(who).observe(value)
    assert sorted(generate_latest(own).splitlines()) == sorted(generate_latest(other).splitlines())


def test_one_without_values_is_told_too() -> None:
    registry = CollectorRegistry()
    Spreads("seconds", "How long.", (), BOUNDS, registry).of()
    assert b"seconds_count 0.0" in generate_latest(registry)
