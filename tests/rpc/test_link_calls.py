"""Links and anchors over the wire: when each is taken, and what a miss costs."""

from typing import Any

import pytest

from cutcard.v1 import play_pb2
from tests.support.service import Bot, Service, fresh_id, refusal, seated, waiting


def anchor(game: str, value: bytes, **missing: Any) -> play_pb2.AnchorRequest:
    return play_pb2.AnchorRequest(request_id=fresh_id(), game=game, anchor=value, **missing)


async def opened(service: Service) -> tuple[str, Bot, Bot, bytes]:
    """Bring two players to an open hand that waits for the first one's link, and give that."""
    game = await service.open_game(link_ms=3000)
    await service.pause(game)
    ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
    ann.gives_links = False
    await service.resume(game)
    line = await ann.until_line("hand_opened", hand=1)
    await ann.until(lambda bot: max(bot.checkpoints) >= 5)
    await ann.until_given(lambda: service.table(game).dealing.links)
    return game, ann, bob, ann.link_before(line["seats"][0]["anchor"])


async def missed(service: Service) -> tuple[str, Bot, Bot, bytes]:
    """Let the first player's link be missing in hand 1."""
    game, ann, bob, link = await opened(service)
    service.advance(3000)
    void = await ann.until_line("hand_void", hand=1)
    assert [one["player"] for one in void["missing"]] == ["ann"]
    return game, ann, bob, link


class TestGiveLink:
    async def test_is_answered_when_the_deck_is_durable(self, service: Service) -> None:
        game, ann, _, link = await opened(service)
        await ann.give_link(1, link)
        kinds = [kind for kind, _ in await service.entries(game)]
        assert "deck_committed" in kinds

    async def test_the_same_link_again_is_the_same_call(self, service: Service) -> None:
        game, ann, _, link = await opened(service)
        await ann.give_link(1, link)
        size = len(await service.lines(game))
        await ann.give_link(1, link)
        assert len(await service.lines(game)) == size

    async def test_another_link_is_refused(self, service: Service) -> None:
        _, ann, _, link = await opened(service)
        told = await refusal(ann.give_link(1, bytes(31) + b"x"))
        assert (told.reason, told.metadata) == ("LINK_DOES_NOT_FIT", {"hand": "1"})
        await ann.give_link(1, link)
        told = await refusal(ann.give_link(1, bytes(31) + b"x"))
        assert told.reason == "LINK_GIVEN_ALREADY"

    async def test_a_link_for_another_hand_is_refused(self, service: Service) -> None:
        _, ann, _, link = await opened(service)
        told = await refusal(ann.give_link(2, link))
        assert told.reason == "HAND_NOT_OPEN"
        assert told.metadata == {"hand": "2", "last_hand": "1"}

    async def test_one_players_link_does_not_serve_another(self, service: Service) -> None:
        _, ann, bob, link = await opened(service)
        told = await refusal(bob.give_link(1, link))
        assert told.reason in {"LINK_DOES_NOT_FIT", "LINK_GIVEN_ALREADY"}
        await ann.give_link(1, link)

    async def test_a_caller_that_hangs_up_has_given_its_link_all_the_same(
        self, service: Service
    ) -> None:
        """A link that left is spent: the deck is committed with it when the last one comes."""
        game = await service.open_game()
        await service.pause(game)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting, links=True)
        ann.gives_links = bob.gives_links = False
        await service.resume(game)
        line = await ann.until_line("hand_opened", hand=1)
        await bob.until(lambda bot: max(bot.checkpoints) >= 5)
        links = [bot.link_before(line["seats"][n]["anchor"]) for n, bot in enumerate((ann, bob))]
        request = play_pb2.GiveLinkRequest(game=game, hand=1, link=links[0])
        call = service.play.GiveLink(request, metadata=ann.header)
        table = service.table(game)
        await ann.until_given(lambda: table.dealing.links)
        call.cancel()
        await bob.give_link(1, links[1])
        committed = await bob.until_line("deck_committed", hand=1)
        assert [one["link"] for one in committed["links"]] == [one.hex() for one in links]


