"""Runs a suite of others once: its program found and told by hash, its words kept as they are.

What it reads is counted and hashed on the way. Nothing is run a second time, whatever came of it.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit_cli.inputs import UsageError, reason, shown
from audit_cli.rng.external.suites import SUITES, Suite
from audit_cli.rng.file_hash import hash_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

    import numpy as np
    from numpy.typing import NDArray

    from audit_cli.rng.external.reading import Reading
    from audit_cli.rng.external.suites import Files
    from audit_cli.rng.running.bar import Bar

#: How many lines of a result a table has room for.
_SAID: Final = 4
_ASK_SECONDS: Final = 20
_PATIENCE_SECONDS: Final = 5


class SuiteError(Exception):
    """A suite could not be run, or said nothing that can be read."""


@dataclass(frozen=True, slots=True)
class Program:
    """A suite's program on this machine: where, its SHA-256, and its version (empty: untold)."""

    suite: Suite
    path: Path
    sha256: str
    version: str


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """One run of one suite. `size` and `read_sha256` are of the bytes that it was given.

    `complete` says that it ended by itself, without an error. `outputs` are the names of the files
    that hold its words.
    """

    suite: str
    program: str
    version: str
    sha256: str
    arguments: tuple[str, ...]
    size: int
    read_sha256: str
    status: int
    complete: bool
    readings: tuple[Reading, ...] = field(repr=False)
    outputs: tuple[str, ...]

    @property
    def said(self) -> str:
        """What it said, in one line."""
        return _summary(self)

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "suite": self.suite,
            "program": self.program,
            "version": self.version,
            "sha256": self.sha256,
            "arguments": list(self.arguments),
            "bytes": self.size,
            "read_sha256": self.read_sha256,
            "status": self.status,
            "complete": self.complete,
            "said": self.said,
            "readings": [reading.to_json() for reading in self.readings],
            "outputs": list(self.outputs),
        }


def find_programs() -> tuple[Program, ...]:
    """Return the suites that are on the path, in the order of `SUITES`.

    UsageError where a program can not be read, so that its hash can not be told.
    """
    found = []
    for suite in SUITES:
        for name in suite.programs:
            path = shutil.which(name)
            if path is not None:
                found.append(_known(suite, Path(path)))
                break
    return tuple(found)


def _known(suite: Suite, path: Path) -> Program:
    try:
        digest = hash_file(path)
    except OSError as error:
        message = f"{shown(str(path))} can not be read: {reason(error)}"
        raise UsageError(message, "what runs is told by its hash") from None
    return Program(suite, path, digest, _asked(suite, path) if suite.ask else "")


