"""Each metric moves when the thing happens, as a collector sees it over HTTP."""

import asyncio
import re
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from prometheus_client.parser import text_string_to_metric_families

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.config import SettingError, Settings
from dealer_service.exposure import require_safe
from dealer_service.fairness.randomness import operating_system
from dealer_service.observe.exposing import Source
from dealer_service.observe.incidents import HINTS, add_hint
from dealer_service.observe.metrics import Metrics
from dealer_service.store.api import Store
from dealer_service.store.memory import Fault, MemoryStore
from dealer_service.store.refusal import StoreError
from dealer_service.tables.watchers import Batch
from tests.support.certificates import Authority
from tests.support.nodes import sharing
from tests.support.scraping import LOOPBACK, Samples, get, scrape
from tests.support.service import (
    PATIENCE,
    Bot,
    Service,
    calling,
    fresh_id,
    refusal,
    seated,
    serving,
    stop,
    waiting,
)

OPERATIONS = Path(__file__).parents[2] / "deploy" / "OPERATIONS.md"


async def begin(service: Service, *names: str, **rules: Any) -> tuple[str, list[Bot]]:
    """Seat bots in a paused game, and let it begin."""
    game = await service.open_game(**rules)
    await service.pause(game)
    bots = await seated(service, game, *names, policy=calling)
    await service.resume(game)
    return game, bots


