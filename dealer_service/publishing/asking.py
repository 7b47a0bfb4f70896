"""One witness and the checkpoint that it is asked to co-sign: always the newest one.

It is asked at the size that it co-signed last, as far as that is known; where it knows better
(409), again from the size that it names. A witness that gives no co-signature is asked again,
less and less often, until it does or there is a newer checkpoint. One that has seen more of the
log than there is, or another log, is not: what it says is kept for whoever asked.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from enum import StrEnum, unique
from typing import Final

import structlog

from dealer_service.publishing.add_checkpoint import (
    PATH,
    Conflict,
    Declined,
    Inconsistent,
    Reply,
    Signed,
    read_reply,
    write_request,
)
from dealer_service.publishing.cosigning import Prove
from dealer_service.publishing.posting import Post, Unanswered
from dealer_service.transcript.cosignature import verify_cosignature
from dealer_service.transcript.note import Signature, parse_signatures
from dealer_service.transcript.policy import Witness
from dealer_service.transcript.refusal import TranscriptError

ANSWER_SECONDS: Final = 5.0
"""So long one answer of a witness may take."""

_ROUNDS: Final = 3

_log = structlog.get_logger("publishing")


@unique
class Outcome(StrEnum):
    """What became of asking a witness once."""

    COSIGNED = "cosigned"
    UNANSWERED = "unanswered"
    DECLINED = "declined"
    INVALID = "invalid"
    UNPROVED = "unproved"
    SEEN_LATER = "seen_later"
    SEEN_ANOTHER = "seen_another"


@dataclass(frozen=True, slots=True)
class Result:
    """An outcome, its co-signature where there is one, and its words where there is none."""

    outcome: Outcome
    cosignature: Signature | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """The checkpoint to be co-signed: its note, the text in it, its size and who proves it."""

    note: str
    text: str
    size: int
    prove: Prove = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: how long witnesses that are well are waited for, and the pauses before others.

    `patience` is while they can still be a quorum, `linger` once there is one, or can be none.
    A witness that failed is asked again after a pause, which doubles from `first` to `longest`.
    """

    patience: float = 2.0
    linger: float = 0.05
    first: float = 0.25
    longest: float = 8.0


