"""GetStatistics: told to who may look at the table, of no more than it may see."""

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Role
from tests.support.service import Bot, Service, calling, folding, refusal, seated, stop


async def statistics(service: Service, game: str, header: object) -> play_pb2.GetStatisticsResponse:
    request = play_pb2.GetStatisticsRequest(game=game)
    return await service.play.GetStatistics(request, metadata=header)  # type: ignore[arg-type]


def counts(told: play_pb2.GetStatisticsResponse) -> dict[str, tuple[int, ...]]:
    return {
        one.player: (one.hands, one.vpip, one.pfr, one.showdowns, one.won_at_showdown)
        for one in told.players
    }


async def test_counts_the_hands_of_a_game_that_ended(service: Service) -> None:
    game = await service.open_game(max_hands=2, seats=2)
    bots = [
        await Bot(service, "ann", policy=calling).sit(game),
        await Bot(service, "bob", policy=folding).sit(game),
    ]
    await bots[0].until_line("game_closed")
    told = await statistics(service, game, service.header("ann"))
    assert told.people_only
    assert told.size == len(await service.lines(game))
    assert {name: found[0] for name, found in counts(told).items()} == {"ann": 2, "bob": 2}
    assert counts(told)["bob"][1:3] == (0, 0)
    await stop(bots)


async def test_goes_on_counting_from_where_it_was(service: Service) -> None:
    game = await service.open_game(seats=2)
    first = await statistics(service, game, service.operator)
    assert (list(first.players), first.size) == ([], 1)
    bots = await seated(service, game, "ann", "bob", policy=folding)
    await bots[0].until_line("hand_ended", hand=1)
    await service.pause(game)
    # The hand that is open plays on.
    await bots[0].until_given(lambda: service.table(game).standing.state.open is None)
    told = await statistics(service, game, service.operator)
    assert all(found[0] >= 1 for found in counts(told).values())
    assert told == await statistics(service, game, service.operator)
    await stop(bots)


async def test_tells_nothing_of_people_where_a_house_player_was_dealt_in(
    service: Service,
) -> None:
    game = await service.open_game(seats=2)
    ann = await Bot(service, "ann", policy=folding).sit(game)
    bot = Bot(service, "house-1", policy=folding)
    bot.header = service.header("house-1", Role.HOUSE)
    await bot.sit(game)
    await ann.until_line("hand_ended", hand=1)
    told = await statistics(service, game, service.operator)
    assert (told.people_only, list(told.players)) == (False, [])
    await stop([ann, bot])


async def test_who_is_told_later_is_told_the_counts_of_then(service: Service) -> None:
    game = await service.open_game(seats=2, watch_delay_ms=60_000)
    bots = await seated(service, game, "ann", "bob", policy=folding)
    await bots[0].until_line("hand_ended", hand=1)
    watcher = service.header("eve", Role.WATCHER)
    late = await statistics(service, game, watcher)
    assert (list(late.players), late.size) == ([], 1)
    assert (await statistics(service, game, service.header("ann"))).size > 1
    await stop(bots)


async def test_there_are_none_of_a_game_that_is_not_there(service: Service) -> None:
    told = await refusal(statistics(service, "0" * 32, service.operator))
    assert told.reason == "NO_SUCH_GAME"
