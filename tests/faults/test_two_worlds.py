"""Two games that differ only in cards that one seat can not see look the same to that seat.

The second world deals the same cards to the seat and to the board and others to everybody else
and to the burns. The seat is sent the same messages in the same order and of the same sizes,
equal but for times, signatures and what is a hash, a salt, a link or a secret.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import play_pb2
from dealer_service.fairness.deck import SealedDeck, seal
from dealer_service.fairness.drbg import stream
from dealer_service.fairness.shuffle import STREAM_BYTES, perform
from dealer_service.tables import custody
from tests.support.service import Bot, Policy, Service, calling, fresh_id, serving, stop

SEAT = 2
OWN = (0, 3)
BOARD = (7, 8, 9, 11, 13)
Rearrange = Callable[[list[int]], list[int]]

FIXED = perform(bytes(range(256)) * (STREAM_BYTES // 256)).deck
"""The cards of the first world: in every game the same, so that two games can be compared."""


def as_dealt(cards: list[int]) -> list[int]:
    return cards


def others_elsewhere(cards: list[int]) -> list[int]:
    """Move all cards but the seat's and the board's by one place."""
    free = [place for place in range(52) if place not in OWN + BOARD]
    moved = list(cards)
    for place, other in zip(free, free[1:] + free[:1], strict=True):
        moved[place] = cards[other]
    return moved


def own_elsewhere(cards: list[int]) -> list[int]:
    """Give the seat another card, for the test of the test."""
    moved = list(cards)
    moved[0], moved[51] = cards[51], cards[0]
    return moved


def world(rearrange: Rearrange) -> Callable[[bytes, bytes], SealedDeck]:
    def derive(secret: bytes, mix: bytes) -> SealedDeck:
        salts = stream(secret, mix, "salts", STREAM_BYTES)
        return seal(tuple(rearrange(list(FIXED))), salts, mix)

    return derive


def to_the_river(_bot: Bot, decision: play_pb2.Decision) -> tuple[int, int]:
    """Check or call up to the river, then let the first to act win with a bet."""
    if decision.turn < 10:
        return calling(_bot, decision)
    if decision.HasField("bet"):
        return play_pb2.ACT_BET, getattr(decision.bet, "from")
    return play_pb2.ACT_FOLD, 0


def not_at_all(_bot: Bot, decision: play_pb2.Decision) -> tuple[int, int]:
    return (play_pb2.ACT_CHECK, 0) if decision.may_check else (play_pb2.ACT_FOLD, 0)


async def seen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rearrange: Rearrange, policy: Policy
) -> tuple[list[play_pb2.WatchResponse], list[bytes]]:
    """Play one hand in a world, and give what the seat was sent: its stream and its answers."""
    monkeypatch.setattr(custody, "derive", world(rearrange))
    async with serving(folder) as service:
        game = await service.open_game(pause_ms=1000)
        await service.pause(game)
        bots = [Bot(service, name, policy=policy) for name in ("ann", "bob", "cid")]
        for bot in bots:
            bot.watch(game)
            await bot.until(lambda one: one.heard and not one.heard[-1].lines)
        for bot in bots:
            await bot.sit(game, watch=False)
            await bot.until(lambda one: len(one.lines) == len(bots[0].lines))
        mine = bots[SEAT - 1]
        await service.resume(game)
        await mine.until_line("deck_committed")
        answers = [(await mine.table()).SerializeToString()]
        await mine.until_line("awarded")
        show = play_pb2.ShowRequest(request_id=fresh_id(), game=game, hand=1)
        answers.append((await service.play.Show(show, metadata=mine.header)).SerializeToString())
        answers.append((await settled_table(service, mine)).SerializeToString())
        messages = list(mine.heard)
        await stop(bots)
    return messages, answers


async def settled_table(service: Service, bot: Bot) -> play_pb2.GetTableResponse:
    await service.settled(bot.game)
    await bot.until_line("opened", seat=SEAT)
    return await bot.table()


def plain(message: play_pb2.WatchResponse) -> Any:
    """Put a message into a form without times, and with lengths for what is hash or secret."""
    return {
        "first": message.first,
        "lines": [hide(json.loads(line)) for line in message.lines],
        "proofs": [
            (one.hand, one.position, [len(part) for part in one.proof]) for one in message.proofs
        ],
        "checkpoint": message.checkpoint.split("\n")[1:2],
        "decision": str(message.decision),
        "openings": [
            (one.hand, one.position, one.card, len(one.salt), [len(part) for part in one.proof])
            for one in message.openings
        ],
    }


def hide(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: hide(one) for key, one in value.items() if key != "at"}
    if isinstance(value, list):
        return [hide(one) for one in value]
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{32,}", value):
        return len(value)
    return value


def hidden_game(answer: bytes) -> bytes:
    return re.sub(rb"[0-9a-f]{32}", b"game", answer)


@pytest.mark.parametrize("policy", [to_the_river, not_at_all])
async def test_a_seat_is_sent_the_same_in_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: Policy
) -> None:
    one, answers = await seen(tmp_path / "one", monkeypatch, as_dealt, policy)
    two, others = await seen(tmp_path / "two", monkeypatch, others_elsewhere, policy)
    assert [plain(message) for message in one] == [plain(message) for message in two]
    assert [message.ByteSize() for message in one] == [message.ByteSize() for message in two]
    assert [hidden_game(answer) for answer in answers] == [hidden_game(answer) for answer in others]


async def test_the_comparison_sees_one_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, _ = await seen(tmp_path / "one", monkeypatch, as_dealt, not_at_all)
    two, _ = await seen(tmp_path / "two", monkeypatch, own_elsewhere, not_at_all)
    assert [plain(message) for message in one] != [plain(message) for message in two]


def test_the_worlds_differ_where_the_seat_does_not_see() -> None:
    """The premise: other cards for every other seat and burn, the same for the seat and board."""
    one, two = list(FIXED), others_elsewhere(list(FIXED))
    assert sorted(two) == sorted(one) == list(range(52))
    for place in range(52):
        assert (one[place] == two[place]) is (place in OWN + BOARD)
