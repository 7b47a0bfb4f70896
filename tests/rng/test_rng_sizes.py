"""Amounts on command lines."""

import argparse

import pytest

from audit_cli.rng.sizes import amount, amount_or_none

AMOUNTS = {
    "1": 1,
    "1000": 1_000,
    "1_000": 1_000,
    "64k": 64_000,
    "10M": 10_000_000,
    "246G": 246_000_000_000,
    "1T": 10**12,
    "1e6": 1_000_000,
    "2e3k": 2_000_000,
}


@pytest.mark.parametrize("text", AMOUNTS)
def test_an_amount_is_read(text: str) -> None:
    assert amount(text) == AMOUNTS[text]


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "1.5M", "M", "10m", "10 M", "1e99", "9" * 19, "ten", "0k", "²"]
)
def test_what_is_no_amount_is_told_what_one_is(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="10M or 246G"):
        amount(text)


def test_none_may_be_left_out() -> None:
    assert amount_or_none("0") == 0
    assert amount_or_none("3k") == 3_000
    with pytest.raises(argparse.ArgumentTypeError):
        amount_or_none("-1")
