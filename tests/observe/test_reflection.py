"""A stranger's client, grpcurl, finds its way by reflection alone."""

import asyncio
import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from dealer_service.access.roles import METHODS
from tests.support.service import Service, serving

GRPCURL = shutil.which("grpcurl", path=str(Path(sys.executable).parent)) or shutil.which("grpcurl")


@dataclass(frozen=True)
class Ran:
    """How grpcurl ended."""

    status: int | None
    out: str
    err: str


async def grpcurl(service: Service, *words: str, before: tuple[str, ...] = ()) -> Ran:
    assert GRPCURL is not None, "grpcurl is one of the development tools: `make setup`"
    process = await asyncio.create_subprocess_exec(
        GRPCURL,
        "-plaintext",
        *before,
        service.address,
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return Ran(process.returncode, out.decode(), err.decode())


async def test_services_and_methods_are_listed(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        ran = await grpcurl(service, "list")
        services = set(ran.out.split())
        told = {path[1:].partition("/")[0] for path in METHODS}
        assert told - services == {"cutcard.v1.CertifyService"}
        assert "grpc.health.v1.Health" in services
        ran = await grpcurl(service, "list", "cutcard.v1.OperateService")
        named = {
            f"/{line.rpartition('.')[0]}/{line.rpartition('.')[2]}" for line in ran.out.split()
        }
        assert named == {path for path in METHODS if "OperateService" in path}


async def test_a_message_is_described(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        ran = await grpcurl(service, "describe", "cutcard.v1.ActRequest")
        assert ran.status == 0, ran
        assert "string request_id = 1" in ran.out


async def test_a_call_with_a_token_is_answered_and_one_without_is_told_why(tmp_path: Path) -> None:
    async with serving(tmp_path) as service:
        game = await service.open_game(small_blind=1, big_blind=2)
        header = f"authorization: {service.operator[0][1]}"
        asked = ("-H", header, "-d", json.dumps({"game": game}))
        ran = await grpcurl(service, "cutcard.v1.OperateService/GetGame", before=asked)
        assert ran.status == 0, ran
        assert json.loads(ran.out)["summary"]["game"] == game
        ran = await grpcurl(service, "cutcard.v1.OperateService/ListGames")
        assert ran.status not in {0, None}
        assert "Unauthenticated" in ran.err
        assert "TOKEN_MISSING" in ran.err
        ran = await grpcurl(service, "grpc.health.v1.Health/Check")
        assert json.loads(ran.out) == {"status": "SERVING"}
