"""A JWK set that changes while the dealer serves: new keys let in at once, old ones no more."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from dealer_service.access import key_sources
from dealer_service.access.key_sources import Pace
from dealer_service.config import TokenRules
from tests.support.certificates import Authority
from tests.support.every_call import EVERY, invoke
from tests.support.https import Site, serving_https
from tests.support.jwt_keys import P256, RSA_2048, claims_of, jwks, public_jwk, sign
from tests.support.service import (
    ORIGIN,
    PATIENCE,
    Service,
    bearing,
    read_refusal,
    refusal,
    serving,
)

ISSUER = "https://id.example"
OLD = public_jwk(P256, kid="old")
NEW = public_jwk(RSA_2048, kid="new")
CA = Authority()


def old() -> Any:
    return bearing(sign(P256, "ES256", claims_of(time.time(), iss=ISSUER), kid="old"))


def new() -> Any:
    return bearing(sign(RSA_2048, "RS256", claims_of(time.time(), iss=ISSUER), kid="new"))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return an https site with the old key; it is read when somebody needs it alone."""
    ca = tmp_path / "ca.pem"
    ca.write_bytes(CA.pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(ca))
    pace = Pace(every=3600, least=0, after_failure=3600)
    monkeypatch.setattr(key_sources, "OF_URLS", pace)
    with serving_https(CA.issue(), tmp_path / "site") as running:
        running.content = jwks(OLD)
        yield running


@pytest.fixture
async def rotating(site: Site, tmp_path: Path) -> AsyncIterator[Service]:
    rules = TokenRules(jwks=site.url, issuer=ISSUER)
    async with serving(tmp_path / "dealer", tokens=rules) as service:
        yield service


async def is_in(service: Service, header: Any) -> bool:
    """Say whether a token lets in; else it must be for want of a key."""
    try:
        answer = await invoke(service, "GetKey", EVERY["GetKey"], header)
    except grpc.aio.AioRpcError as error:
        if read_refusal(error).reason != "TOKEN_INVALID":
            raise
        return False
    return bool(answer.origin == ORIGIN)


async def test_a_new_key_lets_in_with_the_first_token_that_it_has_signed(
    site: Site, rotating: Service
) -> None:
    assert await is_in(rotating, old())
    assert not await is_in(rotating, new())
    site.content = jwks(OLD, NEW)
    assert await is_in(rotating, new())
    assert await is_in(rotating, old())


async def test_a_key_that_is_gone_lets_nobody_in_any_more(site: Site, rotating: Service) -> None:
    """Also by a token that was let in before."""
    header = old()
    assert await is_in(rotating, header)
    site.content = jwks(NEW)
    assert await is_in(rotating, new())
    assert not await is_in(rotating, header)


async def test_while_the_site_is_away_the_last_keys_let_in(site: Site, rotating: Service) -> None:
    site.status = 503
    assert not await is_in(rotating, new())
    assert await is_in(rotating, old())


async def test_the_dealers_own_key_lets_in_besides(rotating: Service) -> None:
    assert await is_in(rotating, rotating.operator)


async def test_before_the_site_was_ever_read_callers_are_told_to_call_again(
    site: Site, tmp_path: Path
) -> None:
    site.status = 503
    rules = TokenRules(jwks=site.url, issuer=ISSUER)
    async with serving(tmp_path / "dealer", tokens=rules) as service:
        told = await refusal(invoke(service, "GetKey", EVERY["GetKey"], old()))
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "TOKEN_KEYS_UNREAD")
        site.status = 200
        assert await is_in(service, old())


async def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(jwks(OLD))
    async with serving(
        tmp_path / "dealer", tokens=TokenRules(jwks=str(path), issuer=ISSUER)
    ) as service:
        header = old()
        assert await is_in(service, header)
        draft = tmp_path / "draft.json"
        draft.write_bytes(jwks(NEW))
        draft.replace(path)
        # An unknown key makes it look at once, unless it looked just before.
        async with asyncio.timeout(PATIENCE):
            while not await is_in(service, new()):
                pass
        assert not await is_in(service, header)
