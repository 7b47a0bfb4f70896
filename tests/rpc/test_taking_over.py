"""A person who comes to a full cash table has a house player's seat, at the next hand."""

import asyncio
from typing import Any

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.access.roles import Role
from tests.support.audits import judge, tell
from tests.support.service import Bot, Policy, Service, folding, refusal, stop, waiting


def guest(service: Service, name: str, **how: Any) -> Bot:
    return Bot(service, name, **how)


async def house(service: Service, game: str, name: str, policy: Policy = waiting) -> Bot:
    """Seat a player of the house's own."""
    bot = Bot(service, name, policy=policy)
    bot.header = service.header(name, Role.HOUSE)
    return await bot.sit(game)


async def until_waiting(bot: Bot, game: str, count: int = 1) -> None:
    """Return when so many changes wait for the hand's end."""
    await bot.until_given(lambda: len(bot.service.table(game)._deferred) >= count)


async def full_table(service: Service, **rules: Any) -> tuple[str, list[Bot]]:
    """Open a table of three with two house players and a person, in a hand that waits."""
    game = await service.open_game(seats=3, **rules)
    await service.pause(game)
    seated = [await house(service, game, "house-1")]
    seated.append(await guest(service, "ann", policy=waiting).sit(game))
    seated.append(await house(service, game, "house-2"))
    await service.resume(game)
    await seated[1].until(lambda bot: bot.decision)
    return game, seated


async def fold_to_the_end(seated: list[Bot]) -> None:
    """Play the open hand to its end by folding."""
    for bot in seated:
        bot.policy = folding
        if bot.decision is not None and bot.decision.seat == bot.seat:
            bot._decide(bot.decision)
    await seated[1].until_line("hand_ended")


async def test_the_log_says_who_is_of_the_house(service: Service) -> None:
    _, seated = await full_table(service)
    _, ann, _ = seated
    taken = [body for kind, body in ann.entries() if kind == "seat_taken"]
    assert [one.get("house") for one in taken] == [True, None, True]
    await stop(seated)


async def test_a_person_gets_the_lowest_house_seat_when_the_hand_has_ended(
    service: Service,
) -> None:
    game, seated = await full_table(service)
    bob = guest(service, "bob", policy=waiting)
    sitting = asyncio.create_task(bob.sit(game, stack=150, reference="bob's"))
    await until_waiting(bob, game)
    assert not sitting.done()
    await fold_to_the_end(seated)
    await asyncio.wait_for(sitting, 30)
    assert bob.seat == 1
    await bob.until_line("seat_taken", player="bob")
    told = bob.entries()
    place = next(n for n, (_, body) in enumerate(told) if body.get("player") == "bob")
    assert told[place - 2][0] == "hand_ended"
    left = next(one["stack"] for one in told[place - 2][1]["stacks"] if one["seat"] == 1)
    assert told[place - 1] == (
        "player_removed",
        {"player": "house-1", "seat": 1, "stack": left},
    )
    assert "house" not in told[place][1]
    moved = [(one.what, one.player, one.amount) for one in await service.chips()]
    assert moved[-2:] == [("cashed_out", "house-1", left), ("seat_taken", "bob", 150)]
    await stop([*seated, bob])


async def test_a_game_in_which_seats_were_taken_over_holds_in_the_audit(service: Service) -> None:
    game, seated = await full_table(service, max_hands=2)
    bob = guest(service, "bob", policy=folding)
    sitting = asyncio.create_task(bob.sit(game))
    await until_waiting(bob, game)
    await fold_to_the_end(seated)
    await asyncio.wait_for(sitting, 30)
    await bob.until_line("game_closed")
    await service.settled(game)
    report = judge(await service.file(game), key=service.key)
    assert report.exit_status() == 0, tell(report)
    await stop([*seated, bob])


async def test_a_seat_that_is_named_is_taken_over_alone(service: Service) -> None:
    game, seated = await full_table(service)
    bob = guest(service, "bob", policy=waiting)
    sitting = asyncio.create_task(bob.sit(game, seat=3))
    await until_waiting(bob, game)
    told = await refusal(guest(service, "eve").sit(game, seat=2, watch=False))
    assert told.reason == "SEAT_TAKEN"
    await fold_to_the_end(seated)
    await asyncio.wait_for(sitting, 30)
    assert bob.seat == 3
    await stop([*seated, bob])


async def test_between_hands_a_person_sits_at_once(service: Service) -> None:
    game = await service.open_game(seats=2)
    await service.pause(game)
    one, two = [await house(service, game, name) for name in ("house-1", "house-2")]
    bob = await guest(service, "bob", policy=waiting).sit(game)
    assert bob.seat == 1
    await stop([one, two, bob])


async def test_a_house_player_takes_nobodys_seat(service: Service) -> None:
    game = await service.open_game(seats=2)
    await service.pause(game)
    seated = [await house(service, game, name) for name in ("house-1", "house-2")]
    assert (await refusal(house(service, game, "house-3"))).reason == "TABLE_FULL"
    await stop(seated)


async def test_no_person_makes_way_for_another(service: Service) -> None:
    game, seated = await full_table(service)
    coming = [guest(service, name, policy=waiting) for name in ("bob", "cat", "dan")]
    sitting = [asyncio.create_task(one.sit(game)) for one in coming]
    await until_waiting(coming[0], game, 3)
    await fold_to_the_end(seated)
    done = await asyncio.gather(*sitting, return_exceptions=True)
    assert sorted(one.seat for one in coming) == [0, 1, 3]
    (fault,) = [one for one in done if isinstance(one, BaseException)]
    assert "all 3 seats are taken" in str(fault)
    await stop([*seated, *coming])


async def test_what_can_not_be_is_refused_at_once_and_not_when_the_hand_has_ended(
    service: Service,
) -> None:
    game, seated = await full_table(service)
    told = await refusal(guest(service, "bob").sit(game, stack=1, watch=False))
    assert told.reason == "BUY_IN_OUT_OF_RANGE"
    await stop(seated)


async def test_the_same_request_again_takes_no_second_seat(service: Service) -> None:
    game = await service.open_game(seats=2)
    await service.pause(game)
    seated = [await house(service, game, name) for name in ("house-1", "house-2")]
    bob = guest(service, "bob", policy=waiting)
    request = play_pb2.TakeSeatRequest(
        request_id="bob-sits-down", game=game, stack=200, accepts_reveal="all_cards"
    )
    answers = [await service.play.TakeSeat(request, metadata=bob.header) for _ in range(2)]
    assert answers[0] == answers[1]
    asked = operate_pb2.GetGameRequest(game=game)
    summary = (await service.operate.GetGame(asked, metadata=service.operator)).summary
    assert summary.players == 2
    await stop(seated)
