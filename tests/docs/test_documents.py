"""The documents agree with the house: links, paths, names and numbers are of things that are."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.documents import ROOT, Document, documents, read_document

ALL = list(documents())
UPPER = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")
KINDS = {".py", ".proto", ".ts", ".yaml"}
FOLDERS = r"\.ci|audit_cli|browser_client|dealer_service|deploy|docs|proto|requirements|tests"
SOURCES = ("dealer_service", "audit_cli", "browser_client/src", "proto", "tests", "deploy")
NAMED_ELSEWHERE = {
    "CKA_ID",
    "CKM_AES_GCM",
    "CKM_EDDSA",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_TRACES_SAMPLER",
    "SSL_CERT_FILE",
    "UPPER_SNAKE",
}
"""Upper case names of standards and libraries, which no source of ours need hold."""


@cache
def known_words() -> frozenset[str]:
    """Give every UPPER_SNAKE word of what programs and tests are made of, and of make's file."""
    files = [ROOT / "Makefile", ROOT / "pyproject.toml"]
    for folder in SOURCES:
        files += [path for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    words: set[str] = set()
    for path in files:
        if "node_modules" not in path.parts:
            words |= set(UPPER.findall(path.read_text(encoding="utf-8", errors="replace")))
    return frozenset(words)


@cache
def names_of_files() -> frozenset[str]:
    """Give the names of all files of the house's folders."""
    folders = ("dealer_service", "audit_cli", "proto", "tests", "deploy", "docs", "requirements")
    below = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return frozenset(path.name for path in (*below, *ROOT.iterdir()))


def is_there(path: str) -> bool:
    """Say whether a path that a document names is one from the root, or within a program."""
    bases = (ROOT, ROOT / "dealer_service", ROOT / "audit_cli", ROOT / "tests", ROOT / "proto")
    return any(list(base.glob(path.rstrip("/"))) for base in bases)


def test_all_documents_of_the_house_are_read() -> None:
    assert {each.name for each in ALL} >= {
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "README.md",
        "SECURITY.md",
        "deploy/OPERATIONS.md",
        "docs/checking-a-game.md",
        "docs/commands.md",
        "docs/how-it-works.md",
        "docs/laboratory.md",
        "docs/running.md",
        "docs/writing-a-client.md",
        "proto/PROTOCOL.md",
    }


@pytest.mark.parametrize("document", ALL, ids=lambda each: each.name)
def test_every_link_leads_to_a_file_and_to_a_heading_in_it(document: Document) -> None:
    anchors = {each.name: each.anchors for each in ALL}
    astray = []
    for link in document.links:
        path, _, anchor = link.partition("#")
        target = (ROOT / document.name).parent / path if path else ROOT / document.name
        name = str(target.resolve().relative_to(ROOT))
        if not target.exists() or (anchor and anchor not in anchors[name]):
            astray.append(link)
    assert astray == []


@pytest.mark.parametrize("document", ALL, ids=lambda each: each.name)
def test_every_file_that_is_named_is_there(document: Document) -> None:
    folders = "docs|deploy" if document.name == "CHANGELOG.md" else FOLDERS
    missing = []
    for code in document.codes:
        name = code.partition("::")[0]
        if "NAME" in name:
            continue
        if re.fullmatch(rf"(?:{folders})/[\w./*-]*", name) or re.fullmatch(
            r"[\w-]+(?:/[\w-]+)+\.(?:py|proto|md)", name
        ):
            missing += [] if is_there(name) else [code]
        elif re.fullmatch(r"[\w-]+\.(?:py|proto)", name):
            missing += [] if name in names_of_files() else [code]
    assert missing == []


@pytest.mark.parametrize("document", ALL, ids=lambda each: each.name)
def test_every_reason_and_variable_that_is_named_is_known(document: Document) -> None:
    settings = read_document("docs/running.md").codes
    known = known_words() | NAMED_ELSEWHERE | {*settings}
    named = set(UPPER.findall(document.prose))
    assert {name for name in named - known if not name.startswith("BLS_SIG_")} == set()


@pytest.mark.parametrize("document", ALL, ids=lambda each: each.name)
def test_every_metric_that_is_named_is_one_that_the_dealer_has(document: Document) -> None:
    """OPERATIONS.md is held against a collector by the tests of the metrics."""
    told = (ROOT / "deploy" / "OPERATIONS.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| .*", told, re.MULTILINE))
    metrics = {name for row in known for name in re.findall(r"cutcard_[a-z_]+", row)}
    named = set(re.findall(r"\bcutcard_[a-z_]+", document.text)) - {"cutcard_owner"}
    assert named <= metrics


@pytest.mark.parametrize("document", ALL, ids=lambda each: each.name)
def test_make_has_every_target_that_is_named(document: Document) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][a-z-]*):", makefile, re.MULTILINE))
    lines = re.findall(r"^ {4}make ([a-z-]+)", document.text, re.MULTILINE)
    codes = [code.split()[1] for code in document.codes if re.match(r"make [a-z]", code)]
    assert {*lines, *codes} - targets == set()


def test_every_package_that_is_installed_for_the_tests_is_told() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    installed = set(" ".join(re.findall(r"missing\+=\(([^)]*)\)", run)).split())
    (table,) = re.findall(
        r"^\| package \|.*\n\| ---.*\n((?:\| .*\n)+)",
        read_document("CONTRIBUTING.md").text,
        re.MULTILINE,
    )
    first_cells = " ".join(row.split("|")[1] for row in table.splitlines())
    assert installed
    assert installed <= set(re.findall(r"`([\w-]+)`", first_cells))


def test_what_must_pass_before_a_change_lands_is_told() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    asked = set(re.findall(r"^make [a-z-]+$", run, re.MULTILINE))
    assert asked
    assert asked <= set(read_document("CONTRIBUTING.md").codes)


def test_the_pictures_are_small_and_say_what_they_show() -> None:
    for picture, most in (("deal.svg", 20_000), ("hand.png", 150_000)):
        assert Path(ROOT / "docs" / picture).stat().st_size < most
    drawn = (ROOT / "docs" / "deal.svg").read_text(encoding="utf-8")
    assert "<title" in drawn
    assert "<desc" in drawn
