"""SECURITY.md: every claim names tests, and each of them is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TEXT)))
CLAIMS = [
    line.split(" | ")
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith(("| who |", "| ---"))
]


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda part: part)
def test_a_test_that_a_claim_names_is_there(path: str, name: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, functions)}


def test_every_claim_names_a_test() -> None:
    assert len(CLAIMS) >= 20
    assert [claim[:2] for claim in CLAIMS if not re.search(r"`tests/\S+::\w+`", claim[-1])] == []
