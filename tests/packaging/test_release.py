"""A release: archives that anyone can make again to the byte, with all that a packager needs."""

import importlib.resources
import json
import re
import subprocess
import tarfile
import tomllib
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import jsonschema
import pytest
from referencing import Registry, Resource

from audit_cli import __version__
from release.archives import ReleaseError, build, commit_seconds
from release.lock import read_lock

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LOCK = read_lock((ROOT / "requirements" / "runtime.txt").read_text())
HOOK = """\
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

class Hook(BuildHookInterface):
    def initialize(self, version, build_data):
        with open("cutcard.py", "w") as file:
            file.write({text})
"""
SMALL = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "cutcard"
version = "1"
[tool.hatch.build]
include = ["cutcard.py", "hatch_build.py"]
[tool.hatch.build.targets.wheel.hooks.custom]
"""


class TestTheArchives:
    """`make_release` itself builds both twice, and refuses a difference."""

    def test_are_named_after_the_version(self, release: Any) -> None:
        assert release.wheel.name == f"cutcard-{__version__}-py3-none-any.whl"
        assert release.source.name == f"cutcard-{__version__}.tar.gz"

    def test_bear_the_date_of_the_release_alone(self, release: Any, made: datetime) -> None:
        with tarfile.open(release.source) as opened:
            assert {member.mtime for member in opened} == {made.timestamp()}
        with ZipFile(release.wheel) as wheel:
            assert {each.date_time for each in wheel.infolist()} == {made.timetuple()[:6]}

    def test_the_source_holds_all_that_is_committed(self, release: Any) -> None:
        with tarfile.open(release.source) as opened:
            names = {member.name.partition("/")[2] for member in opened}
        listed = subprocess.run(
            ["git", "ls-files"],
            cwd=release.sums.parents[1] / "tree",
            capture_output=True,
            text=True,
            check=True,
        )
        assert names == {*listed.stdout.splitlines(), "PKG-INFO"}

    def test_a_build_that_depends_on_its_place_is_refused(self, small: Path) -> None:
        write_and_commit(small, "repr(__file__)")
        with pytest.raises(ReleaseError, match=r"builds of one commit differ: cutcard-1-py2"):
            build(small, 1_790_000_000, small / "dist")
        assert not (small / "dist").exists()

    def test_a_build_that_fails_is_told_with_its_reason(self, small: Path) -> None:
        write_and_commit(small, "1 / 0")
        with pytest.raises(ReleaseError, match=r"wheel was not built:[^$]*ZeroDivisionError"):
            build(small, 1_790_000_000, small / "dist")

    def test_a_tree_that_is_no_clone_is_told_so(self, tmp_path: Path) -> None:
        with pytest.raises(ReleaseError, match=r"archives are made of a commit"):
            commit_seconds(tmp_path)

    def test_the_date_is_the_commit_s(self, small: Path) -> None:
        write_and_commit(small, "''")
        log = ["git", "show", "-s", "--format=%ct", "HEAD"]
        told = subprocess.run(log, cwd=small, capture_output=True, text=True, check=True)
        assert commit_seconds(small) == int(told.stdout)


class TestTheSums:
    def test_are_those_of_the_other_files(self, release: Any) -> None:
        told = dict(reversed(line.split("  ")) for line in release.sums.read_text().splitlines())
        assert told == {
            path.name: sha256(path.read_bytes()).hexdigest()
            for path in (release.wheel, release.source, release.bill)
        }


class TestTheBillOfMaterials:
    @pytest.fixture
    def bill(self, release: Any) -> Any:
        return json.loads(release.bill.read_bytes())

    def test_follows_the_schema_of_cyclonedx_1_6(self, bill: Any) -> None:
        check = jsonschema.Draft7Validator(schema("bom-1.6"), registry=registry())
        assert [error.message for error in check.iter_errors(bill)] == []
        assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
        broken = bill | {"components": [{"type": "no such type", "name": "x"}]}
        assert not check.is_valid(broken)

    def test_is_of_these_archives(self, bill: Any, release: Any, made: datetime) -> None:
        about = bill["metadata"]["component"]
        assert (about["name"], about["version"]) == ("cutcard", __version__)
        assert about["licenses"] == [{"expression": "Apache-2.0"}]
        assert datetime.fromisoformat(bill["metadata"]["timestamp"]) == made
        hashes = {each["url"]: each["hashes"] for each in about["externalReferences"]}
        assert hashes == {
            path.name: [{"alg": "SHA-256", "content": sha256(path.read_bytes()).hexdigest()}]
            for path in (release.wheel, release.source)
        }

    def test_lists_each_locked_package_with_all_its_hashes(self, bill: Any) -> None:
        listed = {
            (each["name"], each["version"]): {
                one["content"] for one in each["externalReferences"][0]["hashes"]
            }
            for each in bill["components"]
        }
        assert listed == {(each.name, each.version): set(each.hashes) for each in LOCK}

    def test_says_what_asks_for_what(self, bill: Any) -> None:
        names = {
            each["ref"].split("@")[0]: {one.split("@")[0] for one in each.get("dependsOn", [])}
            for each in bill["dependencies"]
        }
        assert names["cryptography"] == {"cffi"}
        assert names["cffi"] == {"pycparser"}
        assert {"cryptography", "grpcio", "numba", "pokerkit"} <= names["cutcard"]
        assert "cffi" not in names["cutcard"]
        assert {each.name for each in LOCK} < set(names)

    def test_says_which_extras_bring_a_package(self, bill: Any) -> None:
        extras = {
            each["name"]: {
                one["value"] for one in each.get("properties", []) if one["name"] == "cutcard:extra"
            }
            for each in bill["components"]
        }
        assert extras["cryptography"] == extras["cffi"] == set()
        assert extras["scipy"] == {"dask", "fast", "rng"}
        assert extras["llvmlite"] == {"fast"}
        assert extras["psycopg-binary"] == {"postgres"}
        assert set().union(*extras.values()) == set(PROJECT["optional-dependencies"])

    def test_names_no_address_of_a_registry(self, bill: Any) -> None:
        addresses = {
            each["url"] for one in bill["components"] for each in one["externalReferences"]
        }
        assert all(re.fullmatch(r"pkg:pypi/[\w.-]+@[\w.!+-]+", each) for each in addresses)


@pytest.fixture
def made() -> datetime:
    return datetime(2026, 9, 21, 14, 13, 20, tzinfo=UTC)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Return a tiny project's folder."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(SMALL)
    return folder


def write_and_commit(tree: Path, text: str) -> None:
    """Commit a project whose build writes what an expression gives."""
    (tree / "hatch_build.py").write_text(HOOK.format(text=text))
    (tree / "cutcard.py").write_text("")
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for order in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "A project"]):
        subprocess.run(["git", *order], cwd=tree, check=True)


def schema(name: str) -> Any:
    """Return a schema that the writer's library brings."""
    folder = importlib.resources.files("cyclonedx.schema._res")
    return json.loads((folder / f"{name}.SNAPSHOT.schema.json").read_text())


def registry() -> Registry[Any]:
    """Return the schemas that the one of the bill refers to."""
    found: Registry[Any] = Registry()
    for name in ("spdx", "jsf-0.82", "cryptography-defs"):
        resource = Resource.from_contents(schema(name))
        folder = "http://cyclonedx.org/schema/"
        for uri in (f"{folder}{name}.schema.json", f"{folder}{name}.SNAPSHOT.schema.json"):
            found = found.with_resource(uri, resource)
    return found
