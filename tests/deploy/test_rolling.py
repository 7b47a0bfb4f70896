"""Two dealers as deploy/ has them: the dealers' role of PostgreSQL, the real Envoy, real restarts.

Players come through Envoy by the two headers alone, and play on while all is restarted.
"""

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import grpc
import grpc.aio
import pytest

from cutcard.v1 import entry_pb2, operate_pb2, operate_pb2_grpc, play_pb2_grpc
from dealer_service.access.roles import Role
from dealer_service.fairness.commitment import chain
from dealer_service.fairness.randomness import operating_system
from tests.support import commands
from tests.support.audits import judge, tell
from tests.support.certificates import Authority
from tests.support.dealers import PATIENCE, Caller, Dealers, Party, Player, told_of
from tests.support.envoy import Config, Envoy, envoy_before
from tests.support.granted_database import Granted, set_up
from tests.support.ports import free_port
from tests.support.postgres import running_server
from tests.support.service import ORIGIN, fresh_id, read, watching

PASSING = {"GAME_MOVING", "GAME_OPENING", "STOPPING", "STORE_FAILED"}
BROKEN = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}
"""What a client asks again after, by the head of play.proto."""
CUT = {*BROKEN, grpc.StatusCode.INTERNAL}
"""And a stream, of which Envoy resets what a dead dealer had begun to answer."""
AGAIN_SECONDS = 0.05
LINKS = 5_000


@pytest.fixture(scope="module")
def granted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Granted]:
    with running_server() as server:
        yield set_up(server, tmp_path_factory.mktemp("granted"))


class Floor:
    """Dealers at places that stay theirs, and Envoy before them at one that stays its own."""

    def __init__(self, dealers: Dealers, folder: Path) -> None:
        self.dealers = dealers
        self.port = free_port()
        self.authority = Authority("Envoy's CA")
        self._folder = folder
        self._ports: dict[str, int] = {}
        self._before = contextlib.ExitStack()
        self.envoy: Envoy | None = None

    async def start(self, name: str) -> None:
        """Start a dealer, at the place that it had before if there was one."""
        port = self._ports.setdefault(name, free_port())
        await asyncio.to_thread(self.dealers.start, name, "--listen", f"127.0.0.1:{port}")

    async def stop(self, name: str) -> int:
        """Stop a dealer as whoever restarts it does; its status."""
        self.dealers.signal(name, signal.SIGTERM)
        return await asyncio.to_thread(self.dealers.running.pop(name).process.wait, PATIENCE)

    async def put_envoy_before(self) -> Envoy:
        """Start Envoy before all dealers that there are, or start it anew."""
        await asyncio.to_thread(self._before.close)
        at = {name: f"127.0.0.1:{port}" for name, port in self._ports.items()}
        folder, issued = self._folder / f"envoy-{len(at)}", self.authority.issue("envoy")
        before = envoy_before(at, folder, issued=issued, change=self._stay)
        self.envoy = await asyncio.to_thread(self._before.enter_context, before)
        return self.envoy

    async def until_all_are_healthy(self) -> None:
        name = "cluster.dealers.membership_healthy"
        assert self.envoy is not None
        async with asyncio.timeout(PATIENCE):
            while await asyncio.to_thread(self.envoy.stats, name) != {name: len(self._ports)}:
                pass

    def close(self) -> None:
        self._before.close()

    def _stay(self, config: Config) -> None:
        for listener in config["static_resources"]["listeners"]:
            if listener["name"] == "callers":
                listener["address"]["socket_address"]["port_value"] = self.port


@pytest.fixture
async def floor(
    tmp_path: Path, granted: Granted, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Floor]:
    for name, value in granted.dealing.items():
        monkeypatch.setitem(commands._CLEAN, name, value)
    with contextlib.ExitStack() as stack:
        stack.callback(granted.empty)
        made = Floor(Dealers(tmp_path, granted.url, stack), tmp_path)
        stack.callback(made.close)
        for name in ("one", "two"):
            await made.start(name)
        await made.put_envoy_before()
        await made.until_all_are_healthy()
        yield made


class Sticky(Caller):
    """A caller who knows Envoy alone, and says what a client says: `cutcard-game`, `cutcard-node`.

    `broken` counts what it had to ask again after, by reason or code.
    """

    codes = BROKEN

    def come_through(self, floor: Floor, game: str = "") -> None:
        """Come through Envoy from now on, about a game."""
        trust = grpc.ssl_channel_credentials(floor.authority.pem)
        options = (
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 200),
            ("grpc.use_local_subchannel_pool", 1),
        )
        self.broken: Counter[str] = Counter()
        self._game = game
        self._token = self.header
        self._through = grpc.aio.secure_channel(f"127.0.0.1:{floor.port}", trust, options=options)
        self.go_to("")

    def go_about(self, game: str) -> None:
        """Be about a game from now on."""
        self._game = game
        self.go_to("")

    def go_to(self, node: str) -> None:
        """Say a node's name from now on, or none."""
        about = {"cutcard-game": self._game, "cutcard-node": node}
        self.header = (*self._token, *((name, value) for name, value in about.items() if value))

    def channel(self) -> grpc.aio.Channel:
        return self._through

    async def mind(self, error: grpc.aio.AioRpcError) -> None:
        told = told_of(error)
        if told is not None and told.reason == "GAME_ELSEWHERE":
            self.go_to(told.metadata["node"])
            return
        if error.code() not in self.codes if told is None else told.reason not in PASSING:
            raise error
        self.broken[told.reason if told else error.code().name] += 1
        self.go_to("")
        await asyncio.sleep(AGAIN_SECONDS)

    async def close(self) -> None:
        await super().close()
        await self._through.close()


