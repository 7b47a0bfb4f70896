"""A round counts only with the network's own signature of its number."""

import builtins
from dataclasses import replace
from typing import Any

import pytest

from dealer_service.beacon.refusal import BeaconError
from dealer_service.beacon.rounds import QUICKNET, Network, Round
from dealer_service.beacon.signature import find_verifier, open_verifier
from tests.support import drand

KNOWN = drand.quicknet()
TESTS = Network(drand.PUBLIC_KEY, drand.GENESIS, drand.PERIOD, drand.GROUP_HASH, drand.NAME)


def round_of(case: dict[str, Any]) -> Round:
    return Round(case["round"], bytes.fromhex(case["signature"]))


@pytest.mark.parametrize("case", KNOWN["rounds"], ids=lambda case: str(case["round"]))
def test_real_rounds_are_the_networks(case: dict[str, Any]) -> None:
    assert open_verifier()(QUICKNET, round_of(case))


@pytest.mark.parametrize("case", KNOWN["must_be_refused"], ids=lambda case: str(case["why"]))
def test_everything_else_is_not(case: dict[str, Any]) -> None:
    one = round_of(case)
    is_good = open_verifier()(QUICKNET, one)
    assert is_good is case.get("signature_is_valid", False)
    assert not (is_good and one.randomness.hex() == case["randomness"])


def test_a_round_is_of_one_network_alone() -> None:
    verify = open_verifier()
    assert verify(TESTS, Round(7, drand.sign(7)))
    assert not verify(TESTS, Round(8, drand.sign(7)))
    assert not verify(QUICKNET, Round(7, drand.sign(7)))
    assert not verify(TESTS, round_of(KNOWN["rounds"][0]))


@pytest.mark.parametrize("number", [-1, 0, 2**53, 2**64])
def test_no_round_has_a_number_out_of_range(number: int) -> None:
    assert not open_verifier()(TESTS, Round(number, drand.sign(7)))


@pytest.mark.parametrize(
    "key",
    [bytes(96), b"\xbf" + b"\xff" * 95, drand.PUBLIC_KEY[:-1] + b"\x00"],
    ids=["nothing", "beyond the field", "off the curve"],
)
def test_a_key_that_is_no_point_is_told_of(key: bytes) -> None:
    with pytest.raises(BeaconError, match="no point of its curve"):
        open_verifier()(replace(TESTS, public_key=key), Round(7, drand.sign(7)))


def test_without_the_extra_nothing_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name == "drand_verify":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", importing)
    assert find_verifier() is None
    with pytest.raises(BeaconError, match=r"install cutcard\[beacon\]"):
        open_verifier()
