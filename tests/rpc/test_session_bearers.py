"""Bearers of a session: each call is judged by the token that stands for its number."""

import time
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutcard.v1 import play_pb2
from dealer_service.access.bearer import Bearer
from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue
from dealer_service.rpc import bearers
from dealer_service.rpc.admission import Admission, Shown
from tests.rpc.test_caller_limits_on_wire import limits
from tests.support.service import (
    ORIGIN,
    Bot,
    Service,
    Told,
    bearing,
    fresh_id,
    serving,
    watching,
)
from tests.support.talk import Talk, reason_in, refusal_in, talking, token_of


def table(game: str) -> play_pb2.GetTableRequest:
    return play_pb2.GetTableRequest(game=game)


def sit(game: str) -> play_pb2.TakeSeatRequest:
    return play_pb2.TakeSeatRequest(
        request_id=fresh_id(), game=game, stack=200, accepts_reveal="all_cards"
    )


def short(service: Service, name: str) -> str:
    """Issue a player's token that expires in two to three seconds."""
    key = service.dealer.keys.token
    return issue(key, name, Role.PLAYER, ttl=3, now=time.time(), origin=ORIGIN)


async def begin_watch(talk: Talk, bearer: int, game: str) -> play_pb2.SessionCall:
    """Watch a game under a bearer, and give the call when it was told something."""
    call = talk.call(bearer, watch=watching(game))
    await talk.send(call)
    assert (await talk.next(call)).HasField("watch")
    return call


class TestACall:
    async def test_is_its_own_bearers(self, service: Service) -> None:
        game = await service.open_game()
        await service.pause(game)
        async with talking(service) as talk:
            tokens = {1: token_of(service.header("ben")), 2: token_of(service.header("cleo"))}
            await talk.send(bearers=tokens)
            for bearer in (2, 0, 1):
                assert (await talk.ask(bearer, take_seat=sit(game))).HasField("take_seat")
        table_ = await service.play.GetTable(table(game), metadata=service.operator)
        assert [seat.player for seat in table_.seats] == ["cleo", "ann", "ben"]

    async def test_may_come_in_the_message_that_brings_its_token(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            call = talk.call(3, get_table=table(game))
            await talk.send(call, bearers={3: token_of(service.header("ben"))})
            assert (await talk.next(call)).HasField("get_table")

    async def test_under_a_number_without_a_token_is_refused(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            answer = await talk.ask(7, get_table=table(game))
            assert refusal_in(answer) == (
                grpc.StatusCode.UNAUTHENTICATED.value[0],
                "TOKEN_MISSING",
                {"bearer": "7"},
            )
            watch = talk.call(7, watch=watching(game))
            await talk.send(watch)
            assert reason_in(await talk.next(watch)) == "TOKEN_MISSING"

    async def test_under_a_number_whose_token_was_forgotten_is_refused(
        self, service: Service
    ) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: token_of(service.header("ben"))})
            assert (await talk.ask(1, get_table=table(game))).HasField("get_table")
            await talk.send(bearers={1: ""})
            assert reason_in(await talk.ask(1, get_table=table(game))) == "TOKEN_MISSING"

    @pytest.mark.parametrize(
        ("token", "reason"),
        [
            ("x.y.z", "TOKEN_INVALID"),
            ("A" * 20_000, "TOKEN_INVALID"),
            ("\n, é", "TOKEN_INVALID"),
            (" ", "TOKEN_MISSING"),
        ],
    )
    async def test_by_a_token_that_does_not_hold_is_refused_alone(
        self, service: Service, token: str, reason: str
    ) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            bad, good = talk.call(1, get_table=table(game)), talk.call(get_table=table(game))
            await talk.send(bad, good, bearers={1: token})
            assert reason_in(await talk.next(bad)) == reason
            assert (await talk.next(good)).HasField("get_table")

    async def test_is_in_the_role_that_its_bearer_has_there(self, service: Service) -> None:
        here, elsewhere = await service.open_game(), await service.open_game()
        await service.pause(here)
        of_one = service.header("ben", None, tables={here: Role.PLAYER})
        async with talking(service) as talk:
            tokens = {1: token_of(of_one), 2: token_of(service.header("cleo", Role.WATCHER))}
            await talk.send(bearers=tokens)
            assert (await talk.ask(1, take_seat=sit(here))).HasField("take_seat")
            assert reason_in(await talk.ask(1, get_table=table(elsewhere))) == "TABLE_NOT_ALLOWED"
            assert reason_in(await talk.ask(2, take_seat=sit(here))) == "ROLE_NOT_ALLOWED"

    async def test_is_counted_as_its_bearers(self, tmp_path: Path) -> None:
        async with serving(tmp_path, limits=limits(calls=1)) as service:
            game = await service.open_game()
            async with talking(service, service.header("eve")) as talk:
                tokens = {1: token_of(service.header("ann")), 2: token_of(service.header("ben"))}
                calls = [talk.call(1, get_table=table(game)) for _ in range(4)]
                await talk.send(*calls, bearers=tokens)
                answers = [await talk.next(call) for call in calls]
                assert [one.WhichOneof("answer") for one in answers[:2]] == ["get_table"] * 2
                assert {reason_in(one) for one in answers[2:]} == {"RATE_LIMITED"}
                assert (await talk.ask(2, get_table=table(game))).HasField("get_table")

    async def test_counts_with_the_bytes_of_its_own_request(self, tmp_path: Path) -> None:
        request = play_pb2.LeaveSeatRequest(
            request_id="12345678", game="0" * 32, reference="x" * 100
        )
        async with serving(tmp_path, limits=limits(bytes=200)) as service, talking(service) as talk:
            reasons = [reason_in(await talk.ask(leave_seat=request)) for _ in range(4)]
        assert reasons == ["NO_SUCH_GAME", "NO_SUCH_GAME", "RATE_LIMITED", "RATE_LIMITED"]


