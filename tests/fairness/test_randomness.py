"""The door to the random source refuses a source that is visibly broken."""

import pytest

from dealer_service.fairness.randomness import draw_game, draw_secret, operating_system
from dealer_service.fairness.refusal import FairnessError, Reason


def test_a_secret_is_32_bytes_of_the_source() -> None:
    assert draw_secret(lambda count: bytes(range(count))) == bytes(range(32))


def test_a_game_id_is_16_bytes_of_the_source() -> None:
    assert draw_game(lambda count: bytes(range(count))) == bytes(range(16))


def test_the_operating_system_gives_fresh_bytes_each_time() -> None:
    drawn = {operating_system(32) for _ in range(64)}
    assert len(drawn) == 64
    assert {len(secret) for secret in drawn} == {32}


@pytest.mark.parametrize("given", [0, 31, 33])
def test_a_source_that_gives_another_number_of_bytes_is_refused(given: int) -> None:
    with pytest.raises(FairnessError) as refused:
        draw_secret(lambda _: bytes(range(given)))
    assert refused.value.reason is Reason.ENTROPY_FAILED


@pytest.mark.parametrize("byte", [0x00, 0x5A, 0xFF])
def test_a_source_stuck_at_one_byte_is_refused(byte: int) -> None:
    with pytest.raises(FairnessError) as refused:
        draw_secret(lambda count: bytes([byte]) * count)
    assert refused.value.reason is Reason.ENTROPY_FAILED


def test_a_source_that_repeats_the_last_secret_is_refused() -> None:
    """Two hands never share a secret, even where the source fails."""
    last = bytes(range(32))
    with pytest.raises(FairnessError) as refused:
        draw_secret(lambda _: last, last=last)
    assert refused.value.reason is Reason.ENTROPY_FAILED
    assert last.hex() not in str(refused.value)
