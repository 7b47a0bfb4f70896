"""Other cores work ahead of an audit: they examine the blocks of lines that come next.

The audit itself stays one process that takes every line in order, so that its verdicts, its words
and their order are those of an audit without workers. Workers only answer, before it is asked, what
pure functions of a few lines give (`examined`). An answer is used where the audit is about to make
that same call; what was not worked out ahead the audit works out itself.

Workers are forked before the audit has any thread, so that they are of this very code and begin
at once; a worker has no part in the terminal, the input or the output. Blocks and answers go
through memory that is shared with one worker alone, in slots of a fixed size, and the pipes beside
it carry only lengths: nothing is ever waited for on both sides, and no more is held than the slots
have room for. A worker that ends before it is told to ends the audit, without any verdict.
"""

from __future__ import annotations

import marshal
import mmap
import os
import select
import signal
import struct
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, NoReturn

from audit_cli import ed25519
from audit_cli.canonical import MAX_LINE
from audit_cli.derive import DerivedDeck, derive_deck
from audit_cli.examined import (
    Derived,
    Examined,
    Task,
    examine,
    last_key,
    last_opened,
    pack,
    read_entries,
    unpack,
)
from audit_cli.gamefile import KnownPlay, Line, too_long, unended
from audit_cli.inputs import WorkerLostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from audit_cli.gamefile import Known, Play, Readable
    from audit_cli.note import VerifierKey
    from audit_cli.problem import Problem

USUAL_WORKERS = 3
"""More do not help: what the audit does in order is then all that is waited for."""

BLOCK = 32 * 1024
_WORTHWHILE = 32
"""So many blocks have to be there before workers are begun unasked."""
_SLOTS = 4
SLOT = 512 * 1024
_LENGTH = struct.Struct("<iI")
_TOO_LARGE = -1
# A hand's opening: blocks end before one, so that most hands stand whole in one.
_HAND = b',"hand_opened":{'


def usual_workers() -> int:
    """Return how many processes an audit uses where it is not told: one a core, and not many."""
    try:
        cores = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        cores = os.cpu_count() or 1
    return min(cores, USUAL_WORKERS) if hasattr(os, "fork") else 1


class _Worker:
    """A process that examines blocks, one after another, in the order in which they are given."""

    def __init__(self, others: list[_Worker]) -> None:
        # What it was given and has not answered, first to last.
        self.jobs: deque[_Job] = deque()
        self._slot = 0
        self._taken = 0
        self._memory = mmap.mmap(-1, _SLOTS * SLOT)
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self.ends = (self._requests, self._answers)
        self._pid = os.fork()
        if self._pid == 0:
            for end in (self.ends, *(other.ends for other in others)):
                os.close(end[0])
                os.close(end[1])
            _work(requests, answers, self._memory)
        os.close(requests)
        os.close(answers)

    @property
    def is_free(self) -> bool:
        """Whether it can take another block."""
        return len(self.jobs) < _SLOTS

    @property
    def has_answered(self) -> bool:
        """Whether an answer can be taken without waiting."""
        return bool(select.select([self._answers], [], [], 0)[0])

    def give(self, job: _Job) -> None:
        """Give it a job; one that has no room stays with the audit."""
        data = marshal.dumps(tuple(job.task))
        if len(data) > SLOT:
            return
        start = self._slot * SLOT
        self._memory[start : start + len(data)] = data
        try:
            os.write(self._requests, _LENGTH.pack(self._slot, len(data)))
        except OSError:
            self._lose()
        self._slot = (self._slot + 1) % _SLOTS
        self.jobs.append(job)
        job.worker = self

    def take(self) -> None:
        """Wait for the answer on the job that it was given first; one without room is no answer."""
        try:
            data = os.read(self._answers, _LENGTH.size)
        except OSError:
            data = b""
        if len(data) != _LENGTH.size:
            self._lose()
        kind, length = _LENGTH.unpack(data)
        start = self._taken * SLOT
        self._taken = (self._taken + 1) % _SLOTS
        job = self.jobs.popleft()
        job.worker = None
        if kind != _TOO_LARGE:
            with memoryview(self._memory) as whole, whole[start : start + length] as answer:
                job.found = unpack(answer)

    def _abandon(self) -> None:
        """Have nobody wait for what it was given."""
        for job in self.jobs:
            job.worker = None
        self.jobs.clear()

    def _lose(self) -> NoReturn:
        self._abandon()
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        code = os.waitstatus_to_exitcode(status)
        how = f"by signal {-code}" if code < 0 else f"with status {code}"
        message = f"a worker process ended early, {how}: there is no verdict"
        raise WorkerLostError(message)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._abandon()
        os.close(self._requests)
        os.close(self._answers)
        if self._pid:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        self._memory.close()