def _asked(suite: Suite, path: Path) -> str:
    """Ask a program for its version; empty where it does not tell."""
    try:
        asked = subprocess.run(  # noqa: S603  (a program of the path, found by its name)
            [path, *suite.ask],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_ASK_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""  # a run tells what is wrong with it
    return _version(suite, asked.stdout + asked.stderr)


def _version(suite: Suite, text: str) -> str:
    found = suite.version.search(text)
    return found[1] if found else ""


def fitted_size(suite: Suite, asked: int | None, has: int | None) -> int | None:
    """Return how many bytes a suite may read: asked for or usual, if there are as many.

    None is without end. SuiteError where they are too few for it.
    """
    limits = [size for size in (asked or suite.size, has) if size is not None]
    if not limits:
        return None
    size = min(limits) // suite.unit * suite.unit
    if size < suite.least:
        message = f"{suite.name} reads {suite.least:,} bytes or more, not {min(limits):,}"
        raise SuiteError(message)
    return size


def run_suite(
    program: Program,
    rows: Callable[[], Iterator[NDArray[np.uint8]]],
    size: int | None,
    folder: Path,
    bar: Bar,
) -> SuiteRun:
    """Give a suite the bytes of `rows()`, `size` at most, and keep its words in `folder`.

    SuiteError where it can not be started, or says nothing that can be read.
    """
    suite = program.suite
    fed = _Fed(rows(), size, bar)
    arguments = suite.arguments(size)
    words = folder / f"{suite.name}.txt"
    outputs = [words.name]
    try:
        if suite.files is None:
            status = _by_pipe(program.path, arguments, fed, words)
            report = words
        else:
            report = folder / f"{suite.name}-report.txt"
            status = _by_file(program.path, arguments, fed, words, suite.files, report)
            outputs += [report.name] * report.exists()
    except OSError as error:
        message = f"{suite.name} can not be run: {reason(error)}"
        raise SuiteError(message) from None
    text = words.read_text(encoding="utf-8", errors="replace")
    told = report.read_text(encoding="utf-8", errors="replace") if report.exists() else ""
    readings = suite.read(told)
    cut = bool(suite.cut) and suite.cut in text
    if cut and not readings:
        message = f"{suite.name} had no result when the {fed.size:,} bytes were at an end"
        raise SuiteError(message)
    if not readings:
        message = f"{suite.name} said nothing that can be read, status {status}: see {words.name}"
        raise SuiteError(message)
    return SuiteRun(
        suite=suite.name,
        program=program.path.name,
        version=program.version or _version(suite, text),
        sha256=program.sha256,
        arguments=arguments,
        size=fed.size,
        read_sha256=fed.digest.hexdigest(),
        status=status,
        complete=status in suite.fine and not cut,
        readings=readings,
        outputs=tuple(outputs),
    )


class _Fed:
    """The bytes on their way, counted and hashed."""

    def __init__(self, rows: Iterator[NDArray[np.uint8]], limit: int | None, bar: Bar) -> None:
        self._rows = rows
        self._limit = limit
        self._bar = bar
        self.size = 0
        self.digest = hashlib.sha256()

    def into(self, stream: IO[bytes]) -> None:
        """Write all of them, or as many as the reader wants."""
        for row in self._rows:
            flat = row.reshape(-1).data
            if self._limit is not None:
                flat = flat[: self._limit - self.size]
            try:
                stream.write(flat)
            except BrokenPipeError:
                return
            self.digest.update(flat)
            self.size += len(flat)
            self._bar.add(len(flat))
            if self.size == self._limit:
                return


def _by_pipe(path: Path, arguments: tuple[str, ...], fed: _Fed, words: Path) -> int:
    with (
        words.open("xb") as output,
        subprocess.Popen(  # noqa: S603  (a program of the path, found by its name)
            [path, *arguments], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
        ) as process,
        _stopped(process),
    ):
        assert process.stdin is not None
        fed.into(process.stdin)
        with suppress(BrokenPipeError):
            process.stdin.close()
        return process.wait()


def _by_file(  # noqa: PLR0913, PLR0917  (what such a run is)
    path: Path,
    arguments: tuple[str, ...],
    fed: _Fed,
    words: Path,
    files: Files,
    report: Path,
) -> int:
    with tempfile.TemporaryDirectory(prefix="cutcard-") as place:
        around = Path(place)
        for name in files.folders:
            (around / name).mkdir(parents=True)
        for name in files.beside:
            beside = path.resolve().parent / name
            if beside.exists():
                (around / name).symlink_to(beside)
        with (around / files.data).open("xb") as data:
            fed.into(data)
        with words.open("xb") as output:
            done = subprocess.run(  # noqa: S603  (a program of the path, found by its name)
                [path.absolute(), *arguments],
                input=files.answers(fed.size).encode("ascii"),
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=around,
                check=False,
            )
        if (around / files.report).exists():
            shutil.copyfile(around / files.report, report)
        return done.returncode


@contextmanager
def _stopped(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a program that is left by an error or Ctrl-C, so that none stays behind."""
    try:
        yield
    except BaseException:
        process.terminate()
        try:
            process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
        raise


def _summary(run: SuiteRun) -> str:
    """Return what a suite said in one line: its own words, counted."""
    counted: dict[str, int] = {}
    told = []
    for reading in run.readings:
        if reading.p is None:
            told.append(f"{reading.name} {reading.remark}".strip())
        elif reading.remark in {"PASSED", "WEAK", "FAILED"}:
            counted[reading.remark] = counted.get(reading.remark, 0) + 1
        else:
            told.append(f"{reading.name} p = {reading.p:.6g} {reading.remark}".strip())
    parts = [f"{count} {word}" for word, count in counted.items()] + told
    shown = ", ".join(parts[:_SAID]) + (f" and {len(parts) - _SAID} more" * (len(parts) > _SAID))
    return shown if run.complete else f"did not end as it should (status {run.status}): {shown}"
