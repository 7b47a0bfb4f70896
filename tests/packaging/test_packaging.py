"""What an installation brings: the right files, few dependencies, locks that name every byte."""

import importlib
import re
import tomllib
from collections.abc import Iterator
from email.message import Message
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from audit_cli import __version__
from release.lock import read_lock

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROTOS = sorted((ROOT / "proto" / "cutcard").rglob("*.proto"))
STUB_SUFFIXES = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")


@pytest.fixture(scope="module")
def wheel(release: Any) -> Iterator[ZipFile]:
    """Open the wheel."""
    with ZipFile(release.wheel) as opened:
        yield opened


@pytest.fixture(scope="module")
def metadata(wheel: ZipFile) -> Message:
    """Return the wheel's core metadata."""
    (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
    return HeaderParser().parsestr(wheel.read(name).decode())


def test_the_wheel_holds_both_packages_whole(wheel: ZipFile) -> None:
    sources = {
        path.relative_to(ROOT).as_posix()
        for package in ("audit_cli", "dealer_service")
        for path in (ROOT / package).rglob("*.py")
    }
    assert sources <= set(wheel.namelist())


def test_the_wheel_holds_what_programs_read_beside_their_sources(wheel: ZipFile) -> None:
    beside = {
        path.relative_to(ROOT).as_posix()
        for package in ("audit_cli", "dealer_service")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix != ".py" and "__pycache__" not in path.parts
    }
    assert "audit_cli/rng/certify/documents/description.md" in beside
    assert beside <= set(wheel.namelist())


def test_the_wheel_holds_the_stubs_of_every_proto_file(wheel: ZipFile) -> None:
    expected = {
        path.relative_to(ROOT / "proto").with_suffix("").as_posix() + suffix
        for path in PROTOS
        for suffix in STUB_SUFFIXES
    }
    stubs = {name for name in wheel.namelist() if "_pb2" in name}
    assert PROTOS
    assert stubs == expected


def test_the_wheel_holds_the_known_answers_with_their_licence(wheel: ZipFile) -> None:
    folder = ROOT / "audit_cli" / "rng" / "code" / "answers"
    expected = {path.relative_to(ROOT).as_posix() for path in folder.iterdir()}
    assert f"{folder.relative_to(ROOT).as_posix()}/LICENSE-NIST.txt" in expected
    assert expected <= set(wheel.namelist())


def test_the_wheel_says_that_its_packages_are_typed(wheel: ZipFile) -> None:
    marked = {name for name in wheel.namelist() if name.endswith("py.typed")}
    assert marked == {
        "audit_cli/py.typed",
        "cutcard/v1/py.typed",
        "dealer_service/py.typed",
    }


def test_the_wheel_holds_nothing_else(wheel: ZipFile) -> None:
    tops = {PurePosixPath(name).parts[0] for name in wheel.namelist()}
    assert tops == {"audit_cli", "cutcard", "dealer_service", f"cutcard-{__version__}.dist-info"}


def test_installing_without_extras_brings_cryptography_alone(metadata: Message) -> None:
    requirements = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    unconditional = {
        each.name
        for each in requirements
        if each.marker is None or each.marker.evaluate({"extra": ""})
    }
    assert unconditional == {"cryptography"}


def test_the_dealer_extra_brings_the_service(metadata: Message) -> None:
    extras = ["beacon", "dask", "dealer", "fast", "hsm", "postgres", "referee", "rng", "trace"]
    assert metadata.get_all("Provides-Extra") == extras
    extra = {
        canonicalize_name(each.name)
        for each in map(Requirement, metadata.get_all("Requires-Dist", []))
        if each.marker is not None and "extra" in str(each.marker)
    }
    assert extra >= {"grpcio", "grpcio-health-checking", "grpcio-reflection", "grpcio-status"}
    assert extra >= {"googleapis-common-protos", "protobuf", "pyjwt", "structlog", "uvloop"}
    assert extra >= {"psycopg", "python-pkcs11", "opentelemetry-sdk"}


def test_the_wheel_has_both_commands_and_the_licence(wheel: ZipFile, metadata: Message) -> None:
    info = f"cutcard-{__version__}.dist-info"
    commands = wheel.read(f"{info}/entry_points.txt").decode()
    assert "cutcard-audit = audit_cli.cli:main" in commands
    assert "cutcard-dealer = dealer_service.cli:main" in commands
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "Apache License" in wheel.read(f"{info}/licenses/LICENSE").decode()


@pytest.mark.parametrize("path", PROTOS, ids=lambda path: path.stem)
def test_stubs_import_under_the_locked_grpcio_and_ask_for_the_oldest_supported(path: Path) -> None:
    name = path.relative_to(ROOT / "proto").with_suffix("").as_posix().replace("/", ".")
    stub = importlib.import_module(f"{name}_pb2_grpc")
    generator = next(
        requirement
        for requirement in map(Requirement, PROJECT["build-system"]["requires"])
        if requirement.name == "grpcio-tools"
        and (requirement.marker is None or requirement.marker.evaluate())
    )
    assert f"=={stub.GRPC_GENERATED_VERSION}" == str(generator.specifier)


def test_the_stub_generator_is_the_lowest_grpcio_of_the_dealer_extra() -> None:
    floors = {
        str(requirement.specifier).removeprefix(">=")
        for requirement in map(Requirement, PROJECT["project"]["optional-dependencies"]["dealer"])
        if requirement.name.startswith("grpcio")
    }
    assert floors == {"1.75.1"}
    assert "grpcio-tools==1.75.1; python_version < '3.15'" in PROJECT["build-system"]["requires"]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_line_of_a_lock_is_one_exact_version_with_hashes(path: Path) -> None:
    entries = read_lock(path.read_text())
    assert entries
    for entry in entries:
        assert re.fullmatch(r"==[^*,]+", str(entry.requirement.specifier)), entry
        assert entry.hashes, entry


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_no_lock_names_an_address_an_index_or_a_path(path: Path) -> None:
    text = path.read_text()
    assert not re.search(
        r"://|--(extra-)?index|--find-links|--trusted|^#|@|^\.", text, re.MULTILINE
    )


def test_the_locks_hold_every_dependency_of_the_project_in_its_range() -> None:
    project = PROJECT["project"]
    check_locked("dev.txt", project["dependencies"])
    check_locked("dev.txt", project["optional-dependencies"]["dealer"])
    check_locked("dev.txt", PROJECT["dependency-groups"]["dev"])
    check_locked("build.txt", PROJECT["build-system"]["requires"])
    for extra in project["optional-dependencies"].values():
        check_locked("runtime.txt", [text for text in extra if not text.startswith("cutcard[")])


def check_locked(lock: str, texts: list[str]) -> None:
    """Assert that `lock` has a version in range for each requirement that applies here."""
    entries = read_lock((ROOT / "requirements" / lock).read_text())
    versions = {
        each.name: each.version
        for each in entries
        if each.requirement.marker is None or each.requirement.marker.evaluate()
    }
    for wanted in map(Requirement, texts):
        if wanted.marker is None or wanted.marker.evaluate():
            version = versions.get(canonicalize_name(wanted.name))
            assert version is not None, f"{lock} lacks {wanted}: make lock"
            assert wanted.specifier.contains(version), f"{lock} has {version}, not {wanted}"
