"""Builds and asks the program of tests/interop/tlog_checker, which stands on Go's own sumdb.

Debian's golang-go and golang-golang-x-mod-dev bring what it needs, without any module download.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent.parent / "interop" / "tlog_checker" / "main.go"
PACKAGE = "src/golang.org/x/mod/sumdb/tlog"
LIBRARIES = "/usr/share/gocode"


@dataclass(frozen=True, slots=True)
class GoChecker:
    """The built program."""

    program: Path

    def ask(self, questions: Sequence[dict[str, Any]]) -> list[str]:
        """Give an answer for each question: empty where all holds, else what was found."""
        done = subprocess.run(
            [self.program], input=json.dumps(questions), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        answers: list[str] = json.loads(done.stdout)
        assert len(answers) == len(questions)
        return answers


def missing() -> str | None:
    """Say what is not on this machine; None where all is."""
    if shutil.which("go") is None:
        return "Go is not installed (golang-go)"
    if _library() is None:
        return "golang.org/x/mod is not installed (golang-golang-x-mod-dev)"
    return None


def build(folder: Path) -> GoChecker:
    """Build the program into a folder."""
    library = _library()
    assert library is not None
    program = folder / "tlog_checker"
    around = os.environ | {"GO111MODULE": "off", "GOPATH": library, "GOFLAGS": ""}
    around.setdefault("GOCACHE", str(folder / "cache"))
    command = ["go", "build", "-o", str(program), str(SOURCE)]
    done = subprocess.run(command, env=around, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return GoChecker(program)


def _library() -> str | None:
    places = [*os.environ.get("GOPATH", "").split(os.pathsep), LIBRARIES]
    return next((place for place in places if place and (Path(place) / PACKAGE).is_dir()), None)
