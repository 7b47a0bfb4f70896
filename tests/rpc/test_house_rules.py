"""The house rules over the wire: choices, acts ahead, voids, banks, more cards and more boards."""

from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import entry_pb2, operate_pb2, play_pb2
from tests.support.service import (
    Bot,
    Service,
    calling,
    fresh_id,
    refusal,
    seated,
    serving,
    shoving,
    stop,
    waiting,
)

RUNS = {"runs": 2, "choices": "at_once"}


async def ready(service: Service, *names: str, policy: Any = waiting, **rules: Any) -> list[Bot]:
    """Seat bots at a game that begins when all of them sit."""
    game = await service.open_game(**rules)
    await service.pause(game)
    bots = await seated(service, game, *names, policy=policy)
    await service.resume(game)
    return bots


async def turn_of(bot: Bot, number: int) -> play_pb2.Decision:
    found = await bot.until(lambda one: one.decision and one.decision.turn == number)
    assert found
    assert bot.decision is not None
    return bot.decision


class TestPrefer:
    async def test_logs_all_choices_at_any_time(self, service: Service) -> None:
        ann, bob = await ready(service, "ann", "bob", **RUNS)
        await turn_of(ann, 1)
        size = await ann.prefer("show", "runs")
        body = await bob.until_line("preferred", player="ann")
        assert body == {"choices": ["runs", "show"], "player": "ann", "seat": 1}
        assert size == len(await service.lines(ann.game))
        table = await bob.table()
        assert [list(seat.choices) for seat in table.seats] == [["runs", "show"], []]
        await ann.prefer()
        assert (await ann.until_line("preferred", choices=[]))["seat"] == 1

    async def test_once_for_one_request_id(self, service: Service) -> None:
        ann, _ = await ready(service, "ann", "bob")
        request = play_pb2.PreferRequest(request_id="12345678", game=ann.game, choices=["show"])
        sizes = {(await service.play.Prefer(request, metadata=ann.header)).size for _ in range(2)}
        assert len(sizes) == 1
        kinds = [kind for kind, _ in await service.entries(ann.game)]
        assert kinds.count("preferred") == 1

    async def test_refuses_what_the_table_does_not_offer(self, service: Service) -> None:
        ann, _ = await ready(service, "ann", "bob", **RUNS)
        told = await refusal(ann.prefer("chop"))
        assert (told.code, told.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION,
            "CHOICE_NOT_OFFERED",
        )
        assert told.message == "this table offers no chop: choose of runs, show"
        assert (await refusal(ann.prefer())).reason == "CHOICES_STAND_ALREADY"
        zoe = Bot(service, "zoe")
        zoe.game = ann.game
        assert (await refusal(zoe.prefer("show"))).reason == "NOT_SEATED"


class TestPreSelect:
    async def test_acts_at_once_in_the_turn_and_only_its_player_sees_it_before(
        self, service: Service
    ) -> None:
        ann, bob, cid = await ready(service, "ann", "bob", "cid")
        await turn_of(ann, 1)
        lines = len(await service.lines(ann.game))
        await bob.pre_select(1, play_pb2.PRE_ACT_CALL)
        assert len(await service.lines(ann.game)) == lines
        assert (await bob.table()).pre_act == play_pb2.PRE_ACT_CALL
        for other in (ann, cid):
            assert (await other.table()).pre_act == play_pb2.PRE_ACT_NONE
        await ann.act(1, 1, play_pb2.ACT_CALL)
        act = await cid.until_line("acted", turn=2)
        assert (act["seat"], act["act"], act["by"]) == (2, "call", "pre_action")
        assert (await turn_of(cid, 3)).seat == 3
        assert (await bob.table()).pre_act == play_pb2.PRE_ACT_NONE

    async def test_a_raise_before_the_turn_makes_it_forgotten(self, service: Service) -> None:
        ann, bob, _ = await ready(service, "ann", "bob", "cid")
        await turn_of(ann, 1)
        await bob.pre_select(1, play_pb2.PRE_ACT_CALL_ANY)
        await ann.act(1, 1, play_pb2.ACT_RAISE, 4)
        assert (await turn_of(bob, 2)).seat == 2
        assert (await bob.table()).pre_act == play_pb2.PRE_ACT_NONE

    async def test_is_taken_back_by_none(self, service: Service) -> None:
        ann, bob, _ = await ready(service, "ann", "bob", "cid")
        await turn_of(ann, 1)
        await bob.pre_select(1, play_pb2.PRE_ACT_FOLD)
        await bob.pre_select(1, play_pb2.PRE_ACT_NONE)
        await ann.act(1, 1, play_pb2.ACT_CALL)
        assert (await turn_of(bob, 2)).seat == 2

    async def test_is_refused_where_no_turn_is_to_come(self, service: Service) -> None:
        ann, _ = await ready(service, "ann", "bob")
        await turn_of(ann, 1)
        told = await refusal(ann.pre_select(1, play_pb2.PRE_ACT_FOLD))
        assert (told.reason, told.message) == ("TURN_HAS_COME", "the turn has come: act")
        told = await refusal(ann.pre_select(2, play_pb2.PRE_ACT_FOLD))
        assert told.reason == "HAND_NOT_OPEN"


