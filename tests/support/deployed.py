"""What deploy/ ships, as the tests read it: the image, Compose, rendered manifests, the unit."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from dealer_service.cli import build_parser
from dealer_service.commands.serving import read_settings
from dealer_service.config import Settings

ROOT: Final = Path(__file__).parents[2]
DEPLOY: Final = ROOT / "deploy"
IMAGE: Final = "cutcard-dealer"
USER: Final = 65532
OVERLAYS: Final = ("one", "several")
STATE: Final = "/var/lib/cutcard"

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction of the Dockerfile, with its stage: 0 builds, 1 is what is shipped."""

    stage: int
    word: str
    rest: str


@cache
def dockerfile() -> tuple[Step, ...]:
    """Read the Dockerfile's instructions; what stands before the first stage is of stage -1."""
    text = (DEPLOY / "container" / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    steps, stage = [], -1
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        stage += word == "FROM"
        steps.append(Step(stage, word, rest))
    return tuple(steps)


def of_image(word: str) -> list[str]:
    """Give what the shipped stage says by an instruction, in order."""
    return [step.rest for step in dockerfile() if step.stage == 1 and step.word == word]


def image_environment() -> dict[str, str]:
    """Give the variables that the image sets."""
    words = [word for rest in of_image("ENV") for word in shlex.split(rest)]
    return dict(word.split("=", 1) for word in words)


def settings_of(environ: Mapping[str, str], words: tuple[str, ...] = ("serve",)) -> Settings:
    """Give the settings of a dealer that is started so, as it reads them itself."""
    options = build_parser(environ).parse_args(list(words))
    return read_settings(options, "dealer.example.com")


@cache
def compose() -> Object:
    """Read the Compose file."""
    read: Object = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text("utf-8"))
    return read


@cache
def rendered(overlay: str) -> tuple[Object, ...]:
    """Give an overlay's objects as `kubectl kustomize` makes them."""
    own = ROOT / ".venv" / "deploy" / "bin" / "kubectl"
    kubectl = str(own) if own.exists() else shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("kubectl is missing: `make lint-deploy` installs one")
    folder = DEPLOY / "kubernetes" / "overlays" / overlay
    made = subprocess.run(
        [kubectl, "kustomize", str(folder)], capture_output=True, text=True, check=True
    )
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return tuple(yaml.load_all(made.stdout, Loader=loader))


def of_kind(overlay: str, *kinds: str) -> list[Object]:
    """Give an overlay's objects of some kinds."""
    return [each for each in rendered(overlay) if each["kind"] in kinds]


def named(overlay: str, kind: str, name: str) -> Object:
    """Give one object of an overlay."""
    found: Object
    (found,) = [each for each in of_kind(overlay, kind) if each["metadata"]["name"] == name]
    return found


def pods(overlay: str) -> Iterator[tuple[str, Object]]:
    """Give the pods that an overlay asks for: the template of each, by its label `name`."""
    for each in of_kind(overlay, "StatefulSet", "Deployment", "Job"):
        template = each["spec"]["template"]
        yield template["metadata"]["labels"]["app.kubernetes.io/name"], template


def containers(pod: Object) -> list[Object]:
    """Give a pod's containers, those that come first included."""
    spec = pod["spec"]
    return [*spec.get("initContainers", ()), *spec["containers"]]


def dealer_container(overlay: str) -> Object:
    """Give the container in which the dealer serves."""
    pod = named(overlay, "StatefulSet", "dealer")["spec"]["template"]
    found: Object
    (found,) = [each for each in pod["spec"]["containers"] if each["name"] == "dealer"]
    return found


@cache
def unit() -> dict[str, list[str]]:
    """Read the unit: each key's values in order, those of all sections together."""
    text = (DEPLOY / "systemd" / "cutcard-dealer.service").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def environment_file(path: Path, *, commented: bool = False) -> dict[str, str]:
    """Read NAME=VALUE lines; those that are proposed in a comment, too, where asked for."""
    start = "#?" if commented else ""
    pattern = rf"^{start}([A-Z][A-Z_]*)=(.*)$"
    return dict(re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE))
