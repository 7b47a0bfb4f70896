"""What happens when nobody does anything: turns, links, the longest game, and a restart."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.fairness.randomness import operating_system
from tests.support.service import (
    START,
    Bot,
    ManualClock,
    Service,
    calling,
    fresh_id,
    refusal,
    seated,
    serving,
    stop,
    time_of,
    waiting,
)


async def rejoined(service: Service, game: str, bots: list[Bot]) -> list[Bot]:
    """Let the same players come back after a restart, with the same chains."""
    again = []
    for bot in bots:
        one = Bot(service, bot.name, policy=waiting, seed=bot._seed)
        one.new_anchor(game)
        one.seat = bot.seat
        one.watch(game)
        again.append(one)
    return again


class TestTheTurnClock:
    async def test_folds_for_who_owes_chips_and_sits_it_out(self, service: Service) -> None:
        game = await service.open_game(turn_ms=5000)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        assert turn.deadline == service.clock.now() + 5000
        service.advance(4999)
        await service.settled(game)
        assert [kind for kind, _ in await service.entries(game)].count("acted") == 0
        service.advance(1)
        await service.settled(game)
        entries = await service.entries(game)
        acts = [body for kind, body in entries if kind in {"acted", "sat_out"}]
        assert acts[0]["by"] == "clock"
        assert (acts[0]["act"], acts[0]["seat"]) == ("fold", turn.seat)
        assert acts[1] == {
            "by": "clock",
            "player": {1: "ann", 2: "bob"}[turn.seat],
            "seat": turn.seat,
        }
        # Nobody is left to play with, until the player comes back.
        assert [kind for kind, _ in entries].count("hand_opened") == 1
        back = play_pb2.ComeBackRequest(request_id=fresh_id(), game=game)
        sitter = ann if turn.seat == 1 else bob
        await service.play.ComeBack(back, metadata=sitter.header)
        await ann.until_line("hand_opened", hand=2)

    async def test_checks_where_that_is_free(self, service: Service) -> None:
        game = await service.open_game(turn_ms=5000)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_CALL)
        await ann.until(lambda bot: bot.decision and bot.decision.turn == 2)
        service.advance(5000)
        act = await ann.until_line("acted", turn=2)
        assert (act["act"], act["by"]) == ("check", "clock")

    async def test_begins_anew_after_a_restart(self, tmp_path: Path) -> None:
        """Nobody pays for the dealer's absence."""
        async with serving(tmp_path) as service:
            game = await service.open_game(turn_ms=5000)
            bots = await seated(service, game, "ann", "bob", policy=waiting)
            await bots[0].until(lambda bot: bot.decision)
            await stop(bots)
        late = START + 3_600_000
        async with serving(tmp_path, clock=ManualClock(late)) as service:
            ann, _ = await rejoined(service, game, bots)
            turn = await ann.until(lambda bot: bot.decision)
            assert turn.deadline == late + 5000
            service.advance(4999)
            await service.settled(game)
            assert not [kind for kind, _ in await service.entries(game) if kind == "acted"]
            service.advance(1)
            await ann.until_line("acted", by="clock")


class TestTheLinkClock:
    async def test_voids_the_hand_and_the_button_stays(self, service: Service) -> None:
        game = await service.open_game(link_ms=3000)
        await service.pause(game)
        ann, bob, cid = await seated(service, game, "ann", "bob", "cid", policy=waiting)
        bob.gives_links = False
        await service.resume(game)
        first = await ann.until_line("hand_opened", hand=1)
        await ann.until_given(lambda: len(service.table(game).dealing.links) == 2)
        service.advance(2999)
        await service.settled(game)
        assert ann.find("hand_void") is None
        service.advance(1)
        void = await ann.until_line("hand_void", hand=1)
        assert (void["reason"], void["missing"]) == (
            "link_missing",
            [{"player": "bob", "seat": 2}],
        )
        assert [one["seat"] for one in void["links"]] == [1, 3]
        second = await ann.until_line("hand_opened", hand=2)
        assert (first["button"], second["button"]) == (1, 1)
        anchors = [one.get("anchor") for one in second["seats"]]
        assert anchors == [void["links"][0]["link"], None, void["links"][1]["link"]]
        assert await cid.until(lambda bot: bot.decision)

    async def test_begins_anew_after_a_restart_and_links_are_taken_again(
        self, tmp_path: Path
    ) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game(link_ms=3000)
            await service.pause(game)
            bots = await seated(service, game, "ann", "bob", policy=waiting)
            bots[1].gives_links = False
            await service.resume(game)
            await bots[0].until_line("hand_opened", hand=1)
            await bots[0].until_given(lambda: service.table(game).dealing.links)
            await stop(bots)
        async with serving(tmp_path, clock=ManualClock(START + 60_000)) as service:
            table = service.table(game)
            service.advance(2999)
            await service.settled(game)
            assert table.standing.state.phase == "links"
            again = await rejoined(service, game, bots)
            await again[0].until(lambda bot: bot.decision)
            deck = await again[0].until_line("deck_committed", hand=1)
            assert len(deck["links"]) == 2

    async def test_of_the_hands_after_a_restart_is_the_rules(self, tmp_path: Path) -> None:
        """Only the clock that ran when the dealer stopped is longer."""
        async with serving(tmp_path) as service:
            game = await service.open_game(link_ms=3000, turn_ms=60_000)
            bots = await seated(service, game, "ann", "bob", policy=waiting)
            await bots[0].until(lambda bot: bot.decision)
            await stop(bots)
        async with serving(tmp_path, clock=ManualClock(START + 60_000)) as service:
            again = await rejoined(service, game, bots)
            turn = await again[0].until(lambda bot: bot.decision)
            again[0].gives_links = False
            await again[turn.seat - 1].act(1, 1, play_pb2.ACT_FOLD)
            await again[0].until_line("hand_opened", hand=2)
            service.advance(3000)
            await again[0].until_line("hand_void", hand=2)