def void(game: str, hand: int) -> operate_pb2.VoidHandRequest:
    return operate_pb2.VoidHandRequest(request_id=fresh_id(), game=game, hand=hand)


class TestVoidHand:
    async def test_ends_a_hand_before_its_deck_twice_a_game(self, service: Service) -> None:
        game = await service.open_game()
        ann, bob = [Bot(service, name) for name in ("ann", "bob")]
        for bot in (ann, bob):
            bot.gives_links = False
            await bot.sit(game)
        for hand in (1, 2):
            await ann.until_line("hand_opened", hand=hand)
            size = (
                await service.operate.VoidHand(void(game, hand), metadata=service.operator)
            ).size
            body = await bob.until_line("hand_void", hand=hand)
            assert (body["reason"], body["missing"]) == ("operator", [])
            assert len(bytes.fromhex(body["secret"])) == 32
            assert size >= 1
        opened = await ann.until_line("hand_opened", hand=3)
        assert opened["voids"] == 2
        told = await refusal(service.operate.VoidHand(void(game, 3), metadata=service.operator))
        assert (told.reason, told.metadata["allowed"]) == ("TOO_MANY_VOIDS", "2")

    async def test_ends_no_hand_whose_deck_is_committed(self, service: Service) -> None:
        ann, _ = await ready(service, "ann", "bob")
        await turn_of(ann, 1)
        told = await refusal(service.operate.VoidHand(void(ann.game, 1), metadata=service.operator))
        assert told.reason == "DECK_COMMITTED"
        told = await refusal(service.operate.VoidHand(void(ann.game, 2), metadata=service.operator))
        assert told.reason == "HAND_NOT_OPEN"

    async def test_a_void_hands_links_are_spent_and_the_next_ones_come(
        self, service: Service
    ) -> None:
        game = await service.open_game()
        ann = await Bot(service, "ann").sit(game)
        bob = Bot(service, "bob", policy=calling)
        bob.gives_links = False
        await bob.sit(game)
        opened = await ann.until_line("hand_opened", hand=1)
        table = service.table(game)
        await ann.until_given(lambda: table.dealing.links)
        await service.operate.VoidHand(void(game, 1), metadata=service.operator)
        body = await ann.until_line("hand_void", hand=1)
        anchor = next(one["anchor"] for one in opened["seats"] if one["player"] == "ann")
        assert [one["link"] for one in body["links"]] == [ann.link_before(anchor).hex()]
        bob.gives_links = True
        bob._answer_opening(bob.lines[max(bob.lines)])
        await ann.until_line("deck_committed", hand=2)


class TestTheTimeBank:
    async def test_makes_the_clock_wait_and_is_told_in_the_turn(self, service: Service) -> None:
        bank = entry_pb2.TimeBankRule(start_ms=3_000, per_hand_ms=500, max_ms=10_000)
        ann, _ = await ready(service, "ann", "bob", turn_ms=5_000, time_bank=bank)
        turn = await turn_of(ann, 1)
        assert turn.bank_ms == 3_500
        assert turn.deadline == service.clock.now() + 8_500
        service.advance(8_499)
        await service.settled(ann.game)
        assert ann.find("acted") is None
        service.advance(1)
        act = await ann.until_line("acted", turn=1)
        assert act["by"] == "clock"