class TestAStream:
    async def test_counts_as_its_bearers(self, tmp_path: Path) -> None:
        async with serving(tmp_path, limits=limits(streams=1)) as service:
            game = await service.open_game()
            async with talking(service, service.header("eve")) as talk:
                tokens = {1: token_of(service.header("ann")), 2: token_of(service.header("ben"))}
                await talk.send(bearers=tokens)
                watch = await begin_watch(talk, 1, game)
                second = talk.call(1, watch=watching(game))
                await talk.send(second)
                assert refusal_in(await talk.next(second))[1:] == (
                    "TOO_MANY_STREAMS",
                    {"streams": "1"},
                )
                await begin_watch(talk, 2, game)
                await talk.send(stopped=(watch.call,))
                await talk.last(watch)
                await begin_watch(talk, 1, game)

    async def test_ends_when_its_token_expires(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: short(service, "ben")})
            watch = await begin_watch(talk, 1, game)
            assert reason_in(await talk.last(watch)) == "TOKEN_EXPIRED"
            assert reason_in(await talk.ask(1, get_table=table(game))) == "TOKEN_EXPIRED"
            assert (await talk.ask(get_table=table(game))).HasField("get_table")

    async def test_goes_on_by_a_newer_token_of_its_bearer(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: short(service, "ben"), 2: short(service, "cleo")})
            kept, other = await begin_watch(talk, 1, game), await begin_watch(talk, 2, game)
            await talk.send(bearers={1: token_of(service.header("ben"))})
            assert reason_in(await talk.last(other)) == "TOKEN_EXPIRED"
            await Bot(service, "dan").sit(game, watch=False)
            await talk.until_line(kept, b"dan")

    async def test_is_not_kept_by_a_token_of_another(self, service: Service) -> None:
        """Neither another's nor one of its own that may see less."""
        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: short(service, "ben"), 2: short(service, "ben")})
            watches = [await begin_watch(talk, number, game) for number in (1, 2)]
            others = service.header("cleo"), service.header("ben", Role.WATCHER)
            await talk.send(bearers=dict(enumerate(map(token_of, others), 1)))
            for number, watch in enumerate(watches, 1):
                assert reason_in(await talk.last(watch)) == "TOKEN_EXPIRED"
                assert (await talk.ask(number, get_table=table(game))).HasField("get_table")

    async def test_is_not_ended_by_a_token_that_does_not_hold(self, service: Service) -> None:
        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: token_of(service.header("ben"))})
            watch = await begin_watch(talk, 1, game)
            await talk.send(bearers={1: "x.y.z"})
            assert reason_in(await talk.ask(1, get_table=table(game))) == "TOKEN_INVALID"
            await Bot(service, "dan").sit(game, watch=False)
            await talk.until_line(watch, b"dan")

    async def test_is_kept_though_it_was_not_the_last_that_came_for_its_number(
        self, service: Service
    ) -> None:
        """A number may stand for another afterwards: who watches has its newer token."""
        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: short(service, "ben"), 2: short(service, "cleo")})
            kept, other = await begin_watch(talk, 1, game), await begin_watch(talk, 2, game)
            await talk.send(bearers={1: token_of(service.header("ben"))})
            assert (await talk.ask(1, get_table=table(game))).HasField("get_table")
            await talk.send(bearers={1: token_of(service.header("eve"))})
            assert reason_in(await talk.last(other)) == "TOKEN_EXPIRED"
            await Bot(service, "dan").sit(game, watch=False)
            await talk.until_line(kept, b"dan")

    async def test_is_kept_by_no_token_that_is_not_for_its_game(self, service: Service) -> None:
        game, elsewhere = await service.open_game(), await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: short(service, "ben")})
            watch = await begin_watch(talk, 1, game)
            of_another = service.header("ben", None, tables={elsewhere: Role.PLAYER})
            await talk.send(bearers={1: token_of(of_another)})
            assert reason_in(await talk.last(watch)) == "TOKEN_EXPIRED"