def _work(requests: int, answers: int, memory: mmap.mmap) -> NoReturn:
    """Examine what comes until nothing comes any more; the whole life of a worker."""
    status = 1
    try:
        # An interrupt is for the audit, which then ends its workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        while data := os.read(requests, _LENGTH.size):
            slot, length = _LENGTH.unpack(data)
            start = slot * SLOT
            task = Task(*marshal.loads(memory[start : start + length]))  # noqa: S302  (our own)
            answer = pack(examine(task))
            kind = slot
            if len(answer) > SLOT:
                kind, answer = _TOO_LARGE, b""
            memory[start : start + len(answer)] = answer
            os.write(answers, _LENGTH.pack(kind, len(answer)))
        status = 0
    finally:
        # Nothing of the audit's own is to be ended or written twice.
        os._exit(status)


@dataclass(slots=True, eq=False)
class _Job:
    """A task, with who examines it and what was found; `lines` are those that it is for."""

    task: Task
    lines: Sequence[Line | Play] = ()
    worker: _Worker | None = None
    found: Examined | None = None

    def finish(self) -> Examined | None:
        """Wait for what was found; None where nobody has looked."""
        while self.worker is not None:
            self.worker.take()
        return self.found


@dataclass(slots=True)
class Ahead:
    """Reads lines, and answers the calls of an audit by what its workers found in them.

    `processes` counts the audit itself; with one there are no workers, and nothing is read ahead.
    `sealed` gives the mix of a hand whose secret is to come: the checks say how.
    """

    processes: int
    asked: bool
    trusted: str = ""
    sealed: Callable[[int], bytes | None] = field(default=lambda _: None)
    _workers: list[_Worker] = field(default_factory=list)
    _signed: dict[tuple[bytes, bytes, bytes], bool] = field(default_factory=dict)
    _derived: dict[tuple[bytes, bytes], Derived] = field(default_factory=dict)

    def verify(self, key: ed25519.PublicKey, message: bytes, signature: bytes) -> bool:
        """`ed25519.verify`."""
        good = self._signed.pop((key.encoded, message, signature), None)
        return ed25519.verify(key, message, signature) if good is None else good

    def derive(self, secret: bytes, mix: bytes) -> DerivedDeck:
        """`derive_deck`."""
        return self._derived.pop((secret, mix), None) or derive_deck(secret, mix)

    def lines(self, stream: Readable) -> Iterator[bytes | Known | KnownPlay | Problem]:
        """`split_lines`, of which the entries that were read ahead come as `Known`."""
        reader = _BlockReader(stream)
        for job in self._work_on(self._blocks(reader)):
            # What was found before and not asked for is of no use any more.
            self._signed = {}
            found = job.found
            lines = job.task.block[:-1].split(b"\n")
            if found is not None:
                self._signed = {(key, text, by): good for key, text, by, good in found.signed}
            entries, each = read_entries(lines) if found is None else found[:2]
            runs = iter(each)
            at = 0
            for entry in entries:
                raw = lines[at]
                at += 1
                if entry is None:
                    if len(raw) > MAX_LINE:
                        yield too_long()
                        return
                    yield raw
                elif isinstance(entry, int):
                    at += entry - 1
                    raws = lines[at - entry : at]
                    told, leaves, foreseen = next(runs)
                    yield KnownPlay(raws, told or raws, leaves, foreseen)
                else:
                    yield raw, *entry
        if reader.problem is not None:
            yield reader.problem
        if reader.error is not None:
            raise reader.error

    def reveal(self, batches: Iterable[Sequence[Line | Play]]) -> Iterator[Line | Play]:
        """Give lines as they are, the decks of their secrets being derived ahead."""
        return self._reveal(batches) if self._workers else chain.from_iterable(batches)

    def _reveal(self, batches: Iterable[Sequence[Line | Play]]) -> Iterator[Line | Play]:
        jobs = (_Job(self._secrets(lines), lines) for lines in batches)
        for job in self._work_on(jobs):
            found = () if job.found is None else job.found.derived
            self._derived = {(one.secret, one.mix): one for one in found}
            yield from job.lines

    def _blocks(self, reader: _BlockReader) -> Iterator[_Job]:
        """Give the blocks of an input as they are read; workers begin when it is a long one."""
        key, fixed = self.trusted, bool(self.trusted)
        opened = b""
        while block := reader.read():
            if self.asked or reader.blocks >= _WORTHWHILE:
                self._begin()
            yield _Job(Task(block, key, fixed, [], opened))
            if self.processes == 1:
                # Nobody will examine it.
                continue
            opened = last_opened(block, opened)
            if not fixed:
                key = last_key(block, key)

    def _secrets(self, lines: Sequence[Line | Play]) -> Task:
        pairs = []
        for line in lines:
            if isinstance(line, Line) and line.kind == "secret_revealed":
                mix = self.sealed(line.body["hand"])
                if mix is not None:
                    pairs.append((bytes.fromhex(line.body["secret"]), mix))
        return Task(b"", "", True, pairs)

    def _work_on(self, jobs: Iterator[_Job]) -> Iterator[_Job]:
        """Give the jobs in their order, those behind them being worked on.

        While the next one is not finished the audit takes one from behind the others itself.
        """
        ready: deque[_Job] = deque()
        try:
            while True:
                ready.extend(() if ready else islice(jobs, 1))
                self._feed(jobs, ready)
                if not ready:
                    return
                worker = ready[0].worker
                most = self._most()
                while worker is not None and not worker.has_answered and len(ready) < most:
                    job = next(jobs, None)
                    if job is None:
                        break
                    ready.append(job)
                    job.found = examine(job.task)
                ready[0].finish()
                yield ready.popleft()
        finally:
            for job in ready:
                job.finish()

    def _most(self) -> int:
        """Return how many jobs there are at most, those of the audit itself among them."""
        return 2 * _SLOTS * len(self._workers)

    def _feed(self, jobs: Iterator[_Job], ready: deque[_Job]) -> None:
        """Take the answers that are there, and give each worker all that it has room for."""
        for worker in self._workers:
            while worker.jobs and worker.has_answered:
                worker.take()
            while worker.is_free and len(ready) < self._most():
                job = next(jobs, None)
                if job is None:
                    return
                ready.append(job)
                worker.give(job)

    def _begin(self) -> None:
        """Begin the workers, as many as the machine gives."""
        if len(self._workers) >= self.processes - 1:
            return
        # Interrupted in between, a process would take itself for the other one.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while len(self._workers) < self.processes - 1:
                self._workers.append(_Worker(self._workers))
        except OSError:
            self.processes = len(self._workers) + 1
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def end(self) -> None:
        """End the workers."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.end()


class _BlockReader:
    """Reads whole lines, a block at a time; what ends the input early is kept for its end."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._tail = b""
        self._over = False
        self.blocks = 0
        self.problem: Problem | None = None
        self.error: OSError | None = None

    def read(self) -> bytes:
        """Return the next lines, each with its LF; none at the end."""
        while not self._over:
            try:
                chunk = self._stream.read(BLOCK)
            except OSError as error:
                self.error = error
                chunk = b""
            data = self._tail + chunk
            whole = end = data.rfind(b"\n") + 1
            if not chunk:
                self._over = True
                if whole < len(data) and self.error is None:
                    self.problem = unended()
            elif len(data) - whole > MAX_LINE:
                self.problem = too_long()
                self._over = True
            else:
                end = _find_hand(data, whole)
            self._tail = data[end:]
            if end:
                self.blocks += 1
                return data[:end]
        return b""


def _find_hand(data: bytes, end: int) -> int:
    """Return where the last hand begins, if it is not at the very beginning; else `end`."""
    at = data.rfind(_HAND, 0, end)
    return data.rfind(b"\n", 0, max(at, 0)) + 1 or end


@contextmanager
def working_ahead(processes: int | None, trusted: VerifierKey | None) -> Iterator[Ahead]:
    """Give what reads and answers for an audit, and end its workers with the block.

    `processes` is as many as the auditor asks for; None lets the machine and the input decide.
    """
    ahead = Ahead(
        processes or usual_workers(),
        processes is not None,
        "" if trusted is None else trusted.text,
    )
    try:
        yield ahead
    finally:
        ahead.end()
