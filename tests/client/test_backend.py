"""Many players at real dealers over one stream a node: nothing is otherwise than by itself."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from audit_cli.report.finding import ExitStatus, Promise
from cutcard.v1 import entry_pb2, play_pb2, play_pb2_grpc
from dealer_service.access.roles import Role
from dealer_service.access.tokens import TokenKey, issue, load_token_key
from dealer_service.bots.house import play_all, seat_players
from dealer_service.bots.player import Ending, Manner
from dealer_service.client import (
    Act,
    Backend,
    CallRefusedError,
    Dealer,
    Event,
    HandOver,
    HandStarted,
    MyTurn,
    Seat,
)
from dealer_service.client.bearer import Bearer
from dealer_service.client.calls import Patience, Surroundings
from dealer_service.client.carried import CarriedPlay
from dealer_service.client.routes import Link
from dealer_service.tables.clock import SystemClock
from tests.support import commands
from tests.support.audits import judge, tell
from tests.support.nodes import Nodes, sharing
from tests.support.ports import free_port
from tests.support.service import (
    ORIGIN,
    PATIENCE,
    Bot,
    Service,
    fresh_id,
    refusal,
    refusal_of_stream,
    seated,
    serving,
    stop,
    watching,
)

NAMES = ("ann", "ben", "cleo")
QUICK = Surroundings(patience=Patience(attempt=10, total=60, first_wait=0.01, longest_wait=0.1))


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    clock = SystemClock()
    async with serving(tmp_path / "dealer", clock=clock) as serves, asyncio.timeout(PATIENCE):
        yield serves


@pytest.fixture
async def carried(service: Service) -> AsyncIterator[CarriedPlay]:
    """The service's stub, all of whose calls one stream carries; bots of the service use it."""
    play = CarriedPlay(service.channel, Bearer(token(service, "backend")), time.time)
    service.play = cast("play_pb2_grpc.PlayServiceStub", play)
    yield play
    await play.close()


def token(service: Service, name: str, role: Role = Role.PLAYER) -> str:
    return dict(service.header(name, role))["authorization"].removeprefix("Bearer ")


def old_token(key: TokenKey, name: str) -> str:
    """Make a token that has expired."""
    return issue(key, name, Role.PLAYER, ttl=60, now=time.time() - 3600, origin=ORIGIN)


def backend_at(service: Service) -> Backend:
    own = token(service, "backend")
    return Backend.connect(service.address, own, key=service.key, surroundings=QUICK)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)


async def play(seat: Seat, over: asyncio.Event) -> None:
    """Check and call to the end, and say when a hand is over."""
    async for event in seat:
        if isinstance(event, MyTurn):
            await seat.act(Act.CALL if event.decision.call else Act.CHECK)
        if isinstance(event, HandOver):
            over.set()


class TestPlaying:
    async def test_players_at_several_tables_play_whole_games_that_are_proved(
        self, service: Service, tmp_path: Path
    ) -> None:
        """Each of them sits at both, with a record and a chain for each."""
        async with backend_at(service) as backend:
            players = [backend.player(token(service, name)) for name in NAMES]
            operator = backend.player(token(service, "boss", Role.OPERATOR))
            games = await asyncio.gather(
                *(whole_game(operator, players, tmp_path / folder) for folder in ("one", "two"))
            )
            assert [lanes(link) for link in backend._routes._links.values()] == [1]
        for game, records in games:
            file = await service.file(game)
            assert len(records) == len(NAMES)
            for record in records:
                report = judge(file, key=service.key, mine=record.read_bytes())
                assert report.exit_status() is ExitStatus.HOLDS, tell(report)
                assert Promise.PLAYER_MIXED in report.asked

    async def test_a_private_card_goes_to_its_own_player_alone(
        self, service: Service, carried: CarriedPlay
    ) -> None:
        """Though all of them, and one without a seat, are told the lines by one message."""
        game = await service.open_game(turn_ms=60_000, link_ms=60_000, max_hands=1)
        eve = Bot(service, "eve")
        eve.watch(game)
        await service.pause(game)
        bots = await seated(service, game, *NAMES)
        await service.resume(game)
        for bot in (*bots, eve):
            assert await bot.until_over() == "end"
        assert len(carried._lanes) == 1
        own = [{one.position for one in bot.openings} for bot in bots]
        assert [len(positions) for positions in own] == [2, 2, 2]
        assert len(set.union(*own)) == 6
        assert eve.openings == []
        assert all(bot.lines == eve.lines for bot in bots)
        await stop([*bots, eve])


