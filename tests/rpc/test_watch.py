"""Watching: the same lines for everybody, a player's own openings, checkpoints in time."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from pathlib import Path

import pytest

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Caller, Role
from dealer_service.fairness.cards import CARD_NAMES
from dealer_service.fairness.deck import Opening, verify_opening
from dealer_service.rpc.watch import Watch
from dealer_service.tables import watchers
from dealer_service.tables.refused import Refused
from dealer_service.transcript.merkle import leaf_hash, tree_root
from tests.support.audits import read_checkpoint
from tests.support.service import (
    Bot,
    Service,
    calling,
    read,
    refusal_of_stream,
    seated,
    serving,
    stop,
    time_of,
    waiting,
    watching,
)


async def drain(service: Service, game: str, start: int = 0, name: str = "eve") -> list[bytes]:
    """Read the stream of a game that is over, and give its lines."""
    lines: list[bytes] = []
    stream = service.play.Watch(watching(game, start), metadata=service.header(name))
    async for message in stream:
        assert message.first == start + len(lines) or not message.lines
        lines += message.lines
    return lines


class TestLines:
    async def test_are_the_same_for_everybody_byte_for_byte(self, service: Service) -> None:
        game = await service.open_game(max_hands=4)
        eve = Bot(service, "eve")
        eve.watch(game)
        bots = [eve, *await seated(service, game, "ann", "bob", "cid")]
        for bot in bots:
            await bot.until_over()
        stored = await service.lines(game)
        for bot in bots:
            assert [bot.lines[index] for index in range(len(stored))] == stored

    async def test_come_from_any_index_on(self, service: Service) -> None:
        game = await service.open_game(max_hands=2)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        stored = await service.lines(game)
        for start in range(len(stored) + 1):
            assert await drain(service, game, start) == stored[start:]

    async def test_behind_the_end_are_refused(self, service: Service) -> None:
        game = await service.open_game()
        stream = service.play.Watch(watching(game, 2), metadata=service.operator)
        told = await refusal_of_stream(stream)
        assert (told.reason, told.metadata) == ("NO_SUCH_LINE", {"size": "1"})

    async def test_of_a_long_game_come_in_messages_of_bounded_size(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from dealer_service.tables import log  # noqa: PLC0415 - of this test alone

        monkeypatch.setattr(log, "BATCH_LINES", 3)
        game = await service.open_game(max_hands=8)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        assert [ann.lines[n] for n in range(len(ann.lines))] == await service.lines(game)
        assert max(len(message.lines) for message in ann.heard) <= 3


class TestOpenings:
    async def test_come_to_their_own_seat_alone(self, service: Service) -> None:
        game = await service.open_game()
        eve = Bot(service, "eve")
        eve.watch(game)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        for bot in (ann, bob):
            await bot.until(lambda bot: bot.openings)
        turn = await eve.until(lambda bot: bot.decision)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        await eve.until_line("hand_ended")
        dealt = next(body for kind, body in eve.entries() if kind == "dealt")
        for bot in (ann, bob):
            own = [one["position"] for one in dealt["positions"] if one.get("seat") == bot.seat]
            hand_one = [one.position for one in bot.openings if one.hand == 1]
            assert hand_one == own
        assert not eve.openings

    async def test_are_proved_against_the_committed_deck(self, service: Service) -> None:
        game = await service.open_game()
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until(lambda bot: bot.openings)
        for opening in ann.openings:
            assert proved(ann, opening.position, opening.card, opening.salt, opening.proof)

    async def test_come_again_after_a_reconnect(self, service: Service) -> None:
        game = await service.open_game()
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until(lambda bot: bot.openings and bot.decision)
        again = Bot(service, "ann")
        again.watch(game, len(ann.lines))
        await again.until(lambda bot: bot.openings and bot.decision)
        assert again.openings == ann.openings
        assert again.decision == ann.decision
        assert not again.lines

    async def test_come_again_after_a_restart(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
            await ann.until(lambda bot: bot.openings and bot.decision)
            before = list(ann.openings)
            await stop([ann, bob])
        async with serving(tmp_path) as service:
            again = Bot(service, "ann")
            again.watch(game)
            await again.until(lambda bot: bot.openings)
            assert again.openings == before

    async def test_of_an_operators_token_never_come(self, service: Service) -> None:
        """An operator that bears a player's name is no player."""
        game = await service.open_game()
        ann, _ = await seated(service, game, "ann", "bob", policy=waiting)
        await ann.until(lambda bot: bot.openings and bot.decision)
        operator = Bot(service, "ann", links=False)
        operator.header = service.header("ann", Role.OPERATOR)
        operator.watch(game)
        await operator.until(lambda bot: bot.decision)
        assert not operator.openings