class TestATokenForANumber:
    async def test_that_does_not_hold_counts_once_however_many_watch_under_it(
        self, tmp_path: Path
    ) -> None:
        async with serving(tmp_path, limits=limits(bad_tokens=1)) as service:
            game = await service.open_game()
            async with talking(service) as talk:
                await talk.send(bearers={1: token_of(service.header("ben"))})
                for _ in range(5):
                    await begin_watch(talk, 1, game)
                await talk.send(bearers={1: "x.y.z"})
                await talk.send(bearers={2: token_of(service.header("cleo"))})
                assert (await talk.ask(2, get_table=table(game))).HasField("get_table")

    async def test_that_comes_over_and_over_is_looked_at_once_for_all_that_watch(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        looked: list[Shown] = []
        verify = Admission.verify

        async def count(admission: Admission, shown: Shown) -> Bearer:
            looked.append(shown)
            return await verify(admission, shown)

        game = await service.open_game()
        async with talking(service) as talk:
            await talk.send(bearers={1: token_of(service.header("ben"))})
            for _ in range(3):
                await begin_watch(talk, 1, game)
            monkeypatch.setattr(Admission, "verify", count)
            one = play_pb2.SessionBearer(bearer=1, token="x.y.z")
            await talk.stream.write(play_pb2.SessionRequest(bearers=[one] * 1_000))
            assert reason_in(await talk.ask(1, get_table=table(game))) == "TOKEN_INVALID"
        assert len(looked) == 2


class TestTheSession:
    async def test_counts_as_a_stream_of_the_headers_bearer(self, tmp_path: Path) -> None:
        async with serving(tmp_path, limits=limits(streams=1)) as service, talking(service):
            game = await service.open_game()
            async with talking(service, service.header("eve")) as other:
                await other.ask(get_table=table(game))
            await refused(service, service.header("ann"), "TOO_MANY_STREAMS")

    @pytest.mark.parametrize("role", Role)
    async def test_is_open_to_every_role(self, service: Service, role: Role) -> None:
        game = await service.open_game()
        async with talking(service, service.header("eve", role)) as talk:
            assert (await talk.ask(get_table=table(game))).HasField("get_table")

    async def test_is_closed_to_who_is_nobody(self, service: Service) -> None:
        await refused(service, bearing("x.y.z"), "TOKEN_INVALID")

    async def test_ends_when_the_headers_token_expires(self, service: Service) -> None:
        await refused(service, bearing(short(service, "ann")), "TOKEN_EXPIRED")

    async def test_goes_on_by_a_newer_token_of_the_same_name(self, service: Service) -> None:
        """In whatever role: a session itself sees nothing."""
        game = await service.open_game()
        header = bearing(short(service, "ann"))
        async with talking(service, header) as kept, talking(service, header) as other:
            newer = token_of(service.header("ann", Role.WATCHER))
            await kept.send(bearers={0: newer})
            assert (await kept.ask(get_table=table(game))).HasField("get_table")
            over = await other.until_over()
            assert isinstance(over, Told)
            assert over.reason == "TOKEN_EXPIRED"
            assert (await kept.ask(get_table=table(game))).HasField("get_table")

    async def test_is_not_kept_by_a_token_of_another_name(self, service: Service) -> None:
        async with talking(service, bearing(short(service, "ann"))) as talk:
            await talk.send(bearers={0: token_of(service.header("ben"))})
            over = await talk.until_over()
        assert isinstance(over, Told)
        assert over.reason == "TOKEN_EXPIRED"

    async def test_ends_with_more_bearers_than_it_has_numbers_for(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(bearers, "MAX_BEARERS", 2)
        token = token_of(service.header("ben"))
        async with talking(service) as talk:
            await talk.send(bearers={1: token})
            await talk.send(bearers={1: token, 2: token})
            over = await talk.until_over()
        assert isinstance(over, Told)
        assert (over.reason, [field for field, _ in over.violations]) == (
            "MALFORMED_REQUEST",
            ["bearers.bearer"],
        )

    async def test_ends_with_longer_tokens_than_it_keeps(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was replaced or forgotten is not kept."""
        game = await service.open_game()
        monkeypatch.setattr(bearers, "MAX_CHARACTERS", 4_000)
        async with talking(service) as talk:
            for number in (1, 1, 2):
                await talk.send(bearers={number: "x" * 3_000})
                await talk.send(bearers={1: ""} if number == 1 else {2: "x"})
            assert (await talk.ask(get_table=table(game))).HasField("get_table")
            await talk.send(bearers={1: "x" * 2_000, 2: "x" * 2_000})
            over = await talk.until_over()
        assert isinstance(over, Told)
        assert (over.reason, [field for field, _ in over.violations]) == (
            "MALFORMED_REQUEST",
            ["bearers.token"],
        )


async def refused(service: Service, header: Any, reason: str) -> None:
    """Open a session that must end for a reason."""
    async with talking(service, header) as talk:
        over = await talk.until_over()
    assert isinstance(over, Told)
    assert over.reason == reason


def test_a_token_is_not_told_by_what_holds_it() -> None:
    assert "secret" not in repr(Shown("Bearer secret", lambda: "ipv4:127.0.0.1:1"))
