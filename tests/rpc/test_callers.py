"""Who may call what: the role that a call is for, with a token of this dealer that is valid."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import play_pb2
from dealer_service.access.roles import METHODS, Role
from dealer_service.access.tokens import TokenKey, issue, make_token_key
from tests.support.every_call import EVERY, OPERATE, PLAY, invoke
from tests.support.service import ORIGIN, Bot, Service, fresh_id, metadata, refusal, seated


def role_for(method: str) -> Role:
    return Role.OPERATOR if method in OPERATE else Role.PLAYER


def test_the_table_of_calls_is_whole() -> None:
    assert {name.rpartition("/")[2] for name in METHODS} == EVERY.keys()


async def require_refused(service: Service, reason: str, header: Callable[[str], Any]) -> None:
    """Make every call with a header that `header` gives for it: each is refused."""
    for method, request in EVERY.items():
        told = await refusal(invoke(service, method, request, header(method)))
        assert (method, told.code, told.reason) == (
            method,
            grpc.StatusCode.UNAUTHENTICATED,
            reason,
        )


async def test_every_call_needs_a_token(service: Service) -> None:
    await require_refused(service, "TOKEN_MISSING", lambda _: None)


async def test_every_call_refuses_an_expired_token(service: Service) -> None:
    key, past = service.dealer.keys.token, time.time() - 7200
    await require_refused(
        service,
        "TOKEN_EXPIRED",
        lambda method: metadata(key, "ann", role_for(method), now=past),
    )


async def test_every_call_refuses_another_dealers_token(service: Service) -> None:
    key = service.dealer.keys.token
    await require_refused(
        service,
        "WRONG_ISSUER",
        lambda method: metadata(key, "ann", role_for(method), origin="dealer.example.net"),
    )


async def test_every_call_refuses_a_token_under_another_key(
    service: Service, tmp_path: Path
) -> None:
    other = make_token_key(tmp_path / "other.key", bytes(range(32)))
    await require_refused(
        service, "TOKEN_INVALID", lambda method: metadata(other, "ann", role_for(method))
    )


async def test_a_call_of_one_role_is_refused_to_the_other(service: Service) -> None:
    for method in (*PLAY, *OPERATE):
        other = Role.PLAYER if role_for(method) is Role.OPERATOR else Role.OPERATOR
        told = await refusal(invoke(service, method, EVERY[method], service.header("ann", other)))
        assert (told.code, told.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_NOT_ALLOWED")
        assert (told.metadata["method"], told.metadata["role"]) == (method, str(other))


@pytest.mark.parametrize(
    "header",
    ["Basic YTpi", "Bearer", "Bearer x.y.z", "Bearer " + "A" * 5000, "bearer  "],
)
async def test_what_is_no_token_is_refused(service: Service, header: str) -> None:
    told = await refusal(invoke(service, "GetKey", EVERY["GetKey"], (("authorization", header),)))
    assert told.reason in {"TOKEN_MISSING", "TOKEN_INVALID"}
    assert header[7:].strip() == "" or header[7:] not in told.message


def unknown_role(key: TokenKey) -> str:
    return issue(key, "ann", "dealer", ttl=60, now=time.time(), origin=ORIGIN)  # type: ignore[arg-type]


async def test_a_role_that_is_none_is_refused(service: Service) -> None:
    header = (("authorization", f"Bearer {unknown_role(service.dealer.keys.token)}"),)
    told = await refusal(invoke(service, "GetKey", EVERY["GetKey"], header))
    assert told.reason == "TOKEN_INVALID"


async def test_nobody_acts_for_another_seat(service: Service) -> None:
    """A call is for the seat of its token's player alone; who has no seat is refused."""
    game = await service.open_game()
    ann, bob = await seated(service, game, "ann", "bob", policy=lambda *_: None)
    turn = await ann.until(lambda bot: bot.decision)
    mine, other = (ann, bob) if turn.seat == ann.seat else (bob, ann)
    eve = Bot(service, "eve")
    eve.game = game
    before = await service.lines(game)
    told = await refusal(other.act(turn.hand, turn.turn, play_pb2.ACT_FOLD))
    assert (told.reason, told.metadata["to_act"]) == ("NOT_YOUR_TURN", str(mine.seat))
    assert (await refusal(eve.act(turn.hand, turn.turn, play_pb2.ACT_FOLD))).reason == "NOT_SEATED"
    assert (await refusal(eve.leave())).reason == "NOT_SEATED"
    show = play_pb2.ShowRequest(request_id=fresh_id(), game=game, hand=1)
    told = await refusal(service.play.Show(show, metadata=eve.header))
    assert told.reason == "NOT_SEATED"
    link = await refusal(eve.give_link(1, bytes(32)))
    assert link.reason == "NO_FROZEN_ANCHOR"
    assert await service.lines(game) == before


async def test_health_and_reflection_need_no_token(service: Service) -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415 - of this test alone

    stub = health_pb2_grpc.HealthStub(service.channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(service="cutcard.v1.PlayService"))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
