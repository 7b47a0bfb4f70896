"""Whatever is asked and stopped in a session, in whatever company: each call ends once."""

from collections import Counter
from random import Random

import pytest

from cutcard.v1 import play_pb2
from dealer_service.rpc import session
from tests.support.service import Bot, Service, fresh_id, seated, stop, waiting, watching
from tests.support.talk import Talk, talking, token_of


def asked(talk: Talk, chance: Random, games: list[str]) -> play_pb2.SessionCall:
    """Draw a call: good or bad, with one answer or a stream, one that waits among them."""
    game = chance.choice([*games, "0" * 32, "no game"])
    bearer = chance.choice((0, 1, 2, 9))
    match chance.randrange(4):
        case 0:
            return talk.call(bearer, get_table=play_pb2.GetTableRequest(game=game))
        case 1:
            return talk.call(bearer, watch=watching(game, chance.choice((0, 0, 1, 500))))
        case 2:
            request_id = chance.choice((fresh_id(), "the-same-id"))
            request = play_pb2.AddChipsRequest(request_id=request_id, game=game, amount=1)
            return talk.call(bearer, add_chips=request)
        case _:
            act = play_pb2.ActRequest(
                request_id=fresh_id(),
                game=game,
                hand=1,
                turn=chance.randrange(4),
                act=play_pb2.ACT_FOLD,
            )
            return talk.call(bearer, act=act)


@pytest.mark.parametrize("full", [1, 1024 * 1024], ids=["full at once", "with room"])
@pytest.mark.parametrize("seed", range(3))
async def test_each_call_is_answered_to_its_end_once(
    service: Service, monkeypatch: pytest.MonkeyPatch, seed: int, full: int
) -> None:
    monkeypatch.setattr(session, "FULL", full)
    monkeypatch.setattr(session, "MAX_CALLS", 40)
    chance = Random(seed)
    games = [await service.open_game() for _ in range(2)]
    bots: list[Bot] = []
    for game in games:
        bots += await seated(service, game, "ann", "bob", policy=waiting)
    calls: dict[int, play_pb2.SessionCall] = {}
    async with talking(service) as talk:
        for _ in range(60):
            drawn = [asked(talk, chance, games) for _ in range(chance.randrange(6))]
            calls |= {one.call: one for one in drawn}
            known = sorted(calls)
            stopped = chance.sample(known, min(len(known), chance.randrange(8)))
            tokens = {
                number: chance.choice(("", "x.y.z", token_of(service.header("bob"))))
                for number in chance.sample((1, 2), chance.randrange(3))
            }
            await talk.send(*drawn, bearers=tokens, stopped=tuple(stopped))
        await talk.send(stopped=tuple(calls))
        await talk.stream.done_writing()
        assert await talk.until_over() == "OK"
        lasts: Counter[int] = Counter()
        for answer in talk.heard:
            for call in answer.calls:
                assert not lasts[call], "told after its end"
                lasts[call] += not answer.HasField("watch")
        assert lasts == Counter(calls.keys())
    for game in games:
        audience = service.table(game).audience
        await bots[0].until_given(lambda: len(audience) == 2)  # noqa: B023 - it is waited for
    await stop(bots)