class TestThePause:
    async def test_ends_with_the_hand(self, service: Service) -> None:
        game = await service.open_game(pause_ms=2000)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        await ann.until_line("awarded")
        assert (await ann.table()).phase == "pause"
        service.advance(1999)
        await service.settled(game)
        assert ann.find("hand_ended") is None
        service.advance(1)
        await ann.until_line("hand_ended", hand=1)


class TestTheLongestGame:
    @pytest.mark.parametrize("paused", [False, True])
    async def test_of_so_many_hands_goes_on_in_another(
        self, service: Service, paused: bool
    ) -> None:
        game = await service.open_game("table 1", max_hands=1)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        if paused:
            await service.pause(game)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        closed = await ann.until_line("game_closed")
        assert closed["reason"] == "max_hands"
        assert await ann.until_over() == "end"
        after = closed["next"]
        entries = await service.entries(after)
        kind, opened = entries[0]
        assert kind == "game_opened"
        previous = opened["previous"]
        assert previous["game"] == game
        assert [(one["seat"], one["player"], one["stack"]) for one in previous["seats"]] == [
            (one["seat"], one["player"], one["stack"]) for one in closed["stacks"]
        ]
        assert (
            previous["size"]
            == [kind for kind, _ in await service.entries(game)].index("game_closed") + 1
        )
        assert (entries[1:2] == [("paused", {})]) is paused
        assert (await service.summary(after)).state == ("paused" if paused else "open")
        assert (await ann.table()).next == after

    async def test_of_such_a_time_goes_on_in_another(self, service: Service) -> None:
        game = await service.open_game(max_ms=60_000)
        ann = await Bot(service, "ann").sit(game)
        service.advance(60_000)
        await service.settled(game)
        assert ann.find("game_closed") is None
        service.advance(1)
        closed = await ann.until_line("game_closed")
        assert closed["reason"] == "max_time"
        assert (await service.summary(closed["next"])).players == 1

    async def test_lets_the_open_hand_end_first(self, service: Service) -> None:
        game = await service.open_game(max_ms=1000, turn_ms=60_000)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        service.advance(5000)
        await service.settled(game)
        assert ann.find("game_closed") is None
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        assert (await ann.until_line("game_closed"))["reason"] == "max_time"

    async def test_goes_on_when_all_have_anchored_anew(self, service: Service) -> None:
        game = await service.open_game(max_hands=1)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        after = (await ann.until_line("game_closed"))["next"]
        for bot in (ann, bob):
            await bot.until_over()
            assert [kind for kind, _ in await service.entries(after)].count("hand_opened") == 0
            request = play_pb2.AnchorRequest(
                request_id=fresh_id(), game=after, anchor=bot.new_anchor(after)
            )
            await service.play.Anchor(request, metadata=bot.header)
        await service.settled(after)
        assert [kind for kind, _ in await service.entries(after)][-1] == "hand_opened"

    async def test_goes_on_without_who_does_not_anchor_in_time(self, service: Service) -> None:
        game = await service.open_game(max_hands=1, link_ms=3000)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        after = (await ann.until_line("game_closed"))["next"]
        await service.settled(after)
        service.advance(2999)
        await service.settled(after)
        assert [kind for kind, _ in await service.entries(after)] == ["game_opened"]
        service.advance(1)
        await service.settled(after)
        kinds = [kind for kind, _ in await service.entries(after)]
        assert kinds[:3] == ["game_opened", "hand_opened", "deck_committed"]

    async def test_gives_carried_players_their_time_after_a_restart(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game(max_hands=1, link_ms=3000)
            ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
            turn = await ann.until(lambda bot: bot.decision)
            await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
            after = (await ann.until_line("game_closed"))["next"]
            await service.settled(after)
            await stop([ann, bob])
        async with serving(tmp_path, clock=ManualClock(START + 3_600_000)) as service:
            service.advance(2999)
            await service.settled(after)
            assert [kind for kind, _ in await service.entries(after)] == ["game_opened"]
            service.advance(1)
            await service.settled(after)
            assert (await service.entries(after))[1][0] == "hand_opened"


async def test_times_never_fall(tmp_path: Path) -> None:
    """A clock that was set back while the dealer was down does not set the log back."""
    async with serving(tmp_path) as service:
        game = await service.open_game()
        service.advance(60_000)
        await service.pause(game)
    async with serving(tmp_path, clock=ManualClock(START - 60_000)) as service:
        await service.resume(game)
        times = [time_of(line) for line in await service.lines(game)]
        assert times == sorted(times)


async def test_a_clock_that_was_set_back_leaves_no_line_uncovered(tmp_path: Path) -> None:
    """The log's times stand ahead of the clock then, and checkpoints go by the clock."""
    async with serving(tmp_path) as service:
        game = await service.open_game()
        service.advance(60_000)
        await service.pause(game)
    async with serving(tmp_path, clock=ManualClock(START - 60_000)) as service:
        await service.resume(game)
        service.advance(200)
        await service.settled(game)
        summary = await service.summary(game)
        assert summary.signed_size == summary.size == 3


class TestRandomnessThatFails:
    async def test_is_tried_again_and_the_dealer_says_how_it_is(self, tmp_path: Path) -> None:
        from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: PLC0415

        broken = False

        def entropy(count: int) -> bytes:
            return bytes(count) if broken else operating_system(count)

        async with serving(tmp_path, entropy=entropy) as service:
            health = health_pb2_grpc.HealthStub(service.channel)
            news = health.Watch(health_pb2.HealthCheckRequest())
            assert (await news.read()).status == health_pb2.HealthCheckResponse.SERVING
            game = await service.open_game()
            await service.pause(game)
            ann, _ = await seated(service, game, "ann", "bob", policy=calling)
            broken = True
            await service.resume(game)
            assert (await news.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
            service.advance(1000)
            await service.settled(game)
            assert ann.find("hand_opened") is None
            broken = False
            service.advance(1000)
            await ann.until_line("hand_opened", hand=1)
            assert (await news.read()).status == health_pb2.HealthCheckResponse.SERVING
            news.cancel()

    async def test_keeps_a_game_from_opening_and_its_request_from_being_lost(
        self, tmp_path: Path
    ) -> None:
        source = Source()
        async with serving(tmp_path, entropy=source) as service:
            source.gives = 0
            request = operate_pb2.OpenGameRequest(request_id="open-once")

            def call_again() -> Any:
                return service.operate.OpenGame(request, metadata=service.operator)

            told = await refusal(call_again())
            assert (told.code, told.reason) == (
                grpc.StatusCode.UNAVAILABLE,
                "RANDOMNESS_FAILED",
            )
            source.gives = 1
            # It is believed again when it has passed all the tests of a start.
            assert (await refusal(call_again())).reason == "RANDOMNESS_FAILED"
            service.advance(1000)
            assert (await call_again()).game

    async def test_keeps_a_game_at_its_end_until_it_is_back(self, tmp_path: Path) -> None:
        source = Source()
        async with serving(tmp_path, entropy=source) as service:
            game = await service.open_game(max_hands=1)
            ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
            turn = await ann.until(lambda bot: bot.decision)
            source.gives = 0
            await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
            await service.settled(game)
            service.advance(1000)
            await service.settled(game)
            assert ann.find("game_closed") is None
            source.gives = 1
            service.advance(1000)
            assert (await ann.until_line("game_closed"))["reason"] == "max_hands"
            assert await ann.until_over() == "end"


class Source:
    """A source of randomness that can be made to give nothing."""

    def __init__(self) -> None:
        self.gives = 1

    def __call__(self, count: int) -> bytes:
        return operating_system(count * self.gives)