class TestAnchor:
    async def test_waits_for_the_end_of_the_hand(self, service: Service) -> None:
        game, ann, bob, link = await opened(service)
        await ann.give_link(1, link)
        turn = await ann.until(lambda bot: bot.decision)
        fresh = ann.new_anchor(game, bytes(range(32)))
        call = service.play.Anchor(anchor(game, fresh), metadata=ann.header)
        await ann.until_given(lambda: service.table(game)._deferred)
        await (ann if turn.seat == ann.seat else bob).act(1, turn.turn, play_pb2.ACT_FOLD)
        await call
        kinds = [kind for kind, _ in await service.entries(game)]
        assert kinds.index("anchored") > kinds.index("hand_ended")
        second = await bob.until_line("hand_opened", hand=2)
        assert second["seats"][0]["anchor"] == fresh.hex()

    @pytest.mark.parametrize("used", ["anchor", "link"])
    async def test_a_value_that_was_logged_is_no_new_anchor(
        self, service: Service, used: str
    ) -> None:
        game, ann, _, link = await opened(service)
        await ann.give_link(1, link)
        cid = await Bot(service, "cid").sit(game, watch=False)
        value = link if used == "link" else ann.new_anchor(game)
        told = await refusal(service.play.Anchor(anchor(game, value), metadata=cid.header))
        assert told.reason == "ANCHOR_USED"

    async def test_without_a_miss_there_is_no_missing_link(self, service: Service) -> None:
        game = await service.open_game()
        ann = await Bot(service, "ann").sit(game)
        request = anchor(game, bytes(range(32)), missing_hand=1, missing_link=bytes(32))
        told = await refusal(service.play.Anchor(request, metadata=ann.header))
        assert told.reason == "NOTHING_MISSED"


class TestMiss:
    async def test_loses_the_anchor_until_the_missing_link_is_told(self, service: Service) -> None:
        game, ann, bob, link = await missed(service)
        second = await bob.until_line("hand_opened", hand=2)
        assert "anchor" not in second["seats"][0]
        assert second["misses"] == [{"player": "ann", "hands": [1]}]
        await bob.until(lambda bot: bot.decision)
        value = ann.new_anchor(game, bytes(range(32)))
        alone = service.play.Anchor(anchor(game, value), metadata=ann.header)
        wrong = service.play.Anchor(
            anchor(game, value, missing_hand=1, missing_link=bytes(32)), metadata=ann.header
        )
        right = service.play.Anchor(
            anchor(game, value, missing_hand=1, missing_link=link), metadata=ann.header
        )
        await bob.until_given(lambda: len(service.table(game)._deferred) == 3)
        turn = bob.decision
        assert turn is not None
        await (ann if turn.seat == ann.seat else bob).act(2, turn.turn, play_pb2.ACT_FOLD)
        told = await refusal(alone)
        assert (told.reason, told.metadata) == ("MISSING_LINK_NEEDED", {"hand": "1"})
        told = await refusal(wrong)
        assert (told.reason, told.metadata) == ("MISSING_LINK_DOES_NOT_FIT", {"hand": "1"})
        assert (await right).size
        third = await bob.until_line("hand_opened", hand=3)
        assert third["seats"][0]["anchor"] == value.hex()

    async def test_a_second_miss_is_the_last(self, service: Service) -> None:
        game, ann, bob, link = await missed(service)
        await service.pause(game)
        turn = await bob.until(lambda bot: bot.decision)
        await (ann if turn.seat == ann.seat else bob).act(2, turn.turn, play_pb2.ACT_FOLD)
        await ann.until_line("hand_ended", hand=2)
        request = anchor(
            game,
            ann.new_anchor(game, bytes(range(32))),
            missing_hand=1,
            missing_link=link,
        )
        await service.play.Anchor(request, metadata=ann.header)
        await service.resume(game)
        line = await ann.until_line("hand_opened", hand=3)
        await service.pause(game)
        service.advance(3000)
        await ann.until_line("hand_void", hand=3)
        request = anchor(
            game,
            bytes([9]) * 32,
            missing_hand=3,
            missing_link=ann.link_before(line["seats"][0]["anchor"]),
        )
        told = await refusal(service.play.Anchor(request, metadata=ann.header))
        assert (told.reason, told.metadata) == ("MISSED_TOO_OFTEN", {"misses": "2"})

    async def test_outlasts_leaving(self, service: Service) -> None:
        game, ann, _, _ = await missed(service)
        await service.pause(game)
        await ann.leave()
        await ann.until_line("hand_ended", hand=2)
        request = play_pb2.TakeSeatRequest(
            request_id=fresh_id(),
            game=game,
            stack=200,
            anchor=bytes([5]) * 32,
            accepts_reveal="all_cards",
        )
        told = await refusal(service.play.TakeSeat(request, metadata=ann.header))
        assert told.reason == "ANCHOR_AFTER_MISS"