class TestDisconnectProtection:
    async def test_gives_who_is_not_connected_longer_and_nobody_else(
        self, service: Service
    ) -> None:
        game = await service.open_game(turn_ms=5_000, disconnect_ms=20_000, newcomers="next_hand")
        ann = await Bot(service, "ann", policy=waiting, links=False).sit(game, watch=False)
        bob = await Bot(service, "bob", policy=waiting, links=False).sit(game)
        turn = await turn_of(bob, 1)
        assert turn.seat == ann.seat
        service.advance(24_999)
        await service.settled(game)
        assert bob.find("acted") is None
        service.advance(1)
        assert (await bob.until_line("acted", turn=1))["by"] == "clock"
        back = play_pb2.ComeBackRequest(request_id=fresh_id(), game=game)
        await service.play.ComeBack(back, metadata=ann.header)
        await bob.until(lambda bot: bot.decision and bot.decision.hand == 2)
        # Heads-up the button moves, so that it is bob's turn, who is connected.
        service.advance(5_000)
        act = await bob.until_line("acted", seat=bob.seat, turn=1)
        assert act["by"] == "clock"

    async def test_who_comes_back_meanwhile_keeps_the_longer_time(self, service: Service) -> None:
        game = await service.open_game(turn_ms=5_000, disconnect_ms=20_000)
        ann = await Bot(service, "ann", policy=waiting, links=False).sit(game, watch=False)
        bob = await Bot(service, "bob", policy=waiting, links=False).sit(game)
        await turn_of(bob, 1)
        service.advance(6_000)
        ann.watch(game)
        await ann.until(lambda bot: bot.decision)
        await ann.prefer("show")
        service.advance(18_999)
        await service.settled(game)
        assert bob.find("acted") is None
        await ann.act(1, 1, play_pb2.ACT_CALL)
        assert (await bob.until_line("acted", turn=1))["by"] == "player"


class TestWhatATurnTells:
    async def test_a_call_has_its_total_and_bets_have_names(self, service: Service) -> None:
        ann, _, _ = await ready(service, "ann", "bob", "cid")
        turn = await turn_of(ann, 1)
        assert (turn.call, turn.call_to) == (2, 2)
        presets = [(one.name, one.to, one.cost) for one in turn.presets]
        assert presets == sorted(presets, key=lambda preset: preset[1])
        assert presets[0] == ("min", 4, 4)
        assert presets[-1] == ("all_in", 200, 200)
        table = await ann.table()
        assert table.decision == turn


class TestWhatATableTells:
    async def test_seats_have_position_names_and_what_they_owe(self, service: Service) -> None:
        ann, bob, cid, dan = await ready(
            service, "ann", "bob", "cid", "dan", newcomers="post", button="dead"
        )
        await turn_of(ann, 1)
        table = await ann.table()
        assert [seat.position for seat in table.seats] == ["BTN", "SB", "BB", "CO"]
        await Bot(service, "eve", policy=waiting).sit(ann.game)
        assert [seat.owes_live for seat in (await bob.table()).seats] == [0, 0, 0, 0, 2]
        for number, bot in enumerate((dan, ann, bob), 1):
            await turn_of(bot, number)
            await bot.act(1, number, play_pb2.ACT_FOLD)
        await cid.until_line("posted", seat=5, what="live", amount=2)


class TestOmaha:
    @pytest.mark.parametrize("cards", [4, 5, 6])
    async def test_every_player_gets_its_own_cards_and_again_when_it_comes_back(
        self, service: Service, cards: int
    ) -> None:
        ann, bob = await ready(
            service, "ann", "bob", variant="omaha", hole_cards=cards, structure="pot_limit"
        )
        await turn_of(ann, 1)
        await ann.until(lambda bot: len(bot.openings) == cards)
        assert len((await ann.table()).seats[0].cards) == cards
        assert not (await bob.table()).seats[0].cards
        positions = {one.position for one in ann.openings}
        # Heads-up the big blind's cards come first.
        assert positions == set(range(1, 2 * cards, 2))
        again = Bot(service, "ann", policy=waiting)
        again.watch(ann.game)
        await again.until(lambda bot: len(bot.openings) == cards)
        assert [one.card for one in again.openings] == [one.card for one in ann.openings]
        await stop([again])

    async def test_a_table_that_one_deck_can_not_serve_is_refused(self, service: Service) -> None:
        rules = entry_pb2.RuleSet(
            variant="omaha", hole_cards=5, structure="pot_limit", seats=9, links="sometimes"
        )
        request = operate_pb2.OpenGameRequest(request_id=fresh_id(), rules=rules)
        told = await refusal(service.operate.OpenGame(request, metadata=service.operator))
        assert [name for name, _ in told.violations] == ["rules.seats", "rules.links"]


