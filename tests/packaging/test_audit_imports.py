"""The audit rests on the standard library and `cryptography` alone, in every import it has."""

import ast
import sys
from pathlib import Path

import audit_cli

ALLOWED = sys.stdlib_module_names | {"audit_cli", "cryptography"}
SOURCES = sorted(Path(audit_cli.__path__[0]).rglob("*.py"))


def test_every_import_of_the_audit_is_stdlib_or_cryptography() -> None:
    assert SOURCES
    foreign = {
        (path.name, module)
        for path in SOURCES
        for module in find_imports(path.read_text())
        if module.partition(".")[0] not in ALLOWED
    }
    assert not foreign


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
