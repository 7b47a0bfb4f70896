"""The random source fails under a real dealer: at its start, between hands, and in the middle."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from cutcard.v1 import play_pb2
from dealer_service.app import CannotStart
from dealer_service.fairness import drbg
from dealer_service.fairness.randomness import Entropy
from dealer_service.fairness.refusal import FairnessError
from tests.support.audits import judge, tell
from tests.support.bad_sources import make_biased
from tests.support.service import Bot, Service, calling, refusal, serving, stop, waiting

BLOCK = bytes(range(7, 39))
Answer = Callable[[int], bytes]


def gone(_size: int) -> bytes:
    raise OSError(5, "Input/output error")


BAD: dict[str, Callable[[], Answer]] = {
    "stuck": lambda: lambda size: b"\xa5" * size,
    "one block for ever": lambda: lambda size: (BLOCK * (size // 32 + 1))[:size],
    "short": lambda: lambda size: os.urandom(size)[1:],
    "gone": lambda: gone,
    "biased": make_biased,
}


class Source:
    """The operating system, until it is told to be something else."""

    def __init__(self) -> None:
        self.now: Answer = os.urandom

    def __call__(self, size: int) -> bytes:
        return self.now(size)

    def heal(self) -> None:
        self.now = os.urandom


async def break_down(service: Service, source: Source, how: str) -> None:
    """Spoil the source, and draw from it until that is noticed."""
    source.now = BAD[how]()
    gate = service.dealer._vigil.gate
    with pytest.raises(FairnessError):
        draw(gate, 500)
    assert not gate.is_open


def draw(gate: Entropy, times: int) -> None:
    for _ in range(times):
        gate(32)


@asynccontextmanager
async def news_of_health(service: Service) -> AsyncIterator[Callable[[], Awaitable[str]]]:
    """Follow what the health service says; each call of what is given is the next news."""
    stream = health_pb2_grpc.HealthStub(service.channel).Watch(health_pb2.HealthCheckRequest())

    async def read() -> str:
        answer = await stream.read()
        return cast("str", health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))

    try:
        yield read
    finally:
        stream.cancel()


async def at_links(service: Service) -> tuple[str, list[Bot]]:
    """Bring a game to an open hand that waits for bob's link."""
    game = await service.open_game(max_hands=4, link_ms=60_000)
    bots = [Bot(service, name, policy=calling) for name in ("ann", "bob")]
    # Before bob sits: the hand may open, and ask for his link, before his call is answered.
    bots[1].gives_links = False
    for bot in bots:
        await bot.sit(game)
    await bots[0].until_line("hand_opened", hand=1)
    return game, bots


def decided(bot: Bot, hand: int) -> play_pb2.Decision | None:
    return bot.decision if bot.decision and bot.decision.hand == hand else None


async def let_bob_give(bob: Bot, hand: int) -> None:
    opened = await bob.until_line("hand_opened", hand=hand)
    anchor = next(one["anchor"] for one in opened["seats"] if one["player"] == "bob")
    await bob.give_link(hand, bob.link_before(anchor))


async def require_sound(service: Service, game: str) -> None:
    """Hold the finished game's audit to say that nothing is broken, with exit status 0."""
    report = judge(await service.file(game), key=service.key)
    assert report.exit_status() == 0, tell(report)