class TestRunningItTwice:
    async def test_both_boards_are_seen_and_proved_live_and_later(self, service: Service) -> None:
        ann, bob = await ready(service, "ann", "bob", pause_ms=60_000, **RUNS)
        await turn_of(ann, 1)
        for bot in (ann, bob):
            await bot.prefer("runs")
        await ann.act(1, 1, play_pb2.ACT_RAISE, 200)
        await bob.act(1, 2, play_pb2.ACT_CALL)
        agreed = await ann.until_line("runs_agreed", hand=1)
        assert agreed == {"hand": 1, "runs": 2, "seats": [1, 2]}
        opened = await ann.until(
            lambda bot: (
                [b for k, b in bot.entries() if k == "opened" and b.get("board") == 2]
                if bot.find("awarded")
                else None
            )
        )
        assert sum(len(body["cards"]) for body in opened) == 5
        table = await bob.table()
        assert (len(table.board), len(table.second_board)) == (5, 5)
        assert not set(table.board) & set(table.second_board)
        late = Bot(service, "late", policy=waiting)
        late.watch(ann.game)
        await late.until(lambda bot: len(bot.lines) >= len(ann.lines))
        live, replayed = [
            {(one.hand, one.position): tuple(one.proof) for m in bot.heard for one in m.proofs}
            for bot in (ann, late)
        ]
        # Two hands and two boards.
        assert len(live) == 14
        assert live == replayed
        await stop([late])


class TestChips:
    async def test_more_than_a_line_can_hold_never_comes_to_a_table(self, service: Service) -> None:
        most = (2**53 - 1) // 2
        game = await service.open_game(seats=2, buy_in_max=most, pause_ms=0)
        bots = [Bot(service, name, policy=shoving) for name in ("ann", "bob")]
        await service.pause(game)
        for bot in bots:
            await bot.sit(game, stack=most)
        await service.resume(game)
        ended = await bots[0].until_line("hand_ended")
        while 0 not in {one["stack"] for one in ended["stacks"]}:
            ended = await bots[0].until_line("hand_ended", hand=ended["hand"] + 1)
        (loser,) = [bots[one["seat"] - 1] for one in ended["stacks"] if one["stack"] == 0]
        add = play_pb2.AddChipsRequest(request_id=fresh_id(), game=game, amount=2)
        told = await refusal(service.play.AddChips(add, metadata=loser.header))
        assert (told.reason, told.metadata["to"]) == ("CHIPS_OUT_OF_RANGE", "1")


class TestComingBack:
    async def test_who_left_with_more_than_the_buy_in_returns_with_no_less(
        self, service: Service
    ) -> None:
        game = await service.open_game(
            return_ms=60_000, buy_in_min=100, buy_in_max=200, pause_ms=60_000
        )
        names = ("ann", "bob", "cid")
        bots = [Bot(service, name, policy=shoving, links=False) for name in names]
        await service.pause(game)
        for bot in bots:
            await bot.sit(game)
        await service.resume(game)
        await bots[0].until_line("awarded", pot=0)
        await service.pause(game)
        service.advance(60_000)
        ended = await bots[0].until_line("hand_ended", hand=1)
        most = max(ended["stacks"], key=lambda one: one["stack"])
        winner = bots[most["seat"] - 1]
        assert (await winner.leave()).stack == most["stack"]
        if most["stack"] > 200:
            told = await refusal(winner.sit(game, watch=False))
            assert told.reason == "BUY_IN_OUT_OF_RANGE"
            assert told.metadata["from"] == str(most["stack"])
        await winner.sit(game, stack=most["stack"], watch=False)


class TestARestart:
    async def test_keeps_choices_debts_banks_and_who_left_and_forgets_acts_ahead(
        self, tmp_path: Path
    ) -> None:
        bank = entry_pb2.TimeBankRule(start_ms=3_000, per_hand_ms=0, max_ms=10_000)
        rules = {
            "newcomers": "post",
            "return_ms": 60_000,
            "time_bank": bank,
            "turn_ms": 5_000,
            **RUNS,
        }
        async with serving(tmp_path) as service:
            ann, bob, cid = await ready(service, "ann", "bob", "cid", **rules)
            game = ann.game
            await turn_of(ann, 1)
            await bob.prefer("runs")
            dan = await Bot(service, "dan", policy=waiting).sit(game)
            eve = await Bot(service, "eve", policy=waiting).sit(game)
            await eve.leave()
            service.advance(6_000)
            await ann.act(1, 1, play_pb2.ACT_CALL)
            await turn_of(bob, 2)
            await cid.pre_select(1, play_pb2.PRE_ACT_CHECK)
            before = service.table(game).dealing.state
            await stop([ann, bob, cid, dan, eve])
        async with serving(tmp_path) as service:
            after = service.table(game).dealing.state
            assert after == before
            seats = {one.player: one for one in after.seats.values()}
            assert seats["bob"].choices == ("runs",)
            assert seats["dan"].owes is not None
            assert seats["dan"].bank_ms == 3_000
            assert list(after.departed) == ["eve"]
            assert after.play is not None
            assert sorted(after.play.marks.banks) == [2_000, 3_000, 3_000]
            assert service.table(game).chosen_by("cid") is None