class Guest(Sticky, Player):
    """A player who comes so, and has links for a long game."""

    def __init__(self, floor: Floor, name: str, game: str, may_act: asyncio.Event) -> None:
        super().__init__(floor.dealers, name, game, may_act)
        values = chain(ORIGIN, bytes.fromhex(game), name, operating_system(32), LINKS)
        self._links = {after.hex(): value for value, after in pairwise(values)}
        self._anchor = values[-1]
        self._watcher = Sticky(floor.dealers, name, Role.PLAYER)
        self._watcher.codes = CUT
        for each in (self, self._watcher):
            each.come_through(floor, game)

    async def _watch(self) -> None:
        while not self.is_over:
            stub = play_pb2_grpc.PlayServiceStub(self._watcher.channel())
            try:
                request = watching(self.game, len(self.lines))
                async for message in stub.Watch(request, metadata=self._watcher.header):
                    await self._hear(message)
                self.is_over = True
            except grpc.aio.AioRpcError as error:
                await self._watcher.mind(error)
        async with self.news:
            self.news.notify_all()

    async def until_more_hands(self, number: int = 3) -> None:
        """Return when so many more hands have ended."""
        before = len(self.find("hand_ended"))
        await self.until(lambda _: len(self.find("hand_ended")) >= before + number)


@asynccontextmanager
async def playing(floor: Floor, node: str) -> AsyncIterator[Party]:
    """Open a game at a node and have three guests play it, until the block ends; then judge it."""
    may_act = asyncio.Event()
    may_act.set()
    operator = Sticky(floor.dealers, "operator", Role.OPERATOR)
    operator.come_through(floor)
    operator.go_to(node)
    rules = entry_pb2.RuleSet(turn_ms=600_000, link_ms=600_000, pause_ms=50)
    opened = await operator.call(
        lambda at: operate_pb2_grpc.OperateServiceStub(at).OpenGame,
        operate_pb2.OpenGameRequest(request_id=fresh_id(), rules=rules),
    )
    guests = [Guest(floor, name, opened.game, may_act) for name in ("ann", "bob", "cid")]
    party = Party(operator, guests, opened.game, may_act)
    try:
        for guest in guests:
            await guest.sit()
        yield party
        operator.go_about(opened.game)
        await operator.call(
            lambda at: operate_pb2_grpc.OperateServiceStub(at).CloseGame,
            operate_pb2.CloseGameRequest(request_id=fresh_id(), game=opened.game),
        )
        await party.has_ended()
        await require_whole(party)
    finally:
        for guest in guests:
            await guest.close()
        await operator.close()


async def require_whole(party: Party) -> None:
    """Hold the game to what everybody was told and answered, and to the audit."""
    content = await party.file()
    lines = [line for line in content.splitlines()[1:] if not line.startswith(b'{"checkpoint"')]
    entries = [read(line) for line in lines]
    voids = [body for kind, body in entries if kind == "hand_void"]
    assert voids == []
    acted, hand = [], 0
    for kind, body in entries:
        hand = body["hand"] if kind == "hand_opened" else hand
        if kind == "acted":
            acted.append((hand, body["turn"]))
    assert len(set(acted)) == len(acted)
    for player in party.players:
        assert player.lines == dict(enumerate(lines))
        assert player.acts.keys() <= set(acted)
    assert sum(len(player.acts) for player in party.players) == len(acted)
    report = judge(content, key=await party.key())
    assert report.exit_status() == 0, tell(report)


async def test_all_dealers_are_restarted_under_games_that_go_on(floor: Floor) -> None:
    """One after another, as a release is rolled out: each call has its answer, once."""
    async with playing(floor, "one") as here, playing(floor, "two") as there:
        guests: list[Guest] = [*here.players, *there.players]  # type: ignore[list-item]
        await asyncio.gather(*(guest.until_more_hands() for guest in guests))
        for name in ("one", "two"):
            assert await floor.stop(name) == 0
            # All games are at the other one now.
            await asyncio.gather(*(guest.until_more_hands() for guest in guests))
            await floor.start(name)
            await floor.until_all_are_healthy()
            await asyncio.gather(*(guest.until_more_hands() for guest in guests))
    assert sum(sum(guest.broken.values()) for guest in guests) > 0


async def test_a_dealer_is_killed_under_games_that_go_on(floor: Floor) -> None:
    async with playing(floor, "one") as here, playing(floor, "two") as there:
        guests: list[Guest] = [*here.players, *there.players]  # type: ignore[list-item]
        await asyncio.gather(*(guest.until_more_hands() for guest in guests))
        floor.dealers.kill("one")
        await asyncio.gather(*(guest.until_more_hands() for guest in guests))


async def test_a_third_dealer_comes_in_and_envoy_is_made_anew_for_it(floor: Floor) -> None:
    """The games that go on see a connection that breaks, and no more."""
    async with playing(floor, "one") as here:
        (first, *_) = here.players
        assert isinstance(first, Guest)
        await first.until_more_hands()
        await floor.start("three")
        await floor.put_envoy_before()
        await floor.until_all_are_healthy()
        await first.until_more_hands()
        async with playing(floor, "three") as there:
            (newcomer, *_) = there.players
            assert isinstance(newcomer, Guest)
            await newcomer.until_more_hands()
            found = floor.envoy.stats("cluster.three.upstream_rq_total") if floor.envoy else {}
            assert sum(found.values()) > 0
