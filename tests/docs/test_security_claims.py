"""SECURITY.md: every claim names tests, and each of them is there."""

import ast
import re
from functools import cache

import pytest

from tests.support.documents import ROOT, read_document

TEXT = read_document("SECURITY.md").text
TABLES = re.findall(r"^\| who \|.*\n\| ---.*\n((?:\| .*\n)+)", TEXT, re.MULTILINE)
CLAIMS = [row.split(" | ") for table in TABLES for row in table.splitlines()]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(?:\w+::)?(\w+)`", TEXT)))
SCRIPTS = sorted(set(re.findall(r"`(browser_client/test/[\w./]+\.ts): ([^`]+)`", TEXT)))


@cache
def functions_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, kinds))


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda part: part)
def test_a_test_that_a_claim_names_is_there(path: str, name: str) -> None:
    assert name in functions_of(path)


def test_each_test_of_the_web_client_that_a_claim_names_is_there() -> None:
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path, _ in SCRIPTS}
    assert [name for path, name in SCRIPTS if name not in texts[path]] == []


def test_every_claim_names_a_test() -> None:
    assert len(TABLES) >= 5
    assert len(CLAIMS) >= 70
    held = re.compile(r"`(?:tests/\S+::\w+|browser_client/test/\S+ [^`]+)`")
    assert [claim[:2] for claim in CLAIMS if not held.search(claim[-1])] == []
