"""`cutcard-dealer migrate` says what it does, and does it once."""

import gzip
from pathlib import Path

import pytest

from tests.support.commands import ROOT, dealer
from tests.support.postgres import PASSWORD, fresh_database

OLD = ROOT / "tests" / "data" / "stores" / "version-1.sqlite.gz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder whose dealer has a store of version 1."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "store.sqlite").write_bytes(gzip.decompress(OLD.read_bytes()))
    return tmp_path


def test_the_steps_are_said_and_taken_and_then_there_is_nothing_to_do(folder: Path) -> None:
    done = dealer("migrate", "--directory", "d", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "d/store.sqlite is of version 1 and lacks:",
        "  2: let a finished log be archived",
        "  3: keep notices for the dealer's log",
        "  4: let games be the tables of a tournament",
        "done: it is of version 4",
    ]
    again = dealer("migrate", "--directory", "d", folder=folder)
    assert (again.returncode, again.stdout) == (
        0,
        "d/store.sqlite is of version 4: nothing to do\n",
    )


def test_a_dry_run_changes_nothing(folder: Path) -> None:
    before = (folder / "d" / "store.sqlite").read_bytes()
    told = dealer("migrate", "--directory", "d", "--dry-run", folder=folder)
    assert told.returncode == 0
    assert "  2: let a finished log be archived\n" in told.stdout
    assert (folder / "d" / "store.sqlite").read_bytes() == before


def test_without_a_store_it_says_so(tmp_path: Path) -> None:
    refused = dealer("migrate", "--directory", "d", folder=tmp_path)
    assert refused.returncode == 3
    assert "there is no store at d/store.sqlite" in refused.stderr


def test_a_shared_store_is_named_by_its_url_without_the_password(tmp_path: Path) -> None:
    with fresh_database() as url:
        done = dealer("migrate", folder=tmp_path, environ={"CUTCARD_STORE": url})
        again = dealer("migrate", "--store", url, folder=tmp_path)
    assert done.returncode == 0
    assert "  1: make the tables\n  2: keep notices for the dealer's log\n" in done.stdout
    assert again.stdout.endswith("is of version 3: nothing to do\n")
    assert PASSWORD not in done.stdout + done.stderr + again.stdout + again.stderr


@pytest.mark.parametrize("url", ["mysql://u:secret@h/d", "postgresql://u:secret@[h/d"])
def test_a_url_that_is_none_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    refused = dealer("migrate", "--store", url, folder=tmp_path)
    assert refused.returncode == 3
    assert "give postgresql://" in refused.stderr
    assert "secret" not in refused.stdout + refused.stderr
