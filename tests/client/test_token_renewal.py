"""A token that is no longer taken is read again where it came from, and the call made anew."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import jwt
import pytest

from dealer_service.client import CallRefusedError, Dealer
from dealer_service.client.bearer import Bearer
from dealer_service.client.calls import MOST_RENEWALS, Patience, Surroundings
from tests.support.fake_dealer import FakeDealer, Fault

QUICK = Surroundings(patience=Patience(attempt=5, total=20, first_wait=0.01, longest_wait=0.05))
EXPIRED = Fault(grpc.StatusCode.UNAUTHENTICATED, reason="TOKEN_EXPIRED")


def token(name: str, number: int) -> str:
    return jwt.encode({"sub": name, "jti": str(number)}, "k" * 32, algorithm="HS256")


OLD, NEW = token("eve", 1), token("eve", 2)


@pytest.fixture
async def fake() -> AsyncIterator[FakeDealer]:
    dealer = FakeDealer()
    await dealer.start()
    yield dealer
    await dealer.stop()


async def test_a_file_is_read_again_and_the_same_call_made_under_the_new_token(
    fake: FakeDealer, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    path.write_text(f"{OLD}\n")
    fake.faults.calls["OpenGame"] = [EXPIRED]
    async with Dealer.connect(fake.address, path, surroundings=QUICK) as dealer:
        path.write_text(NEW)
        await dealer.operator.open_game()
        await dealer.operator.open_game()
    assert fake.tokens["OpenGame"] == [OLD, NEW, NEW]
    first, again, _ = fake.requests["OpenGame"]
    assert first == again


async def test_a_function_is_asked_again(fake: FakeDealer) -> None:
    given = iter([OLD, NEW])
    fake.faults.calls["OpenGame"] = [EXPIRED]
    async with Dealer.connect(fake.address, lambda: next(given), surroundings=QUICK) as dealer:
        await dealer.operator.open_game()
    assert fake.tokens["OpenGame"] == [OLD, NEW]


async def test_a_stream_goes_on_under_the_new_token(fake: FakeDealer, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(OLD)
    game = fake.open_table().state.opened.game
    fake.faults.calls["Watch"] = [EXPIRED]
    async with Dealer.connect(fake.address, path, surroundings=QUICK) as dealer:
        spectator = await dealer.watch(game)
        path.write_text(NEW)
        await anext(spectator)
    assert fake.tokens["Watch"] == [OLD, NEW]


@pytest.mark.parametrize(
    "content",
    [OLD, token("mallory", 2), "no token", ""],
    ids=["the same", "another's", "none", "empty"],
)
async def test_where_there_is_no_other_token_for_the_caller_the_refusal_stands(
    fake: FakeDealer, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "token"
    path.write_text(OLD)
    fake.faults.calls["OpenGame"] = [EXPIRED]
    async with Dealer.connect(fake.address, path, surroundings=QUICK) as dealer:
        path.write_text(content)
        with pytest.raises(CallRefusedError, match="TOKEN_EXPIRED"):
            await dealer.operator.open_game()
    assert fake.tokens["OpenGame"] == [OLD]


async def test_a_file_that_is_gone_leaves_the_refusal(fake: FakeDealer, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(OLD)
    fake.faults.calls["OpenGame"] = [EXPIRED]
    async with Dealer.connect(fake.address, path, surroundings=QUICK) as dealer:
        path.unlink()
        with pytest.raises(CallRefusedError, match="TOKEN_EXPIRED"):
            await dealer.operator.open_game()


async def test_a_token_alone_is_not_tried_twice(fake: FakeDealer) -> None:
    fake.faults.calls["OpenGame"] = [EXPIRED]
    async with Dealer.connect(fake.address, OLD, surroundings=QUICK) as dealer:
        with pytest.raises(CallRefusedError, match="TOKEN_EXPIRED"):
            await dealer.operator.open_game()


async def test_new_tokens_that_are_not_taken_either_are_tried_a_few_times(
    fake: FakeDealer,
) -> None:
    numbers = iter(range(100))
    fake.faults.calls["OpenGame"] = [EXPIRED] * 20
    async with Dealer.connect(
        fake.address, lambda: token("eve", next(numbers)), surroundings=QUICK
    ) as dealer:
        with pytest.raises(CallRefusedError, match="TOKEN_EXPIRED"):
            await dealer.operator.open_game()
    assert len(set(fake.tokens["OpenGame"])) == MOST_RENEWALS + 1


async def test_two_calls_at_once_read_it_once_each_or_share_it() -> None:
    given = iter([OLD, NEW])
    bearer = Bearer(lambda: next(given))
    assert await bearer.renew(OLD)
    assert await bearer.renew(OLD)
    assert bearer.token == NEW
