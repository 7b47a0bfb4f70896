"""The verifier rests on the standard library and `cryptography` alone, in every import it has.

One module asks PokerKit for a second opinion, and one drand-verify about a beacon's signatures;
each imports it only when it is asked to. `rng` counts with numpy and scipy, which nothing else of
the audit needs; what it has beyond them is named here.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import audit_cli

ALLOWED = sys.stdlib_module_names | {"audit_cli", "cryptography"}
REFEREE = ("referee/second_table.py", "pokerkit")
PAIRING = ("pairing.py", "drand_verify")
# Modules of `rng` that need more, each only for what is named in its place.
BEYOND = {
    ("rng/compiled.py", "numba"),
    ("rng/running/cluster.py", "distributed"),
    ("rng/remote.py", "cutcard"),
    ("rng/remote.py", "google"),
    ("rng/remote.py", "grpc"),
}
ROOT = Path(audit_cli.__path__[0])
SOURCES = sorted(ROOT.rglob("*.py"))


def test_every_import_of_the_audit_is_stdlib_or_cryptography() -> None:
    assert SOURCES
    foreign = {
        (path.relative_to(ROOT).as_posix(), module)
        for path in SOURCES
        if not path.is_relative_to(ROOT / "rng")
        for module in find_imports(path.read_text())
        if module.partition(".")[0] not in ALLOWED
    }
    assert foreign == {REFEREE, PAIRING}


def test_certification_adds_numpy_and_scipy_and_in_named_places_little_more() -> None:
    beyond = {
        (path.relative_to(ROOT).as_posix(), module.partition(".")[0])
        for path in (ROOT / "rng").rglob("*.py")
        for module in find_imports(path.read_text())
        if module.partition(".")[0] not in ALLOWED | {"numpy", "scipy"}
    }
    assert beyond == BEYOND


def test_neither_the_verifier_nor_the_command_line_imports_numpy() -> None:
    code = "import sys, audit_cli.verify_command, audit_cli.cli; audit_cli.cli._parser(); "
    done = subprocess.run(
        [sys.executable, "-c", code + "print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT.parent,
    )
    assert not {"numpy", "scipy", "grpc"} & set(done.stdout.split())


@pytest.mark.parametrize(("module", "extra"), [REFEREE, PAIRING])
def test_an_extra_is_not_imported_before_it_is_asked_for(module: str, extra: str) -> None:
    source = (ROOT / module).read_text()
    at_once = {
        node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert not any(extra in ast.unparse(node) for node in at_once)
    named = "audit_cli.verify_command, audit_cli.referee.refereed, audit_cli.pairing"
    code = f"import sys, {named}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    assert extra not in done.stdout.split()


def test_imports_are_found_wherever_they_stand() -> None:
    source = (
        "import json, grpc.aio\n"
        "def late():\n"
        "    from cutcard.v1 import play_pb2\n"
        "    from . import near\n"
    )
    assert find_imports(source) == {"json", "grpc.aio", "cutcard.v1"}


def find_imports(source: str) -> set[str]:
    """Return the absolute module names that `source` imports, at any depth."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module or "")
    return found
