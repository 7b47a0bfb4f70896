"""The witnesses of the dealer's policy: what they saw, and their co-signatures of a checkpoint.

All are asked at once, each by a task of its own (`asking`). A checkpoint waits for a quorum, for
as long as witnesses that are well may take; for one that is away nobody waits, and it is asked
again until it is back. What comes later belongs to the same checkpoint as long as that is the
newest one: `gather` for it again gives all that there is.
"""

import asyncio
import contextlib
import ssl
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, NoReturn, Protocol, TypeVar

import structlog

from dealer_service.config import SettingError
from dealer_service.publishing.asking import Asked, Outcome, Pace, Target
from dealer_service.publishing.cosigning import Prove, SeenLater
from dealer_service.publishing.posting import Post, Prefix, parse_prefix
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.cosignature import cosigned, verify_cosignature
from dealer_service.transcript.merkle import EMPTY_ROOT
from dealer_service.transcript.note import (
    MAX_SIGNATURES,
    NoteSigner,
    Signature,
    add_signatures,
    parse_note,
)
from dealer_service.transcript.policy import MAX_POLICY_BYTES, Policy, Witness, parse_policy
from dealer_service.transcript.refusal import TranscriptError

QUESTION_SECONDS: Final = 5.0
"""So long a dealer that starts waits for what its witnesses saw."""

MAX_WITNESSES: Final = MAX_SIGNATURES - 1
"""A note has no more signatures than it may, one of which is the dealer's own."""

DEFAULT_PACE: Final = Pace()

T = TypeVar("T")
_log = structlog.get_logger("publishing")


class Watch(Protocol):
    """What measures how witnesses answer."""

    def witness_asked(self, witness: str, outcome: str, seconds: float) -> None:
        """Count a question to a witness, by the policy's name of it and what came of it."""
        ...

    def quorum_sought(self, seconds: float, *, found: bool) -> None:
        """Measure how long a checkpoint waited for co-signatures, and whether it has a quorum."""
        ...


