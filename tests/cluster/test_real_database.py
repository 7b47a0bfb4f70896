"""Dealers as processes on a real PostgreSQL: killed, frozen, and with the database away."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zlib import crc32

import grpc.aio
import pytest

from audit_cli.report.finding import Promise
from cutcard.v1 import (
    fairness_pb2,
    fairness_pb2_grpc,
    play_pb2,
    play_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from dealer_service.access.roles import Role
from tests.support.absent_event import registering, structure_of
from tests.support.audits import judge, tell
from tests.support.dealers import PATIENCE, Caller, Dealers, Party, sitting, told_of
from tests.support.postgres import Server, fresh_database, running_server
from tests.support.service import fresh_id, read


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.fixture
def dealers(tmp_path: Path, server: Server) -> Iterator[Dealers]:
    with fresh_database(server) as url, contextlib.ExitStack() as stack:
        made = Dealers(tmp_path, url, stack)
        for name in ("one", "two"):
            made.start(name)
        yield made


@pytest.fixture
async def party(dealers: Dealers) -> AsyncIterator[Party]:
    """Three players at a game of the first dealer, two acts of theirs answered."""
    async with sitting(dealers, "one") as party:
        party.may_act.set()
        for player in party.players:
            await player.until(lambda one: one.find("deck_committed"))
        yield party


async def middle(party: Party) -> dict[tuple[int, int], int]:
    """Wait until somebody has acted, hold the others, and give what was answered so far."""
    first = party.players[0]
    await first.until(lambda one: len(one.find("acted")) >= 2)
    party.may_act.clear()
    assert not first.find("hand_ended")
    return {turn: size for one in party.players for turn, size in one.acts.items()}


async def require_one_history(party: Party, answered: dict[tuple[int, int], int]) -> None:
    """Hold the game to have one deck, each answered act once, and a file that proves it."""
    content = await party.file()
    lines = [line for line in content.splitlines()[1:] if not line.startswith(b'{"checkpoint"')]
    entries = [read(line) for line in lines]
    assert [kind for kind, _ in entries].count("deck_committed") == 1
    for player in party.players:
        assert player.lines == dict(enumerate(lines))
        answered = answered | player.acts
    turns = [body["turn"] for kind, body in entries if kind == "acted"]
    assert len(set(turns)) == len(turns)
    assert {turn for _, turn in answered} <= set(turns)
    report = judge(content, key=await party.key())
    assert report.exit_status() == 0, tell(report)


async def test_the_owner_is_killed_in_the_middle_of_a_hand(dealers: Dealers, party: Party) -> None:
    answered = await middle(party)
    dealers.kill("one")
    party.may_act.set()
    await party.has_ended()
    await require_one_history(party, answered)


async def test_the_owner_is_frozen_past_its_lease_and_wakes(dealers: Dealers, party: Party) -> None:
    """What was asked meanwhile is done once, at the new owner; the old one forks nothing."""
    answered = await middle(party)
    frozen = dealers.running["one"]
    dealers.signal("one", signal.SIGSTOP)
    party.may_act.set()
    await party.has_ended()
    dealers.signal("one", signal.SIGCONT)
    await require_one_history(party, answered)
    # It serves again: what it tells of the game is what the new owner wrote.
    late = Caller(dealers, "eve", Role.PLAYER)
    late.at = frozen.address
    stub = play_pb2_grpc.PlayServiceStub(late.channel())
    lines: dict[int, bytes] = {}
    over = None
    while over != "end":
        try:
            request = play_pb2.WatchRequest(game=party.game)
            async for message in stub.Watch(
                request, metadata=late.header, timeout=30, wait_for_ready=True
            ):
                for index, line in enumerate(message.lines, message.first):
                    assert lines.setdefault(index, line) == line
            over = "end"
        except grpc.aio.AioRpcError as error:
            told = told_of(error)
            assert told is None or told.reason in {"GAME_MOVING", "GAME_ELSEWHERE"}
    assert lines == party.players[0].lines
    await late.close()
    status, _ = frozen.stop()
    assert status == 0


@pytest.mark.parametrize("how", ["stop", "crash"])
async def test_the_database_ends_and_comes_back(
    server: Server, dealers: Dealers, party: Party, how: str
) -> None:
    """The dealers live on; what waited is written once, and the hand ends."""
    answered = await middle(party)
    getattr(server, how)()
    party.may_act.set()
    server.start()
    await party.has_ended()
    await require_one_history(party, answered)
    assert [one.process.poll() for one in dealers.running.values()] == [None, None]


async def test_dealers_are_replaced_one_after_another_while_a_hand_is_played(
    dealers: Dealers, party: Party
) -> None:
    answered = await middle(party)
    stopping = dealers.running.pop("one")
    stopping.process.send_signal(signal.SIGTERM)
    party.may_act.set()
    await party.has_ended()
    assert stopping.process.wait() == 0
    again = dealers.start("one")
    assert again.first_event["event"] == "serving"
    await require_one_history(party, answered)


async def test_three_dealers_share_what_a_killed_one_leaves(dealers: Dealers) -> None:
    """Each of the two that live takes its share; one that stalls for a beat leaves it to the other.

    That is another node's right, so that a machine which stood still is asked again.
    """
    dealers.start("three")
    took: set[str] = set()
    for _ in range(5):
        async with contextlib.AsyncExitStack() as stack:
            parties: list[Party] = []
            while len({crc32(party.game.encode()) % 2 for party in parties}) < 2:
                parties.append(await stack.enter_async_context(sitting(dealers, "one")))
            dealers.kill("one")
            for party in parties:
                party.may_act.set()
            for party in parties:
                await party.has_ended()
                await require_one_history(party, {})
                # Only its owner answers an act.
                took |= {dealers.name_at(one.at) for one in party.players if one.acts}
        if took == {"two", "three"}:
            break
        dealers.start("one")
    assert took == {"two", "three"}


@contextlib.asynccontextmanager
async def calling(dealers: Dealers, *players: str) -> AsyncIterator[list[Caller]]:
    """Give an operator, who calls the first dealer first, and players."""
    callers = [Caller(dealers, "operator", Role.OPERATOR)]
    callers += [Caller(dealers, name, Role.PLAYER) for name in players]
    callers[0].at = dealers.running["one"].address
    try:
        yield callers
    finally:
        for caller in callers:
            await caller.close()


def event_stub(channel: grpc.aio.Channel) -> tournament_pb2_grpc.TournamentServiceStub:
    return tournament_pb2_grpc.TournamentServiceStub(channel)


async def follow(caller: Caller, event: str, lines: dict[int, bytes], *, hands: int = 0) -> None:
    """Follow a tournament to its end, or until so many hands have started."""
    async with asyncio.timeout(PATIENCE):
        while True:
            request = tournament_pb2.WatchTournamentRequest(tournament=event)
            stream = event_stub(caller.channel()).WatchTournament(request, metadata=caller.header)
            try:
                async for message in stream:
                    for index, line in enumerate(message.lines, message.first):
                        assert lines.setdefault(index, line) == line
                    started = sum(b'"hand_started":{' in one for one in lines.values())
                    if 0 < hands <= started:
                        break
            except grpc.aio.AioRpcError as error:
                await caller.mind(error)
            else:
                return
            finally:
                stream.cancel()


async def file_of(caller: Caller, game: str) -> bytes:
    stub = fairness_pb2_grpc.FairnessServiceStub(caller.channel())
    request = fairness_pb2.GetGameFileRequest(game=game)
    parts = [part.chunk async for part in stub.GetGameFile(request, metadata=caller.header)]
    return b"".join(parts)


async def test_a_tournament_goes_on_whole_when_its_owner_is_killed(dealers: Dealers) -> None:
    """Its tables go with it; what anybody was told of it stays, and its files prove it."""
    async with calling(dealers, *"abcd") as (operator, *players):
        structure = structure_of(hands=2, turn_ms=1_000, link_ms=1_000)
        asked = tournament_pb2.OpenTournamentRequest(request_id=fresh_id(), structure=structure)
        opened = await operator.call(lambda at: event_stub(at).OpenTournament, asked)
        event = opened.tournament
        for player in players:
            await player.call(lambda at: event_stub(at).Register, registering(event))
        lines: dict[int, bytes] = {}
        await follow(operator, event, lines, hands=2)
        dealers.kill("one")
        operator.at = dealers.running["two"].address
        await follow(operator, event, lines)
        games = [
            body["game"]
            for kind, body in (read(lines[index]) for index in sorted(lines))
            if kind == "table_opened"
        ]
        content = b"".join([await file_of(operator, game) for game in (event, *games)])
        key = await operator.call(
            lambda at: fairness_pb2_grpc.FairnessServiceStub(at).GetKey,
            fairness_pb2.GetKeyRequest(),
        )
        report = judge(content, key=key.key, require=(Promise.LINKED, Promise.PLACED))
        assert report.exit_status() == 0, tell(report)
