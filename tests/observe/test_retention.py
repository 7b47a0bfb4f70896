"""Finished games: their files on disk, what the store forgets, and what is read afterwards."""

import asyncio
import errno
import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import fairness_pb2, operate_pb2, play_pb2
from dealer_service.config import Settings
from dealer_service.store.api import (
    Append,
    Appended,
    LogAppend,
    LogFacts,
    LogState,
    Signed,
    Store,
)
from dealer_service.store.memory import MemoryStore
from dealer_service.tables import shelf as shelves
from dealer_service.tables.archive import Archive
from dealer_service.tables.retention import SWEEP_MS
from tests.support.absent_event import open_event, play_out, register
from tests.support.audits import judge, tell
from tests.support.nodes import LEASE_MS, sharing
from tests.support.scraping import LOOPBACK, scrape
from tests.support.service import (
    PATIENCE,
    Bot,
    Service,
    calling,
    listing,
    refusal,
    refusal_of_stream,
    seated,
    serving,
    stop,
    watching,
)

HOUR = 3600.0


async def finished(service: Service, **rules: Any) -> str:
    """Play one hand, and close the game."""
    game = await service.open_game(**rules)
    await service.pause(game)
    bots = await seated(service, game, "ann", "bob", policy=calling)
    await service.resume(game)
    await bots[0].until_line("hand_opened", hand=1)
    await service.pause(game)
    await bots[0].until_line("hand_ended", hand=1)
    await service.close_game(game)
    await bots[0].until_over()
    await stop(bots)
    return game


async def until(holds: Any) -> None:
    """Wait until something is true of the disk, or of the dealer, which nobody tells of."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.001)


async def told_of(service: Service, name: str) -> float:
    """Give a count of the dealer's once it is one: it counts just after the thing is done."""
    async with asyncio.timeout(PATIENCE):
        while not (told := (await scrape(service)).get(name)):
            pass
    return told