class TestProofs:
    async def test_stand_beside_the_lines_that_open_cards(self, service: Service) -> None:
        game = await service.open_game(max_hands=2)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        live = proofs_of(ann)
        late = Bot(service, "eve")
        late.watch(game)
        await late.until_over()
        assert live == proofs_of(late)
        assert len(live) >= 14

    async def test_stand_there_too_where_the_watch_begins_inside_a_hand(
        self, service: Service
    ) -> None:
        game = await service.open_game(max_hands=1)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        opened = [n for n, line in ann.lines.items() if read(line)[0] == "opened"]
        eve = Bot(service, "eve")
        eve.watch(game, opened[-1])
        await eve.until_over()
        told = {one.position for message in eve.heard for one in message.proofs}
        assert told == {card["position"] for card in read(ann.lines[opened[-1]])[1]["cards"]}


class TestCheckpoints:
    async def test_one_ends_with_each_opening_before_its_links(self, service: Service) -> None:
        game = await service.open_game(max_hands=3)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        for index, line in ann.lines.items():
            kind, _ = read(line)
            if kind == "hand_opened":
                assert index + 1 in ann.checkpoints
            if kind == "deck_committed":
                opened = max(n for n in range(index) if read(ann.lines[n])[0] == "hand_opened")
                assert heard_before(ann, opened + 1, index)

    async def test_one_covers_the_deck_and_not_yet_a_card(self, service: Service) -> None:
        game = await service.open_game(max_hands=3)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        kinds = {index: read(line)[0] for index, line in ann.lines.items()}
        for index, kind in kinds.items():
            if kind == "deck_committed":
                dealt = min(n for n in kinds if n > index and kinds[n] == "dealt")
                assert any(index < size <= dealt for size in ann.checkpoints)

    async def test_are_of_the_lines_and_of_the_key(self, service: Service) -> None:
        game = await service.open_game(max_hands=2)
        ann, _ = await seated(service, game, "ann", "bob")
        await ann.until_over()
        for size, note in ann.checkpoints.items():
            checkpoint = read_checkpoint(note, service.key)
            leaves = [leaf_hash(ann.lines[index]) for index in range(size)]
            assert (checkpoint.size, checkpoint.root) == (size, tree_root(leaves))

    @pytest.mark.parametrize(("steps", "step"), [(10, 20), (1, 10), (3, 35), (1, 70)])
    async def test_no_line_stays_uncovered_for_longer_than_200_ms(
        self, service: Service, steps: int, step: int
    ) -> None:
        """However fast or slowly the players act."""
        game = await service.open_game(max_hands=2, turn_ms=60_000)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        bots = {1: ann, 2: bob}
        while not ann.over:
            turn = await ann.until(lambda bot: bot.decision or bot.over)
            if ann.decision is not None:
                ann.decision = None
                act = play_pb2.ACT_CHECK if turn.may_check else play_pb2.ACT_CALL
                await bots[turn.seat].act(turn.hand, turn.turn, act)
            for _ in range(steps):
                service.advance(step)
                await service.settled(game)
                await ann.until_given(lambda: has_heard_all(service, ann))
                covered = max(ann.checkpoints)
                ages = [
                    service.clock.now() - time_of(line)
                    for index, line in ann.lines.items()
                    if index >= covered
                ]
                assert max(ages, default=0) < 200

    async def test_a_dealer_that_stops_leaves_no_line_uncovered(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            await service.pause(game)
            ann = await Bot(service, "ann").sit(game)
            await ann.until_line("seat_taken")
            table = service.table(game)
            await ann.stop()
        assert table.dealing.log.is_covered
        async with serving(tmp_path) as service:
            summary = await service.summary(game)
            assert summary.signed_size == summary.size == 3


class TestTheEnd:
    async def test_comes_after_the_reveal(self, service: Service) -> None:
        game = await service.open_game(max_hands=1)
        ann, bob = await seated(service, game, "ann", "bob")
        for bot in (ann, bob):
            assert await bot.until_over() == "end"
            assert bot.entries()[-1][0] == "secret_revealed"
            assert max(bot.checkpoints) == len(bot.lines)

    async def test_of_a_dealer_that_stops_is_told_as_such(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            eve = Bot(service, "eve")
            eve.watch(game)
            await eve.until(lambda bot: bot.lines)
            await service.dealer.floor.stop()
            over = await eve.until_over()
            assert not isinstance(over, str)
            assert over.reason == "STOPPING"

    async def test_of_a_watcher_that_hangs_up_is_noticed(self, service: Service) -> None:
        game = await service.open_game()
        eve = Bot(service, "eve")
        eve.watch(game)
        await eve.until(lambda bot: bot.lines)
        audience = service.table(game).audience
        assert len(audience) == 1
        await eve.stop()
        await eve.until_given(lambda: len(audience) == 0)


class TestASlowWatcher:
    async def test_is_ended_with_the_index_to_go_on_from(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It holds up nobody: the table plays on while it does not read."""
        monkeypatch.setattr(watchers, "MAX_BACKLOG", 4)
        game = await service.open_game(max_hands=3)
        watch = Watch(service.dealer.floor)
        caller = Caller("eve", Role.PLAYER)
        lines: list[bytes] = []
        async with aclosing(watch.watch(caller, watching(game))) as stream:
            lines += play_pb2.WatchResponse.FromString(await anext(stream)).lines
            ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
            table = service.table(game)
            await ann.until(lambda bot: bot.decision)
            with pytest.raises(Refused) as caught:
                await read_to_the_end(stream, lines)
        assert caught.value.refusal.reason == "WATCHED_TOO_SLOWLY"
        resume = caught.value.refusal.numbers["resume"]
        assert resume == len(lines)
        assert {len(table.audience)} == {2}
        for bot in (ann, bob):
            bot.policy = calling
        monkeypatch.undo()
        eve = Bot(service, "eve")
        eve.watch(game, resume)
        turn = await eve.until(lambda bot: bot.decision)
        await (ann if turn.seat == 1 else bob).act(1, 1, play_pb2.ACT_FOLD)
        await eve.until_over()
        whole = lines + [eve.lines[index] for index in sorted(eve.lines)]
        assert whole == await service.lines(game)

    async def test_is_told_over_the_wire(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(watchers, "MAX_BACKLOG", 1)
        game = await service.open_game()
        eve = Bot(service, "eve")
        eve.watch(game)
        await eve.until(lambda bot: bot.lines)
        ann, bob = [Bot(service, name) for name in ("ann", "bob")]
        await asyncio.gather(*[bot.sit(game, watch=False) for bot in (ann, bob)])
        ann.watch(game)
        bob.watch(game)
        over = await eve.until_over()
        assert not isinstance(over, str)
        assert over.reason == "WATCHED_TOO_SLOWLY"
        assert int(over.metadata["resume"]) == len(eve.lines)


async def read_to_the_end(stream: AsyncIterator[bytes], lines: list[bytes]) -> None:
    async for content in stream:
        lines += play_pb2.WatchResponse.FromString(content).lines


def has_heard_all(service: Service, bot: Bot) -> bool:
    """Say whether a bot has heard all that is durable, the newest checkpoint included."""
    table = service.dealer.floor.running(bot.game)
    if table is None:
        return bool(bot.over)
    standing = table.standing
    heard = max(bot.checkpoints, default=0)
    return len(bot.lines) >= standing.size and heard >= standing.checkpoint_size


def heard_before(bot: Bot, size: int, index: int) -> bool:
    """Say whether a checkpoint of `size` was heard before the line `index`."""
    for message in bot.heard:
        end = message.first + len(message.lines)
        if message.checkpoint and end == size:
            return True
        if message.first <= index < end:
            return False
    return False


def proofs_of(bot: Bot) -> dict[tuple[int, int], list[bytes]]:
    """Give every proof, each of which holds for the card that a line beside it opens."""
    found: dict[tuple[int, int], list[bytes]] = {}
    for message in bot.heard:
        opened = [read(line)[1] for line in message.lines if read(line)[0] == "opened"]
        cards = {(o["hand"], c["position"]): c for o in opened for c in o["cards"]}
        assert {(one.hand, one.position) for one in message.proofs} == cards.keys()
        for one in message.proofs:
            card = cards[one.hand, one.position]
            assert proved(
                bot, one.position, card["card"], bytes.fromhex(card["salt"]), one.proof, one.hand
            )
            found[one.hand, one.position] = list(one.proof)
    return found


def proved(  # noqa: PLR0917
    bot: Bot, position: int, card: str, salt: bytes, proof: Iterable[bytes], hand: int = 1
) -> bool:
    """Say whether a card is proved under the deck that the bot saw committed."""
    deck = bot.find("deck_committed", hand=hand)
    assert deck is not None
    opening = Opening(position, CARD_NAMES.index(card), salt, tuple(proof))
    return verify_opening(bytes.fromhex(deck["deck_root"]), bytes.fromhex(deck["mix"]), opening)
