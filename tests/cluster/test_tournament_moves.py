"""A tournament and its tables are at one node: another takes all of it, or nothing."""

import asyncio
from pathlib import Path

import pytest

from dealer_service.store.api import LogState
from dealer_service.tables.tournament.tournament import Tournament
from tests.support.absent_event import open_event, register, running
from tests.support.event_checks import require_whole
from tests.support.failing_source import Source, shut
from tests.support.nodes import Nodes, sharing
from tests.support.service import PATIENCE, Service, read, refusal

NAMES = "abcd"


async def first_hands(service: Service) -> str:
    """Bring a tournament to the first hands of its two tables; their turns are long."""
    event = await open_event(service, turn_ms=20_000, link_ms=1_000)
    await register(service, event, *NAMES)
    async with asyncio.timeout(PATIENCE):
        while len(running(service, event).tables) < 2 or not all(
            table.dealing.state.play for table in running(service, event).tables.values()
        ):
            service.advance(100)
            await asyncio.sleep(0)
        service.advance(1_000)
        while not is_calm(running(service, event)):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)
    return event


def is_calm(event: Tournament) -> bool:
    """Say whether nothing is on its way to the store, nor left to be signed."""
    own = event.standing
    return own.checkpoint_size == own.size == event.conduct.log.size and all(
        table.standing.checkpoint_size == table.standing.size == table.dealing.log.size
        for table in event.tables.values()
    )


def logs(nodes: Nodes, event: str) -> list[str]:
    return [head.log for head in next(iter(nodes.stores.values())).group(event)]


def owners(nodes: Nodes, event: str) -> set[str]:
    return {nodes.owner(log) for log in logs(nodes, event)}


def has_nothing(service: Service) -> bool:
    floor = service.dealer.floor
    return floor.tournaments == () and floor.tables == ()


def kinds(nodes: Nodes, log: str) -> list[str]:
    return [read(line)[0] for line in next(iter(nodes.stores.values())).every_line(log)]


def die(nodes: Nodes, name: str) -> None:
    """Kill a node, which does not even try to beat or to write any more."""
    dealer = nodes.kill(name).dealer
    assert dealer._ownership is not None
    dealer._ownership._stop_beating()
    dealer.floor.let_go()


async def play_to_the_end(nodes: Nodes, event: str) -> None:
    """Let time pass until the tournament is over and every table revealed."""
    store = next(iter(nodes.stores.values()))
    async with asyncio.timeout(PATIENCE):
        while any(head.facts.state is not LogState.REVEALED for head in store.group(event)):
            await nodes.beat(5)
            for _ in range(20):
                await asyncio.sleep(0)


