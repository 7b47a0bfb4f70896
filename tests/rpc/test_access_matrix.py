"""Every method called as everybody, over the wire: who gets in, and why others do not.

The tables below are the expectation, a line for each caller. What comes after access (a seat that
is not there, a hand that has not begun) is not looked at here: "in" is every answer but a refusal
of access.
"""

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealer_service.access.roles import METHODS, Role
from dealer_service.access.tokens import make_token_key
from dealer_service.config import TokenRules
from tests.support.every_call import EVERY, invoke
from tests.support.jwt_keys import ALGORITHMS, claims_of, jwks, public_jwk, sign
from tests.support.kinds_of_calls import CERTIFYING, COLUMNS
from tests.support.service import (
    Service,
    bearing,
    folding,
    metadata,
    read_refusal,
    seated,
    serving,
    stop,
)

IN, ROLE, TABLE = "in", "ROLE_NOT_ALLOWED", "TABLE_NOT_ALLOWED"

# fmt: off
ROLES: dict[str, tuple[str, ...]] = {
    # who                        plays  looks  key    carries  reads  reads  runs   opens  deals
    #                                                          game   all
    "player":                   (IN,    IN,    IN,    IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
    "house":                    (IN,    IN,    IN,    IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
    "watcher":                  (ROLE,  IN,    IN,    IN,      ROLE,  ROLE,  ROLE,  ROLE,  ROLE),
    "operator":                 (ROLE,  IN,    IN,    IN,      IN,    IN,    IN,    IN,    IN),
    "auditor":                  (ROLE,  IN,    IN,    IN,      IN,    IN,    ROLE,  ROLE,  ROLE),
    "player here":              (IN,    IN,    ROLE,  IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
    "house here":               (IN,    IN,    ROLE,  IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
    "watcher here":             (ROLE,  IN,    ROLE,  IN,      ROLE,  ROLE,  ROLE,  ROLE,  ROLE),
    "operator here":            (ROLE,  IN,    ROLE,  IN,      IN,    ROLE,  IN,    ROLE,  IN),
    "auditor here":             (ROLE,  IN,    ROLE,  IN,      IN,    ROLE,  ROLE,  ROLE,  ROLE),
    "player elsewhere":         (TABLE, TABLE, ROLE,  IN,      TABLE, ROLE,  TABLE, ROLE,  TABLE),
    "house elsewhere":          (TABLE, TABLE, ROLE,  IN,      TABLE, ROLE,  TABLE, ROLE,  TABLE),
    "watcher elsewhere":        (TABLE, TABLE, ROLE,  IN,      TABLE, ROLE,  TABLE, ROLE,  TABLE),
    "operator elsewhere":       (TABLE, TABLE, ROLE,  IN,      TABLE, ROLE,  TABLE, ROLE,  TABLE),
    "auditor elsewhere":        (TABLE, TABLE, ROLE,  IN,      TABLE, ROLE,  TABLE, ROLE,  TABLE),
    "player before":            (IN,    IN,    ROLE,  IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
    "house before":             (IN,    IN,    ROLE,  IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
    "watcher before":           (ROLE,  IN,    ROLE,  IN,      ROLE,  ROLE,  ROLE,  ROLE,  ROLE),
    "operator before":          (ROLE,  IN,    ROLE,  IN,      IN,    ROLE,  IN,    ROLE,  IN),
    "auditor before":           (ROLE,  IN,    ROLE,  IN,      IN,    ROLE,  ROLE,  ROLE,  ROLE),
    "watcher, player here":     (IN,    IN,    IN,    IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
    "player, watcher here":     (ROLE,  IN,    IN,    IN,      ROLE,  ROLE,  ROLE,  ROLE,  ROLE),
    "player, watcher before":   (ROLE,  IN,    IN,    IN,      ROLE,  ROLE,  ROLE,  ROLE,  ROLE),
    "operator, player here":    (IN,    IN,    IN,    IN,      ROLE,  IN,    ROLE,  IN,    IN),
    "auditor, operator here":   (ROLE,  IN,    IN,    IN,      IN,    IN,    IN,    ROLE,  IN),
    "player, operator elsewhere":(IN,    IN,    IN,    IN,      ROLE,  ROLE,  ROLE,  ROLE,  IN),
}
# fmt: on
"""Tokens that are good, by the role everywhere and the role at a game: the one that is called for
("here"), another one ("elsewhere"), and one that the first goes on from ("before"). Whoever has a
token may open a session, in which each call is judged by itself."""

NOBODY = {
    "no token": "TOKEN_MISSING",
    "another scheme": "TOKEN_MISSING",
    "an empty token": "TOKEN_MISSING",
    "garbage": "TOKEN_INVALID",
    "a token that is too long": "TOKEN_INVALID",
    "no signature": "TOKEN_INVALID",
    "another key": "TOKEN_INVALID",
    "another key of a known name": "TOKEN_INVALID",
    "expired": "TOKEN_EXPIRED",
    "not valid yet": "TOKEN_NOT_YET_VALID",
    "another issuer": "WRONG_ISSUER",
    "another audience": "WRONG_AUDIENCE",
    "no role": "TOKEN_INVALID",
    "a role that is none": "TOKEN_INVALID",
    "a role that is none at a game": "TOKEN_INVALID",
}
"""What is no token of anybody's: the same reason, whatever is called."""

ACCESS = {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED}


@dataclass(frozen=True)
class Games:
    """A game that goes on from one before it, and another game."""

    here: str
    before: str
    elsewhere: str


class House:
    """A dealer with a key of its own and a JWK set, and games to call for."""

    def __init__(self, service: Service, folder: Path) -> None:
        self.service = service
        self.own = service.dealer.keys.token
        self.other = make_token_key(folder / "other.key", bytes(32))

    async def open_games(self) -> Games:
        """Play one hand of a game of one hand, whose players go on in the next."""
        before = await self.service.open_game(max_hands=1)
        bots = await seated(self.service, before, "ann", "bob", policy=folding)
        closed = await bots[0].until_line("game_closed")
        await stop(bots)
        return Games(closed["next"], before, await self.service.open_game())

    def header(self, who: str, games: Games) -> Any:
        """Write the token of a line of `ROLES`."""
        everywhere, tables = None, {}
        for part in who.split(", "):
            role, _, where = part.partition(" ")
            if where:
                tables[getattr(games, where)] = Role(role)
            else:
                everywhere = Role(role)
        return metadata(self.own, "eve", everywhere, tables=tables)

    def no_header(self, who: str) -> Any:
        """Write what a line of `NOBODY` shows."""
        now = time.time()

        def own(**changed: Any) -> Any:
            return bearing(sign(self.own.private, "EdDSA", claims_of(now, **changed)))

        stranger = Ed25519PrivateKey.generate()
        made: dict[str, Callable[[], Any]] = {
            "no token": lambda: None,
            "another scheme": lambda: (("authorization", "Basic ZXZlOmV2ZQ=="),),
            "an empty token": lambda: (("authorization", "Bearer "),),
            "garbage": lambda: bearing("x.y.z"),
            "a token that is too long": lambda: bearing("A" * 5000),
            "no signature": lambda: bearing(
                own()[0][1].removeprefix("Bearer ").rpartition(".")[0] + "."
            ),
            "another key": lambda: metadata(self.other, "eve", Role.OPERATOR),
            "another key of a known name": lambda: bearing(
                sign(stranger, "EdDSA", claims_of(now), kid="EdDSA")
            ),
            "expired": lambda: own(iat=int(now) - 7200, exp=int(now) - 1),
            "not valid yet": lambda: own(nbf=int(now) + 3600),
            "another issuer": lambda: own(iss="dealer.example.net"),
            "another audience": lambda: own(aud="poker"),
            "no role": lambda: own(role=None),
            "a role that is none": lambda: own(role="dealer"),
            "a role that is none at a game": lambda: own(tables={"0" * 32: "dealer"}),
        }
        return made[who]()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    keys = tmp_path / "keys.json"
    keys.write_bytes(jwks(*(public_jwk(key, kid=name) for name, key in ALGORITHMS.items())))
    async with serving(tmp_path / "dealer", tokens=TokenRules(jwks=str(keys))) as service:
        yield House(service, tmp_path)


async def outcome(service: Service, method: str, game: str, header: Any) -> str:
    """Make a call; "in", or why it was refused by access."""
    request = type(EVERY[method])()
    request.CopyFrom(EVERY[method])
    if hasattr(request, "game"):
        request.game = game
    if hasattr(request, "tournament"):
        request.tournament = game
    try:
        if method == "Watch":
            await begun(service.play.Watch(request, metadata=header))
        else:
            await invoke(service, method, request, header)
    except grpc.aio.AioRpcError as error:
        told = read_refusal(error)
        if told.code in ACCESS:
            return told.reason
        assert told.code is not grpc.StatusCode.INTERNAL
        assert told.reason != "MALFORMED_REQUEST"
    return IN


async def begun(stream: Any) -> None:
    """Read the first message of a stream that goes on."""
    await stream.read()
    stream.cancel()


async def called_as(house: House, game: str, header: Any) -> dict[str, dict[str, str]]:
    """Call everything; by column, what came of each method."""
    return {
        column: {method: await outcome(house.service, method, game, header) for method in methods}
        for column, methods in COLUMNS.items()
    }


def test_the_columns_are_all_methods() -> None:
    named = [method for methods in COLUMNS.values() for method in methods]
    assert sorted([*named, *CERTIFYING]) == sorted(method.name for method in METHODS.values())
    assert len(set(named)) == len(named)


def test_each_role_stands_alone_here_elsewhere_and_before() -> None:
    expected = {str(role) for role in Role}
    for where in ("here", "elsewhere", "before"):
        expected |= {f"{role} {where}" for role in Role}
    assert expected <= ROLES.keys()


@pytest.mark.parametrize("who", ROLES)
async def test_who_gets_in(house: House, who: str) -> None:
    games = await house.open_games()
    expected = {
        column: dict.fromkeys(COLUMNS[column], told)
        for column, told in zip(COLUMNS, ROLES[who], strict=True)
    }
    assert await called_as(house, games.here, house.header(who, games)) == expected


async def test_who_is_nobody_gets_in_nowhere(house: House) -> None:
    for who, reason in NOBODY.items():
        expected = {column: dict.fromkeys(methods, reason) for column, methods in COLUMNS.items()}
        came = await called_as(house, "0" * 32, house.no_header(who))
        assert (who, came) == (who, expected)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
async def test_a_token_of_the_set_is_as_good_as_the_dealers_own(
    house: House, algorithm: str
) -> None:
    game = await house.service.open_game()
    claims = claims_of(time.time(), role="operator")
    header = bearing(sign(ALGORITHMS[algorithm], algorithm, claims, kid=algorithm))
    expected = {
        column: dict.fromkeys(COLUMNS[column], told)
        for column, told in zip(COLUMNS, ROLES["operator"], strict=True)
    }
    assert await called_as(house, game, header) == expected


async def test_a_game_that_is_not_there_is_not_told_of_to_who_may_not_look(
    house: House,
) -> None:
    """The same word as of a game that is there."""
    header = metadata(house.own, "eve", None, tables={"f" * 32: Role.PLAYER})
    for method in COLUMNS["looks"]:
        assert await outcome(house.service, method, "0" * 32, header) == TABLE


async def test_a_token_is_for_a_game_that_opens_after_it_was_first_shown(house: House) -> None:
    """That a game was not there yet is not remembered."""
    before = await house.service.open_game(max_hands=1)
    header = metadata(house.own, "eve", None, tables={before: Role.WATCHER})
    assert await outcome(house.service, "GetTable", "0" * 32, header) == TABLE
    bots = await seated(house.service, before, "ann", "bob", policy=folding)
    closed = await bots[0].until_line("game_closed")
    await stop(bots)
    assert await outcome(house.service, "GetTable", closed["next"], header) == IN
