"""The log of a dealer: one JSON object a line, with the call that it belongs to, and no secret."""

import ast
import io
import json
import logging
import re
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.observe import context, logs
from dealer_service.observe.incidents import HINTS
from dealer_service.rules import play as rules_play
from tests.support.service import (
    Bot,
    Service,
    fresh_id,
    refusal,
    refusal_of_stream,
    seated,
    serving,
    stop,
    waiting,
    watching,
)
from tests.support.talk import talking, token_of

ROOT = Path(__file__).parents[2]
OPERATIONS = (ROOT / "deploy" / "OPERATIONS.md").read_text(encoding="utf-8")


class Heard:
    """What was logged, line by line."""

    def __init__(self) -> None:
        self.stream = io.StringIO()

    @property
    def events(self) -> list[dict[str, Any]]:
        """Read every line: each must be one JSON object."""
        events = [json.loads(line) for line in self.stream.getvalue().splitlines()]
        assert all(type(event) is dict for event in events)
        return events

    def named(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == name]


@pytest.fixture
def heard() -> Iterator[Heard]:
    yield from hearing("debug")


@pytest.fixture
def heard_at_info() -> Iterator[Heard]:
    yield from hearing("info")


def hearing(level: str) -> Iterator[Heard]:
    kept = Heard()
    hook, root = threading.excepthook, logging.getLogger()
    before = root.level
    structlog.reset_defaults()
    logs.configure("json", level, kept.stream)
    yield kept
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    threading.excepthook = hook
    root.setLevel(before)
    for handler in [one for one in root.handlers if type(one).__module__ == logs.__name__]:
        root.removeHandler(handler)


async def pause(service: Service, game: str, request_id: str) -> None:
    request = operate_pb2.PauseGameRequest(request_id=request_id, game=game)
    await service.operate.PauseGame(request, metadata=service.operator)


