"""The version stands in one place, and what else has to name it says the same."""

import json
import re
from importlib.metadata import version
from pathlib import Path

from audit_cli import __version__

ROOT = Path(__file__).parents[2]


def test_it_is_a_semantic_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", __version__)


def test_what_is_installed_was_built_with_it() -> None:
    """Where not: `make setup`."""
    assert version("cutcard") == __version__


def test_the_newest_section_of_the_changes_is_its() -> None:
    sections = re.findall(
        r"^## (\S+), (unreleased|\d{4}-\d\d-\d\d)$",
        (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert sections[0][0] == __version__
    # What was released before is dated.
    assert "unreleased" not in {state for _, state in sections[1:]}


def test_the_client_for_browsers_has_it_too() -> None:
    package = json.loads((ROOT / "browser_client" / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((ROOT / "browser_client" / "package-lock.json").read_text(encoding="utf-8"))
    assert package["version"] == lock["version"] == lock["packages"][""]["version"] == __version__
