"""A game whose rules name a beacon: each deck mixes the round that its opening asks for."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.v1 import entry_pb2
from dealer_service.beacon import following
from dealer_service.fairness.mixing import Beacon, Link, mix
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.taking_stock import CannotStart
from tests.support import drand
from tests.support.drand import Node, info, round_after, round_json, serving_drand
from tests.support.service import (
    ORIGIN,
    START,
    Bot,
    ManualClock,
    Service,
    folding,
    refusal,
    seated,
    serving,
    stop,
)

RULES: dict[str, Any] = {"beacon": entry_pb2.BeaconRule(chain=drand.CHAIN)}
OTHER = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
ROUND = round_after(START)
DUE = 1000 * (drand.GENESIS + drand.PERIOD * (ROUND - 1))
LATE = 10_000


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(following, "LONGEST_PAUSE", 0.001)


@pytest.fixture
def node() -> Iterator[Node]:
    with serving_drand() as running:
        yield running


@pytest.fixture
async def service(tmp_path: Path, node: Node) -> AsyncIterator[Service]:
    async with serving(tmp_path, beacon=node.url) as running:
        yield running


async def opened(service: Service, **rules: Any) -> tuple[str, list[Bot]]:
    """Bring two players to an open hand for which both have given their link."""
    game = await service.open_game(**{"link_ms": 30_000} | RULES | rules)
    bots = await seated(service, game, "ann", "bob", policy=folding)
    table = service.table(game)
    await bots[0].until_line("hand_opened", hand=1)
    await bots[0].until_given(lambda: len(table.dealing.links) == 2)
    return game, bots


async def voided(service: Service, bots: list[Bot], hand: int) -> dict[str, Any]:
    """Let a hand's round be too late."""
    await bots[0].until_line("hand_opened", hand=hand)
    table = service.table(bots[0].game)
    await bots[0].until_given(lambda: len(table.dealing.links) == 2)
    service.advance(6000 + 1000 * drand.PERIOD + LATE)
    return await bots[0].until_line("hand_void", hand=hand)


class TestTheRound:
    async def test_is_the_first_due_six_seconds_after_the_opening(self, service: Service) -> None:
        _, (ann, _) = await opened(service)
        service.advance(DUE - START)
        committed = await ann.until_line("deck_committed", hand=1)
        assert committed["beacon"] == {
            "round": ROUND,
            "randomness": round_json(ROUND)["randomness"],
            "signature": drand.sign(ROUND).hex(),
        }
        assert await ann.until_line("dealt", hand=1)

    async def test_is_in_the_mix(self, service: Service) -> None:
        game, (ann, bob) = await opened(service)
        service.advance(DUE - START)
        committed = await ann.until_line("deck_committed", hand=1)
        first = await ann.until_line("hand_opened", hand=1)
        names = {ann.seat: "ann", bob.seat: "bob"}
        links = [
            Link(one["seat"], names[one["seat"]], bytes.fromhex(one["link"]))
            for one in committed["links"]
        ]
        randomness = bytes.fromhex(round_json(ROUND)["randomness"])
        expected = mix(
            ORIGIN,
            bytes.fromhex(game),
            1,
            bytes.fromhex(first["commitment"]),
            links,
            beacon=Beacon(bytes.fromhex(drand.CHAIN), ROUND, randomness),
        )
        assert committed["mix"] == expected.hex()

    async def test_is_not_asked_for_before_it_is_due(self, service: Service, node: Node) -> None:
        game, (ann, _) = await opened(service)
        service.advance(DUE - START - 1)
        await service.settled(game)
        assert not [path for path in node.asked if "public" in path]
        assert ann.find("deck_committed") is None
        service.advance(1)
        await ann.until_line("deck_committed", hand=1)

    async def test_may_be_there_before_the_last_link(self, service: Service) -> None:
        game = await service.open_game(**RULES, link_ms=30_000)
        await service.pause(game)
        ann, bob = await seated(service, game, "ann", "bob")
        bob.gives_links = False
        await service.resume(game)
        line = await bob.until_line("hand_opened", hand=1)
        await bob.until(lambda bot: max(bot.checkpoints) >= 5)
        service.advance(DUE - START)
        rounds = service.dealer._rounds
        assert rounds is not None
        await ann.until_given(lambda: rounds.find(ROUND))
        assert ann.find("deck_committed") is None
        anchor = next(one["anchor"] for one in line["seats"] if one["player"] == "bob")
        await bob.give_link(1, bob.link_before(anchor))
        assert (await ann.until_line("deck_committed", hand=1))["beacon"]["round"] == ROUND

    async def test_is_asked_for_again_until_it_is_there(self, service: Service, node: Node) -> None:
        answers: list[Any] = [
            None,
            500,
            b"nothing",
            round_json(ROUND + 1),
            round_json(ROUND, signature=drand.sign(ROUND + 1).hex(), randomness=None),
            round_json(ROUND, signature=drand.sign(ROUND, 7).hex(), randomness=None),
        ]
        node.give = lambda number: answers.pop(0) if answers else round_json(number)
        _, (ann, _) = await opened(service)
        service.advance(DUE - START)
        committed = await ann.until_line("deck_committed", hand=1)
        assert committed["beacon"]["signature"] == drand.sign(ROUND).hex()
        assert not answers

    async def test_is_another_for_a_later_hand(self, service: Service) -> None:
        game, (ann, _) = await opened(service, pause_ms=0)
        service.advance(DUE - START)
        await ann.until_line("hand_ended", hand=1)
        second = await ann.until_line("hand_opened", hand=2)
        at = next(
            json.loads(line)["at"]
            for line in ann.lines.values()
            if b'"hand_opened":{' in line and json.loads(line)["hand_opened"]["hand"] == 2
        )
        table = service.table(game)
        await ann.until_given(lambda: len(table.dealing.links) == 2)
        service.advance(6000 + 1000 * drand.PERIOD)
        committed = await ann.until_line("deck_committed", hand=2)
        assert committed["beacon"]["round"] == round_after(at)
        assert second["voids"] == 0


