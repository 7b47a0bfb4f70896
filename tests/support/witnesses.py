"""Witnesses for tests, in this process or in one of their own, and what they answer over HTTP."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.serving import serving
from audit_cli.witness.service import Witness
from audit_cli.witness.state import opened_state
from tests.support.limited import limited
from tests.support.published_logs import PublishedLog

ROOT = Path(__file__).parents[2]
NAME = "witness.example.org/w1"
NOW = 1_767_300_000


@dataclass(frozen=True)
class Reply:
    """An answer over HTTP."""

    status: int
    kind: str
    text: str

    @property
    def value(self) -> Any:
        return json.loads(self.text)


def ask(url: str, path: str, body: bytes | None = None, **headers: str) -> Reply:
    """Ask over a connection of its own: POST where there is a body."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        return Reply(answer.status, answer.headers["Content-Type"], answer.read().decode())
    finally:
        connection.close()


@dataclass
class Served:
    """A witness that is served: what a test asks it, and the clock that it goes by."""

    url: str = ""
    name: str = NAME
    public: bytes = b""
    vkey: str = ""
    now: int = NOW
    close: Callable[[], None] = lambda: None

    def add(self, body: bytes) -> Reply:
        return ask(self.url, "/add-checkpoint", body)

    def get(self, path: str) -> Reply:
        return ask(self.url, path)

    def of(self, log: PublishedLog, path: str) -> Reply:
        """Ask for something of a log."""
        return ask(self.url, f"/{sha256(log.signer.name.encode()).hexdigest()}/{path}")


@contextmanager
def serving_witness(folder: Path, *logs: PublishedLog) -> Iterator[Served]:
    """Serve a witness of some logs from this process, its state in a folder."""
    keys: dict[str, list[VerifierKey]] = {}
    for log in logs:
        key = parse_vkey(log.signer.vkey)
        assert isinstance(key, VerifierKey)
        keys[key.name] = [key]
    served = Served()
    with opened_state(folder, NAME) as (state, signer):
        witness = Witness(state, signer, keys, lambda: served.now)
        with serving(("127.0.0.1", 0), witness.site()) as url:
            served.url = url
            served.public = signer.key.key.encoded
            served.vkey = signer.key.text
            served.close = witness.close
            yield served


@dataclass
class Started:
    """A command of the audit's that serves, as a process of its own."""

    process: "subprocess.Popen[str]"
    url: str = ""
    told: list[str] = field(default_factory=list)

    def wait(self) -> int:
        return self.process.wait(60)


@contextmanager
def started(
    *arguments: object, module: tuple[str, ...] = ("audit_cli",), largest_file: int | None = None
) -> Iterator[Started]:
    """Start a command that serves, wait until it does, and end it with the block.

    With `largest_file` no file that it writes can grow above so many bytes.
    """
    begin = [sys.executable, "-m"]
    if largest_file is not None:
        begin = limited("RLIMIT_FSIZE", largest_file)
    process = subprocess.Popen(
        [*begin, *module, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'proto'}"},
        stderr=subprocess.PIPE,
        text=True,
    )
    one = Started(process)
    try:
        assert process.stderr is not None
        while not one.url:
            line = process.stderr.readline()
            assert line, one.told
            one.told.append(line)
            if ": serving on " in line:
                one.url = line.rpartition(" ")[2].strip()
        yield one
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=60)
