"""Searches a process for what a hand left behind; test_memory.py runs each in one of its own."""

import gc
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dealer_service.fairness.deck import SealedDeck
from dealer_service.tables.custody import Custody
from tests.support.service import Bot, Service, calling, folding, read, serving, stop

Digest = bytes


class Marks:
    """Digests of what no hand may leave behind: this test itself keeps no secret."""

    def __init__(self) -> None:
        self.secrets: dict[Digest, str] = {}
        self.salts: dict[Digest, tuple[int, int]] = {}
        self.decks: dict[int, str] = {}

    def note_secret(self, hand: int, secret: bytes) -> None:
        self.secrets[sha256(secret).digest()] = f"the secret of hand {hand}"

    def note_deck(self, hand: int, deck: SealedDeck) -> None:
        for position, salt in enumerate(deck.salts):
            self.salts[sha256(salt).digest()] = (hand, position)
        self.decks[hash(deck.cards)] = f"the deck of hand {hand}"

    def forget_open(self, hand: int, opened: set[tuple[int, int]]) -> None:
        """Leave out the hand that is open, and positions that everybody has seen."""
        self.secrets = {k: v for k, v in self.secrets.items() if not v.endswith(f" {hand}")}
        self.decks = {k: v for k, v in self.decks.items() if not v.endswith(f" {hand}")}
        self.salts = {k: v for k, v in self.salts.items() if v[0] != hand and v not in opened}

    def name(self, thing: object) -> str | None:
        """Say what of a hand an object is, if it is anything."""
        if isinstance(thing, tuple) and len(thing) == 52:
            return self.decks.get(hash(thing)) if type(thing[0]) is int else None
        for value in values_of(thing):
            digest = sha256(value).digest()
            if digest in self.secrets:
                return self.secrets[digest]
            if digest in self.salts:
                return f"a salt {self.salts[digest]}"
        return None


def values_of(thing: object) -> Iterator[bytes]:
    """Give the bytes that an object could be a secret as: plain or in hex."""
    if isinstance(thing, bytes | bytearray | memoryview) and len(thing) in (16, 32, 64):
        yield bytes(thing)
        thing = bytes(thing).decode("latin-1")
    if isinstance(thing, str) and len(thing) in (32, 64):
        try:
            yield bytes.fromhex(thing)
        except ValueError:
            return


def reachable() -> list[object]:
    """Give all that the collector knows, and all that these refer to, each once.

    It leaves out tuples and dictionaries of plain values, so what these hold is looked up, too.
    """
    gc.collect()
    all_of_it: dict[int, object] = {}
    further = gc.get_objects()
    while further:
        # Asked of all at once, and held here, so that no object's identity is another one's.
        beneath = {id(one): one for one in gc.get_referents(*further)}
        all_of_it |= {id(one): one for one in further}
        further = [
            one
            for key, one in beneath.items()
            if key not in all_of_it and not gc.is_tracked(one) and isinstance(one, tuple | dict)
        ]
        all_of_it |= beneath
    return list(all_of_it.values())


def found(marks: Marks) -> set[str]:
    return {name for thing in reachable() if (name := marks.name(thing)) is not None}


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch) -> Marks:
    kept = Marks()
    commitment, fix = Custody.commitment, Custody.fix

    def commit(self: Custody, origin: str, game: bytes) -> str:
        kept.note_secret(self.hand, self.secret)
        return commitment(self, origin, game)

    def fixing(self: Custody, mixed: bytes) -> Any:
        kept.note_deck(self.hand, fix(self, mixed))
        return self.deck

    monkeypatch.setattr(Custody, "commitment", commit)
    monkeypatch.setattr(Custody, "fix", fixing)
    return kept


async def play(service: Service, policy: Any) -> tuple[str, list[Bot]]:
    """Play two hands, and leave the third open at its first turn."""
    game = await service.open_game()
    await service.pause(game)
    bots = [
        await Bot(
            service, name, policy=lambda bot, one: policy(bot, one) if one.hand < 3 else None
        ).sit(game)
        for name in ("ann", "bob", "cid")
    ]
    await service.resume(game)
    for bot in bots:
        await bot.until(lambda bot: bot.decision and bot.decision.hand == 3)
    await service.settled(game)
    return game, bots


def opened_in(lines: list[bytes]) -> set[tuple[int, int]]:
    return {
        (body["hand"], card["position"])
        for kind, body in map(read, lines)
        if kind == "opened"
        for card in body["cards"]
    }


@pytest.mark.parametrize("policy", [calling, folding])
async def test_nothing_of_a_hand_outlasts_it(tmp_path: Path, marks: Marks, policy: Any) -> None:
    async with serving(tmp_path) as service:
        game, bots = await play(service, policy)
        # The open hand's deck is there, so the search finds what is there; its secret is not.
        there = found(marks)
        assert "the deck of hand 3" in there
        assert not any("secret" in one for one in there)
        marks.forget_open(3, opened_in(await service.lines(game)))
        assert len(marks.secrets) == len(marks.decks) == 2
        assert len(marks.salts) > 52
        assert found(marks) == set()
        await stop(bots)


async def test_nothing_of_a_void_hand_outlasts_it_but_what_it_showed(
    tmp_path: Path, marks: Marks
) -> None:
    async with serving(tmp_path) as service:
        game = await service.open_game(link_ms=1000)
        bots = [Bot(service, name) for name in ("ann", "bob")]
        for bot in bots:
            bot.gives_links = False
            await bot.sit(game)
        await bots[0].until_line("hand_opened", hand=1)
        assert found(marks) == {"the secret of hand 1"}
        await stop(bots)


async def test_a_late_watcher_leaves_no_deck_behind(tmp_path: Path, marks: Marks) -> None:
    """Decks that are derived again for the proofs of past cards go with the replay."""
    async with serving(tmp_path) as service:
        game, bots = await play(service, calling)
        eve = Bot(service, "eve")
        eve.watch(game)
        await eve.until(lambda bot: bot.decision)
        assert any(message.proofs for message in eve.heard)
        marks.forget_open(3, opened_in(await service.lines(game)))
        assert found(marks) == set()
        await stop([*bots, eve])
