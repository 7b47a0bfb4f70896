"""Requests of the wrong form: every field that is wrong is named at once, and nothing changes."""

from typing import Any

import grpc
import pytest

from cutcard.v1 import entry_pb2, fairness_pb2, operate_pb2, play_pb2
from dealer_service.access.roles import Role
from dealer_service.rpc.server import MAX_REQUEST_BYTES
from tests.support.every_call import (
    CHANGES,
    EVERY,
    GAME,
    OF_A_GAME,
    OPERATE,
    STREAMS,
    invoke,
)
from tests.support.service import Service, listing, refusal, watching

BIG = 2**53

CASES: list[tuple[str, Any, set[str]]] = [
    (
        "TakeSeat",
        play_pb2.TakeSeatRequest(
            request_id="short", game="G", seat=11, stack=0, anchor=b"x", reference="\n"
        ),
        {"request_id", "game", "seat", "stack", "anchor", "reference"},
    ),
    ("TakeSeat", play_pb2.TakeSeatRequest(), {"request_id", "game", "stack"}),
    (
        "LeaveSeat",
        play_pb2.LeaveSeatRequest(request_id="a" * 65, game="", reference="x" * 129),
        {"request_id", "game", "reference"},
    ),
    (
        "AddChips",
        play_pb2.AddChipsRequest(request_id="12345678", game=GAME, amount=BIG, reference="\u00e9"),
        {"amount", "reference"},
    ),
    ("SitOut", play_pb2.SitOutRequest(request_id="has space", game=GAME), {"request_id"}),
    ("ComeBack", play_pb2.ComeBackRequest(request_id="12345678", game=GAME.upper()), {"game"}),
    ("Anchor", play_pb2.AnchorRequest(request_id="12345678", game=GAME), {"anchor"}),
    (
        "Anchor",
        play_pb2.AnchorRequest(
            request_id="12345678", game=GAME, anchor=bytes(32), missing_link=bytes(32)
        ),
        {"missing_hand"},
    ),
    (
        "Anchor",
        play_pb2.AnchorRequest(request_id="12345678", game=GAME, anchor=b"", missing_hand=1),
        {"anchor", "missing_link"},
    ),
    (
        "Anchor",
        play_pb2.AnchorRequest(
            request_id="12345678",
            game=GAME,
            anchor=bytes(32),
            missing_hand=1,
            missing_link=bytes(31),
        ),
        {"missing_link"},
    ),
    ("GiveLink", play_pb2.GiveLinkRequest(game=GAME, link=bytes(33)), {"hand", "link"}),
    (
        "Act",
        play_pb2.ActRequest(request_id="12345678", game=GAME, to=BIG),
        {"hand", "turn", "act", "to"},
    ),
    ("Show", play_pb2.ShowRequest(request_id="1", game="x"), {"request_id", "game", "hand"}),
    ("GetTable", play_pb2.GetTableRequest(game="g" * 32), {"game"}),
    ("Watch", watching("", BIG), {"game", "from"}),
    (
        "OpenGame",
        operate_pb2.OpenGameRequest(reference="\x7f"),
        {"request_id", "reference"},
    ),
    (
        "ListGames",
        operate_pb2.ListGamesRequest(state="over", page_size=1001, page_token="f" * 32),
        {"state", "page_size", "page_token"},
    ),
    ("GetGame", operate_pb2.GetGameRequest(), {"game"}),
    (
        "RemovePlayer",
        operate_pb2.RemovePlayerRequest(request_id="12345678", game=GAME, player=""),
        {"player"},
    ),
    ("FollowChips", operate_pb2.FollowChipsRequest(after=BIG), {"after"}),
    (
        "ListEntries",
        listing(GAME, BIG, 1001),
        {"from", "limit"},
    ),
    (
        "GetInclusionProof",
        fairness_pb2.GetInclusionProofRequest(game=GAME, index=BIG, size=BIG),
        {"index", "size"},
    ),
    ("Prefer", play_pb2.PreferRequest(game=GAME, choices=["bluff"]), {"request_id", "choices"}),
    (
        "Prefer",
        play_pb2.PreferRequest(request_id="12345678", game=GAME, choices=["show", "show"]),
        {"choices"},
    ),
    ("PreSelect", play_pb2.PreSelectRequest(game="G"), {"game", "hand", "act"}),
    ("VoidHand", operate_pb2.VoidHandRequest(game=GAME), {"request_id", "hand"}),
    (
        "GetConsistencyProof",
        fairness_pb2.GetConsistencyProofRequest(game=GAME, to_size=BIG),
        {"from_size", "to_size"},
    ),
]


