"""The dealer among the programs of others: `cutcard-audit witness`, `watch` and `verify`."""

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dealer_service.app import CannotStart
from dealer_service.transcript.noted import Stage
from tests.support.scraping import LOOPBACK
from tests.support.service import PATIENCE, Service, seated, serving, stop
from tests.support.witnesses import ask, started

ROOT = Path(__file__).parents[2]
NAME = "witness.example/w1"


def run_audit(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "audit_cli", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


async def until_published(service: Service, game: str, stage: Stage) -> None:
    publishing = service.dealer._publishing
    assert publishing is not None
    async with asyncio.timeout(PATIENCE):
        await publishing.wait_for(game, 0, stage)


def copy_keys(old: Path, new: Path) -> None:
    new.mkdir()
    for name in ("log.key", "sealing.key", "token.key"):
        shutil.copy(old / name, new / name)


async def test_a_game_is_witnessed_and_watched_and_a_second_log_is_never_signed(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path / "a") as service:
        key = service.key
    folder = tmp_path / "witness"
    named = run_audit("witness", "--state", folder, "--name", NAME, "--show-key")
    vkey = named.stdout.strip()
    with started("witness", "--state", folder, "--log", key, "--listen", LOOPBACK) as witness:
        policy = tmp_path / "witnesses.policy"
        policy.write_text(f"log {key}\nwitness w1 {vkey} {witness.url}\nquorum w1\n")
        given: dict[str, Any] = {
            "batch": 0.01,
            "witness_policy": policy,
            "publication_listen": LOOPBACK,
        }
        async with serving(tmp_path / "a", publication=tmp_path / "public-a", **given) as service:
            game = await service.open_game()
            bots = await seated(service, game, "ann", "bob")
            await bots[0].until_line("hand_opened", hand=1)
            await service.close_game(game)
            await until_published(service, game, Stage.GAME_REVEALED)
            await stop(bots)
            (tmp_path / "game").write_bytes(await service.file(game))
            address = f"http://127.0.0.1:{service.dealer.publication_port}"
            verified = await asyncio.to_thread(
                run_audit,
                *("verify", tmp_path / "game", "--key", key, "--policy", policy),
                *("--dealer-log", address, "--evidence", tmp_path),
                *("--require", "CONSISTENT,WITNESSED"),
            )
            seen = await asyncio.to_thread(
                run_audit,
                "watch",
                address,
                *("--key", key, "--policy", policy, "--state", tmp_path / "watch", "--list"),
            )
        assert (verified.returncode, verified.stderr) == (0, ""), verified
        assert "co-signed by w1" in verified.stdout
        assert (seen.returncode, seen.stderr) == (0, ""), seen
        assert game in seen.stdout
        known = ask(witness.url, "/").text
        copy_keys(tmp_path / "a", tmp_path / "b")
        with pytest.raises(CannotStart, match=r"witnesses know more of it: w1 saw \d+\. Nothing"):
            async with serving(tmp_path / "b", publication=tmp_path / "public-b", **given):
                pass
        assert not (tmp_path / "public-b" / "checkpoint").exists()
        assert ask(witness.url, "/").text == known