async def until_state(service: Service, game: str, state: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while (await service.summary(game)).state != state:
            pass


def path_of(folder: Path, game: str) -> Path:
    return folder / f"{game}.jsonl"


async def test_a_finished_game_has_its_file_byte_for_byte(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    async with serving(tmp_path / "d", archive=archive, metrics=LOOPBACK) as service:
        going_on = await service.open_game()
        game = await finished(service)
        path = path_of(archive, game)
        await until(path.exists)
        content = path.read_bytes()
        assert content == await service.file(game)
        report = judge(content, key=service.key)
        assert report.exit_status() == 0, tell(report)
        await until(lambda: len(list(archive.iterdir())) == 1)
        assert not path_of(archive, going_on).exists()
        assert await told_of(service, "cutcard_archive_files_total") == 1


async def test_what_was_revealed_while_the_files_were_off_is_caught_up(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    async with serving(tmp_path / "d") as service:
        games = [await finished(service) for _ in range(2)]
    async with serving(tmp_path / "d", archive=archive) as service:
        for game in games:
            await until(path_of(archive, game).exists)
            assert path_of(archive, game).read_bytes() == await service.file(game)
    before = {path: path.stat().st_mtime_ns for path in archive.iterdir()}
    async with serving(tmp_path / "d", archive=archive, metrics=LOOPBACK) as service:
        other = await finished(service)
        await until(path_of(archive, other).exists)
        # What was there was left alone.
        assert await told_of(service, "cutcard_archive_files_total") == 1
    assert {path: path.stat().st_mtime_ns for path in before} == before


async def test_a_half_written_file_is_none_and_an_old_one_is_cleared_away(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    async with serving(tmp_path / "d") as service:
        game = await finished(service)
    old, young = archive / f".{game}.jsonl.old.part", archive / f".{game}.jsonl.young.part"
    for draft in (old, young):
        draft.write_bytes(b"half")
    os.utime(old, (0, 0))
    async with serving(tmp_path / "d", archive=archive) as service:
        await until(path_of(archive, game).exists)
        assert path_of(archive, game).read_bytes() == await service.file(game)
    # The young one may be another dealer's, which is writing it.
    assert {path.name for path in archive.iterdir()} == {young.name, f"{game}.jsonl"}


class TestForgetting:
    async def test_an_old_game_is_read_from_its_file_as_before(self, tmp_path: Path) -> None:
        archive = tmp_path / "archive"
        given: dict[str, Any] = {"archive": archive, "retain": HOUR, "metrics": LOOPBACK}
        async with serving(tmp_path / "d", **given) as service:
            game = await finished(service)
            await until(path_of(archive, game).exists)
            before = await seen_of(service, game)
            chips = await service.chips()
            service.advance(SWEEP_MS - 1)
            assert (await service.summary(game)).state == "revealed"
            service.advance(SWEEP_MS)
            await until_state(service, game, "archived")
            assert await seen_of(service, game) == before
            assert await service.chips() == chips
            summary = await service.summary(game)
            assert (summary.hands, summary.size) == (1, len(before["lines"]))
            listed = operate_pb2.ListGamesRequest(state="archived")
            answer = await service.operate.ListGames(listed, metadata=service.operator)
            assert [one.game for one in answer.games] == [game]
            assert await told_of(service, "cutcard_archive_forgotten_total") == 1
            store = service.dealer._store
            assert store is not None
            assert store.lines(game, 0, 10) == ()
        # It is so after a restart, too, and nothing is done again.
        async with serving(tmp_path / "d", **given) as service:
            assert await seen_of(service, game) == before
            assert (await scrape(service)).get("cutcard_archive_files_total") == 0

    async def test_its_table_and_its_stream_say_where_it_is(self, tmp_path: Path) -> None:
        async with archived(tmp_path) as (service, game, path):
            asked = play_pb2.GetTableRequest(game=game)
            told = await refusal(service.play.GetTable(asked, metadata=service.operator))
            assert (told.code, told.reason) == (
                grpc.StatusCode.FAILED_PRECONDITION,
                "GAME_ARCHIVED",
            )
            assert "file" in told.message
            stream = service.play.Watch(watching(game), metadata=service.operator)
            assert (await refusal_of_stream(stream)).reason == "GAME_ARCHIVED"
            late = Bot(service, "late")
            late.game = game
            assert (await refusal(late.act(1, 1, play_pb2.ACT_FOLD))).reason == "GAME_OVER"
            path.unlink()
            file = fairness_pb2.GetGameFileRequest(game=game)
            stream = service.fair.GetGameFile(file, metadata=service.operator)
            assert (await refusal_of_stream(stream)).reason == "GAME_ARCHIVED"
            lines = service.fair.ListEntries(listing(game), metadata=service.operator)
            assert (await refusal(lines)).reason == "GAME_ARCHIVED"

    async def test_a_changed_file_is_never_all_that_is_left(self, tmp_path: Path) -> None:
        archive = tmp_path / "archive"
        given: dict[str, Any] = {"archive": archive, "retain": 1.0, "metrics": LOOPBACK}
        async with serving(tmp_path / "d", archive=archive) as service:
            game = await finished(service)
            await until(path_of(archive, game).exists)
            good = await service.file(game)
        changed = good.replace(b"acted", b"asted", 1)
        path_of(archive, game).write_bytes(changed)
        async with serving(tmp_path / "d", **given) as service:
            service.advance(2_000)
            async with asyncio.timeout(PATIENCE):
                while not (await scrape(service)).get("cutcard_archive_failures_total"):
                    service.advance(1_000)
            assert (await service.summary(game)).state == "revealed"
            assert await service.file(game) == good
            assert path_of(archive, game).read_bytes() == changed
            # Moved away, it is written anew, and then the store forgets.
            path_of(archive, game).unlink()
            async with asyncio.timeout(PATIENCE):
                while (await service.summary(game)).state != "archived":
                    service.advance(1_000)
            assert path_of(archive, game).read_bytes() == good

    async def test_who_is_told_later_is_told_everything_first(self, tmp_path: Path) -> None:
        archive = tmp_path / "archive"
        async with serving(tmp_path / "d", archive=archive, retain=1.0) as service:
            game = await finished(service, watch_delay_ms=600_000)
            await until(path_of(archive, game).exists)
            for _ in range(3):
                service.advance(60_000)
                await service.summary(game)
            assert (await service.summary(game)).state == "revealed"
            async with asyncio.timeout(PATIENCE):
                while (await service.summary(game)).state != "archived":
                    service.advance(60_000)

    async def test_a_game_is_read_whole_while_it_is_being_forgotten(self, tmp_path: Path) -> None:
        """Its file is whole whether its pages come from the store or from the disk."""
        async with archived(tmp_path, retain=None) as (service, game, path):
            store = service.dealer._store
            assert store is not None
            lines = await service.lines(game)
            archive = service.dealer.floor.house.shelf
            assert archive is not None
            assert store.archive(game)
            assert await service.lines(game) == lines
            assert await service.file(game) == path.read_bytes()


async def test_reads_go_on_while_a_game_is_being_forgotten(tmp_path: Path) -> None:
    """A long one takes the store a while."""
    files = tmp_path / "archive"
    async with serving(tmp_path / "d", archive=files, retain=HOUR) as service:
        game = await finished(service)
        store = service.dealer._store
        assert store is not None
        archive, begun, goes_on = store.archive, threading.Event(), threading.Event()

        def take_long(log: str) -> bool:
            begun.set()
            assert goes_on.wait(PATIENCE)
            return archive(log)

        store.archive = take_long  # type: ignore[method-assign]
        try:
            async with asyncio.timeout(PATIENCE):
                while not begun.is_set():
                    service.advance(SWEEP_MS)
                    await service.summary(game)
                assert (await service.summary(game)).state == "revealed"
        finally:
            goes_on.set()
        await until_state(service, game, "archived")


def copy_as_table(store: Store, game: str, log: str, tournament: str) -> None:
    """Write the log of a finished game once more, as that of a tournament's table."""
    head, lines = store.head(game), tuple(store.every_line(game))
    assert head is not None
    notes = store.checkpoints(game)
    sizes = [0, *(one.size for one in notes)]
    part = LogAppend(
        log,
        0,
        1,
        lines,
        facts=replace(head.facts, tournament=tournament),
        signed=tuple(
            Signed(one.size, bytes(32), before, one.note)
            for before, one in zip(sizes, notes, strict=False)
        ),
    )
    assert store.append_all([Append((part,))]) == [Appended()]


async def test_a_tournament_is_forgotten_with_its_tables_once_all_of_it_is_over(
    tmp_path: Path,
) -> None:
    store, archive = MemoryStore(), tmp_path / "archive"
    options: dict[str, Any] = {"archive": archive, "retain": HOUR, "metrics": LOOPBACK}
    async with serving(tmp_path / "d", open_store=lambda _: store, **options) as service:
        played = await finished(service)
        line = b'{"at":1767225600000,"tournament_opened":{}}'
        goes_on = LogFacts(LogState.CLOSED, tournament="t")
        note = Signed(1, bytes(32), 0, "note")
        opened = LogAppend("t", 0, 1, (line,), facts=goes_on, signed=(note,))
        assert store.append_all([Append((opened,))]) == [Appended()]
        for log in ("a", "b"):
            copy_as_table(store, played, log, "t")
        other = await finished(service)
        service.advance(2 * SWEEP_MS)
        await until_state(service, other, "archived")
        assert {head.facts.state for head in store.group("t")[1:]} == {LogState.REVEALED}
        assert {path_of(archive, log).exists() for log in ("a", "b")} == {True}
        over = replace(goes_on, state=LogState.REVEALED)
        store.append_all([Append((LogAppend("t", 1, 1, facts=over),))])
        service.advance(2 * SWEEP_MS)
        await until(lambda: store.group("t")[-1].facts.state is LogState.ARCHIVED)
        assert {head.facts.state for head in store.group("t")} == {LogState.ARCHIVED}
        header, told, signed = path_of(archive, "t").read_bytes().splitlines()
        assert json.loads(header) == {
            "format": "cutcard-tournament/1",
            "key": service.key,
            "origin": service.dealer.settings.origin,
            "tournament": "t",
        }
        assert (told, json.loads(signed)) == (line, {"checkpoint": "note"})


async def test_a_tournament_that_was_played_is_read_from_its_files_as_before(
    tmp_path: Path,
) -> None:
    archive = tmp_path / "archive"
    async with serving(tmp_path / "d", archive=archive, retain=HOUR) as service:
        event = await open_event(service)
        await register(service, event, *"abcd")
        await play_out(service, event)
        store = service.dealer._store
        assert store is not None
        logs = [head.log for head in store.group(event)]
        assert len(logs) == 3
        before = {log: await seen_of(service, log) for log in logs}
        await until(lambda: all(path_of(archive, log).exists() for log in logs))
        service.advance(2 * SWEEP_MS)
        await until(lambda: {one.facts.state for one in store.group(event)} == {LogState.ARCHIVED})
        assert {log: await seen_of(service, log) for log in logs} == before
        assert {log: path_of(archive, log).read_bytes() for log in logs} == {
            log: seen["file"] for log, seen in before.items()
        }


def archived(folder: Path, retain: float | None = HOUR) -> Any:
    """Serve a dealer with one finished game, which the store has forgotten if it may."""
    from contextlib import asynccontextmanager  # noqa: PLC0415 - of this helper alone

    @asynccontextmanager
    async def run() -> Any:
        archive = folder / "archive"
        async with serving(folder / "d", archive=archive, retain=retain) as service:
            game = await finished(service)
            await until(path_of(archive, game).exists)
            if retain is not None:
                service.advance(2 * SWEEP_MS)
                await until_state(service, game, "archived")
            yield service, game, path_of(archive, game)

    return run()


async def seen_of(service: Service, game: str) -> dict[str, Any]:
    """Give all that anybody may check of a game."""
    fair, operator = service.fair, service.operator
    checkpoint = fairness_pb2.GetCheckpointRequest(game=game)
    inclusion = fairness_pb2.GetInclusionProofRequest(game=game, index=3)
    consistency = fairness_pb2.GetConsistencyProofRequest(game=game, from_size=2)
    return {
        "file": await service.file(game),
        "lines": await service.lines(game),
        "checkpoint": (await fair.GetCheckpoint(checkpoint, metadata=operator)).checkpoint,
        "inclusion": await fair.GetInclusionProof(inclusion, metadata=operator),
        "consistency": await fair.GetConsistencyProof(consistency, metadata=operator),
    }


async def test_a_full_disk_is_told_once_and_nothing_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive"
    full = True
    write = shelves.Draft.write

    def fail(self: shelves.Draft, content: bytes) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, content)

    monkeypatch.setattr(shelves.Draft, "write", fail)
    given: dict[str, Any] = {"archive": archive, "retain": 1.0, "metrics": LOOPBACK}
    async with serving(tmp_path / "d", **given) as service:
        game = await finished(service)
        async with asyncio.timeout(PATIENCE):
            while (await scrape(service)).get("cutcard_archive_failures_total") < 3:
                service.advance(60_000)
        assert (await scrape(service)).get("cutcard_archive_pending") == 1
        assert (await service.summary(game)).state == "revealed"
        # One more try may be under way.
        await until(lambda: list(archive.iterdir()) == [])
        full = False
        async with asyncio.timeout(PATIENCE):
            while (await service.summary(game)).state != "archived":
                service.advance(60_000)
        report = judge(await service.file(game), key=service.key)
        assert report.exit_status() == 0, tell(report)


async def test_a_game_that_is_broken_keeps_no_other_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive"
    async with serving(tmp_path / "d") as service:
        broken, whole = [await finished(service) for _ in range(2)]
    game_file = Archive.game_file

    def read(self: Archive, game: str, past: Any = None) -> Any:
        if game == broken:
            message = "a log that does not fit together"
            raise ValueError(message)
        return game_file(self, game, past)

    monkeypatch.setattr(Archive, "game_file", read)
    async with serving(tmp_path / "d", archive=archive, metrics=LOOPBACK) as service:
        await until(path_of(archive, whole).exists)
        assert (await scrape(service)).get("cutcard_archive_failures_total") == 1
    assert [path.name for path in archive.iterdir()] == [f"{whole}.jsonl"]


async def test_a_failing_fsync_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "archive"
    async with serving(tmp_path / "d") as service:
        game = await finished(service)
    failed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def fail(_descriptor: int) -> None:
        loop.call_soon_threadsafe(failed.set)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    async with serving(tmp_path / "d", archive=archive) as service:
        await until(path_of(archive, game).exists)
        path_of(archive, game).unlink()
        with monkeypatch.context() as patch:
            # The signed journal is not written meanwhile: nothing is played.
            patch.setattr("os.fsync", fail)
            async with asyncio.timeout(PATIENCE):
                while not failed.is_set():
                    service.advance(SWEEP_MS)
                    await asyncio.sleep(0)
        assert not path_of(archive, game).exists()


async def test_among_several_dealers_the_owner_writes_the_file(tmp_path: Path) -> None:
    archives = {name: tmp_path / f"archive-{name}" for name in ("one", "two")}
    (tmp_path / "nodes").mkdir()
    async with sharing(tmp_path / "nodes") as nodes:
        for name, archive in archives.items():
            await nodes.start(name, archive=archive, retain=LEASE_MS / 1000)
        one, two = nodes.services["one"], nodes.services["two"]
        game = await finished(one)
        await until(path_of(archives["one"], game).exists)
        nodes.clock.advance(0)
        await two.summary(game)
        assert not path_of(archives["two"], game).exists()
        assert await two.file(game) == path_of(archives["one"], game).read_bytes()
        # When the owner is gone, another one writes it, too.
        nodes.kill("one")
        await nodes.lease()
        async with asyncio.timeout(PATIENCE):
            while not path_of(archives["two"], game).exists():
                await nodes.beat()
        assert path_of(archives["two"], game).read_bytes() == await two.file(game)


async def test_nothing_is_kept_in_memory_for_each_game_that_is_over(tmp_path: Path) -> None:
    """What grows with games is bounded: tables, answers, trees, states, watchers, pending files."""
    store = MemoryStore()

    def open_it(_settings: Settings) -> Store:
        return store

    async with serving(tmp_path, open_store=open_it, archive=tmp_path / "archive") as service:
        for _ in range(5):
            game = await service.open_game()
            await service.close_game(game)
            await seen_of_empty(service, game)
        floor = service.dealer.floor
        assert floor.tables == ()
        assert len(floor.house.chips._waiting) == 0
        assert floor.house.delays.audiences == []
        await until(lambda: len(list((tmp_path / "archive").glob("*.jsonl"))) == 5)
        await until(lambda: service.dealer._retention._pending == {})
        assert {head.facts.state for head in store.heads()} == {LogState.REVEALED}


async def seen_of_empty(service: Service, game: str) -> None:
    asked = play_pb2.GetTableRequest(game=game)
    await service.play.GetTable(asked, metadata=service.operator)
    await service.file(game)


async def test_a_follower_of_chips_that_goes_leaves_nothing_behind(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        news = service.dealer.floor.house.chips
        asked = operate_pb2.FollowChipsRequest()
        for _ in range(3):
            stream = service.operate.FollowChips(asked, metadata=service.operator)
            reading = asyncio.ensure_future(stream.read())
            await until(lambda: len(news._waiting) == 1)
            stream.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await until(lambda: len(news._waiting) == 0)