async def whole_game(
    operator: Dealer, players: list[Dealer], folder: Path
) -> tuple[str, list[Path]]:
    """Let house players play a game of some hands; the game, and each one's record."""
    rules = entry_pb2.RuleSet(small_blind=50, big_blind=100, turn_ms=60_000, link_ms=60_000)
    game = (await operator.operator.open_game(rules)).game
    await operator.operator.pause(game)
    closing: list[asyncio.Task[int]] = []

    def hear(event: Event) -> None:
        if isinstance(event, HandStarted) and event.hand == 4:
            closing.append(asyncio.create_task(operator.operator.close(game)))

    seated = await seat_players(players, game, folder, Manner(10_000), seed=7, hear=hear)
    records = [player.seat.record_path for player in seated]
    stays = await play_all(seated, begin=lambda: operator.operator.resume(game))
    await asyncio.gather(*closing)
    assert [(stay.ending, stay.refused_acts) for stay in stays] == [(Ending.CLOSED, 0)] * 3
    return game, records


Calls = Callable[[Any, str], Any]
"""calls(stub, game): a request, made through either stub."""


def acted(play: Any, game: str, header: Any, **changed: Any) -> Any:
    fields: dict[str, Any] = {
        "request_id": fresh_id(),
        "game": game,
        "hand": 1,
        "turn": 1,
        "act": play_pb2.ACT_FOLD,
    }
    return play.Act(play_pb2.ActRequest(**fields | changed), metadata=header)


class TestRefusals:
    """Each is the same, whichever way the call came: code, reason, words, numbers and fields."""

    @pytest.mark.parametrize(
        "what",
        ["no game", "no turn", "malformed", "role", "table", "invalid token", "no line"],
    )
    async def test_a_call_over_the_stream_is_refused_as_by_itself(
        self, service: Service, carried: CarriedPlay, what: str
    ) -> None:
        game = await service.open_game()
        ann = service.header("ann")
        elsewhere = service.header("ann", None, {"ab" * 16: Role.PLAYER})
        calls: dict[str, Calls] = {
            "no game": lambda play, _: acted(play, "0" * 32, ann),
            "no turn": lambda play, game: acted(play, game, ann),
            "malformed": lambda play, _: acted(play, "no id", ann, request_id="?"),
            "role": lambda play, game: acted(play, game, service.operator),
            "table": lambda play, game: acted(play, game, elsewhere),
            "invalid token": lambda play, game: acted(
                play, game, (("authorization", "Bearer nonsense"),)
            ),
            "no line": lambda play, game: play.Watch(watching(game, 99), metadata=ann),
        }
        judged = refusal_of_stream if what == "no line" else refusal
        by_itself = play_pb2_grpc.PlayServiceStub(service.channel)
        over_the_stream = await judged(calls[what](carried, game))
        assert over_the_stream == await judged(calls[what](by_itself, game))
        assert len(carried._lanes) == 1

    async def test_who_shows_no_token_is_refused(
        self, service: Service, carried: CarriedPlay
    ) -> None:
        game = await service.open_game()
        told = await refusal(carried.GetTable(play_pb2.GetTableRequest(game=game)))
        assert told.reason == "TOKEN_MISSING"

    async def test_a_change_is_made_once_whichever_way_it_comes_again(
        self, service: Service, carried: CarriedPlay
    ) -> None:
        game = await service.open_game()
        request = play_pb2.TakeSeatRequest(
            request_id=fresh_id(), game=game, stack=200, accepts_reveal="all_cards"
        )
        by_itself = play_pb2_grpc.PlayServiceStub(service.channel)
        answers = [
            await stub.TakeSeat(request, metadata=service.header("ann"))
            for stub in (carried, by_itself, carried)
        ]
        assert answers[0] == answers[1] == answers[2]
        table = await by_itself.GetTable(
            play_pb2.GetTableRequest(game=game), metadata=service.header("ann")
        )
        assert [seat.player for seat in table.seats] == ["ann"]


