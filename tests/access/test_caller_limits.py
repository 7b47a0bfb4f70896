"""What one caller may ask for, and how many bad tokens one address may send."""

import gc
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.access.limits import Allowance, Allowances, BadTokens, address_of, origin_of
from dealer_service.access.refusal import Reason
from dealer_service.config import Limits

LIMITS = Limits(calls=10, bytes=1000, streams=2)


def taken(allowance: Allowance, tick: float, size: int = 1, *, changes: bool = False) -> bool:
    return allowance.take(tick, size, changes=changes) is None


def wait_of(allowance: Allowance, tick: float, size: int = 1) -> int:
    """Ask for what is too much, and give the milliseconds to wait."""
    refusal = allowance.take(tick, size, changes=False)
    assert refusal is not None
    assert refusal.reason is Reason.RATE_LIMITED
    ((name, wait),) = refusal.metadata
    assert name == "retry_after_ms"
    assert wait in refusal.message
    return int(wait)


def test_two_seconds_worth_of_calls_may_come_at_once() -> None:
    allowance = Allowance(LIMITS)
    assert [taken(allowance, 50.0) for _ in range(21)] == [True] * 20 + [False]


def test_then_calls_are_held_to_their_rate() -> None:
    allowance = Allowance(LIMITS)
    while taken(allowance, 50.0):
        pass
    assert wait_of(allowance, 50.0) == 100
    assert not taken(allowance, 50.09)
    assert taken(allowance, 50.11)
    assert not taken(allowance, 50.12)


def test_who_waits_as_long_as_was_said_is_let_in() -> None:
    allowance = Allowance(LIMITS)
    while taken(allowance, 50.0, 300):
        pass
    wait = wait_of(allowance, 50.0, 300)
    assert taken(allowance, 50.0 + wait / 1000, 300)


def test_a_call_that_was_refused_costs_nothing() -> None:
    allowance = Allowance(LIMITS)
    while taken(allowance, 50.0):
        pass
    assert {wait_of(allowance, 50.0) for _ in range(100)} == {100}


def test_bytes_are_counted_besides_calls() -> None:
    allowance = Allowance(LIMITS)
    assert [taken(allowance, 50.0, 500) for _ in range(5)] == [True] * 4 + [False]
    assert wait_of(allowance, 50.0, 500) == 500


def test_one_request_that_is_more_than_a_burst_passes_when_nothing_else_was_asked_for() -> None:
    allowance = Allowance(LIMITS)
    assert taken(allowance, 50.0, 60_000)
    assert not taken(allowance, 50.0, 1)
    assert taken(allowance, 52.1, 60_000)


def test_reads_never_cost_a_caller_its_changes() -> None:
    allowance = Allowance(LIMITS)
    while taken(allowance, 50.0, 900):
        pass
    assert taken(allowance, 50.0, changes=True)
    while taken(allowance, 50.0, changes=True):
        pass
    other = Allowance(LIMITS)
    while taken(other, 50.0, changes=True):
        pass
    assert taken(other, 50.0)


@given(st.lists(st.tuples(st.floats(0, 3), st.integers(0, 2000)), max_size=60))
def test_no_more_is_let_in_than_the_rate_and_one_burst(
    asked: list[tuple[float, int]],
) -> None:
    allowance = Allowance(LIMITS)
    tick = begin = 1000.0
    calls = size = 0
    for pause, length in asked:
        tick += pause
        if taken(allowance, tick, length):
            calls += 1
            size += min(length, 2 * LIMITS.bytes)
    assert calls <= LIMITS.calls * (tick - begin + 2) + 1e-6
    assert size <= LIMITS.bytes * (tick - begin + 2) + 1e-6


def test_streams_are_counted_while_they_are_open() -> None:
    allowance = Allowance(LIMITS)
    assert [allowance.open_stream() for _ in range(2)] == [None, None]
    refusal = allowance.open_stream()
    assert refusal is not None
    assert (refusal.reason, refusal.metadata) == (Reason.TOO_MANY_STREAMS, (("streams", "2"),))
    allowance.close_stream()
    assert allowance.open_stream() is None
    assert allowance.open_stream() is not None


