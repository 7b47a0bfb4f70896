"""What a player calls: each call does its work once, and says why where it does not."""

from typing import Any

import grpc
import pytest

from cutcard.v1 import play_pb2
from tests.support.service import (
    Bot,
    Service,
    calling,
    fresh_id,
    refusal,
    seated,
    shoving,
    waiting,
)


def take_seat(game: str, **changes: Any) -> play_pb2.TakeSeatRequest:
    asked: dict[str, Any] = {
        "request_id": fresh_id(),
        "game": game,
        "stack": 200,
        "accepts_reveal": "all_cards",
    }
    return play_pb2.TakeSeatRequest(**asked | changes)


async def paused_game(service: Service, **rules: Any) -> str:
    """Open a game in which no hand opens until it is resumed."""
    game = await service.open_game(**rules)
    await service.pause(game)
    return game


class TestTakeSeat:
    async def test_gives_the_lowest_free_seat_where_none_is_named(self, service: Service) -> None:
        game = await paused_game(service)
        ann = await Bot(service, "ann").sit(game, seat=2)
        bob = await Bot(service, "bob").sit(game)
        cid = await Bot(service, "cid").sit(game)
        assert (ann.seat, bob.seat, cid.seat) == (2, 1, 3)

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"accepts_reveal": ""}, "REVEAL_NOT_ACCEPTED"),
            ({"seat": 7}, "NO_SUCH_SEAT"),
            ({"seat": 1}, "SEAT_TAKEN"),
            ({"stack": 39}, "BUY_IN_OUT_OF_RANGE"),
            ({"stack": 401}, "BUY_IN_OUT_OF_RANGE"),
            ({"anchor": bytes([7]) * 32}, "ANCHOR_USED"),
        ],
    )
    async def test_says_what_would_be_allowed(
        self, service: Service, changes: dict[str, Any], reason: str
    ) -> None:
        game = await paused_game(service)
        first = take_seat(game, anchor=bytes([7]) * 32)
        await service.play.TakeSeat(first, metadata=service.header("ann"))
        request = take_seat(game, **changes)
        told = await refusal(service.play.TakeSeat(request, metadata=service.header("bob")))
        assert (told.code, told.reason) == (grpc.StatusCode.FAILED_PRECONDITION, reason)

    async def test_gives_a_player_one_seat(self, service: Service) -> None:
        game = await paused_game(service)
        await Bot(service, "ann").sit(game)
        told = await refusal(service.play.TakeSeat(take_seat(game), metadata=service.header("ann")))
        assert (told.reason, told.metadata) == ("ALREADY_SEATED", {"seat": "1"})

    async def test_is_refused_at_a_full_table(self, service: Service) -> None:
        game = await paused_game(service, seats=2)
        await seated(service, game, "ann", "bob")
        told = await refusal(service.play.TakeSeat(take_seat(game), metadata=service.header("cid")))
        assert (told.reason, told.metadata) == ("TABLE_FULL", {"seats": "2"})