class Witnesses:
    """The witnesses of a policy that have an address; it is used from one event loop alone."""

    def __init__(
        self,
        policy: Policy,
        signer: NoteSigner,
        watch: Watch,
        *,
        allow_plaintext: bool = False,
        pace: Pace = DEFAULT_PACE,
    ) -> None:
        """SettingError where the dealer can not get what the policy asks for."""
        places = _require_askable(policy, signer, allow_plaintext=allow_plaintext)
        self._policy = policy
        self._signer = signer
        self._watch = watch
        self._pace = pace
        self._keys = {witness.key: witness.name for witness in policy.witnesses}
        self._executor = ThreadPoolExecutor(max(1, len(places)), "witness")
        self._changed = asyncio.Event()
        self._target: Target | None = None
        context = ssl.create_default_context()
        self._asked = tuple(
            Asked(
                witness,
                Post(place, context, self._executor),
                self._executor,
                pace,
                told=watch.witness_asked,
                changed=self._changed.set,
            )
            for witness, place in places
        )

    async def find_sizes(self) -> Mapping[str, int | None]:
        """Ask each witness how many lines of this log it saw; None for one that does not say.

        What is asked with is a signed checkpoint of no lines, which every log begins with: to it
        a witness answers with the size that it knows (409).
        """
        empty = Checkpoint(self._signer.name, 0, EMPTY_ROOT)
        note = await self._call(partial(sign_checkpoint, empty, self._signer))
        sizes = await asyncio.gather(
            *(asked.find_size(note, QUESTION_SECONDS) for asked in self._asked)
        )
        return {asked.label: size for asked, size in zip(self._asked, sizes, strict=True)}

    async def question(self, size: int) -> None:
        """Ask what the witnesses saw; SeenLater where one saw more than `size` lines."""
        sizes = await self.find_sizes()
        _log.info("witnesses_asked", saw=dict(sizes), size=size)
        later = {name: saw for name, saw in sizes.items() if saw is not None and saw > size}
        if later:
            _refuse(size, (f"{name} saw {saw}" for name, saw in later.items()))

    async def gather(self, note: str, size: int, prove: Prove) -> str:
        """Give the note with the co-signatures that came in time; SeenLater.

        `prove(old)` gives the consistency proof from `old` lines, 1 or more, to `size`; it is
        called in other threads. Those that the note has already stay in it.
        """
        bare, kept = self._part(note)
        began = time.monotonic()
        self._target = target = Target(bare, parse_note(bare.encode()).text, size, prove)
        for asked in self._asked:
            asked.aim(target)
        is_found = await self._wait_for_quorum(kept.keys(), began, size)
        self._watch.quorum_sought(time.monotonic() - began, found=is_found)
        return self._add(bare, kept)

    def add_late(self, note: str) -> str:
        """Give a note that `gather` gave last with what came since, waiting for nobody; SeenLater.

        A note of another checkpoint is given as it is.
        """
        target = self._target
        if target is None or not note.startswith(target.text + "\n"):
            return note
        self._require_none_beyond(target.size)
        if all(one.line() in note for one in self._came.values()):
            return note
        return self._add(*self._part(note))

    def rest(self) -> None:
        """Ask nothing more until `gather` is called again."""
        self._target = None
        for asked in self._asked:
            asked.rest()

    def is_satisfied(self, note: str) -> bool:
        """Say whether a note has a quorum's co-signatures; not where one of them does not hold."""
        try:
            found = cosigned(parse_note(note.encode()), self._keys)
        except TranscriptError:
            return False
        return self._policy.is_satisfied({self._keys[key] for key in found})

    async def close(self) -> None:
        """Ask nobody any more."""
        await asyncio.gather(*(asked.close() for asked in self._asked))
        await asyncio.to_thread(self._executor.shutdown)

    @property
    def _came(self) -> Mapping[str, Signature]:
        """The co-signatures of the newest checkpoint that came, by the policy's names."""
        return {
            asked.name: asked.cosignature for asked in self._asked if asked.cosignature is not None
        }

    def _add(self, bare: str, kept: Mapping[str, Signature]) -> str:
        """Add what came to a note, and what it had: by the order of the policy."""
        both = {**kept, **self._came}
        in_order = (both.get(witness.name) for witness in self._policy.witnesses)
        return add_signatures(bare, [one for one in in_order if one is not None])

    def _part(self, note: str) -> tuple[str, Mapping[str, Signature]]:
        """Part a note from the witnesses' co-signatures in it that hold, by the policy's names."""
        parsed = parse_note(note.encode())
        keys = {key.signer: key for key in self._keys}
        kept, others = {}, []
        for signature in parsed.signatures:
            key = keys.get(signature.signer)
            if key is None:
                others.append(signature)
                continue
            with contextlib.suppress(TranscriptError):
                verify_cosignature(parsed.text, signature, key)
                kept[self._keys[key]] = signature
        lines = "".join(signature.line() for signature in others)
        return f"{parsed.text}\n{lines}", kept

    async def _wait_for_quorum(self, before: AbstractSet[str], began: float, size: int) -> bool:
        while True:
            self._changed.clear()
            self._require_none_beyond(size)
            names = self._came.keys() | before
            is_found = self._policy.is_satisfied(names)
            awaited = [asked for asked in self._asked if asked.is_awaited]
            can_be = self._policy.is_satisfied(names | {asked.name for asked in awaited})
            needs_them = not is_found and can_be
            patience = self._pace.patience if needs_them else self._pace.linger
            left = began + patience - time.monotonic()
            if not awaited:
                return is_found
            if left <= 0:
                for asked in awaited if needs_them else ():
                    asked.is_late()
                return is_found
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)

    def _require_none_beyond(self, size: int) -> None:
        """Raise SeenLater where a witness knows more of this log than there is, or another."""
        beyond = [
            f"{asked.label}: {asked.result.why}"
            for asked in self._asked
            if asked.result is not None
            and asked.result.outcome in {Outcome.SEEN_LATER, Outcome.SEEN_ANOTHER}
        ]
        if beyond:
            _refuse(size, beyond)

    async def _call(self, act: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, act)


def read_policy(path: Path) -> Policy:
    """Read a policy file; SettingError where it can not be read or is none."""
    try:
        with path.open("rb") as file:
            return parse_policy(file.read(MAX_POLICY_BYTES + 1))
    except OSError as error:
        message = f"--witness-policy {path} can not be read: {error.strerror}"
        raise SettingError(message) from None
    except TranscriptError as error:
        message = f"--witness-policy {path}: {error}"
        raise SettingError(message) from None


def _require_askable(
    policy: Policy, signer: NoteSigner, *, allow_plaintext: bool
) -> Sequence[tuple[Witness, Prefix]]:
    """Give the witnesses that have an address; SettingError where they can be no quorum."""
    own = signer.verifier
    if policy.logs and not any(log.key == own for log in policy.logs):
        message = f"--witness-policy names logs, and this dealer's is not among them: log {own}"
        raise SettingError(message)
    if len(policy.witnesses) > MAX_WITNESSES:
        message = f"--witness-policy has more than {MAX_WITNESSES} witnesses"
        raise SettingError(message)
    places = [
        (witness, parse_prefix(witness.url, allow_plaintext=allow_plaintext))
        for witness in policy.witnesses
        if witness.url is not None
    ]
    if not policy.is_satisfied({witness.name for witness, _ in places}):
        message = (
            "--witness-policy: the witnesses that have an address are no quorum: write it behind "
            "the key, witness NAME VKEY https://HOST/PATH"
        )
        raise SettingError(message)
    return places


def _refuse(size: int, said: Iterable[str]) -> NoReturn:
    message = (
        f"the log has {size} lines here, and witnesses know more of it: {'; '.join(said)}. "
        "Nothing of it was signed: bring back the newest store"
    )
    raise SeenLater(message)