async def test_all_of_it_goes_on_at_another_node_with_the_same_decks(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        event = await first_hands(nodes.services["one"])
        tables = logs(nodes, event)[1:]
        store = nodes.stores["two"]
        before = {log: tuple(store.every_line(log)) for log in (event, *tables)}
        assert owners(nodes, event) == {"one"}
        die(nodes, "one")
        await nodes.lease()
        assert owners(nodes, event) == {"two"}
        two = nodes.services["two"]
        assert {table.game for table in running(two, event).tables.values()} == set(tables)
        await play_to_the_end(nodes, event)
        state = require_whole(store, event)
        assert {one.place for one in state.entrants.values()} == {1, 2, 3, 4}
        for log, lines in before.items():
            assert tuple(store.every_line(log))[: len(lines)] == lines
        for table in tables:
            told = kinds(nodes, table)
            assert told.count("deck_committed") == told.count("hand_opened")
            assert "hand_void" not in told
        assert has_nothing(two)


async def test_nobody_takes_a_table_of_it_while_its_owner_lives(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        event = await first_hands(nodes.services["one"])
        await nodes.beat(12)
        assert owners(nodes, event) == {"one"}
        assert has_nothing(nodes.services["two"])


async def test_who_lost_it_behind_its_back_lets_go_of_all_of_it_at_its_next_line(
    tmp_path: Path,
) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        one = nodes.services["one"]
        event = await first_hands(one)
        nodes.shared.now += 60_000
        nodes.stores["two"].beat()
        sizes = nodes.stores["two"].sizes(logs(nodes, event))
        assert nodes.stores["two"].claim_group(event) is not None
        # The turns of both tables run out at the node that knows nothing of it.
        one.advance(21_000)
        async with asyncio.timeout(PATIENCE):
            while not has_nothing(one):  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
        assert nodes.stores["two"].sizes(logs(nodes, event)) == sizes
        assert owners(nodes, event) == {"two"}


async def test_the_same_node_takes_it_back_after_an_outage(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one") as nodes:
        one = nodes.services["one"]
        event = await first_hands(one)
        nodes.stores["one"].lose_contact()
        await nodes.lease()
        assert has_nothing(one)
        nodes.stores["one"].find_contact()
        await nodes.beat(2)
        assert len(running(one, event).tables) == 2
        await play_to_the_end(nodes, event)
        require_whole(nodes.stores["one"], event)


async def test_a_call_for_it_is_sent_to_the_node_that_has_it(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two") as nodes:
        event = await open_event(nodes.services["one"])
        two = nodes.services["two"]
        told = await refusal(register(two, event, "ann"))
        assert told.reason == "GAME_ELSEWHERE"
        assert told.metadata["owner"] == nodes.services["one"].address
        await register(nodes.services["one"], event, "ann")


async def test_a_node_that_stops_hands_all_of_it_on_between_hands(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two", drain=600.0) as nodes:
        one = nodes.services["one"]
        event = await first_hands(one)
        draining = asyncio.create_task(one.dealer.drain())
        async with asyncio.timeout(PATIENCE):
            while not draining.done():
                await nodes.beat()
        await nodes.stop("one")
        await nodes.beat(2)
        assert owners(nodes, event) == {"two"}
        # The hands were played to their end where they were.
        tables = logs(nodes, event)[1:]
        for table in tables:
            assert kinds(nodes, table).count("hand_ended") >= 1
        await play_to_the_end(nodes, event)
        require_whole(nodes.stores["two"], event)


async def test_an_accepted_restore_closes_all_of_it_wherever_it_was(tmp_path: Path) -> None:
    """The node that accepts had none of it, and each journal tells of what it signed."""
    async with sharing(tmp_path, "one", "two", drain=0.0) as nodes:
        event = await first_hands(nodes.services["two"])
        backup = nodes.shared.copy()
        await nodes.beat(2)
        for name in ("one", "two"):
            await nodes.stop(name)
        backup.now = nodes.shared.now + 60_000
        nodes.shared = backup
        journals = (tmp_path / "two" / "signed.journal",)
        one = await nodes.start("one", accept_restore=True, journals=journals)
        assert {head.facts.state for head in nodes.stores["one"].group(event)} == {
            LogState.REVEALED
        }
        for log in logs(nodes, event):
            kind, body = read(list(nodes.stores["one"].every_line(log))[-1])
            assert kind in {"game_closed", "tournament_closed"}
            assert body["reason"] == "restored"
        assert has_nothing(one)


class TestFailingRandomness:
    """A node that can not deal leaves a tournament to the others, whole."""

    @pytest.fixture
    def source(self) -> Source:
        return Source()

    async def test_before_it_starts_it_goes_to_a_node_that_is_well(
        self, tmp_path: Path, source: Source
    ) -> None:
        async with sharing(tmp_path, "two") as nodes:
            one = await nodes.start("one", entropy=source)
            event = await open_event(one)
            shut(one, source)
            await nodes.beat(3)
            assert owners(nodes, event) == {"two"}
            assert has_nothing(one)
            await register(nodes.services["two"], event, *NAMES)
            await play_to_the_end(nodes, event)
            require_whole(nodes.stores["two"], event)

    async def test_as_long_as_one_table_has_a_hand_all_of_it_stays(
        self, tmp_path: Path, source: Source
    ) -> None:
        async with sharing(tmp_path, "two") as nodes:
            one = await nodes.start("one", entropy=source)
            event = await first_hands(one)
            shut(one, source)
            await nodes.beat(3)
            assert owners(nodes, event) == {"one"}
            assert len(running(one, event).tables) == 2
            await nodes.beat(30)
            assert owners(nodes, event) == {"two"}
            assert has_nothing(one)
            await play_to_the_end(nodes, event)
            require_whole(nodes.stores["two"], event)
