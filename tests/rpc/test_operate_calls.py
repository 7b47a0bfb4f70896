"""What an operator calls: games are opened, listed, paused, resumed and closed."""

import grpc
import pytest

from cutcard.v1 import entry_pb2, operate_pb2, play_pb2
from dealer_service.tables import floor
from dealer_service.tables import table as tables
from tests.support.service import Bot, Service, fresh_id, read, refusal, seated, waiting


class TestOpenGame:
    async def test_fills_what_is_left_out_with_the_dealers_defaults(self, service: Service) -> None:
        rules = entry_pb2.RuleSet(small_blind=25)
        request = operate_pb2.OpenGameRequest(request_id=fresh_id(), rules=rules)
        answer = await service.operate.OpenGame(request, metadata=service.operator)
        whole = answer.rules
        assert (whole.small_blind, whole.big_blind, whole.seats) == (25, 50, 6)
        assert (whole.link_ms, whole.max_hands, whole.reveal.policy) == (3000, 1000, "all_cards")
        kind, opened = read((await service.lines(answer.game))[0])
        assert kind == "game_opened"
        assert opened["rules"]["big_blind"] == 50
        assert answer.size == 1

    async def test_signs_the_game_from_its_first_line_on(self, service: Service) -> None:
        game = await service.open_game()
        assert (await service.summary(game)).signed_size == 1


class TestListGames:
    async def test_lists_page_by_page_in_the_order_of_opening(self, service: Service) -> None:
        games = [await service.open_game(f"ref {n}") for n in range(5)]
        listed: list[str] = []
        token = ""
        while True:
            request = operate_pb2.ListGamesRequest(page_size=2, page_token=token)
            answer = await service.operate.ListGames(request, metadata=service.operator)
            assert len(answer.games) <= 2
            listed += [one.game for one in answer.games]
            token = answer.next_page_token
            if not token:
                break
        assert listed == games

    async def test_lists_games_of_one_state(self, service: Service) -> None:
        one, two, three = [await service.open_game() for _ in range(3)]
        await service.pause(two)
        await service.close_game(three)
        for state, games in {
            "open": [one],
            "paused": [two],
            "revealed": [three],
            "": [one, two, three],
        }.items():
            request = operate_pb2.ListGamesRequest(state=state)
            answer = await service.operate.ListGames(request, metadata=service.operator)
            assert [game.game for game in answer.games] == games
            assert not answer.next_page_token


class TestGetGame:
    async def test_tells_what_the_game_has_come_to(self, service: Service) -> None:
        game = await service.open_game("table 4", max_hands=1, seats=3)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        summary = await service.summary(game)
        size = len(await service.lines(game))
        assert (summary.state, summary.hands, summary.players) == ("revealed", 1, 2)
        assert (summary.size, summary.signed_size) == (size, size)
        assert (summary.reference, summary.rules.seats) == ("table 4", 3)
        after = await service.summary(summary.next)
        assert (after.previous, after.reference) == (game, "table 4")
        assert after.opened_at == summary.opened_at


class TestPause:
    async def test_opens_no_hand_until_it_is_resumed(self, service: Service) -> None:
        game = await service.open_game()
        await service.pause(game)
        ann, _ = await seated(service, game, "ann", "bob")
        assert (await ann.table()).phase == "paused"
        told = await refusal(service.pause(game))
        assert (told.code, told.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION,
            "PAUSED_ALREADY",
        )
        assert ann.find("hand_opened") is None
        await service.resume(game)
        assert (await refusal(service.resume(game))).reason == "NOT_PAUSED"
        await ann.until_line("hand_opened")

    async def test_lets_the_open_hand_play_on(self, service: Service) -> None:
        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        await service.pause(game)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        await ann.until_line("hand_ended")
        await service.settled(game)
        assert (await ann.table()).phase == "paused"


class TestCloseGame:
    async def test_waits_for_the_end_of_the_hand_and_cashes_out(self, service: Service) -> None:
        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        request = operate_pb2.CloseGameRequest(request_id=fresh_id(), game=game, reference="end")
        call = service.operate.CloseGame(request, metadata=service.operator)
        await ann.until_given(lambda: service.table(game)._deferred)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        size = (await call).size
        kinds = [kind for kind, _ in await service.entries(game)]
        assert kinds[-3:] == ["hand_ended", "game_closed", "secret_revealed"]
        assert size == len(kinds)
        moved = [one for one in await service.chips() if one.reference == "end"]
        assert [(one.what, one.player) for one in moved] == [
            ("cashed_out", "ann"),
            ("cashed_out", "bob"),
            ("game_closed", ""),
        ]
        assert await ann.until_over() == "end"

    async def test_what_waits_behind_it_is_told_that_the_game_has_closed(
        self, service: Service
    ) -> None:
        """A change that waited for the same hand's end is answered, not forgotten."""
        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        table = service.table(game)
        close = operate_pb2.CloseGameRequest(request_id=fresh_id(), game=game)
        closing = service.operate.CloseGame(close, metadata=service.operator)
        await ann.until_given(lambda: len(table._deferred) == 1)
        add = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=1)
        adding = service.play.AddChips(add, metadata=ann.header)
        await ann.until_given(lambda: len(table._deferred) == 2)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        await closing
        assert (await refusal(adding)).reason == "GAME_CLOSED"


async def test_chips_wait_for_the_end_of_the_hand(service: Service) -> None:
    game = await service.open_game()
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await ann.until(lambda bot: bot.decision)
    add = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=7, reference="more")
    adding = service.play.AddChips(add, metadata=ann.header)
    await ann.until_given(lambda: service.table(game)._deferred)
    await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
    answer = await adding
    kinds = [kind for kind, _ in await service.entries(game)]
    assert kinds.index("chips_added") == kinds.index("hand_ended") + 1
    ended = await ann.until_line("hand_ended", hand=1)
    assert answer.stack == ended["stacks"][0]["stack"] + 7


async def test_a_caller_that_hangs_up_while_its_change_waits_finds_the_answer_later(
    service: Service,
) -> None:
    game = await service.open_game()
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await ann.until(lambda bot: bot.decision)
    add = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=7)
    adding = service.play.AddChips(add, metadata=ann.header)
    await ann.until_given(lambda: service.table(game)._deferred)
    adding.cancel()
    await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
    await ann.until_line("chips_added")
    again = await service.play.AddChips(add, metadata=ann.header)
    assert again.stack
    assert [one.what for one in await service.chips()].count("chips_added") == 1
    assert isinstance(ann, Bot)


async def test_so_many_changes_may_wait_and_no_more(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can fill the dealer's memory with what waits for a hand's end."""
    monkeypatch.setattr(tables, "MOST_WAITING", 2)
    game = await service.open_game()
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    turn = await ann.until(lambda bot: bot.decision)
    asked = [play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=1) for _ in range(3)]
    adding = [service.play.AddChips(one, metadata=ann.header) for one in asked[:2]]
    await ann.until_given(lambda: len(service.table(game)._deferred) == 2)
    told = await refusal(service.play.AddChips(asked[2], metadata=ann.header))
    assert (told.code, told.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_WAITING")
    await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
    for one in adding:
        await one
    await ann.until(lambda bot: bot.decision and bot.decision.hand == 2)


async def test_tables_of_games_that_are_over_are_shown_again_and_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(floor, "ENDED", 1)
    games = [await service.open_game() for _ in range(3)]
    for game in games:
        await service.close_game(game)
    for game in games * 2:
        request = play_pb2.GetTableRequest(game=game)
        table = await service.play.GetTable(request, metadata=service.operator)
        assert (table.game, table.phase, table.size) == (game, "revealed", 2)