class TestCalls:
    async def test_an_operators_change_says_who_did_what_to_which_game(
        self, tmp_path: Path, heard_at_info: Heard
    ) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            await pause(service, game, "pause-it-now")
            request = operate_pb2.PauseGameRequest(request_id="pause-it-again", game=game)
            told = await refusal(service.operate.PauseGame(request, metadata=service.operator))
        done = heard_at_info.named("operated")[-1]
        common = {"method": "OperateService/PauseGame", "game": game, "caller": "operator"}
        assert common | {"request": "pause-it-now", "level": "info"} == {
            key: done[key] for key in (*common, "request", "level")
        }
        (refused,) = heard_at_info.named("refused")
        assert common | {"request": "pause-it-again", "reason": told.reason} == {
            key: refused[key] for key in (*common, "request", "reason")
        }

    async def test_what_players_are_refused_is_no_news_at_night(
        self, tmp_path: Path, heard_at_info: Heard
    ) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            ann = await Bot(service, "ann").sit(game)
            before = len(heard_at_info.events)
            await refusal(ann.act(1, 1, play_pb2.ACT_FOLD))
            await refusal(service.play.GetTable(play_pb2.GetTableRequest(game=game)))
            assert len(heard_at_info.events) == before
            await ann.stop()

    async def test_it_is_told_to_who_looks_for_it(self, tmp_path: Path, heard: Heard) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            ann = await Bot(service, "ann").sit(game)
            told = await refusal(ann.act(1, 1, play_pb2.ACT_FOLD))
            await refusal(service.play.GetTable(play_pb2.GetTableRequest(game=game)))
            await ann.stop()
        acted, unknown = heard.named("refused")[:2]
        assert (acted["caller"], acted["game"], acted["reason"]) == ("ann", game, told.reason)
        assert acted["level"] == "debug"
        # Who is not let in has no name, and nothing that it sent is believed.
        assert (unknown["reason"], unknown["status"]) == ("TOKEN_MISSING", "UNAUTHENTICATED")
        assert "caller" not in unknown
        assert "game" not in unknown
        # A call without a request id has one drawn, each another.
        assert re.fullmatch(r"[0-9a-f]{16}", unknown["request"])
        assert unknown["request"] != acted["request"]

    async def test_a_fault_says_in_which_call_it_was_and_what_to_do(
        self, tmp_path: Path, heard_at_info: Heard, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*_: Any, **__: Any) -> Any:
            message = "a fault of the test"
            raise RuntimeError(message)

        async with serving(tmp_path) as service:
            game = await service.open_game()
            ann = await Bot(service, "ann").sit(game)
            monkeypatch.setattr(rules_play, "act", broken)
            request = play_pb2.ActRequest(
                request_id="the-one-act", game=game, hand=1, turn=1, act=play_pb2.ACT_FOLD
            )
            told = await refusal(service.play.Act(request, metadata=ann.header))
            assert told.reason == "DEALER_FAULT"
            await ann.stop()
        (event,) = heard_at_info.named("call_failed")
        assert (event["method"], event["request"]) == ("PlayService/Act", "the-one-act")
        assert (event["game"], event["caller"]) == (game, "ann")
        assert event["hint"] == HINTS["call_failed"]
        assert "a fault of the test" in event["exception"]

    async def test_a_stream_keeps_its_own(self, tmp_path: Path, heard: Heard) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            stream = service.play.Watch(watching(game, 99), metadata=service.header("bob"))
            await refusal_of_stream(stream)
        (event,) = heard.named("refused")
        assert (event["method"], event["caller"]) == ("PlayService/Watch", "bob")
        assert event["reason"] == "NO_SUCH_LINE"

    async def test_each_of_a_session_keeps_its_own(self, tmp_path: Path, heard: Heard) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game()
            async with talking(service) as talk:
                tokens = {1: token_of(service.header("bob")), 2: token_of(service.header("cleo"))}
                calls = [talk.call(number, watch=watching(game, 99)) for number in tokens]
                await talk.send(*calls, bearers=tokens)
                for call in calls:
                    await talk.next(call)
        # A dealer that stops may find the session still there, and refuses it, too.
        refused = [one for one in heard.named("refused") if one["method"] != "PlayService/Session"]
        told = {(one["method"], one["caller"], one["game"]) for one in refused}
        assert told == {("PlayService/Watch", name, game) for name in ("bob", "cleo")}

    async def test_what_the_clock_does_belongs_to_no_call(
        self, tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with serving(tmp_path) as service:
            game = await service.open_game(turn_ms=5_000)
            bots = await seated(service, game, "ann", "bob", policy=waiting)
            await bots[0].until(lambda bot: bot.decision)

            def broken(*_: Any, **__: Any) -> Any:
                message = "a fault of the clock"
                raise RuntimeError(message)

            monkeypatch.setattr(rules_play, "clock", broken)
            service.advance(5_000)
            await bots[0].until_over()
            await stop(bots)
        (event,) = heard.named("table_halted")
        assert event["game"] == game
        assert event["hint"] == HINTS["table_halted"]
        assert not {"request", "caller", "method"} & event.keys()
        assert context.current.get() is None


class TestOthers:
    def test_what_libraries_log_has_the_same_form(self, heard: Heard) -> None:
        for name in ("grpc._cython.cygrpc", "asyncio", "psycopg", "opentelemetry.sdk"):
            logging.getLogger(name).warning("something of %s\nin two lines", name)
            logging.getLogger(name).info("not worth a line")
        fault = LookupError("the cause")
        logging.getLogger("asyncio").error("with a traceback", exc_info=fault)
        events = heard.events
        assert [event["level"] for event in events] == ["warning"] * 4 + ["error"]
        assert events[1]["logger"] == "asyncio"
        assert events[1]["event"] == "something of asyncio\nin two lines"
        assert "the cause" in events[-1]["exception"]
        assert all(event["timestamp"].endswith("Z") for event in events)

    def test_a_level_that_is_configured_counts_for_them_too(self) -> None:
        for kept in hearing("error"):
            logging.getLogger("asyncio").warning("less than an error")
            assert kept.events == []

    def test_being_configured_again_doubles_no_line(self, heard: Heard) -> None:
        logs.configure("json", "debug", heard.stream)
        logging.getLogger("asyncio").warning("once")
        assert len(heard.events) == 1

    def test_a_warning_of_python_is_a_line(self, heard: Heard) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            logging.captureWarnings(capture=True)
            warnings.warn("of a library", stacklevel=1)
        (event,) = heard.events
        assert "of a library" in event["event"]

    def test_a_thread_that_fails_is_told(self, heard: Heard) -> None:
        def fail() -> None:
            message = "in a thread"
            raise RuntimeError(message)

        thread = threading.Thread(target=fail, name="committer")
        thread.start()
        thread.join()
        (event,) = heard.named("thread_failed")
        assert (event["thread"], event["level"]) == ("committer", "critical")
        assert "in a thread" in event["exception"]


LEVELS = ("warning", "error", "critical", "exception")


def events_that_need_somebody() -> dict[str, str]:
    """Give every event that the dealer logs at warning or above, and where it does."""
    found = {}
    for path in sorted((ROOT / "dealer_service").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in LEVELS
                and ast.unparse(node.func.value) not in {"say", "self"}
                and node.args
            ):
                for one in ast.walk(node.args[0]):
                    if isinstance(one, ast.Constant) and isinstance(one.value, str):
                        found[one.value] = f"{path.name}:{node.lineno}"
    return found


def test_every_event_that_needs_somebody_says_what_to_do() -> None:
    events = events_that_need_somebody()
    assert len(events) > 15
    assert {event: where for event, where in events.items() if event not in HINTS} == {}
    # These are chosen where they are logged, by a name.
    chosen = {"development_mode", "not_protected", "witness_away"}
    assert HINTS.keys() - events.keys() <= chosen


def test_the_document_for_operators_has_each_with_its_words() -> None:
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| (.+) \|$", OPERATIONS, re.MULTILINE))
    assert {event: rows.get(event) for event in HINTS} == dict(HINTS)


async def test_every_line_of_a_game_is_an_object_that_says_nothing_of_it(
    tmp_path: Path, heard: Heard
) -> None:
    """At debug, too, a log has no token, link, card or salt; tests/faults search for more."""
    async with serving(tmp_path) as service:
        game = await service.open_game()
        await service.pause(game)
        bots = await seated(service, game, "ann", "bob", policy=waiting)
        await service.resume(game)
        await bots[0].until(lambda bot: bot.decision)
        request = operate_pb2.VoidHandRequest(request_id=fresh_id(), game=game, hand=1)
        await refusal(service.operate.VoidHand(request, metadata=service.operator))
        opened = [one for bot in bots for one in bot.openings]
        tokens = [bot.header[0][1].removeprefix("Bearer ") for bot in bots]
        links = [link.hex() for bot in bots for link in bot._links.values()]
        await stop(bots)
    assert heard.events
    text = heard.stream.getvalue()
    assert opened
    for secret in (*tokens, *links, *(one.salt.hex() for one in opened)):
        assert secret not in text
