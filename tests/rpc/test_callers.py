"""For whom a call acts, and what needs no token; who may call what is in `test_access_matrix`."""

from cutcard.v1 import play_pb2
from tests.support.service import Bot, Service, fresh_id, refusal, seated


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
    assert link.reason == "NOT_SEATED"
    assert await service.lines(game) == before


async def test_health_and_reflection_need_no_token(service: Service) -> None:
    from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415 - of this test alone

    stub = health_pb2_grpc.HealthStub(service.channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(service="cutcard.v1.PlayService"))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