class Asked:
    """A witness, what it co-signed of the newest checkpoint, and the task that asks it.

    `told(name, outcome, seconds)` is called after each question, and `changed()` whenever
    something came of one.
    """

    def __init__(  # noqa: PLR0913 - the witness, how it is reached, and who is told
        self,
        witness: Witness,
        post: Post,
        executor: Executor,
        pace: Pace,
        *,
        told: Callable[[str, Outcome, float], None],
        changed: Callable[[], None],
    ) -> None:
        self.witness = witness
        self.name = witness.name
        # A policy's names are octets, whatever they say.
        self.label = ascii(witness.name[:100])[1:-1]
        self.is_away = False
        self.result: Result | None = None
        self._post = post
        self._executor = executor
        self._pace = pace
        self._told = told
        self._changed = changed
        self._size: int | None = None
        self._target: Target | None = None
        self._has_new = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def cosignature(self) -> Signature | None:
        """Its co-signature of the newest checkpoint, as soon as there is one."""
        return self.result.cosignature if self.result is not None else None

    @property
    def is_awaited(self) -> bool:
        """Whether it is well, and has not answered yet about the newest checkpoint."""
        return self.result is None and not self.is_away

    def aim(self, target: Target) -> None:
        """Ask for a co-signature of this checkpoint from now on, and of none before."""
        if self._target == target:
            return
        self._target = target
        self.result = None
        self._has_new.set()
        if self._task is None:
            self._task = asyncio.ensure_future(self._keep_asking())

    def rest(self) -> None:
        """Ask nothing more until there is another checkpoint; what is asked now is not heard."""
        self._target = None
        self.result = None

    def is_late(self) -> None:
        """Wait for it no more until it has answered in time."""
        self._set_away("it does not answer in time")

    async def find_size(self, note: str, seconds: float) -> int | None:
        """Ask what size it saw last, by a signed checkpoint of no lines; None if it does not say.

        A witness that never saw this log co-signs that, which says nothing.
        """
        try:
            reply = await self._send(0, (), note, seconds)
        except Unanswered as error:
            self._set_away(str(error))
            return None
        match reply:
            case Conflict(size=int(size)):
                self._size = size
            case Signed():
                self._size = 0
            case Declined(why):
                _log.warning("witness_declines", witness=self.label, why=why)
            case _:
                pass
        return self._size

    async def close(self) -> None:
        """Ask nothing more, and let go of the connection."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        self._post.close()

    async def _keep_asking(self) -> None:
        pause = self._pace.first
        while True:
            self._has_new.clear()
            target = self._target
            if target is None:
                await self._has_new.wait()
                continue
            began = time.monotonic()
            result = await self._ask(target)
            seconds = time.monotonic() - began
            self._told(self.label, result.outcome, seconds)
            if target is self._target:
                self._take(target, result)
            if result.outcome is Outcome.COSIGNED:
                pause = self._pace.first
                if seconds <= self._pace.patience:
                    self._set_back()
                await self._has_new.wait()
            elif result.outcome in {Outcome.SEEN_LATER, Outcome.SEEN_ANOTHER}:
                await self._has_new.wait()
            else:
                # Whatever is new meanwhile is asked for then.
                await asyncio.sleep(pause)
                pause = min(2 * pause, self._pace.longest)

    def _take(self, target: Target, result: Result) -> None:
        self.result = result
        match result.outcome:
            case Outcome.UNANSWERED:
                self._set_away(result.why)
            case Outcome.DECLINED | Outcome.INVALID | Outcome.UNPROVED:
                self._set_away(result.why, "witness_declines")
            case Outcome.SEEN_LATER | Outcome.SEEN_ANOTHER:
                why = result.why
                _log.critical(
                    "witness_knows_another_log", witness=self.label, size=target.size, why=why
                )
            case Outcome.COSIGNED:
                pass
        self._changed()

    def _set_away(self, why: str, event: str = "witness_away") -> None:
        if not self.is_away:
            self.is_away = True
            _log.warning(event, witness=self.label, why=why)

    def _set_back(self) -> None:
        if self.is_away:
            self.is_away = False
            _log.info("witness_back", witness=self.label)

    async def _ask(self, target: Target) -> Result:
        """Ask once, and again where the witness says that it stands at another size."""
        old = self._size if self._size is not None and self._size <= target.size else 0
        for _ in range(_ROUNDS):
            proof = await self._prove(target, old)
            if isinstance(proof, Result):
                return proof
            try:
                reply = await self._send(old, proof, target.note, ANSWER_SECONDS)
            except Unanswered as error:
                return Result(Outcome.UNANSWERED, why=str(error))
            found = self._judge(target, old, reply)
            if isinstance(found, Result):
                return found
            self._size = old = found
        return Result(Outcome.DECLINED, why="it says another size each time")

    async def _send(self, old: int, proof: tuple[bytes, ...], note: str, seconds: float) -> Reply:
        answer = await self._post.send(PATH, write_request(old, proof, note), seconds)
        return read_reply(answer.status, answer.kind, answer.content)

    async def _prove(self, target: Target, old: int) -> tuple[bytes, ...] | Result:
        if old in {0, target.size}:
            return ()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._executor, target.prove, old)
        except Exception as error:  # noqa: BLE001 - whatever it was, the witness is asked again
            return Result(Outcome.UNPROVED, why=f"no proof from {old} lines: {error}")

    def _judge(self, target: Target, old: int, reply: Reply) -> Result | int:
        """Say what a reply comes to: a result, or the size from which to ask again."""
        match reply:
            case Signed(lines):
                return self._read_cosignature(target, lines)
            case Declined(why):
                return Result(Outcome.DECLINED, why=why)
            case Inconsistent() if old:
                why = f"what it saw of {old} lines is of another log"
                return Result(Outcome.SEEN_ANOTHER, why=why)
            case Inconsistent():
                return Result(Outcome.DECLINED, why="it wants a proof from no lines (422)")
            case Conflict(size):
                return _judge_conflict(target, old, size)

    def _read_cosignature(self, target: Target, lines: bytes) -> Result:
        """Find the witness's own line; those of other keys are ignored."""
        key = self.witness.key
        try:
            mine = [one for one in parse_signatures(lines) if one.signer == key.signer]
            for one in mine:
                verify_cosignature(target.text, one, key)
        except TranscriptError as error:
            return Result(Outcome.INVALID, why=str(error))
        if not mine:
            why = f"it gives no co-signature of {key.signer}"
            return Result(Outcome.INVALID, why=why)
        self._size = target.size
        return Result(Outcome.COSIGNED, mine[0])


def _judge_conflict(target: Target, old: int, size: int | None) -> Result | int:
    if size is not None and size > target.size:
        return Result(Outcome.SEEN_LATER, why=f"it saw {size} lines")
    if old == target.size and size in {None, old}:
        return Result(Outcome.SEEN_ANOTHER, why=f"what it saw of {old} lines is of another log")
    if size is None or size == old:
        return Result(Outcome.DECLINED, why="it does not say what it saw (409)")
    return size