def test_all_tokens_of_a_name_share_one_allowance_while_any_is_held() -> None:
    allowances = Allowances(LIMITS)
    first, second = allowances.of("ann"), allowances.of("ann")
    other = allowances.of("ben")
    assert first is second
    assert other is not first
    del second
    gc.collect()
    assert allowances.of("ann") is first


def test_allowances_that_nobody_holds_are_gone() -> None:
    allowances = Allowances(LIMITS)
    held = [allowances.of(f"name-{number}") for number in range(1000)]
    assert len(allowances) == 1000
    held.clear()
    gc.collect()
    assert len(allowances) == 0


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:10.0.0.1:50051", "10.0.0.1"),
        ("ipv6:%5B::1%5D:50051", "::/64"),
        ("ipv6:[2001:db8:1:2:3::7]:9", "2001:db8:1:2::/64"),
        ("ipv6:%5B2001:db8:1:2:ffff:1:2:3%5D:9", "2001:db8:1:2::/64"),
        ("ipv6:%5B::ffff:10.0.0.1%5D:9", "10.0.0.1"),
        ("ipv6:%5Bfe80::1%25eth0%5D:9", "fe80::/64"),
        ("ipv4:999.1.1.1:9", "ipv4:999.1.1.1:9"),
        ("unix:/run/dealer", "unix:/run/dealer"),
        ("", ""),
    ],
)
def test_an_address_is_a_host_or_the_network_of_one_subscriber(peer: str, address: str) -> None:
    assert address_of(peer) == address


class Tick:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_bad_tokens_are_counted_by_address_whatever_the_port() -> None:
    tick = Tick()
    bad = BadTokens(5, tick)
    for port in range(11):
        assert bad.refuse(f"ipv4:10.0.0.1:{port}") is None
        bad.count(f"ipv4:10.0.0.1:{port}")
    refusal = bad.refuse("ipv4:10.0.0.1:99")
    assert refusal is not None
    assert refusal.metadata == (("retry_after_ms", "200"),)
    assert bad.refuse("ipv4:10.0.0.2:99") is None
    tick.now += 0.2
    assert bad.refuse("ipv4:10.0.0.1:99") is None


PROXIES = (ip_network("10.0.0.0/24"), ip_network("fd00::/64"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "origin"),
    [
        ("ipv4:10.0.0.7:5000", "192.0.2.1", "ipv4:192.0.2.1:0"),
        # Whatever a caller wrote stands before what the proxy says.
        ("ipv4:10.0.0.7:5000", "198.51.100.9, 192.0.2.1", "ipv4:192.0.2.1:0"),
        ("ipv4:10.0.0.7:5000", "2001:db8::5", "ipv6:[2001:db8::5]:0"),
        ("ipv6:%5Bfd00::1%5D:5000", "192.0.2.1", "ipv4:192.0.2.1:0"),
        ("ipv6:[::ffff:10.0.0.7]:5000", "192.0.2.1", "ipv4:192.0.2.1:0"),
        # Nobody else is believed, and nothing that is no address.
        ("ipv4:10.0.1.7:5000", "192.0.2.1", "ipv4:10.0.1.7:5000"),
        ("ipv6:%5Bfd01::1%5D:5000", "192.0.2.1", "ipv6:%5Bfd01::1%5D:5000"),
        ("unix:/run/socket", "192.0.2.1", "unix:/run/socket"),
        ("ipv4:10.0.0.7:5000", "192.0.2.1, ", "ipv4:10.0.0.7:5000"),
        ("ipv4:10.0.0.7:5000", "unknown", "ipv4:10.0.0.7:5000"),
        ("ipv4:10.0.0.7:5000", None, "ipv4:10.0.0.7:5000"),
    ],
)
def test_a_call_is_of_who_a_proxy_says(peer: str, forwarded: str | None, origin: str) -> None:
    assert origin_of(peer, forwarded, PROXIES) == origin
    assert origin_of(peer, forwarded, ()) == peer


def test_no_more_addresses_are_counted_than_the_bound() -> None:
    bad = BadTokens(1, Tick(), bound=100)
    for number in range(1000):
        for _ in range(4):
            bad.count(f"ipv4:10.0.{number // 256}.{number % 256}:1")
    assert len(bad) == 100
    assert bad.refuse("ipv4:10.0.0.0:1") is None
    assert bad.refuse("ipv4:10.0.3.231:1") is not None