async def test_acts_and_hands_are_those_of_the_log(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        game, bots = await begin(service, "ann", "bob", max_hands=2)
        await bots[0].until_line("hand_ended", hand=1)
        await bots[0].until(lambda bot: bot.decision and bot.decision.hand == 2)
        await bots[0].until_line("hand_ended", hand=2)
        service.advance(10_000)
        await bots[0].until_over()
        seen = await scrape(service)
        entries = await service.entries(game)
        acts = Counter((body["act"], body["by"]) for kind, body in entries if kind == "acted")
        assert seen.all("cutcard_acts_total") == acts
        assert seen.all("cutcard_hands_total") == {("played",): 2}
        await stop(bots)


async def test_void_hands_are_counted_by_their_reason(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        game = await service.open_game(link_ms=1000)
        await service.pause(game)
        ann, bob = await seated(service, game, "ann", "bob", policy=waiting)
        bob.gives_links = False
        await service.resume(game)
        await ann.until_line("hand_opened", hand=1)
        service.advance(1000)
        await ann.until_line("hand_void", hand=1)
        seen = await scrape(service)
        assert seen.all("cutcard_hands_total") == {("link_missing",): 1}
        await stop([ann, bob])


async def test_calls_are_measured_by_method_and_status_and_refusals_by_reason(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        game = await service.open_game()
        ann = await Bot(service, "ann").sit(game)
        told = await refusal(ann.act(1, 1, play_pb2.ACT_FOLD))
        await refusal(service.play.GetTable(play_pb2.GetTableRequest(game=game)))
        await refusal(service.play.GetTable(play_pb2.GetTableRequest(), metadata=ann.header))
        seen = await scrape(service)
        for method, status in (
            ("OperateService/OpenGame", "OK"),
            ("PlayService/TakeSeat", "OK"),
            ("PlayService/Act", "FAILED_PRECONDITION"),
            ("PlayService/GetTable", "UNAUTHENTICATED"),
            ("PlayService/GetTable", "INVALID_ARGUMENT"),
        ):
            labels = {"method": method, "status": status}
            assert seen.get("cutcard_call_seconds_count", **labels) == 1, labels
            assert 0 < seen.get("cutcard_call_seconds_sum", **labels) < 30
        assert seen.all("cutcard_refusals_total") == {
            ("PlayService/Act", told.reason): 1,
            ("PlayService/GetTable", "TOKEN_MISSING"): 1,
            ("PlayService/GetTable", "MALFORMED_REQUEST"): 1,
        }
        await ann.stop()


async def test_streams_are_counted_in_and_out(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        game, bots = await begin(service, "ann", "bob")
        await bots[0].until(lambda bot: bot.decision)
        during = await scrape(service)
        assert during.get("cutcard_streams", method="PlayService/Watch") == 2
        assert during.get("cutcard_watchers") == 2
        await stop(bots)
        table = service.table(game)
        await bots[0].until_given(lambda: len(table.audience) == 0)
        after = await scrape(service)
        assert after.get("cutcard_streams", method="PlayService/Watch") == 0
        ended = after.all("cutcard_streams_ended_total")
        assert ended[("PlayService/Watch", "CANCELLED")] == 2
        # It never ended a call with one answer.
        calls = after.all("cutcard_call_seconds_count")
        assert not any("PlayService/Watch" in labels for labels in calls)


async def test_how_far_the_slowest_watcher_is_behind(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        game = await service.open_game()
        table = service.table(game)
        quick, slow = (table.audience.join("", 0) for _ in range(2))
        before = await scrape(service)
        assert before.get("cutcard_watch_backlog_messages") == 0
        for line in (b"x" * 1000, b"y" * 3000):
            table.audience.tell_all(Batch(0, (line,)))
        await anext(quick)
        seen = await scrape(service)
        assert seen.get("cutcard_watch_backlog_messages") == 2
        assert 4000 < seen.get("cutcard_watch_backlog_bytes") < 5000
        assert seen.get("cutcard_watch_backlog_age_seconds") > 0
        table.audience.leave(quick)
        table.audience.leave(slow)
        assert (await scrape(service)).get("cutcard_watch_backlog_bytes") == 0


async def test_units_are_measured_from_the_queue_to_durable(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        game = await service.open_game()
        await service.pause(game)
        seen = await scrape(service)
        units = seen.get("cutcard_append_seconds_count")
        batches = seen.get("cutcard_append_batch_units_count")
        assert units >= 2
        assert seen.get("cutcard_append_batch_units_sum") == units
        assert batches == seen.get("cutcard_store_write_seconds_count") <= units
        assert seen.get("cutcard_append_seconds_sum") >= seen.get("cutcard_store_write_seconds_sum")
        # Opening a game is signed, so the journal was written.
        assert 1 <= seen.get("cutcard_journal_sync_seconds_count") <= batches
        assert seen.get("cutcard_appends_waiting") == 0


async def test_a_store_that_fails_is_counted(tmp_path: Path) -> None:
    store = MemoryStore()

    def open_it(_settings: Settings) -> Store:
        return store

    async with serving(tmp_path, open_store=open_it) as service:
        outlook = service.dealer._outlook
        assert outlook is not None
        store.script("append_all", next(iter(Fault)))
        request = operate_pb2.OpenGameRequest(request_id=fresh_id())
        await refusal(service.operate.OpenGame(request, metadata=service.operator))
        with pytest.raises(StoreError):
            await service.dealer.serve()
    seen = Samples(outlook.metrics.text().decode())
    assert seen.get("cutcard_store_failures_total") == 1
    assert seen.get("cutcard_serving", service="PlayService") == 0


async def test_games_by_state_and_the_seats_taken(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        paused, halted = [await service.open_game() for _ in range(2)]
        await service.open_game()
        await service.pause(paused)
        ann = await Bot(service, "ann").sit(paused)
        service.table(halted).halt(RuntimeError("a fault of the test"))
        seen = await scrape(service)
        states = {"open": 1, "paused": 1, "closed": 0, "halted": 1}
        assert seen.all("cutcard_games") == {(state,): count for state, count in states.items()}
        assert seen.get("cutcard_players") == 1
        assert seen.get("cutcard_tables_halted_total") == 1
        await service.close_game(paused)
        assert (await scrape(service)).get("cutcard_games", state="paused") == 0
        await ann.stop()


async def test_randomness_that_fails(tmp_path: Path) -> None:
    broken = False

    def entropy(count: int) -> bytes:
        return bytes(count) if broken else operating_system(count)

    async with serving(tmp_path, entropy=entropy, metrics=LOOPBACK) as service:
        well = await scrape(service)
        assert well.get("cutcard_entropy_healthy") == 1
        assert well.get("cutcard_serving", service="dealer") == 1
        broken = True
        request = operate_pb2.OpenGameRequest(request_id=fresh_id())
        told = await refusal(service.operate.OpenGame(request, metadata=service.operator))
        assert told.reason == "RANDOMNESS_FAILED"
        seen = await scrape(service)
        assert seen.get("cutcard_entropy_healthy") == 0
        assert seen.get("cutcard_entropy_failures_total") >= 1
        assert seen.all("cutcard_serving") == {
            ("dealer",): 0,
            ("PlayService",): 0,
            ("OperateService",): 1,
            ("TournamentService",): 0,
            ("FairnessService",): 1,
        }


async def test_take_overs_and_beats_among_several_dealers(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two", metrics=LOOPBACK) as nodes:
        one, two = nodes.services["one"], nodes.services["two"]
        game = await one.open_game()
        await one.pause(game)
        assert (await scrape(two)).get("cutcard_takeovers_total") == 0
        nodes.kill("one")
        await nodes.lease()
        assert nodes.owner(game) == "two"
        seen = await scrape(two)
        assert seen.get("cutcard_takeovers_total") == 1
        assert 0 < seen.get("cutcard_beat_age_seconds") < 60


async def test_a_game_that_another_node_took_is_counted_as_fenced(tmp_path: Path) -> None:
    async with sharing(tmp_path, "one", "two", metrics=LOOPBACK) as nodes:
        one, two = nodes.services["one"], nodes.services["two"].dealer
        game = await one.open_game()
        await nodes.lease()
        # The first dealer's machine stands still for longer than its lease.
        del nodes.services["one"]
        nodes.shared.now += 60_000
        assert two._ownership is not None
        two._ownership._tick()
        await nodes.settled()
        nodes.services["one"] = one
        request = operate_pb2.PauseGameRequest(request_id=fresh_id(), game=game)
        told = await refusal(one.operate.PauseGame(request, metadata=one.operator))
        assert told.reason == "GAME_MOVING"
        assert (await scrape(one)).get("cutcard_fencings_total") == 1


async def test_what_runs_and_what_it_takes(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        seen = await scrape(service)
        (version,) = set(seen.all("cutcard_build_info"))
        assert re.fullmatch(r"\d+\.\d+\.\d+.*", version[1])
        assert seen.get("process_resident_memory_bytes") > 1_000_000
        assert seen.get("process_open_fds") > 0


async def test_no_game_no_caller_and_no_secret_stands_in_any_label(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        game, bots = await begin(service, "ann-of-the-labels", "bob-of-the-labels")
        await bots[0].until(lambda bot: bot.decision)
        seen = await scrape(service)
        assert game not in seen.text
        assert "of-the-labels" not in seen.text
        opened = [one for bot in bots for one in bot.openings]
        links = [link for bot in bots for link in bot._links.values()]
        token = bots[0].header[0][1].removeprefix("Bearer ")
        assert opened
        assert token not in seen.text
        for secret in (*(one.salt for one in opened), *links):
            assert secret.hex() not in seen.text
        assert all(len(value) < 64 for value in seen.labels())
        await stop(bots)


def families() -> dict[str, str]:
    """Give every metric that there is, with its words."""
    text = Metrics("1.2.3").text().decode()
    return {family.name: family.documentation for family in text_string_to_metric_families(text)}


def test_every_metric_has_words_and_a_name_with_its_unit() -> None:
    for name, words in families().items():
        assert words.endswith((".", "bytes", "seconds")) or name.startswith("process_"), name
        assert name.startswith(("cutcard_", "process_"))
        if "second" in words.lower():
            assert name.endswith("_seconds")


def test_the_document_for_operators_names_every_metric_and_no_other() -> None:
    named = set(re.findall(r"`(cutcard_[a-z_]+)", OPERATIONS.read_text(encoding="utf-8")))
    there = {name for name in families() if name.startswith("cutcard_")}
    counters = {f"{name}_total" for name in there}
    assert named - there - counters == set()
    assert {name.removesuffix("_total") for name in named} == there


class TestPages:
    async def test_there_are_two_and_they_are_got(self, tmp_path: Path) -> None:
        async with serving(tmp_path, metrics=LOOPBACK) as service:
            port = service.dealer.metrics_port
            page = await get(port, "/metrics?name=x")
            assert (page.status, page.kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
            assert (await get(port, "/")).status == 404
            assert (await get(port, "/metrics/../healthz")).status == 404
            assert (await get(port, "/metrics", "POST")).status == 501
            assert (await get(port, "/metrics", "DELETE")).status == 501

    async def test_health_says_what_serves(self, tmp_path: Path) -> None:
        async with serving(tmp_path, metrics=LOOPBACK) as service:
            page = await get(service.dealer.metrics_port, "/healthz")
            assert (page.status, page.text.splitlines()) == (
                200,
                [
                    "dealer SERVING",
                    "PlayService SERVING",
                    "OperateService SERVING",
                    "TournamentService SERVING",
                    "FairnessService SERVING",
                ],
            )
            await service.dealer.drain()
            page = await get(service.dealer.metrics_port, "/healthz")
            assert page.status == 503
            assert page.text.splitlines()[:2] == ["dealer NOT_SERVING", "PlayService NOT_SERVING"]

    async def test_off_by_default(self, tmp_path: Path) -> None:
        async with serving(tmp_path) as service:
            assert service.dealer.metrics_port == 0

    async def test_a_port_that_is_taken_stops_the_start(self, tmp_path: Path) -> None:
        async with serving(tmp_path / "one", metrics=LOOPBACK) as service:
            taken = f"127.0.0.1:{service.dealer.metrics_port}"
            with pytest.raises(OSError, match=r"."):
                async with serving(tmp_path / "two", metrics=taken):
                    pass
            # All was let go of again.
            async with serving(tmp_path / "two", metrics=LOOPBACK) as other:
                assert (await scrape(other)).get("cutcard_serving", service="dealer") == 1

    def test_the_world_sees_them_only_by_name(self, tmp_path: Path) -> None:
        with pytest.raises(SettingError, match="metrics"):
            require_safe(Settings(tmp_path, metrics="0.0.0.0:9464"), {})

    async def test_idle_connections_are_bounded_and_keep_nobody_out_for_long(
        self, tmp_path: Path
    ) -> None:
        async with serving(tmp_path, metrics=LOOPBACK) as service:
            port = service.dealer.metrics_port
            idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(16)]
            for _, writer in idle:
                writer.write(b"GET /met")
            # All threads wait for the rest of a request, so whoever comes now is turned away.
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.read() == b""
            writer.close()
            first = idle.pop()
            first[1].close()
            async with asyncio.timeout(PATIENCE):
                while await refused_at(port):
                    pass
            for _, writer in idle:
                writer.close()

    def test_a_dealer_that_does_not_answer_in_time_is_what_the_collector_hears(self) -> None:
        source = Source(Metrics(), lambda _seconds: False, lambda: {"dealer": True})
        for path in ("/metrics", "/healthz"):
            page = source.page(path)
            assert (page.status, page.content) == (503, b"the dealer does not answer\n")


async def refused_at(port: int) -> bool:
    """Say whether a collector is turned away."""
    try:
        return (await get(port, "/healthz")).status != 200
    except OSError:
        return True


async def test_when_the_certificate_in_use_runs_out(tmp_path: Path) -> None:
    """Also of one that is taken up while the dealer serves; 0 in the clear."""
    authority = Authority()
    tls = authority.issue(ends=timedelta(days=30)).write(tmp_path / "tls")
    async with serving(tmp_path / "dealer", tls=tls, metrics=LOOPBACK) as service:
        name = "cutcard_certificate_expires_seconds"
        left = (await scrape(service)).get(name) - time.time()
        assert 29 < left / 86_400 <= 30
        authority.issue(ends=timedelta(days=60)).write(tmp_path / "tls")
        # A handshake is when files are looked at again.
        trust = grpc.ssl_channel_credentials(authority.pem)
        async with grpc.aio.secure_channel(f"localhost:{service.dealer.port}", trust) as channel:
            await channel.channel_ready()
        left = (await scrape(service)).get(name) - time.time()
        assert 59 < left / 86_400 <= 60
    async with serving(tmp_path / "clear", metrics=LOOPBACK) as service:
        assert (await scrape(service)).get(name) == 0


async def test_room_on_the_disks_and_how_late_the_loop_is(tmp_path: Path) -> None:
    async with serving(tmp_path, metrics=LOOPBACK, archive=tmp_path / "archive") as service:
        seen = await scrape(service)
        free, size = (seen.all(f"cutcard_disk_{one}_bytes") for one in ("free", "size"))
        assert set(free) == set(size) == {("directory",), ("archive",)}
        assert all(0 < free[place] <= size[place] for place in free)
        assert 0 < seen.get("cutcard_loop_lag_seconds") < PATIENCE


async def test_what_is_logged_for_somebody_is_counted_by_its_name(tmp_path: Path) -> None:
    """Every such event has its count from the start, so that the first one is an increase."""
    async with serving(tmp_path, metrics=LOOPBACK) as service:
        seen = await scrape(service)
        assert set(seen.all("cutcard_warnings_total")) == {(name,) for name in HINTS}
        before = seen.get("cutcard_warnings_total", event="table_halted")
        for level in ("debug", "info", "warning", "error"):
            add_hint(None, "", {"level": level, "event": "table_halted"})
        seen = await scrape(service)
        assert seen.get("cutcard_warnings_total", event="table_halted") == before + 2
