"""The stream of chips: every movement once, in order, with its reference, for a wallet."""

import asyncio
from pathlib import Path

from cutcard.v1 import operate_pb2, play_pb2
from tests.support.service import (
    Bot,
    Service,
    calling,
    fresh_id,
    refusal_of_stream,
    seated,
    serving,
    stop,
)

INWARD = {"seat_taken", "chips_added", "carried_in"}
OUTWARD = {"cashed_out", "carried_out"}


def on_tables(moved: list[operate_pb2.FollowChipsResponse]) -> dict[str, int]:
    """Give what lies on each table by the movements."""
    chips: dict[str, int] = {}
    for one in moved:
        sign = 1 if one.what in INWARD else -1 if one.what in OUTWARD else 0
        chips[one.game] = chips.get(one.game, 0) + sign * one.amount
    return chips


async def play_some(service: Service) -> tuple[str, str]:
    """Play a game of two hands with every kind of movement into the next one."""
    game = await service.open_game("table 7", max_hands=2)
    await service.pause(game)
    ann = await Bot(service, "ann").sit(game, stack=200, reference="ann sits")
    bob = await Bot(service, "bob").sit(game, stack=150, reference="bob sits")
    add = play_pb2.AddChipsRequest(
        request_id=fresh_id(), game=game, amount=30, reference="bob adds"
    )
    await service.play.AddChips(add, metadata=bob.header)
    cid = await Bot(service, "cid").sit(game, stack=99, reference="cid sits", watch=False)
    await cid.leave("cid leaves")
    await service.resume(game)
    after = (await ann.until_line("game_closed"))["next"]
    await ann.until_over()
    await stop([ann, bob])
    return game, str(after)


async def test_every_movement_comes_once_with_its_reference(service: Service) -> None:
    game, after = await play_some(service)
    await service.settled(after)
    moved = await service.chips()
    stacks = [one for one in moved if one.what == "carried_out"]
    assert [(one.game, one.what, one.player, one.reference) for one in moved] == [
        (game, "seat_taken", "ann", "ann sits"),
        (game, "seat_taken", "bob", "bob sits"),
        (game, "chips_added", "bob", "bob adds"),
        (game, "seat_taken", "cid", "cid sits"),
        (game, "cashed_out", "cid", "cid leaves"),
        (game, "carried_out", "ann", ""),
        (game, "carried_out", "bob", ""),
        (game, "game_closed", "", ""),
        (after, "carried_in", "ann", ""),
        (after, "carried_in", "bob", ""),
    ]
    assert sum(one.amount for one in stacks) == 380
    cursors = [one.cursor for one in moved]
    assert cursors == sorted(set(cursors))
    lines = {name: await service.entries(name) for name in (game, after)}
    for one in moved:
        kind, _ = lines[one.game][one.index]
        assert kind == {"cashed_out": "seat_left"}.get(
            one.what,
            {"carried_out": "game_closed", "carried_in": "game_opened"}.get(one.what, one.what),
        )


async def test_from_every_cursor_the_rest_follows(service: Service) -> None:
    await play_some(service)
    whole = await service.chips()
    for place, one in enumerate(whole):
        assert await service.chips(one.cursor) == whole[place + 1 :]


async def test_what_came_in_less_what_went_out_lies_on_the_tables(service: Service) -> None:
    game, after = await play_some(service)
    await service.settled(after)
    assert on_tables(await service.chips()) == {game: 0, after: 380}
    await service.close_game(after, "the end")
    moved = await service.chips()
    assert on_tables(moved) == {game: 0, after: 0}
    assert [one.reference for one in moved if one.what == "cashed_out"][-2:] == ["the end"] * 2


async def test_movements_are_the_same_after_a_restart(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        await play_some(service)
        before = await service.chips()
    async with serving(tmp_path) as service:
        assert await service.chips() == before
        game = await service.open_game()
        await service.pause(game)
        await Bot(service, "dan").sit(game, watch=False)
        (new,) = await service.chips(before[-1].cursor)
        assert (new.player, new.cursor > before[-1].cursor) == ("dan", True)


async def test_a_cash_out_after_a_restart_bears_the_reference_of_the_leave(
    tmp_path: Path,
) -> None:
    """Who leaves inside a hand is paid when it ends, whoever runs the dealer by then."""
    async with serving(tmp_path) as service:
        game = await service.open_game()
        bots = await seated(service, game, "ann", "bob", "cid", policy=lambda *_: None)
        turn = await bots[0].until(lambda bot: bot.decision)
        leaver = next(bot for bot in bots if bot.seat != turn.seat)
        if leaver.seat == 3:
            leaver = bots[1]
        dealt_in = [one["seat"] for one in (await bots[0].until_line("hand_opened"))["seats"]]
        assert leaver.seat in dealt_in
        await leaver.leave("paid later")
        await stop(bots)
    async with serving(tmp_path) as service:
        again = []
        for bot in bots:
            if bot is not leaver:
                one = Bot(service, bot.name, policy=calling, links=False)
                one.seat = bot.seat
                one.watch(game)
                again.append(one)
        await again[0].until_line("hand_ended", hand=1)
        await service.settled(game)
        paid = [one for one in await service.chips() if one.player == leaver.name]
        assert [(one.what, one.reference) for one in paid] == [
            ("seat_taken", ""),
            ("cashed_out", "paid later"),
        ]


async def test_who_follows_is_told_as_it_happens(service: Service) -> None:
    request = operate_pb2.FollowChipsRequest()
    stream = service.operate.FollowChips(request, metadata=service.operator)
    reading = asyncio.ensure_future(stream.read())
    game = await service.open_game()
    await service.pause(game)
    for name in ("ann", "bob", "cid"):
        await Bot(service, name).sit(game, watch=False)
        moved = await reading
        assert isinstance(moved, operate_pb2.FollowChipsResponse)
        assert moved.player == name
        reading = asyncio.ensure_future(stream.read())
    reading.cancel()
    stream.cancel()


async def test_who_follows_a_dealer_that_stops_is_told(service: Service) -> None:
    request = operate_pb2.FollowChipsRequest()
    stream = service.operate.FollowChips(request, metadata=service.operator)
    refused = asyncio.ensure_future(refusal_of_stream(stream))
    await service.open_game()
    await service.dealer.floor.stop()
    assert (await refused).reason == "STOPPING"