class TestTokens:
    async def test_a_players_is_read_again_when_it_has_expired(
        self, service: Service, tmp_path: Path
    ) -> None:
        game, path = await service.open_game(), tmp_path / "ann.token"
        path.write_text(old_token(service.dealer.keys.token, "ann"))
        async with backend_at(service) as backend:
            ann, ben = backend.player(path), backend.player(token(service, "ben"))
            path.write_text(token(service, "ann"))
            tables = await asyncio.gather(ann.table(game), ben.table(game))
            assert [table.game for table in tables] == [game, game]

    async def test_one_that_does_not_hold_is_told_to_its_own_player_alone(
        self, service: Service
    ) -> None:
        game = await service.open_game()
        async with backend_at(service) as backend:
            ann = backend.player(old_token(service.dealer.keys.token, "ann"))
            ben = backend.player(token(service, "ben"))
            told = await asyncio.gather(ann.table(game), ben.table(game), return_exceptions=True)
            assert isinstance(told[0], CallRefusedError)
            assert told[0].refusal.reason == "TOKEN_EXPIRED"
            assert isinstance(told[1], play_pb2.GetTableResponse)

    async def test_the_backends_own_is_read_again_and_no_player_hears_of_it(
        self, service: Service, tmp_path: Path
    ) -> None:
        game, path = await service.open_game(), tmp_path / "own.token"
        path.write_text(old_token(service.dealer.keys.token, "backend"))
        async with Backend.connect(service.address, path, surroundings=QUICK) as backend:
            path.write_text(token(service, "backend"))
            ann = backend.player(token(service, "ann"))
            assert (await ann.table(game)).game == game

    async def test_a_newer_one_of_the_backend_keeps_its_stream_at_the_dealer(
        self, service: Service, tmp_path: Path
    ) -> None:
        """It is shown there before the one expires that opened the stream."""
        game, path = await service.open_game(), tmp_path / "own.token"

        def lasting(hours: int) -> str:
            key, seconds = service.dealer.keys.token, hours * 3600
            return issue(key, "backend", Role.WATCHER, ttl=seconds, now=time.time(), origin=ORIGIN)

        path.write_text(lasting(1))
        late = replace(QUICK, wall=lambda: time.time() + 3600 - 5)
        async with Backend.connect(service.address, path, surroundings=late) as backend:
            path.write_text(lasting(2))
            ann = backend.player(token(service, "ann"))
            assert (await ann.table(game)).game == game
            (open_one,) = service.dealer._sessions._open
            (itself,) = open_one._bearers._kept[0]
            await until(lambda: itself.term.expires > time.time() + 3600)
            assert (await ann.table(game)).game == game
            assert service.dealer._sessions._open == {open_one}

    async def test_where_the_backend_has_no_other_every_call_says_so(
        self, service: Service
    ) -> None:
        game = await service.open_game()
        own = old_token(service.dealer.keys.token, "backend")
        async with Backend.connect(service.address, own, surroundings=QUICK) as backend:
            ann = backend.player(token(service, "ann"))
            with pytest.raises(CallRefusedError, match="token of the stream of all calls"):
                await ann.table(game)


class TestLeaving:
    async def test_of_who_closes_nothing_is_left_and_the_others_play_on(
        self, service: Service, tmp_path: Path
    ) -> None:
        game = await service.open_game(turn_ms=60_000, link_ms=60_000)
        await service.pause(game)
        async with backend_at(service) as backend:
            players = [backend.player(token(service, name)) for name in NAMES]
            seats = [await one.sit(game, stack=200, directory=tmp_path) for one in players]
            audience = service.table(game).audience
            await until(lambda: all(audience.has(name) for name in NAMES))
            await players[2].close()
            await until(lambda: not audience.has("cleo"))
            await seats[1].sit_out()
            assert audience.has("ann")
            assert audience.has("ben")
        await until(lambda: not any(audience.has(name) for name in NAMES))

    async def test_a_backend_that_vanishes_is_let_go_of_at_once(
        self, service: Service, tmp_path: Path
    ) -> None:
        """As if its process had been killed: nothing is said to the dealer."""
        game = await service.open_game(turn_ms=60_000, link_ms=60_000)
        backend = backend_at(service)
        ann = backend.player(token(service, "ann"))
        spectator = await backend.player(token(service, "eve")).watch(game)
        await ann.sit(game, stack=200, directory=tmp_path)
        audience = service.table(game).audience
        await until(lambda: audience.has("ann") and audience.has("eve"))
        (link,) = backend._routes._links.values()
        await link._channel.close()
        await until(lambda: not audience.has("ann") and not audience.has("eve"))
        assert spectator.refused is None
        await backend.close()