class TestAtTheStart:
    @pytest.mark.parametrize("how", BAD)
    async def test_a_bad_source_lets_no_dealer_start(self, tmp_path: Path, how: str) -> None:
        with pytest.raises(CannotStart, match="random source"):
            async with serving(tmp_path, entropy=BAD[how]()):
                pass
        assert not (tmp_path / "log.key").exists()

    async def test_a_wrong_known_answer_lets_no_dealer_start(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(drbg, "hkdf", lambda *_: bytes(42))
        with pytest.raises(CannotStart, match="HKDF with SHA-256 does not give its known answer"):
            async with serving(tmp_path):
                pass
        assert not (tmp_path / "log.key").exists()


class TestInTheMiddle:
    @pytest.mark.parametrize("how", BAD)
    async def test_a_hand_without_a_deck_is_void_and_the_game_is_sound(
        self, tmp_path: Path, how: str
    ) -> None:
        source = Source()
        async with serving(tmp_path, entropy=source) as service, news_of_health(service) as news:
            assert await news() == "SERVING"
            game, (ann, bob) = await at_links(service)
            await break_down(service, source, how)
            void = await ann.until_line("hand_void", hand=1)
            assert void["reason"] == "health"
            assert void["secret"]
            assert await news() == "NOT_SERVING"
            told = await refusal(service.open_game())
            assert told.reason == "RANDOMNESS_FAILED"
            # It is tried again by itself, and nothing opens while it fails.
            service.advance(3000)
            await service.settled(game)
            assert ann.find("hand_opened", hand=2) is None
            source.heal()
            bob.gives_links = True
            service.advance(1000)
            assert await news() == "SERVING"
            await ann.until_line("hand_ended", hand=4)
            assert (await ann.until_line("game_closed"))["reason"] == "max_hands"
            await ann.until_over()
            await require_sound(service, game)
            await stop([ann, bob])

    async def test_a_hand_with_a_deck_plays_on(self, tmp_path: Path) -> None:
        source = Source()
        async with serving(tmp_path, entropy=source) as service:
            game = await service.open_game(max_hands=2)
            bots = [await Bot(service, name, policy=waiting).sit(game) for name in ("ann", "bob")]
            turn = await bots[0].until(lambda bot: bot.decision)
            await break_down(service, source, "stuck")
            await bots[turn.seat - 1].act(1, turn.turn, play_pb2.ACT_FOLD)
            await bots[0].until_line("hand_ended", hand=1)
            service.advance(2000)
            await service.settled(game)
            assert bots[0].find("hand_void") is None
            assert bots[0].find("hand_opened", hand=2) is None
            source.heal()
            service.advance(1000)
            turn = await bots[0].until(
                lambda bot: bot.decision if bot.decision and bot.decision.hand == 2 else None
            )
            await bots[turn.seat - 1].act(2, turn.turn, play_pb2.ACT_FOLD)
            await bots[0].until_over()
            await require_sound(service, game)
            await stop(bots)

    async def test_a_game_that_had_its_two_voids_plays_its_hand_on(self, tmp_path: Path) -> None:
        """A third would break COMPLETE; its secret passed every test when it was drawn."""
        source = Source()
        async with serving(tmp_path, entropy=source) as service:
            game, (ann, bob) = await at_links(service)
            for hand in (1, 2):
                await break_down(service, source, "stuck")
                await ann.until_line("hand_void", hand=hand)
                source.heal()
                service.advance(1000)
                await ann.until_line("hand_opened", hand=hand + 1)
            await break_down(service, source, "stuck")
            service.advance(1000)
            await service.settled(game)
            assert ann.find("hand_void", hand=3) is None
            await let_bob_give(bob, 3)
            await ann.until_line("hand_ended", hand=3)
            assert ann.find("hand_opened", hand=4) is None
            bob.gives_links = True
            source.heal()
            service.advance(1000)
            await ann.until_over()
            await require_sound(service, game)
            await stop([ann, bob])

    async def test_tables_go_on_at_once_when_it_is_back(self, tmp_path: Path) -> None:
        """A table that asked late waits for no second of its own."""
        source = Source()
        async with serving(tmp_path, entropy=source) as service:
            game = await service.open_game()
            await service.pause(game)
            bots = [await Bot(service, name, links=False).sit(game) for name in ("ann", "bob")]
            await break_down(service, source, "gone")
            # The failure is acted upon before the call is.
            assert (await refusal(service.open_game())).reason == "RANDOMNESS_FAILED"
            service.advance(999)
            await service.resume(game)
            assert bots[0].find("hand_opened") is None
            source.heal()
            service.advance(1)
            await bots[0].until_line("hand_opened", hand=1)
            await stop(bots)

    async def test_the_log_says_when_it_fails_and_when_it_is_back(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source = Source()
        async with serving(tmp_path, entropy=source) as service, news_of_health(service) as news:
            await news()
            await break_down(service, source, "short")
            assert await news() == "NOT_SERVING"
            service.advance(1000)
            source.heal()
            service.advance(1000)
            assert await news() == "SERVING"
        said = capsys.readouterr().out
        assert said.count("randomness_failed") == 1
        assert said.count("randomness_still_fails") == 1
        assert said.count("randomness_is_back") == 1