class TestARoundThatDoesNotCome:
    async def test_voids_the_hand_which_shows_its_secret(
        self, service: Service, node: Node
    ) -> None:
        node.give = lambda _: None
        game, bots = await opened(service)
        service.advance(DUE + LATE - START - 1)
        await service.settled(game)
        assert bots[0].find("hand_void") is None
        service.advance(1)
        void = await bots[0].until_line("hand_void", hand=1)
        assert (void["reason"], void["missing"], len(void["links"])) == ("no_beacon", [], 2)
        assert len(void["secret"]) == 64

    async def test_a_missing_link_comes_first(self, service: Service, node: Node) -> None:
        node.give = lambda _: None
        game = await service.open_game(**RULES, link_ms=20_000)
        await service.pause(game)
        ann, bob = await seated(service, game, "ann", "bob")
        bob.gives_links = False
        await service.resume(game)
        await ann.until_line("hand_opened", hand=1)
        table = service.table(game)
        await ann.until_given(lambda: len(table.dealing.links) == 1)
        service.advance(19_999)
        await service.settled(game)
        assert ann.find("hand_void") is None
        service.advance(1)
        assert (await ann.until_line("hand_void", hand=1))["reason"] == "link_missing"

    async def test_ends_two_hands_and_the_third_waits_until_it_is_there(
        self, service: Service, node: Node
    ) -> None:
        node.give = lambda _: None
        game, bots = await opened(service)
        reasons = [(await voided(service, bots, hand))["reason"] for hand in (1, 2)]
        assert reasons == ["no_beacon", "no_beacon"]
        third = await bots[0].until_line("hand_opened", hand=3)
        table = service.table(game)
        await bots[0].until_given(lambda: len(table.dealing.links) == 2)
        service.advance(3_600_000)
        await service.settled(game)
        assert third["voids"] == 2
        assert bots[0].find("hand_void", hand=3) is None
        assert not table.is_halted
        node.give = round_json
        await bots[0].until_line("deck_committed", hand=3)

    async def test_is_asked_for_no_more_once_the_hand_is_void(
        self, service: Service, node: Node
    ) -> None:
        node.give = lambda _: None
        game, bots = await opened(service)
        await service.pause(game)
        await voided(service, bots, 1)
        rounds = service.dealer._rounds
        assert rounds is not None
        assert not rounds._fetching


