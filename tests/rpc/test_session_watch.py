"""Watching in a session: what several are told comes once, and what is one's own to it alone."""

from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import play_pb2, play_pb2_grpc
from dealer_service.rpc import session
from dealer_service.tables import watchers
from tests.rpc.test_streams import unread
from tests.support.service import Bot, Service, seated, serving, watching
from tests.support.talk import Talk, reason_in, refusal_in, talking, token_of

NAMES = ("ann", "bob", "eve")


async def watch_all(
    talk: Talk, service: Service, game: str, *names: str
) -> dict[str, play_pb2.SessionCall]:
    """Watch a game as each of some players, and give the calls when all were told of it."""
    tokens = {number: token_of(service.header(name)) for number, name in enumerate(names, 1)}
    calls = {name: talk.call(number, watch=watching(game)) for number, name in enumerate(names, 1)}
    await talk.send(*calls.values(), bearers=tokens)
    for call in calls.values():
        await talk.next(call)
    return calls


def lines(told: list[play_pb2.WatchResponse]) -> list[bytes]:
    return [line for one in told for line in one.lines]


def hands_of(told: list[play_pb2.WatchResponse]) -> list[tuple[int, str]]:
    """List the cards that are told to one alone."""
    return [(one.hand, one.card) for message in told for one in message.openings]


async def played(service: Service, talk: Talk, game: str, calls: Any) -> list[Bot]:
    """Have ann and bob play a game to its end, and wait for the end of every watch."""
    bots = await seated(service, game, "ann", "bob")
    for bot in bots:
        assert await bot.until_over() == "end"
    for call in calls.values():
        assert (await talk.last(call)).WhichOneof("answer") == "end"
    return bots


async def test_each_is_told_what_its_own_stream_tells(service: Service) -> None:
    """Its own cards and nobody else's among it."""
    game = await service.open_game(max_hands=3)
    async with talking(service) as talk:
        calls = await watch_all(talk, service, game, *NAMES)
        bots = await played(service, talk, game, calls)
        told = {name: talk.told(call) for name, call in calls.items()}
    heard = {bot.name: bot for bot in bots}
    for name in NAMES:
        assert lines(told[name]) == [line for _, line in sorted(heard["ann"].lines.items())]
    for name in ("ann", "bob"):
        own = [(one.hand, one.card) for one in heard[name].openings]
        assert hands_of(told[name]) == own
        assert len(own) == 6
    assert not hands_of(told["eve"])


async def test_what_is_the_same_for_all_comes_once(service: Service) -> None:
    game = await service.open_game(max_hands=2)
    async with talking(service) as talk:
        calls = await watch_all(talk, service, game, *NAMES)
        numbers = sorted(call.call for call in calls.values())
        await Bot(service, "dan").sit(game, watch=False)
        answers = [await talk.until_line(call, b"dan") for call in calls.values()]
    assert answers[0] is answers[1] is answers[2]
    assert sorted(answers[0].calls) == numbers


async def test_own_cards_never_go_to_another_call(service: Service) -> None:
    game = await service.open_game(max_hands=3)
    async with talking(service) as talk:
        calls = await watch_all(talk, service, game, *NAMES)
        await played(service, talk, game, calls)
        own = [one for one in talk.heard if one.watch.openings]
    by_call = {calls["ann"].call, calls["bob"].call}
    assert len(own) == 6
    assert all(len(one.calls) == 1 and one.calls[0] in by_call for one in own)


async def test_it_begins_at_any_line(service: Service) -> None:
    game = await service.open_game()
    await Bot(service, "dan").sit(game, watch=False)
    async with talking(service) as talk:
        call = talk.call(watch=watching(game, 1))
        await talk.send(call)
        first = (await talk.next(call)).watch
    assert first.first == 1
    assert b"dan" in first.lines[0]


async def test_who_watches_in_a_session_is_there(service: Service) -> None:
    """A player's clock is of one who is connected."""
    game = await service.open_game()
    audience = service.table(game).audience
    async with talking(service) as talk:
        calls = await watch_all(talk, service, game, "ann")
        assert audience.has("ann")
        await talk.send(stopped=(calls["ann"].call,))
        assert reason_in(await talk.last(calls["ann"])) == "CANCELLED"
        assert not audience.has("ann")


async def test_nothing_is_lost_while_too_much_waits_to_be_sent(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watches wait for one another's messages to leave, calls do not."""
    monkeypatch.setattr(session, "FULL", 1)
    game = await service.open_game(max_hands=3)
    async with talking(service) as talk:
        calls = await watch_all(talk, service, game, *NAMES)
        (ann, _) = await played(service, talk, game, calls)
        for call in calls.values():
            assert lines(talk.told(call)) == [line for _, line in sorted(ann.lines.items())]


async def test_a_watch_that_is_too_far_behind_is_told_where_to_go_on(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It alone ends; the session goes on."""
    monkeypatch.setattr(session, "FULL", 1)
    game = await service.open_game()
    await service.pause(game)
    table = service.table(game)
    async with unread(service) as channel:
        play = play_pb2_grpc.PlayServiceStub(channel)
        stream: Any = play.Session(metadata=service.header("ann"))
        await stream.write(
            play_pb2.SessionRequest(calls=[play_pb2.SessionCall(call=1, watch=watching(game))])
        )
        dan = Bot(service, "dan")
        await dan.until_given(lambda: len(table.audience) == 1)
        monkeypatch.setattr(watchers, "MAX_BACKLOG", 2)
        for name in ("bob", "cleo", "dan", "eve"):
            await Bot(service, name).sit(game, watch=False)
        await stream.write(
            play_pb2.SessionRequest(
                calls=[play_pb2.SessionCall(call=2, get_table=play_pb2.GetTableRequest(game=game))]
            )
        )
        answers: list[play_pb2.SessionAnswer] = []
        while not {1, 2} <= {one.calls[0] for one in answers if not one.HasField("watch")}:
            answers += (await stream.read()).answers
        stream.cancel()
    told = [one.watch for one in answers if one.HasField("watch")]
    refused = next(one for one in answers if one.HasField("refused"))
    _, reason, metadata = refusal_in(refused)
    assert (list(refused.calls), reason) == ([1], "WATCHED_TOO_SLOWLY")
    assert int(metadata["resume"]) == len(lines(told))


async def test_of_a_game_that_is_over_it_is_told_whole(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        game = await service.open_game(max_hands=1)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
    async with serving(tmp_path) as service, talking(service) as talk:
        call = talk.call(watch=watching(game))
        await talk.send(call)
        assert (await talk.last(call)).WhichOneof("answer") == "end"
        assert lines(talk.told(call)) == [line for _, line in sorted(ann.lines.items())]