class TestBreaks:
    async def test_a_dealer_that_is_killed_and_started_again_goes_on_with_all_of_them(
        self, tmp_path: Path
    ) -> None:
        folder, address = tmp_path / "dealer", f"127.0.0.1:{free_port()}"
        options = ("--directory", folder, "--origin", ORIGIN, "--listen", address)

        def shown(name: str, role: Role = Role.PLAYER) -> str:
            key = load_token_key(folder / "token.key")
            return issue(key, name, role, ttl=3600, now=time.time(), origin=ORIGIN)

        with commands.serving(tmp_path, *options) as first:
            backend = Backend.connect(address, shown("backend"), surroundings=QUICK)
            operator = backend.player(shown("boss", Role.OPERATOR))
            rules = entry_pb2.RuleSet(turn_ms=600_000, link_ms=600_000)
            game = (await operator.operator.open_game(rules)).game
            await operator.operator.pause(game)
            seats = [
                await backend.player(shown(name)).sit(game, stack=200, directory=tmp_path)
                for name in NAMES
            ]
            over = asyncio.Event()
            playing = [asyncio.create_task(play(seat, over)) for seat in seats]
            first.process.kill()
            first.process.wait()
        with commands.serving(tmp_path, *options):
            async with asyncio.timeout(PATIENCE):
                await operator.operator.resume(game)
                await over.wait()
                await operator.operator.close(game)
                await asyncio.gather(*playing)
                await backend.player(shown("eve")).download(game, tmp_path / "game")
            key = str(await operator.key())
            records = [seat.record_path.read_bytes() for seat in seats]
            await backend.close()
        for record in records:
            report = judge((tmp_path / "game").read_bytes(), key=key, mine=record)
            assert report.exit_status() is ExitStatus.HOLDS, tell(report)

    async def test_who_is_sent_to_another_node_goes_there_by_a_stream_of_that_node(
        self, tmp_path: Path
    ) -> None:
        async with asyncio.timeout(PATIENCE), sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            games = [await one.open_game(turn_ms=600_000), await two.open_game(turn_ms=600_000)]
            async with backend_among(nodes, two) as backend:
                players = [backend.player(token(two, name)) for name in NAMES]
                for player in players:
                    for game in games:
                        folder = tmp_path / f"at {game}"
                        await player.sit(game, stack=200, directory=folder)
                homes = zip((one, two), games, strict=True)
                for service, game in homes:
                    seats = service.table(game).standing.state.seats
                    assert [seat.player for seat in seats.values()] == list(NAMES)
                # Whom one player was sent to, the others went to at once.
                links = backend._routes._links
                assert set(links) == {one.address, two.address}
                assert backend._routes.address(games[0]) == one.address
                assert [lanes(link) for link in links.values()] == [1, 1]

    async def test_where_the_owner_dies_its_hand_goes_on_at_the_other_node(
        self, tmp_path: Path
    ) -> None:
        async with asyncio.timeout(PATIENCE), sharing(tmp_path, "one", "two") as nodes:
            one, two = nodes.services["one"], nodes.services["two"]
            game = await one.open_game(max_hands=1, turn_ms=600_000, link_ms=600_000)
            async with backend_among(nodes, one, two) as backend:
                seats = []
                for name in NAMES[:2]:
                    player = backend.player(token(one, name))
                    seats.append(await player.sit(game, stack=200, directory=tmp_path / name))
                await until(lambda: any(seat.decision is not None for seat in seats))
                nodes.kill("one")
                over = [asyncio.Event() for _ in seats]
                playing = [asyncio.create_task(play(*one)) for one in zip(seats, over, strict=True)]
                await nodes.lease()
                assert nodes.owner(game) == "two"
                await asyncio.gather(*(one.wait() for one in over))
                for task in playing:
                    task.cancel()
                assert [seat.refused for seat in seats] == [None, None]
            eve = Bot(two, "eve")
            eve.watch(game)
            assert await eve.until_over() == "end"
            await eve.stop()
            report = judge(await two.file(game), key=two.key)
            assert report.exit_status() is ExitStatus.HOLDS, tell(report)


def lanes(link: Link) -> int:
    """Say by how many streams a node is called."""
    assert isinstance(link.play, CarriedPlay)
    return len(link.play._lanes)


def backend_among(nodes: Nodes, *at: Service) -> Backend:
    """Connect to several by the tests' clock, so that dealers' times run no quicker."""
    around = Surroundings(
        monotonic=lambda: nodes.clock.now() / 1000,
        patience=Patience(attempt=5, total=600, first_wait=0.01, longest_wait=0.05),
    )
    own = token(at[0], "backend")
    return Backend.connect([one.address for one in at], own, surroundings=around)