class TestARestart:
    async def test_goes_on_with_the_same_hand_and_the_same_round(
        self, tmp_path: Path, node: Node
    ) -> None:
        async with serving(tmp_path, beacon=node.url) as service:
            game, bots = await opened(service)
            await stop(bots)
        clock = ManualClock(DUE + 3_600_000)
        async with serving(tmp_path, beacon=node.url, clock=clock) as service:
            again = []
            for bot in bots:
                one = Bot(service, bot.name, seed=bot._seed, policy=folding)
                one.new_anchor(game)
                one.seat = bot.seat
                one.watch(game)
                again.append(one)
            committed = await again[0].until_line("deck_committed", hand=1)
            assert committed["beacon"]["round"] == ROUND
            await stop(again)

    @pytest.mark.parametrize("is_other", [False, True])
    async def test_without_the_beacon_is_refused_and_changes_nothing(
        self, tmp_path: Path, node: Node, *, is_other: bool
    ) -> None:
        async with serving(tmp_path, beacon=node.url) as service:
            game, bots = await opened(service)
            await stop(bots)
        beacon = "https://127.0.0.1:1" if is_other else ""
        with pytest.raises(StoreError, match="start it with --beacon, as before") as refused:
            async with serving(tmp_path, beacon=beacon):
                pass
        assert refused.value.reason is Reason.BEACON_UNKNOWN
        assert game in str(refused.value)
        async with serving(tmp_path, beacon=node.url) as service:
            assert not service.table(game).is_halted

    async def test_a_game_that_is_over_needs_no_beacon(self, tmp_path: Path, node: Node) -> None:
        async with serving(tmp_path, beacon=node.url) as service:
            game = await service.open_game(**RULES)
            await service.close_game(game)
        async with serving(tmp_path) as service:
            assert (await service.summary(game)).state == "revealed"


class TestARuleThatNamesABeacon:
    async def test_is_refused_by_a_dealer_without_one(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            told = await refusal(service.open_game(**RULES))
        assert told.reason == "MALFORMED_REQUEST"
        assert told.violations == [
            ("rules.beacon", "must be left out: this dealer fetches the rounds of no beacon")
        ]

    async def test_is_refused_where_it_names_another(self, service: Service) -> None:
        told = await refusal(service.open_game(beacon=entry_pb2.BeaconRule(chain=OTHER)))
        ((name, description),) = told.violations
        assert (name, drand.CHAIN in description) == ("rules.beacon", True)

    async def test_stands_in_the_log(self, service: Service) -> None:
        game = await service.open_game(**RULES)
        _, body = (await service.entries(game))[0]
        assert body["rules"]["beacon"] == {"chain": drand.CHAIN}

    async def test_need_not_be_there(self, service: Service) -> None:
        game = await service.open_game()
        ann, _ = await seated(service, game, "ann", "bob")
        assert "beacon" not in await ann.until_line("deck_committed", hand=1)


class TestAStart:
    async def test_with_a_file_of_rounds(self, tmp_path: Path) -> None:
        rounds = tmp_path / "rounds"
        rounds.write_text(json.dumps(info()) + "\n")
        async with serving(tmp_path / "dealer", beacon=str(rounds)) as service:
            _, (ann, _) = await opened(service)
            service.advance(DUE - START)
            with rounds.open("a") as file:
                file.write(json.dumps(round_json(ROUND)) + "\n")
            assert (await ann.until_line("deck_committed", hand=1))["beacon"]["round"] == ROUND

    @pytest.mark.parametrize(
        ("changed", "why"),
        [
            ({"public_key": "00" * 96, "hash": None}, "no point of its curve"),
            ({"schemeID": "pedersen-bls-chained"}, "scheme"),
        ],
    )
    async def test_with_what_is_no_network_is_refused(
        self, tmp_path: Path, changed: dict[str, Any], why: str
    ) -> None:
        rounds = tmp_path / "rounds"
        rounds.write_text(json.dumps(info(**changed)) + "\n")
        with pytest.raises(CannotStart, match=f"the beacon can not be used: .*{why}"):
            async with serving(tmp_path / "dealer", beacon=str(rounds)):
                pass