def caller(service: Service, method: str) -> Any:
    return service.operator if method in OPERATE else service.header("ann", Role.PLAYER)


@pytest.mark.parametrize(("method", "request_", "fields"), CASES)
async def test_all_faults_of_a_request_are_named_at_once(
    service: Service, method: str, request_: Any, fields: set[str]
) -> None:
    told = await refusal(invoke(service, method, request_, caller(service, method)))
    assert (told.code, told.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MALFORMED_REQUEST")
    assert {name for name, _ in told.violations} == fields
    assert all(description for _, description in told.violations)


async def test_all_faults_of_a_rule_set_are_named_at_once(service: Service) -> None:
    rules = entry_pb2.RuleSet(
        variant="stud",
        structure="spread",
        limits=entry_pb2.Limits(small_bet=4, big_bet=2),
        straddle=entry_pb2.StraddleRule(kind="cutoff"),
        rake=entry_pb2.RakeRule(per_ten_thousand=10_001),
        time_bank=entry_pb2.TimeBankRule(start_ms=5, max_ms=4),
        seats=11,
        small_blind=5,
        big_blind=3,
        links="sometimes",
        reveal=entry_pb2.RevealRule(policy="nothing"),
        beacon=entry_pb2.BeaconRule(chain="ab"),
    )
    request = operate_pb2.OpenGameRequest(request_id="12345678", rules=rules)
    told = await refusal(service.operate.OpenGame(request, metadata=service.operator))
    named = {name for name, _ in told.violations}
    assert {
        "rules.variant",
        "rules.structure",
        "rules.limits",
        "rules.limits.big_bet",
        "rules.straddle.kind",
        "rules.rake.per_ten_thousand",
        "rules.rake.caps",
        "rules.time_bank.start_ms",
        "rules.seats",
        "rules.small_blind",
        "rules.reveal.policy",
        "rules.links",
    } <= named
    listed = await service.operate.ListGames(
        operate_pb2.ListGamesRequest(), metadata=service.operator
    )
    assert not listed.games


async def test_bytes_that_are_no_message_are_refused(service: Service) -> None:
    channel: Any = service.channel
    kind = {
        "PlayService": service.play,
        "OperateService": service.operate,
        "TournamentService": service.tournaments,
    }
    for method in EVERY:
        name = next((one for one, stub in kind.items() if hasattr(stub, method)), "FairnessService")
        path = f"/cutcard.v1.{name}/{method}"
        header = caller(service, method)
        if method in STREAMS:
            call = channel.unary_stream(path)(b"\xff\xff\xff", metadata=header).read()
        else:
            call = channel.unary_unary(path)(b"\xff\xff\xff", metadata=header)
        told = await refusal(call)
        assert (method, told.reason) == (method, "MALFORMED_REQUEST")
        assert told.code is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_message_that_is_too_large_is_refused_and_the_dealer_goes_on(
    service: Service,
) -> None:
    request = play_pb2.LeaveSeatRequest(
        request_id="12345678", game=GAME, reference="x" * MAX_REQUEST_BYTES
    )
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await service.play.LeaveSeat(request, metadata=service.header("ann"))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert await service.open_game()


async def test_a_game_that_is_not_there_is_refused(service: Service) -> None:
    for method in OF_A_GAME:
        told = await refusal(invoke(service, method, EVERY[method], caller(service, method)))
        assert (method, told.reason) == (method, "NO_SUCH_GAME")
        assert told.code is grpc.StatusCode.NOT_FOUND


async def test_a_change_of_a_game_that_is_over_is_refused(service: Service) -> None:
    game = await service.open_game()
    await service.close_game(game)
    for method in CHANGES:
        request = type(EVERY[method])()
        request.CopyFrom(EVERY[method])
        request.game = game
        told = await refusal(invoke(service, method, request, caller(service, method)))
        assert (method, told.reason) == (method, "GAME_OVER")
        assert told.code is grpc.StatusCode.FAILED_PRECONDITION