class TestSeats:
    async def test_leaving_between_hands_gives_the_stack_at_once(self, service: Service) -> None:
        game = await paused_game(service)
        ann = await Bot(service, "ann").sit(game, stack=123)
        left = await ann.leave()
        assert left.stack == 123
        assert (await service.entries(game))[-1] == (
            "seat_left",
            {"player": "ann", "seat": 1, "stack": 123},
        )

    async def test_leaving_inside_a_hand_plays_it_on_and_pays_at_its_end(
        self, service: Service
    ) -> None:
        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        leaver = ann if turn.seat == ann.seat else bob
        left = await leaver.leave(reference="wallet 9")
        assert not left.HasField("stack")
        ended = await ann.until_line("hand_ended")
        act = ann.find("acted")
        assert act is not None
        assert (act["by"], act["seat"], act["act"]) == ("absent", leaver.seat, "fold")
        stack = next(one["stack"] for one in ended["stacks"] if one["seat"] == leaver.seat)
        moved = (await service.chips())[-1]
        assert (moved.what, moved.player, moved.amount, moved.reference) == (
            "cashed_out",
            leaver.name,
            stack,
            "wallet 9",
        )

    async def test_a_player_removed_inside_a_hand_plays_on_as_absent(
        self, service: Service
    ) -> None:
        from cutcard.v1 import operate_pb2  # noqa: PLC0415 - of this test alone

        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        out = ann if turn.seat == ann.seat else bob
        request = operate_pb2.RemovePlayerRequest(
            request_id=fresh_id(), game=game, player=out.name, reference="removed"
        )
        answer = await service.operate.RemovePlayer(request, metadata=service.operator)
        assert not answer.HasField("stack")
        await ann.until_line("hand_ended")
        assert (await service.chips())[-1].reference == "removed"
        request.request_id = fresh_id()
        told = await refusal(service.operate.RemovePlayer(request, metadata=service.operator))
        assert told.reason == "NOT_SEATED"

    async def test_sitting_out_and_back_count_from_the_next_hand(self, service: Service) -> None:
        game = await service.open_game()
        ann, bob, cid = await seated(service, game, "ann", "bob", "cid", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        request = play_pb2.SitOutRequest(request_id=fresh_id(), game=game)
        await service.play.SitOut(request, metadata=cid.header)
        again = play_pb2.SitOutRequest(request_id=fresh_id(), game=game)
        told = await refusal(service.play.SitOut(again, metadata=cid.header))
        assert told.reason == "SITTING_OUT_ALREADY"
        ann.policy = bob.policy = calling
        await (ann if turn.seat == ann.seat else bob).act(turn.hand, turn.turn, play_pb2.ACT_FOLD)
        opened = await ann.until_line("hand_opened", hand=2)
        assert [one["state"] for one in opened["seats"]][2] == "sitting_out"
        back = play_pb2.ComeBackRequest(request_id=fresh_id(), game=game)
        await service.play.ComeBack(back, metadata=cid.header)
        opened = await ann.until_line("hand_opened", hand=3)
        assert [one["state"] for one in opened["seats"]][2] == "in"
        again_back = play_pb2.ComeBackRequest(request_id=fresh_id(), game=game)
        told = await refusal(service.play.ComeBack(again_back, metadata=cid.header))
        assert told.reason == "NOT_SITTING_OUT"


class TestAddChips:
    async def test_adds_between_hands(self, service: Service) -> None:
        game = await paused_game(service)
        ann = await Bot(service, "ann").sit(game)
        request = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=50)
        assert (await service.play.AddChips(request, metadata=ann.header)).stack == 250

    @pytest.mark.parametrize(
        ("stack", "amount", "reason", "numbers"),
        [
            (200, 201, "AMOUNT_OUT_OF_RANGE", {"from": "1", "to": "200", "amount": "201"}),
            (400, 1, "STACK_FULL", {"buy_in_max": "400"}),
        ],
    )
    async def test_goes_up_to_the_greatest_buy_in(
        self, service: Service, stack: int, amount: int, reason: str, numbers: dict[str, str]
    ) -> None:
        game = await paused_game(service)
        ann = await Bot(service, "ann").sit(game, stack=stack)
        request = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=amount)
        told = await refusal(service.play.AddChips(request, metadata=ann.header))
        assert (told.reason, told.metadata) == (reason, numbers)


class TestAct:
    @pytest.fixture
    async def turn(self, service: Service) -> tuple[Bot, Bot, play_pb2.Decision]:
        """Bring two players to the first turn of a hand: 1 to call, raise to 4 at least."""
        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        decision = await ann.until(lambda bot: bot.decision)
        return (ann, bob, decision) if decision.seat == ann.seat else (bob, ann, decision)

    async def test_is_durable_when_it_is_answered(
        self, service: Service, turn: tuple[Bot, Bot, play_pb2.Decision]
    ) -> None:
        mine, _, decision = turn
        size = await mine.act(1, decision.turn, play_pb2.ACT_CALL)
        entries = await service.entries(mine.game)
        assert len(entries) >= size
        assert entries[size - 1] == (
            "acted",
            {"seat": mine.seat, "act": "call", "to": 2, "by": "player", "turn": 1},
        )

    @pytest.mark.parametrize(
        ("hand", "number", "act", "to", "reason", "numbers"),
        [
            (2, 1, play_pb2.ACT_CALL, 0, "HAND_NOT_OPEN", {"hand": "2", "last_hand": "1"}),
            (1, 2, play_pb2.ACT_CALL, 0, "WRONG_TURN", {"turn": "2", "open_turn": "1"}),
            (1, 1, play_pb2.ACT_CHECK, 0, "CANNOT_CHECK", {"call": "1"}),
            (1, 1, play_pb2.ACT_BET, 4, "RAISE_INSTEAD", None),
            (1, 1, play_pb2.ACT_RAISE, 0, "TOO_SMALL", None),
            (1, 1, play_pb2.ACT_RAISE, 3, "TOO_SMALL", None),
            (1, 1, play_pb2.ACT_RAISE, 201, "TOO_LARGE", None),
        ],
    )
    async def test_is_refused_with_what_would_be_allowed(  # noqa: PLR0917
        self,
        service: Service,
        turn: tuple[Bot, Bot, play_pb2.Decision],
        hand: int,
        number: int,
        act: int,
        to: int,
        reason: str,
        numbers: dict[str, str] | None,
    ) -> None:
        mine, _, _ = turn
        before = await service.lines(mine.game)
        told = await refusal(mine.act(hand, number, act, to))
        assert (told.code, told.reason) == (grpc.StatusCode.FAILED_PRECONDITION, reason)
        assert numbers is None or told.metadata == numbers
        assert await service.lines(mine.game) == before

    async def test_a_late_click_does_not_act_on_the_next_turn(
        self, service: Service, turn: tuple[Bot, Bot, play_pb2.Decision]
    ) -> None:
        """After the clock acted for a turn, an act for it is refused and changes nothing."""
        mine, other, decision = turn
        await mine.act(1, 1, play_pb2.ACT_CALL)
        await other.until(lambda bot: bot.decision and bot.decision.turn == 2)
        service.advance(decision.deadline - service.clock.now())
        await mine.until(lambda bot: bot.find("acted", turn=2))
        told = await refusal(other.act(1, 2, play_pb2.ACT_CHECK))
        assert told.reason in {"WRONG_TURN", "NOT_YOUR_TURN"}
        late = [one for one in mine.entries() if one[0] == "acted"]
        assert [body["by"] for _, body in late] == ["player", "clock"]

    async def test_before_the_deck_is_committed_nobody_acts(self, service: Service) -> None:
        game = await service.open_game()
        (ann,) = await seated(service, game, "ann")
        ann.gives_links = False
        await seated(service, game, "bob")
        other = Bot(service, "cid")
        await ann.until_line("hand_opened")
        told = await refusal(ann.act(1, 1, play_pb2.ACT_FOLD))
        assert (told.reason, told.metadata) == ("DECK_AWAITED", {"hand": "1"})
        await other.stop()


