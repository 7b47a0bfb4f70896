"""docs/writing-a-client.md: its programs and commands, run as they stand against a real dealer."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import connect

import pytest

from tests.support.commands import ROOT, Service, serving
from tests.support.documents import Block, read_document

BLOCKS = read_document("docs/writing-a-client.md").blocks
PROGRAMS = {
    block.text.partition("\n")[0].removeprefix("# ").partition(":")[0]: block.text
    for block in BLOCKS
    if block.kind == "python"
}
TOKENS, VERIFY, CALLS, REFUSED = (block for block in BLOCKS if block.kind == "sh")
GRPCURL_NOT_FOUND = 64 + 5


@dataclass
class Reader:
    """Who does what the document says, in a folder of its own, beside a dealer that serves."""

    folder: Path
    service: Service

    def env(self) -> dict[str, str]:
        commands = f"{self.folder / 'bin'}{os.pathsep}{Path(sys.executable).parent}"
        path = f"{commands}{os.pathsep}{os.environ['PATH']}"
        return os.environ | {"PATH": path, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'proto'}"}

    def here(self, text: str) -> str:
        return text.replace("127.0.0.1:50051", self.service.address)

    def shell(self, block: Block) -> "subprocess.CompletedProcess[str]":
        """Run a block, less the line that starts the dealer, which runs already."""
        lines = [line for line in block.text.splitlines() if not line.endswith("&")]
        return subprocess.run(
            ["/bin/sh", "-ec", self.here("\n".join(lines))],
            cwd=self.folder,
            env=self.env(),
            capture_output=True,
            text=True,
            check=False,
        )

    def run(self, *programs: str) -> list[str]:
        """Run programs, each given as it is called, side by side; what each printed."""
        return asyncio.run(self._run(programs))

    async def _run(self, programs: tuple[str, ...]) -> list[str]:
        async with asyncio.timeout(60):
            return await asyncio.gather(*(self._one(*called.split()) for called in programs))

    async def _one(self, name: str, *words: str) -> str:
        (self.folder / name).write_text(self.here(PROGRAMS[name]), encoding="utf-8")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            name,
            *words,
            cwd=self.folder,
            env=self.env(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
        return said.decode()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """Who has done the document's first step: a dealer serves, and two tokens are there."""
    (tmp_path / "bin").mkdir()
    for name, module in (("cutcard-dealer", "dealer_service"), ("cutcard-audit", "audit_cli")):
        script = tmp_path / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        script.chmod(0o755)
    with serving(tmp_path, "--directory", "dealer") as service:
        reader = Reader(tmp_path, service)
        assert reader.shell(TOKENS).returncode == 0
        yield reader


def test_every_program_has_a_name_and_is_run_here() -> None:
    assert set(PROGRAMS) == {
        "open_game.py",
        "play.py",
        "refusals.py",
        "backend.py",
        "close_game.py",
        "wallet.py",
    }


def test_the_programs_play_a_game_that_holds_and_settle_it_once(reader: Reader) -> None:
    reader.shell(Block("sh", TOKENS.text.splitlines()[-1].replace("ann", "bob")))
    reader.run("open_game.py")
    *played, refused = reader.run("play.py ann", "play.py bob", "refusals.py")
    for said in played:
        assert [line.split()[2] for line in said.splitlines()[:3]] == ["1", "2", "3"]
    assert refused == "NOT_FOUND NO_SUCH_GAME {}\n"
    reader.run("close_game.py")
    told = reader.shell(VERIFY)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "PLAYER-MIXED  holds            the link that the client of ann sent" in told.stdout
    reader.run("wallet.py")
    reader.run("wallet.py")
    with closing(connect(reader.folder / "wallet.sqlite")) as wallet:
        sums = wallet.execute(
            "SELECT what, count(*), sum(amount) FROM settled WHERE player != '' GROUP BY what"
        )
        assert sums.fetchall() == [("cashed_out", 2, 20_000), ("seat_taken", 2, 20_000)]


def test_a_backend_s_players_play_a_game_that_holds(reader: Reader) -> None:
    reader.shell(Block("sh", TOKENS.text.splitlines()[-1].replace("ann", "bob")))
    reader.run("open_game.py")
    reader.run("backend.py ann bob")
    reader.run("close_game.py")
    told = reader.shell(VERIFY)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "PLAYER-MIXED  holds            the link that the client of ann sent" in told.stdout


def test_every_call_by_grpcurl_is_answered_and_a_refusal_has_its_reason(reader: Reader) -> None:
    told = reader.shell(CALLS)
    assert told.returncode == 0, told.stdout + told.stderr
    for word in ("cutcard.v1.PlayService", '"SERVING"', '"localhost"', '"lines"'):
        assert word in told.stdout
    export = CALLS.text.partition("\n")[0]
    refused = reader.shell(Block("sh", f"{export}\n{REFUSED.text}"))
    assert refused.returncode == GRPCURL_NOT_FOUND
    assert "NO_SUCH_GAME" in refused.stderr
