"""Who neither plays nor runs nor audits a game is told of it later (PROTOCOL.md section 5).

The clock is the test's: it stands while anything is asked, so that what somebody is told at one
time can be held against what others were told at another.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import fairness_pb2, operate_pb2, play_pb2
from dealer_service.access.roles import Role
from dealer_service.tables.delayed import Delayed
from dealer_service.tables.house import House
from dealer_service.tables.past import DelayRule
from tests.support.audits import read_checkpoint
from tests.support.service import (
    START,
    Bot,
    Service,
    fresh_id,
    listing,
    read,
    refusal,
    refusal_of_stream,
    seated,
    serving,
    stop,
    time_of,
    waiting,
    watching,
)

DELAY = 4_000
STEP = 500
QUIET = 250
"""After so much of a step all that it brought is signed, and nothing is younger than 200 ms."""

Header = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Seen:
    """All that the calls with one answer tell somebody of a game."""

    table: play_pb2.GetTableResponse
    lines: tuple[bytes, ...]
    size: int
    checkpoint: str
    proof: fairness_pb2.GetInclusionProofResponse
    growth: fairness_pb2.GetConsistencyProofResponse
    file: bytes
    too_far: tuple[tuple[str, str], ...]


async def look(service: Service, game: str, header: Header) -> Seen:
    """Ask for everything, and for what is not there."""
    play, fair = service.play, service.fair
    ask = play_pb2.GetTableRequest(game=game)
    entries = await fair.ListEntries(listing(game, 0, 1000), metadata=header)
    last = fairness_pb2.GetCheckpointRequest(game=game)
    proof = fairness_pb2.GetInclusionProofRequest(game=game, index=0)
    growth = fairness_pb2.GetConsistencyProofRequest(game=game, from_size=1)
    file = b""
    whole = fairness_pb2.GetGameFileRequest(game=game)
    async for part in fair.GetGameFile(whole, metadata=header):
        file += part.chunk
    far = 9_999
    beyond = [
        await refusal_of_stream(play.Watch(watching(game, far), metadata=header)),
        await refusal(fair.ListEntries(listing(game, far), metadata=header)),
        await refusal(
            fair.GetInclusionProof(
                fairness_pb2.GetInclusionProofRequest(game=game, index=far), metadata=header
            )
        ),
        await refusal(
            fair.GetInclusionProof(
                fairness_pb2.GetInclusionProofRequest(game=game, size=far), metadata=header
            )
        ),
        await refusal(
            fair.GetConsistencyProof(
                fairness_pb2.GetConsistencyProofRequest(game=game, from_size=far), metadata=header
            )
        ),
    ]
    return Seen(
        await play.GetTable(ask, metadata=header),
        tuple(entries.lines),
        entries.size,
        (await fair.GetCheckpoint(last, metadata=header)).checkpoint,
        await fair.GetInclusionProof(proof, metadata=header),
        await fair.GetConsistencyProof(growth, metadata=header),
        file,
        tuple((told.reason, f"{told.message} {told.metadata}") for told in beyond),
    )


async def act(service: Service, bots: list[Bot]) -> None:
    """Let the seat whose turn it is check or call, where one is to act."""
    table = service.dealer.floor.running(bots[0].game)
    turn = table.standing.decision if table is not None else None
    if turn is None:
        return
    bot = next(bot for bot in bots if bot.seat == turn.seat)
    what = play_pb2.ACT_CHECK if turn.may_check else play_pb2.ACT_CALL
    await bot.act(turn.hand, turn.turn, what)


@asynccontextmanager
async def playing(
    service: Service, *names: str, **rules: Any
) -> AsyncIterator[tuple[str, list[Bot]]]:
    """Open a game with the delay, and seat players who act when the test says."""
    rules = {"pause_ms": 1_000, "watch_delay_ms": DELAY, "max_hands": 50, **rules}
    game = await service.open_game(**rules)
    bots = await seated(service, game, *names, policy=waiting)
    yield game, bots
    await stop(bots)


async def settle(service: Service, bots: list[Bot]) -> None:
    """Return when all that is under way was told: links, the deck, what follows from an act."""
    game = bots[0].game
    await service.settled(game)

    def is_calm() -> bool:
        table = service.dealer.floor.running(game)
        if table is None:
            return True
        state = table.standing.state
        awaits_links = state.phase == "links"
        return not awaits_links and table.standing.size == table.dealing.log.size

    # What was told is still to be heard.
    await asyncio.sleep(0)
    await bots[0].until_given(is_calm)


def has_heard(size: int) -> Callable[[Bot], bool]:
    return lambda bot: len(bot.lines) >= size and size in bot.checkpoints


class TestEverything:
    async def test_is_as_it_was_by_the_delay_before(self, service: Service) -> None:
        async with playing(service, "ann", "bob", "cid") as (game, bots):
            eve = Bot(service, "eve")
            eve.watch(game)
            operators: dict[int, Seen] = {}
            compared = 0
            for _ in range(48):
                await act(service, bots)
                await settle(service, bots)
                service.advance(QUIET)
                await settle(service, bots)
                now = service.clock.now()
                operators[now] = await look(service, game, service.operator)
                before = operators.get(now - DELAY)
                if before is not None:
                    compared += 1
                    assert await look(service, game, eve.header) == before
                    await eve.until(has_heard(before.size))
                    assert [eve.lines[n] for n in range(len(eve.lines))] == list(before.lines)
                    turn = before.table.decision if before.table.HasField("decision") else None
                    assert turn is None or eve.decision == turn
                service.advance(STEP - QUIET)
                await settle(service, bots)
            assert compared > 30
            kinds = {read(line)[0] for line in operators[max(operators)].lines}
            assert kinds >= {"hand_opened", "dealt", "acted", "opened", "awarded", "hand_ended"}
            await eve.stop()

    async def test_of_an_open_hand_holds_no_line_that_is_younger(self, service: Service) -> None:
        """Asked at every moment, not only where nothing is on its way."""
        async with playing(service, "ann", "bob") as (game, bots):
            for _ in range(60):
                await act(service, bots)
                await settle(service, bots)
                answer = await service.fair.ListEntries(
                    listing(game, 0, 1000), metadata=service.header("eve")
                )
                young = service.clock.now() - DELAY
                assert all(time_of(line) <= young for line in answer.lines[1:])
                all_lines = await service.lines(game)
                assert answer.size == max(1, sum(time_of(line) <= young for line in all_lines))
                service.advance(137)

    @pytest.mark.parametrize("role", [Role.OPERATOR, Role.AUDITOR])
    async def test_is_told_at_once_to_who_runs_or_audits_the_game(
        self, service: Service, role: Role
    ) -> None:
        async with playing(service, "ann", "bob") as (game, bots):
            await settle(service, bots)
            entries = await service.fair.ListEntries(
                listing(game, 0, 1000), metadata=service.header("eve", role)
            )
            assert entries.size == service.table(game).standing.size

    async def test_is_told_later_to_a_watcher_with_a_players_name(self, service: Service) -> None:
        async with playing(service, "ann", "bob") as (game, bots):
            await settle(service, bots)
            header = service.header("ann", Role.WATCHER)
            entries = await service.fair.ListEntries(listing(game, 0, 1000), metadata=header)
            assert entries.size == 1

    async def test_is_told_at_once_where_the_rules_have_no_delay(self, service: Service) -> None:
        async with playing(service, "ann", "bob", watch_delay_ms=0) as (game, bots):
            await settle(service, bots)
            answer = await service.fair.ListEntries(
                listing(game, 0, 1000), metadata=service.header("eve")
            )
            assert answer.size == service.table(game).standing.size > 5

    async def test_is_the_same_after_a_restart(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service, playing(service, "ann", "bob") as (game, bots):
            await settle(service, bots)
            service.advance(QUIET)
            await settle(service, bots)
            before = await look(service, game, service.operator)
        async with serving(tmp_path) as service:
            service.advance(DELAY - 1)
            early = await look(service, game, service.header("eve"))
            assert early.size == 1
            service.advance(1)
            late = await look(service, game, service.header("eve"))
            assert (late.lines[: before.size], late.table.hand) == (before.lines, 1)


class TestStream:
    async def test_of_a_game_that_is_over_ends_by_the_delay_after_it(
        self, service: Service
    ) -> None:
        async with playing(service, "ann", "bob", pause_ms=0) as (game, bots):
            eve = Bot(service, "eve")
            eve.watch(game)
            closing = asyncio.create_task(service.close_game(game))
            while not closing.done():
                await act(service, bots)
                await settle(service, bots)
            await bots[0].until_over()
            end = service.clock.now()
            assert service.dealer.floor.running(game) is None
            late = Bot(service, "ida")
            late.watch(game)
            service.advance(DELAY - 1)
            stored = await service.lines(game)
            old = [line for line in stored if time_of(line) <= service.clock.now() - DELAY]
            await eve.until(lambda bot: len(bot.lines) == max(1, len(old)))
            assert not eve.find("secret_revealed")
            service.advance(200 + 1)
            for bot in (eve, late):
                assert await bot.until_over() == "end"
                assert [bot.lines[n] for n in range(len(bot.lines))] == stored
                assert max(bot.checkpoints) == len(stored)
            assert service.clock.now() == end + DELAY + 200
            await stop([eve, late])

    async def test_goes_on_later_for_who_has_left(self, service: Service) -> None:
        async with playing(service, "ann", "bob", "cid") as (game, bots):
            await settle(service, bots)
            cid = bots[2]
            await service.pause(game)
            while service.table(game).standing.state.open:
                await act(service, bots)
                await settle(service, bots)
                service.advance(STEP)
            await cid.leave()
            left = len(await service.lines(game))
            await cid.until(lambda bot: bot.find("seat_left", player="cid"))
            await service.resume(game)
            for _ in range(6):
                service.advance(STEP)
                await settle(service, bots[:2])
                await act(service, bots[:2])
            assert len(await service.lines(game)) > left + 5
            known = len(cid.lines)
            assert known <= left + 1
            service.advance(DELAY)
            stored = await service.lines(game)
            await cid.until(lambda bot: len(bot.lines) > known + 3)
            assert [cid.lines[n] for n in range(len(cid.lines))] == stored[: len(cid.lines)]
            assert not cid.over
            told = [message for message in cid.heard if message.lines]
            firsts = [message.first for message in told]
            assert firsts == sorted(firsts)

    async def test_catches_up_for_who_sits_down(self, service: Service) -> None:
        async with playing(service, "ann", "bob") as (game, bots):
            await settle(service, bots)
            eve = Bot(service, "eve", links=False, policy=waiting)
            eve.watch(game)
            await eve.until(lambda bot: len(bot.lines) == 1)
            await eve.sit(game, watch=False)
            await eve.until_line("seat_taken", player="eve")
            stored = await service.lines(game)
            assert [eve.lines[n] for n in range(len(stored))] == stored
            await act(service, bots)
            await eve.until(lambda bot: bot.find("acted"))
            assert service.clock.now() == START
            await eve.stop()

    async def test_catches_up_for_who_sits_down_while_it_begins(self, service: Service) -> None:
        async with playing(service, "ann", "bob") as (game, bots):
            await settle(service, bots)
            eve = Bot(service, "eve", links=False, policy=waiting)
            delays = service.dealer.floor.house.delays
            begin = delays.open

            async def sit_first(house: House, game: str, rule: DelayRule) -> Delayed:
                await eve.sit(game, watch=False)
                delays.open = begin  # type: ignore[method-assign]
                return await begin(house, game, rule)

            delays.open = sit_first  # type: ignore[method-assign]
            eve.watch(game)
            await eve.until_line("seat_taken", player="eve")
            assert service.clock.now() == START
            await eve.stop()

    async def test_is_one_for_all_who_are_told_later(self, service: Service) -> None:
        async with playing(service, "ann", "bob") as (game, bots):
            await settle(service, bots)
            crowd = [Bot(service, f"eve-{number}") for number in range(5)]
            for one in crowd:
                one.watch(game)
                await one.until(lambda bot: bot.heard)
            delays = service.dealer.floor.house.delays
            (delayed,) = delays._open.values()
            assert len(delayed.audience) == 5
            service.advance(DELAY + QUIET)
            for one in crowd:
                await one.until(lambda bot: bot.find("dealt"))
                await one.stop()
            await bots[0].until_given(lambda: not delays._open)

    async def test_is_told_that_the_dealer_stops(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service, playing(service, "ann", "bob") as (game, _):
            eve = Bot(service, "eve")
            eve.watch(game)
            await eve.until(lambda bot: bot.heard)
            await service.dealer.floor.stop()
            over = await eve.until_over()
            assert getattr(over, "reason", over) == "STOPPING"


class TestCallsOfWhoHasNoSeat:
    async def test_tell_neither_which_hand_is_open_nor_when_it_ends(self, service: Service) -> None:
        async with playing(service, "ann", "bob") as (game, bots):
            await settle(service, bots)
            header, play = service.header("eve"), service.play
            me: dict[str, Any] = {"game": game, "request_id": fresh_id()}
            calls: list[Any] = [
                play.AddChips(play_pb2.AddChipsRequest(amount=1, **me), metadata=header),
                play.Anchor(play_pb2.AnchorRequest(anchor=bytes(32), **me), metadata=header),
                play.LeaveSeat(play_pb2.LeaveSeatRequest(**me), metadata=header),
                play.SitOut(play_pb2.SitOutRequest(**me), metadata=header),
                play.ComeBack(play_pb2.ComeBackRequest(**me), metadata=header),
                play.Prefer(play_pb2.PreferRequest(**me), metadata=header),
            ]
            for hand in (1, 2):
                calls += [
                    play.GiveLink(
                        play_pb2.GiveLinkRequest(game=game, hand=hand, link=bytes(32)),
                        metadata=header,
                    ),
                    play.Act(
                        play_pb2.ActRequest(hand=hand, turn=1, act=play_pb2.ACT_FOLD, **me),
                        metadata=header,
                    ),
                    play.Show(play_pb2.ShowRequest(hand=hand, **me), metadata=header),
                    play.PreSelect(
                        play_pb2.PreSelectRequest(game=game, hand=hand, act=play_pb2.PRE_ACT_FOLD),
                        metadata=header,
                    ),
                ]
            for call in calls:
                told = await refusal(call)
                assert (told.reason, told.metadata) == ("NOT_SEATED", {})


class TestTheGameThatGoesOn:
    async def test_does_not_exist_before_the_delay_has_passed(self, service: Service) -> None:
        """Its first line tells how the game before closed."""
        async with playing(service, "ann", "bob", max_hands=1, pause_ms=0) as (_, bots):
            while not bots[0].find("game_closed"):
                await act(service, bots)
                await settle(service, bots)
            after = bots[0].find("game_closed")["next"]  # type: ignore[index]
            eve = service.header("eve")
            ask = play_pb2.GetTableRequest(game=after)
            early = [
                await refusal(service.play.GetTable(ask, metadata=eve)),
                await refusal(service.fair.ListEntries(listing(after), metadata=eve)),
                await refusal_of_stream(service.play.Watch(watching(after), metadata=eve)),
            ]
            unknown = play_pb2.GetTableRequest(game="ab" * 16)
            nothing = await refusal(service.play.GetTable(unknown, metadata=eve))
            assert early == [nothing] * 3
            assert (await service.play.GetTable(ask, metadata=bots[0].header)).my_seat == 1
            service.advance(DELAY)
            assert (await service.play.GetTable(ask, metadata=eve)).game == after


class TestTheRule:
    async def test_is_none_where_it_is_left_out_or_zero(self, service: Service) -> None:
        for game in (await service.open_game(), await service.open_game(watch_delay_ms=0)):
            rules = (await service.summary(game)).rules
            assert not rules.HasField("watch_delay_ms")

    async def test_is_from_a_second_to_an_hour(self, service: Service) -> None:
        for ms in (1_000, 3_600_000):
            game = await service.open_game(watch_delay_ms=ms)
            assert (await service.summary(game)).rules.watch_delay_ms == ms
        for ms in (999, 3_600_001):
            request = operate_pb2.OpenGameRequest(request_id=fresh_id())
            request.rules.watch_delay_ms = ms
            told = await refusal(service.operate.OpenGame(request, metadata=service.operator))
            assert [field for field, _ in told.violations] == ["rules.watch_delay_ms"]


async def test_checkpoints_come_with_the_lines_that_they_cover(service: Service) -> None:
    async with playing(service, "ann", "bob") as (game, bots):
        eve = Bot(service, "eve")
        eve.watch(game)
        for _ in range(20):
            await act(service, bots)
            await settle(service, bots)
            # What each time brings is signed then, and not behind the delay.
            for length in (QUIET, STEP - QUIET):
                service.advance(length)
                await settle(service, bots)
        service.advance(DELAY)
        young = service.clock.now() - DELAY
        size = sum(time_of(line) <= young for line in await service.lines(game))
        await eve.until(lambda bot: len(bot.lines) == size)
        for count, note in eve.checkpoints.items():
            assert read_checkpoint(note, service.key).size == count
        deck = next(n for n, line in eve.lines.items() if b'"deck_committed"' in line)
        dealt = next(n for n, line in sorted(eve.lines.items()) if b'"dealt"' in line)
        assert any(deck < count <= dealt for count in eve.checkpoints)
        await eve.stop()
