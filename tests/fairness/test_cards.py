"""Cards are 0 to 51 in hashes and two characters elsewhere."""

import pytest

from dealer_service.fairness.cards import CARD_NAMES, card_name, card_number
from dealer_service.fairness.refusal import FairnessError, Reason


@pytest.mark.parametrize(
    ("number", "name"), [(0, "2c"), (1, "2d"), (2, "2h"), (3, "2s"), (35, "Ts"), (51, "As")]
)
def test_a_card_is_four_times_rank_plus_suit(number: int, name: str) -> None:
    assert card_name(number) == name
    assert card_number(name) == number


def test_all_52_names_differ_and_read_back() -> None:
    assert [card_number(name) for name in CARD_NAMES] == list(range(52))


@pytest.mark.parametrize("number", [-1, 52, 255])
def test_a_number_that_is_no_card_is_refused(number: int) -> None:
    with pytest.raises(FairnessError) as refused:
        card_name(number)
    assert refused.value.reason is Reason.BAD_CARD


@pytest.mark.parametrize("name", ["", "1s", "as", "AS", "10s", "Tss", "sT", "T"])
def test_a_name_that_is_no_card_is_refused(name: str) -> None:
    with pytest.raises(FairnessError) as refused:
        card_number(name)
    assert refused.value.reason is Reason.BAD_CARD
