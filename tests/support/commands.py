"""Runs the commands as a person does, as processes of their own."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dealer_service.cli import main
from tests.support.limited import limited

ROOT = Path(__file__).parents[2]
SECONDS = 120

_CLEAN = {
    name: value
    for name, value in os.environ.items()
    if not name.startswith("CUTCARD_") and name != "NO_COLOR"
} | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'proto'}"}


def dealer(
    *arguments: object,
    folder: Path,
    typed: str = "",
    environ: Mapping[str, str] | None = None,
    before: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run `cutcard-dealer` in a folder and wait for its end; code of `before` runs first."""
    command = _command(arguments)
    if before:
        code = f"{before}\nimport sys\nfrom dealer_service.cli import main\nsys.exit(main())"
        command[1:3] = ["-c", code]
    return subprocess.run(
        command,
        cwd=folder,
        env=_CLEAN | dict(environ or {}),
        input=typed,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def call(
    *arguments: object,
    folder: Path,
    patch: pytest.MonkeyPatch,
    environ: Mapping[str, str] | None = None,
) -> int | str | None:
    """Call `cutcard-dealer` in this process: for what is refused before anything is done."""
    for name in os.environ.keys() - _CLEAN.keys():
        patch.delenv(name)
    for name, value in ({"GRPC_VERBOSITY": "NONE"} | dict(environ or {})).items():
        patch.setenv(name, value)
    patch.chdir(folder)
    try:
        return main([str(each) for each in arguments])
    except SystemExit as ended:
        return ended.code


def start(
    *arguments: object, folder: Path, largest_file: int | None = None
) -> "subprocess.Popen[str]":
    """Start `cutcard-dealer` in a folder, with pipes to all its streams.

    With `largest_file` no file that it writes can grow above so many bytes.
    """
    pipe = subprocess.PIPE
    command = _command(arguments)
    if largest_file is not None:
        command = [*limited("RLIMIT_FSIZE", largest_file), *command[2:]]
    return subprocess.Popen(
        command,
        cwd=folder,
        env=_CLEAN,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
    )


def _command(arguments: tuple[object, ...]) -> list[str]:
    return [sys.executable, "-m", "dealer_service", *(str(each) for each in arguments)]


@dataclass
class Service:
    """A dealer that serves, as a process."""

    folder: Path
    address: str
    first_event: dict[str, Any]
    process: "subprocess.Popen[str]"
    told_before: list[dict[str, Any]]

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal, wait for the end, and give the exit status and the rest of its log."""
        self.process.send_signal(number)
        _, log = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, log


@contextmanager
def serving(folder: Path, *options: object, largest_file: int | None = None) -> Iterator[Service]:
    """Serve on a free port of loopback, until the block ends."""
    process = start(
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--log-format",
        "json",
        *options,
        folder=folder,
        largest_file=largest_file,
    )
    try:
        assert process.stderr is not None
        before: list[dict[str, Any]] = []
        while not before or before[-1]["event"] != "serving":
            line = process.stderr.readline()
            assert line.startswith("{"), line + process.stderr.read()
            before.append(json.loads(line))
        event = before.pop()
        yield Service(folder, f"127.0.0.1:{event['port']}", event, process, before)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def only_line(text: str) -> str:
    """Give the one line that a text is."""
    assert re.fullmatch(r"[^\n]+\n", text), text
    return text.removesuffix("\n")
