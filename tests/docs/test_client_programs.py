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


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    folder = tmp_path_factory.mktemp("reader")
    (folder / "bin").mkdir()
    for name, module in (("cutcard-dealer", "dealer_service"), ("cutcard-audit", "audit_cli")):
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        script.chmod(0o755)
    with serving(folder, "--directory", "dealer") as service:
        yield Reader(folder, service)


@pytest.fixture(scope="module")
def played(reader: Reader) -> Reader:
    """The reader, when all of the Python part is done."""
    tokens = Block("sh", TOKENS.text + TOKENS.text.splitlines()[-1].replace("ann", "bob"))
    assert reader.shell(tokens).returncode == 0
    reader.run("open_game.py")
    for said in reader.run("play.py ann", "play.py bob"):
        assert [line.split()[2] for line in said.splitlines()[:3]] == ["1", "2", "3"]
    reader.run("close_game.py")
    return reader


def test_every_program_has_a_name_and_is_run_here() -> None:
    assert set(PROGRAMS) == {
        "open_game.py",
        "play.py",
        "refusals.py",
        "close_game.py",
        "wallet.py",
    }


def test_the_game_that_was_played_holds_with_the_players_own_record(played: Reader) -> None:
    told = played.shell(VERIFY)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "PLAYER-MIXED  holds            the link that the client of ann sent" in told.stdout


def test_a_refusal_is_told_by_its_reason(played: Reader) -> None:
    (said,) = played.run("refusals.py")
    assert said == "NOT_FOUND NO_SUCH_GAME {}\n"


def test_the_wallet_settles_each_movement_once(played: Reader) -> None:
    played.run("wallet.py")
    played.run("wallet.py")
    with closing(connect(played.folder / "wallet.sqlite")) as wallet:
        sums = wallet.execute(
            "SELECT what, count(*), sum(amount) FROM settled WHERE player != '' GROUP BY what"
        )
        assert sums.fetchall() == [("cashed_out", 2, 20_000), ("seat_taken", 2, 20_000)]


def test_every_call_by_grpcurl_is_answered(played: Reader) -> None:
    told = played.shell(CALLS)
    assert told.returncode == 0, told.stdout + told.stderr
    for word in ("cutcard.v1.PlayService", '"SERVING"', '"origin": "localhost"', '"lines"'):
        assert word in told.stdout


def test_a_refusal_by_grpcurl_has_its_status_and_its_reason(played: Reader) -> None:
    export = CALLS.text.partition("\n")[0]
    told = played.shell(Block("sh", f"{export}\n{REFUSED.text}"))
    assert told.returncode == GRPCURL_NOT_FOUND
    assert "NO_SUCH_GAME" in told.stderr
