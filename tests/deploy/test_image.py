"""The image's recipe: what goes in, who it runs as, what it starts, and how it asks for its health.

No engine builds it here: OPERATIONS.md says so under "What is untested".
"""

import json
import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from dealer_service.cli import build_parser
from dealer_service.config import split_address
from release.lock import Locked, read_lock
from tests.support.deployed import (
    ROOT,
    STATE,
    USER,
    compose,
    dockerfile,
    image_environment,
    of_image,
    settings_of,
)

EXTRAS = ("dealer", "postgres", "hsm", "trace", "beacon")


def sources() -> list[str]:
    """Give what is copied from the checkout."""
    copies = [step.rest.split() for step in dockerfile() if step.word == "COPY"]
    return [source for copy in copies if "--from=" not in copy[0] for source in copy[:-1]]


def test_both_stages_are_of_one_base_that_is_pinned_by_tag() -> None:
    bases = [step.rest.split()[0] for step in dockerfile() if step.word == "FROM"]
    assert bases == ["${BASE}", "${BASE}"]
    (base,) = [step.rest for step in dockerfile() if step.stage == -1 and step.word == "ARG"]
    assert re.fullmatch(r"BASE=python:3\.(1[1-9])-slim-[a-z]+", base)


def test_it_runs_as_a_user_of_its_own_and_writes_to_one_folder() -> None:
    assert of_image("USER") == [f"{USER}:{USER}"]
    assert of_image("VOLUME") == [STATE]
    words = [step.word for step in dockerfile() if step.stage == 1]
    assert words.index("USER") > max(place for place, word in enumerate(words) if word == "RUN")
    assert f"--owner {USER} --group {USER} --mode 0700 {STATE}" in of_image("RUN")[-1]


def test_it_serves_as_its_own_variables_say() -> None:
    settings = settings_of(image_environment())
    assert settings.directory.as_posix() == STATE
    assert split_address(settings.address) == ("0.0.0.0", 50051)
    started = [*json.loads(of_image("ENTRYPOINT")[0]), *json.loads(of_image("CMD")[0])]
    assert started == ["cutcard-dealer", "serve"]


def test_its_ports_are_those_of_calls_and_metrics() -> None:
    environ = compose()["services"]["dealer-a"]["environment"]
    settings = settings_of(image_environment() | environ)
    ports = {str(split_address(each)[1]) for each in (settings.address, settings.metrics)}
    assert set(of_image("EXPOSE")[0].split()) == ports


def test_it_asks_for_its_health_by_a_command_that_there_is_within_its_own_time() -> None:
    (check,) = of_image("HEALTHCHECK")
    name, *words = json.loads(check[check.index("[") :])
    assert name == "cutcard-dealer"
    options = build_parser({}).parse_args(words)
    assert options.command == "health"
    (limit,) = re.findall(r"--timeout=(\d+)s", check)
    assert options.timeout < int(limit)


def test_it_is_stopped_by_the_signal_that_drains() -> None:
    assert of_image("STOPSIGNAL") == ["SIGTERM"]


def test_what_is_copied_is_there_and_let_in_and_nothing_else_is() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    allowed = {rule[1:] for rule in rules if rule.startswith("!")}
    assert allowed == set(sources())
    assert [each for each in sources() if not (ROOT / each).exists()] == []
    assert {"**/__pycache__", "**/*_pb2*"} <= set(rules)


def test_all_that_the_build_reads_is_copied() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hatch = project["tool"]["hatch"]
    wheel = hatch["build"]["targets"]["wheel"]
    needed = {
        project["project"]["readme"],
        *project["project"]["license-files"],
        wheel["hooks"]["custom"]["path"],
        hatch["version"]["path"].partition("/")[0],
        *(package.partition("/")[0] for package in wheel["packages"]),
    }
    assert needed <= set(sources())


def test_nothing_is_installed_but_by_hash_and_nothing_is_compiled() -> None:
    runs = [step.rest for step in dockerfile() if step.word == "RUN"]
    installs = [part for run in runs for part in run.split("&&") if " install " in part]
    listed = [part for part in installs if "pip" in part]
    assert len(listed) == 3
    for part in listed:
        by_hash = "--require-hashes" in part and "--only-binary :all:" in part
        assert by_hash or ("--no-deps" in part and "--no-index" in part), part
    assert "site-packages" in of_image("RUN")[0], "the installer that the base has does not stay"


def test_its_requirements_are_those_of_the_tests_by_version_and_hash() -> None:
    tested = {each.name: each for each in read("dev.txt")}
    shipped = read("dealer.txt")
    assert [each.name for each in shipped if not each.hashes] == []
    other = [
        each.name
        for each in shipped
        if (each.version, each.hashes) != (tested[each.name].version, tested[each.name].hashes)
    ]
    assert other == []


def test_it_has_what_the_dealers_extras_ask_for_and_nothing_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    asked = {canonicalize_name(Requirement(each).name) for name in EXTRAS for each in extras[name]}
    shipped = {each.name for each in read("dealer.txt")}
    assert asked <= shipped
    tools = {
        canonicalize_name(Requirement(each).name) for each in project["dependency-groups"]["dev"]
    }
    assert shipped & tools == set()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    made = " ".join(f"--extra {name}" for name in EXTRAS)
    assert re.search(rf"{made} \\\n\t  --constraint requirements/dev.txt", makefile)


def read(name: str) -> list[Locked]:
    return read_lock((ROOT / "requirements" / name).read_text(encoding="utf-8"))
