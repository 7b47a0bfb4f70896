"""Traces of calls, commits and take-overs, as a collector receives them."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from cutcard.v1 import operate_pb2, play_pb2
from dealer_service.app import CannotStart
from dealer_service.observe.tracing import TracingUnavailable, open_tracing
from tests.support.nodes import sharing
from tests.support.otlp import attributes, receiving
from tests.support.service import Bot, fresh_id, refusal, seated, serving, stop, waiting
from tests.support.talk import talking

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"


async def test_a_call_has_a_span_under_its_callers(tmp_path: Path) -> None:
    with receiving() as received:
        async with serving(tmp_path, trace=received.url) as service:
            game = await service.open_game()
            request = operate_pb2.PauseGameRequest(request_id=fresh_id(), game=game)
            header = (*service.operator, ("traceparent", f"00-{TRACE}-{SPAN}-01"))
            await service.operate.PauseGame(request, metadata=header)
            request = operate_pb2.PauseGameRequest(request_id=fresh_id(), game=game)
            again = service.operate.PauseGame(request, metadata=service.operator)
            told = await refusal(again)
        first, second = received.named("OperateService/PauseGame")
        assert (first.trace_id.hex(), first.parent_span_id.hex()) == (TRACE, SPAN)
        assert second.trace_id.hex() != TRACE
        assert second.parent_span_id == b""
        assert attributes(first) == {
            "rpc.system": "grpc",
            "rpc.service": "cutcard.v1.OperateService",
            "rpc.method": "PauseGame",
            "rpc.grpc.status_code": 0,
            "cutcard.game": game,
        }
        assert attributes(second)["rpc.grpc.status_code"] == told.code.value[0]
        assert attributes(second)["cutcard.reason"] == told.reason
        # What a caller got wrong is no error of the dealer's.
        assert second.status.code == Status.STATUS_CODE_UNSET
        assert received.paths == {"/v1/traces"}
        assert received.resource["service.name"] == "cutcard-dealer"
        assert received.resource["service.version"] == version("cutcard")


async def test_a_batch_that_was_written_links_to_the_calls_that_it_is_of(tmp_path: Path) -> None:
    with receiving() as received:
        async with serving(tmp_path, trace=f"{received.url}/own/path") as service:
            await service.open_game()
        (call,) = received.named("OperateService/OpenGame")
        (commit,) = [
            span
            for span in received.named("commit")
            if any(link.span_id == call.span_id for link in span.links)
        ]
        assert attributes(commit) == {"cutcard.units": 1, "cutcard.signed": True}
        assert call.start_time_unix_nano <= commit.start_time_unix_nano
        assert commit.start_time_unix_nano < commit.end_time_unix_nano <= call.end_time_unix_nano
        assert received.paths == {"/own/path"}


async def test_what_the_clock_does_is_of_no_call(tmp_path: Path) -> None:
    """A timer that a call has set does not go on in that call's trace."""
    with receiving() as received:
        async with serving(tmp_path, trace=received.url) as service:
            game = await service.open_game(turn_ms=5_000)
            bots = await seated(service, game, "ann", "bob", policy=waiting)
            await bots[0].until(lambda bot: bot.decision)
            service.advance(5_000)
            await bots[0].until_line("acted", by="clock")
            await stop(bots)
        linked = {link.span_id for span in received.named("commit") for link in span.links}
        calls = {span.span_id for span in received.spans if span.name != "commit"}
        assert linked <= calls
        assert any(not span.links for span in received.named("commit"))


async def test_a_stream_is_one_span_until_it_ends(tmp_path: Path) -> None:
    with receiving() as received:
        async with serving(tmp_path, trace=received.url) as service:
            game = await service.open_game()
            ann = Bot(service, "ann")
            ann.watch(game)
            await ann.until(lambda bot: bot.lines)
            await ann.stop()
        (span,) = received.named("PlayService/Watch")
        assert attributes(span)["cutcard.game"] == game


async def test_each_call_of_a_session_has_a_span_of_its_own(tmp_path: Path) -> None:
    """Beside the session's own, which is of no game."""
    with receiving() as received:
        async with serving(tmp_path, trace=received.url) as service:
            games = [await service.open_game() for _ in range(2)]
            async with talking(service) as talk:
                for game in games:
                    await talk.ask(get_table=play_pb2.GetTableRequest(game=game))
        asked = [
            attributes(span)["cutcard.game"] for span in received.named("PlayService/GetTable")
        ]
        assert sorted(asked) == sorted(games)
        (session,) = received.named("PlayService/Session")
        assert "cutcard.game" not in attributes(session)


async def test_a_take_over_has_a_span(tmp_path: Path) -> None:
    with receiving() as received:
        async with sharing(tmp_path, "one", "two", trace=received.url) as nodes:
            game = await nodes.services["one"].open_game()
            nodes.kill("one")
            await nodes.lease()
            assert nodes.owner(game) == "two"
        (span,) = received.named("take over")
        assert attributes(span) == {"cutcard.game": game}


async def test_nothing_of_a_players_own_is_sent(tmp_path: Path) -> None:
    with receiving() as received:
        async with serving(tmp_path, trace=received.url) as service:
            game = await service.open_game()
            await service.pause(game)
            bots = await seated(service, game, "ann-of-the-traces", "bob", policy=waiting)
            await service.resume(game)
            await bots[0].until(lambda bot: bot.decision)
            opened = [one for bot in bots for one in bot.openings]
            token = bots[0].header[0][1].removeprefix("Bearer ").encode()
            links = [*bots[0]._links.values()]
            await stop(bots)
        assert received.named("PlayService/GiveLink")
        assert opened
        for secret in (token, b"ann-of-the-traces", *(one.salt for one in opened), *links):
            assert secret not in received.content
            assert secret.hex().encode() not in received.content


async def test_a_collector_that_is_away_keeps_nobody_waiting(tmp_path: Path) -> None:
    with receiving() as received:
        away = received.url
    async with serving(tmp_path, trace=away) as service:
        game = await service.open_game()
        asked = play_pb2.GetTableRequest(game=game)
        assert (await service.play.GetTable(asked, metadata=service.operator)).phase


@pytest.mark.parametrize("url", ["collector:4318", "ftp://collector/", "http://", "127.0.0.1"])
async def test_what_is_no_url_stops_the_start(tmp_path: Path, url: str) -> None:
    with pytest.raises(CannotStart, match="--trace is no URL"):
        async with serving(tmp_path, trace=url):
            pass


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(TracingUnavailable, match=r"pip install 'cutcard\[dealer,trace\]'"):
        open_tracing("http://127.0.0.1:4318", "1.0", "")


def test_nothing_of_it_is_imported_where_it_is_off() -> None:
    code = (
        "import sys, dealer_service.app\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)
