"""Errors read as values, and what an operator and an auditor call."""

import os
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2

from cutcard.v1 import entry_pb2, operate_pb2
from dealer_service.client import CallRefusedError, Dealer
from dealer_service.client.bearer import Bearer
from dealer_service.client.calls import Caller, Failed, Patience, Surroundings, Tries
from dealer_service.client.errors import read_error
from dealer_service.client.routes import Routes
from dealer_service.rpc.errors import status_of, status_of_malformed
from dealer_service.rpc.validate import Malformed, Violation
from tests.support.fake_dealer import FakeDealer, Fault, token_for

QUICK = Surroundings(patience=Patience(attempt=5, total=20, first_wait=0.01, longest_wait=0.05))
DETAILS = "grpc-status-details-bin"


def failed(code: grpc.StatusCode, message: str, details: bytes | None) -> grpc.aio.AioRpcError:
    trailers = grpc.aio.Metadata() if details is None else grpc.aio.Metadata((DETAILS, details))
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailers, message)


# Reading errors.


def test_a_reason_and_its_numbers_are_read() -> None:
    status = status_of("STACK_FULL", "at most 500", {"most": "500"})
    error = failed(grpc.StatusCode.FAILED_PRECONDITION, "at most 500", status.SerializeToString())
    refusal = read_error(error).refusal
    assert (refusal.code, refusal.reason) == ("FAILED_PRECONDITION", "STACK_FULL")
    assert refusal.message == "at most 500"
    assert refusal.metadata == {"most": "500"}
    assert refusal.violations == ()


def test_malformed_fields_are_named() -> None:
    status = status_of_malformed(Malformed((Violation("stack", "too small"),)))
    error = failed(grpc.StatusCode.INVALID_ARGUMENT, "bad", status.SerializeToString())
    assert read_error(error).refusal.violations == (("stack", "too small"),)


@pytest.mark.parametrize("details", [None, b"", b"\xff\xff\xff", b"\x0a"])
def test_an_error_without_readable_details_has_its_codes_name(details: bytes | None) -> None:
    refusal = read_error(failed(grpc.StatusCode.UNAVAILABLE, "gone", details)).refusal
    assert (refusal.reason, refusal.message) == ("UNAVAILABLE", "gone")


def test_details_of_another_kind_are_passed_over() -> None:
    status = status_of("X", "x", {})
    del status.details[:]
    status.details.add().Pack(error_details_pb2.DebugInfo(detail="secret"))
    error = failed(grpc.StatusCode.INTERNAL, "x", status.SerializeToString())
    assert read_error(error).refusal.reason == "INTERNAL"


def test_the_token_is_in_no_repr() -> None:
    token = token_for("ann")
    caller = Caller(QUICK, Bearer(token), Routes(["127.0.0.1:1"]))
    failed_try = Failed(failed(grpc.StatusCode.UNAVAILABLE, "gone", None), "127.0.0.1:1", token)
    assert token not in f"{caller!r} {caller.bearer!s} {failed_try!r}"


# Giving up.


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED"),
    ],
)
async def test_a_last_try_that_the_end_cuts_short_hides_no_reason(
    first: grpc.StatusCode, told: str
) -> None:
    """It had a moment left, and tells less than the one before."""
    times = iter([0.0, 0.5, 1.0])
    around = replace(QUICK, monotonic=lambda: next(times))
    tries = Tries(Caller(around, Bearer(token_for("ann")), Routes(["127.0.0.1:1"])), "", 1.0)
    one, last = (
        Failed(failed(code, code.name, None), "127.0.0.1:1", "")
        for code in (first, grpc.StatusCode.DEADLINE_EXCEEDED)
    )
    await tries.judge(one)
    with pytest.raises(CallRefusedError) as given_up:
        await tries.judge(last)
    assert given_up.value.refusal.reason == told


# An operator and an auditor.


@pytest.fixture
async def fake() -> AsyncIterator[FakeDealer]:
    dealer = FakeDealer()
    await dealer.start()
    yield dealer
    await dealer.stop()


@pytest.fixture
async def dealer(fake: FakeDealer) -> AsyncIterator[Dealer]:
    async with Dealer.connect(fake.address, token_for("house"), surroundings=QUICK) as connected:
        yield connected


async def test_a_game_is_opened_once_however_often_the_call_is_lost(
    fake: FakeDealer, dealer: Dealer
) -> None:
    fake.faults.calls["OpenGame"] = [Fault(), Fault()]
    opened = await dealer.operator.open_game(entry_pb2.RuleSet(seats=6), reference="mine")
    assert opened.rules.seats == 6
    assert len(fake.requests["OpenGame"]) == 3
    assert len({each.request_id for each in fake.requests["OpenGame"]}) == 1


async def test_games_are_listed_over_all_pages(dealer: Dealer) -> None:
    games = [game.game async for game in dealer.operator.list_games()]
    assert games == [f"{number:032x}" for number in range(6)]


async def test_chips_are_followed_over_breaks_each_once(fake: FakeDealer, dealer: Dealer) -> None:
    fake.chips = [operate_pb2.FollowChipsResponse(cursor=n, amount=n) for n in (3, 5, 8, 13)]
    fake.faults.calls["FollowChips"] = [Fault(), Fault()]
    moved = [each.cursor async for each in dealer.operator.follow_chips(3, stop_at_end=True)]
    assert moved == [5, 8, 13]
    assert [each.after for each in fake.requests["FollowChips"]] == [3, 5, 8]


async def test_a_refused_list_says_why(fake: FakeDealer, dealer: Dealer) -> None:
    fake.faults.calls["ListGames"] = [Fault(grpc.StatusCode.PERMISSION_DENIED)]
    with pytest.raises(CallRefusedError, match="PERMISSION_DENIED"):
        [game async for game in dealer.operator.list_games()]


async def test_a_game_file_is_downloaded_whole(
    fake: FakeDealer, dealer: Dealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    fake.faults.calls["GetGameFile"] = [Fault()]
    path = tmp_path / "game"
    size = await dealer.download(simulator.state.opened.game, path)
    assert path.read_bytes() == simulator.game_file()
    assert size == path.stat().st_size


async def test_a_download_that_fails_leaves_what_was_there(
    fake: FakeDealer, dealer: Dealer, tmp_path: Path
) -> None:
    simulator = fake.open_table()
    fake.faults.calls["GetGameFile"] = [Fault(grpc.StatusCode.INTERNAL)]
    path = tmp_path / "game"
    path.write_text("before")
    with pytest.raises(CallRefusedError):
        await dealer.download(simulator.state.opened.game, path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["game"]  # noqa: PTH208 - names are all that matters
