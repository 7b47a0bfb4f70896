"""The wheel in an environment of its own: what its user has, without extras and with each."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from audit_cli import __version__
from tests.support.clean_environment import Environment, install
from tests.support.simulator import Simulator
from tests.support.small_games import finish, table_of

TOKEN = "pkcs11:token=x;object=y?module-path=/x&pin-source=file:FOLDER/pin"
# For each extra: what else is installed, a command that needs it, and what it brings.
EXTRAS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "dealer": ((), "cutcard-dealer demo", "grpc_status, google.rpc, jwt, structlog, uvloop"),
    "postgres": (("dealer",), "cutcard-dealer migrate --store postgresql://localhost/x", "psycopg"),
    "hsm": (
        ("dealer",),
        f"cutcard-dealer keys show --log-key {TOKEN}",
        "pkcs11",
    ),
    "trace": (
        ("dealer",),
        "cutcard-dealer serve --listen 127.0.0.1:0 --trace http://127.0.0.1:1",
        "opentelemetry.sdk.trace, opentelemetry.exporter.otlp.proto.http.trace_exporter",
    ),
    "beacon": (
        ("dealer",),
        "cutcard-dealer serve --listen 127.0.0.1:0 --beacon rounds",
        "drand_verify",
    ),
    "rng": ((), "cutcard-audit rng selftest --flaws none --clean 0", "numpy, scipy.stats"),
    "fast": (("rng",), "cutcard-audit rng test --engine numba --count 10k", "numba"),
    "dask": (("rng",), "cutcard-audit rng test --scheduler 127.0.0.1:1 --count 10k", "distributed"),
    "referee": ((), "cutcard-audit verify game --referee pokerkit", "pokerkit"),
}


CLIENTS = Path(__file__).parents[2] / "docs" / "writing-a-client.md"
WRONG = """ Two faults, and nothing else to complain of.
from audit_cli.report.finding import Report
from dealer_service.client import Seat

async def act(seat: Seat) -> None: await seat.act("fold")


def tell(report: Report) -> list[str]:
    return [str(each) for each in report.no_such_thing]
"""


@pytest.mark.parametrize("command", ["cutcard-audit", "cutcard-dealer"])
def test_both_commands_say_the_version(
    environment: Environment, tmp_path: Path, command: str
) -> None:
    told = environment.run(command, "--version", folder=tmp_path)
    assert (told.returncode, told.stdout) == (0, f"{command} {__version__}\n")


def test_without_extras_a_game_is_verified_and_shown_in_the_page(
    environment: Environment, tmp_path: Path
) -> None:
    game = a_game()
    (tmp_path / "game").write_bytes(game.game_file())
    verified = environment.run(
        "cutcard-audit", "verify", "game", "--key", game.key, folder=tmp_path
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    page = environment.run("cutcard-audit", "page", "--output", "page.html", folder=tmp_path)
    assert page.returncode == 0, page.stderr
    assert "<html" in (tmp_path / "page.html").read_text()


def test_each_extra_is_tried_here(environment: Environment) -> None:
    assert set(environment.metadata.provides_extra or ()) == set(EXTRAS)


@pytest.mark.parametrize("extra", EXTRAS)
def test_who_lacks_an_extra_is_told_which(
    environment: Environment, tmp_path: Path, extra: str
) -> None:
    others, command, _ = EXTRAS[extra]
    beside = environment.link(tmp_path / "installed", others)
    (tmp_path / "pin").write_text("1")
    (tmp_path / "pin").chmod(0o600)
    program, *arguments = command.replace("FOLDER", str(tmp_path)).split()
    refused = environment.run(program, *arguments, folder=tmp_path, beside=beside)
    assert refused.returncode in {2, 3}
    assert f"cutcard[{extra}]" in refused.stderr.replace("dealer,", "")
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_brings_all_that_it_rests_on(
    environment: Environment, tmp_path: Path, extra: str
) -> None:
    beside = environment.link(tmp_path / "installed", [extra])
    ran = environment.run(
        "python", "-c", f"import {EXTRAS[extra][2]}", folder=tmp_path, beside=beside
    )
    assert ran.returncode == 0, ran.stderr


def test_the_extra_dealer_deals_a_game_that_the_audit_proves(
    environment: Environment, tmp_path: Path
) -> None:
    beside = environment.link(tmp_path / "installed", ["dealer"])
    options = ("--hands", "1", "--seats", "2", "--players", "0", "--directory", "demo")
    ran = environment.run("cutcard-dealer", "demo", *options, folder=tmp_path, beside=beside)
    assert ran.returncode == 0, ran.stderr
    assert "entries, all under" in ran.stdout


def test_a_users_program_is_checked_strictly_against_the_types(
    release: Any, tmp_path: Path
) -> None:
    """The programs of the document for those who write clients, and one that is wrong."""
    typed = install(release.wheel, tmp_path / "environment")
    typed.link(typed.site, ["dealer"], ["types-grpcio", "types-protobuf"])
    programs = re.findall(r"```python\n# (\w+\.py)\b(.*?)```", CLIENTS.read_text(), re.DOTALL)
    for name, text in [*programs, ("wrong.py", WRONG)]:
        (tmp_path / name).write_text(f"#{text}")
    options = ("--strict", "--config-file=", "--cache-dir", tmp_path / "cache")
    files = sorted(tmp_path.glob("*.py"))
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--python-executable", typed.python, *files],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "MYPYPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    told = re.findall(r"^(\S+:\d+): error: .*\[([\w-]+)\]$", checked.stdout, re.MULTILINE)
    assert programs
    assert told == [("wrong.py:5", "arg-type"), ("wrong.py:9", "attr-defined")], checked.stdout


def a_game() -> Simulator:
    """Play one hand of a game that is closed and revealed."""
    game = table_of("ann", "bob")
    game.play_hand()
    return finish(game)
