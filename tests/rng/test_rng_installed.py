"""What is installed is found and read without importing any of it."""

import contextlib
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from audit_cli.rng.certify.core import read_core
from audit_cli.rng.certify.installed import (
    check_records,
    find_package,
    reachable,
    read_installed,
    site_path,
)
from audit_cli.rng.certify.review import read_versions, review_core
from audit_cli.rng.certify.sources import differences, hash_sources, listed

ROOT = Path(__file__).parents[2]
CORE = ROOT / "dealer_service" / "fairness"


def write(folder: Path, **files: str) -> Path:
    """Write a package of these modules."""
    folder.mkdir(parents=True)
    for name, text in {"__init__": "", **files}.items():
        (folder / f"{name}.py").write_text(text, newline="")
    return folder


def test_the_dealer_is_hashed_without_being_imported() -> None:
    code = (
        "import sys\n"
        "from audit_cli.rng.certify.core import read_core\n"
        "assert read_core(sys.path) is not None\n"
        "print(any(name.startswith('dealer_service') for name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "False\n"


def test_a_package_that_would_do_harm_when_imported_is_only_read(tmp_path: Path) -> None:
    write(tmp_path / "dealer_service", rng_core="raise SystemExit(9)")
    write(tmp_path / "dealer_service" / "fairness", deck="raise SystemExit(9)")
    core = read_core([str(tmp_path)])
    assert core is not None
    assert core.version == 0


def test_where_no_dealer_is_installed_there_is_none(tmp_path: Path) -> None:
    assert read_core([str(tmp_path)]) is None


def test_the_fingerprint_is_what_sha256sum_prints() -> None:
    command = "sha256sum $(ls dealer_service/fairness/*.py | LC_ALL=C sort) | sha256sum"
    done = subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.split()[0] == hash_sources(ROOT / "dealer_service", "fairness").fingerprint


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_do_not_change_a_fingerprint(tmp_path: Path, ends: str) -> None:
    text = "A = 1\nB = 2\n"
    one = hash_sources(write(tmp_path / "one" / "thing", deck=text))
    other = hash_sources(write(tmp_path / "other" / "thing", deck=text.replace("\n", ends)))
    assert one.fingerprint == other.fingerprint


def test_any_other_change_does(tmp_path: Path) -> None:
    one = hash_sources(write(tmp_path / "one" / "thing", deck="A = 1\n"))
    other = hash_sources(write(tmp_path / "other" / "thing", deck="A = 2\n"))
    assert one.fingerprint != other.fingerprint
    assert differences(listed(one), other) == ("thing/deck.py is another",)


def test_differences_name_missing_and_new_files(tmp_path: Path) -> None:
    one = hash_sources(write(tmp_path / "one" / "thing", deck="", drbg=""))
    other = hash_sources(write(tmp_path / "other" / "thing", deck="", switch=""))
    assert differences(listed(one), other) == (
        "thing/drbg.py is missing",
        "thing/switch.py was not certified",
    )


def test_the_core_reaches_the_system_by_one_call_and_nothing_else() -> None:
    review = review_core(CORE)
    assert review.barred == ()
    assert review.sources == ("os.urandom",)
    assert review.derive == ("hand_secret", "mix")


@pytest.mark.parametrize(
    ("name", "source", "seen"),
    [
        ("deck", "import time\n", "deck.py: time"),
        ("deck", "from os import environ\n", "deck.py: os.environ"),
        ("deck", "def f():\n    import random\n", "deck.py: random"),
        ("shuffle", "def f(x):\n    return open(x)\n", "shuffle.py: open"),
        ("randomness", "import os\nimport uuid\n", "randomness.py: uuid"),
        ("drbg", "import secrets as s\n", "drbg.py: secrets"),
    ],
)
def test_a_core_that_reaches_further_is_seen(
    tmp_path: Path, name: str, source: str, seen: str
) -> None:
    assert seen in review_core(write(tmp_path / "fairness", **{name: source})).barred


def test_another_source_of_chance_is_told(tmp_path: Path) -> None:
    source = "import os\ndef f(n):\n    return os.getpid(), os.urandom(n)\n"
    folder = write(tmp_path / "fairness", randomness=source)
    assert review_core(folder).sources == ("os.getpid", "os.urandom")


def test_lines_of_code_are_counted_without_words(tmp_path: Path) -> None:
    source = '"""Words.\n\nMore.\n"""\n\n# why\nA = 1\n\n\ndef f(x):\n    """Do."""\n    return x\n'
    assert review_core(write(tmp_path / "fairness", deck=source)).lines["deck.py"] == 3


def test_the_versions_that_a_dealer_names_are_read_as_text(tmp_path: Path) -> None:
    module = tmp_path / "rng_core.py"
    module.write_text('VERSIONS = (CoreVersion(1, "aa"), CoreVersion(2, "bb"))\nraise OSError\n')
    assert read_versions(module) == {"aa": 1, "bb": 2}
    assert read_versions(tmp_path / "none.py") == {}


def test_an_editable_site_is_followed_through_its_pth(tmp_path: Path) -> None:
    write(tmp_path / "checkout" / "dealer_service")
    site = tmp_path / "site"
    site.mkdir()
    (site / "_cutcard.pth").write_text(f"{tmp_path / 'checkout'}\nimport os; os._exit(9)\n")
    assert find_package("dealer_service", site_path(str(site))) == (
        tmp_path / "checkout" / "dealer_service"
    )


def install(site: Path, name: str, *requires: str, files: tuple[str, ...] = ()) -> None:
    """Write the metadata of an installed distribution."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
    lines += [f"Requires-Dist: {each}" for each in requires]
    (info / "METADATA").write_text("\n".join(lines) + "\n")
    (info / "RECORD").write_text("".join(f"{each}\n" for each in files))


def test_only_what_the_project_rests_on_is_listed(tmp_path: Path) -> None:
    install(tmp_path, "cutcard", "One[fast]>=1", "two; extra == 'more'", "absent")
    install(tmp_path, "one", "three; extra == 'fast'", "four; extra == 'slow'")
    for name in ("two", "three", "four", "five"):
        install(tmp_path, name)
    found = reachable(read_installed([str(tmp_path)]), "cutcard")
    assert found == {"cutcard": ("one", "two"), "one": ("three",), "three": (), "two": ()}


def test_a_distribution_that_names_no_licence_has_none(tmp_path: Path) -> None:
    """Also with `importlib_metadata` imported, whose own finder raises for what is missing."""
    about = tmp_path / "bare-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bare\nVersion: 1\n")
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module("importlib_metadata")
    assert read_installed([str(tmp_path)])["bare"].licence == ""


def test_files_that_are_not_as_their_record_says_are_named(tmp_path: Path) -> None:
    empty = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
    files = (f"good.py,{empty},0", f"bad.py,{empty},0", f"gone.py,{empty},0", "one.pyc,,")
    install(tmp_path, "cutcard", files=files)
    (tmp_path / "good.py").write_text("")
    (tmp_path / "bad.py").write_text("changed")
    record = check_records([str(tmp_path)], {"cutcard"})["cutcard"]
    assert (record.listed, record.wrong) == (3, ("bad.py", "gone.py"))