class TestShow:
    async def test_shows_both_cards_in_the_pause(self, service: Service) -> None:
        game = await service.open_game(pause_ms=1000)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        turn = await ann.until(lambda bot: bot.decision)
        mine, other = (ann, bob) if turn.seat == ann.seat else (bob, ann)
        early = play_pb2.ShowRequest(request_id=fresh_id(), game=game, hand=1)
        told = await refusal(service.play.Show(early, metadata=mine.header))
        assert told.reason == "NOT_SHOWING_TIME"
        await mine.act(1, 1, play_pb2.ACT_FOLD)
        await mine.until_line("awarded")
        show = play_pb2.ShowRequest(request_id=fresh_id(), game=game, hand=1)
        await service.play.Show(show, metadata=mine.header)
        opened = await other.until_line("opened", seat=mine.seat, by="player")
        assert [one["card"] for one in opened["cards"]] == [one.card for one in mine.openings]
        show.request_id = fresh_id()
        told = await refusal(service.play.Show(show, metadata=mine.header))
        assert told.reason == "ALREADY_SHOWN"
        service.advance(1000)
        await mine.until_line("hand_ended")


class TestGetTable:
    async def test_shows_a_player_its_own_cards_and_nobody_elses(self, service: Service) -> None:
        game = await service.open_game()
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until(lambda bot: bot.decision)
        await bob.until(lambda bot: bot.openings)
        table = await ann.table()
        cards = {one.player: list(one.cards) for one in table.seats}
        assert cards == {"ann": [one.card for one in ann.openings], "bob": []}
        assert (table.my_seat, table.phase, table.street) == (1, "playing", "preflop")
        assert table.decision == ann.decision
        request = play_pb2.GetTableRequest(game=game)
        seen = await service.play.GetTable(request, metadata=service.operator)
        assert (seen.my_seat, [list(one.cards) for one in seen.seats]) == (0, [[], []])

    async def test_shows_hands_that_are_open_to_all(self, service: Service) -> None:
        game = await service.open_game(pause_ms=1000)
        ann, bob = await seated(service, game, "ann", "bob", policy=shoving)
        await ann.until_line("awarded")
        await service.settled(game)
        request = play_pb2.GetTableRequest(game=game)
        seen = await service.play.GetTable(request, metadata=service.operator)
        assert seen.phase == "pause"
        assert len(seen.board) == 5
        shown = {one.player: list(one.cards) for one in seen.seats}
        assert shown == {one.name: [opening.card for opening in one.openings] for one in (ann, bob)}

    async def test_tells_of_a_game_that_is_over(self, service: Service) -> None:
        game = await service.open_game(max_hands=1)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        table = await ann.table()
        assert (table.phase, table.hand) == ("revealed", 1)
        assert table.next
        assert table.size == len(await service.lines(game))
