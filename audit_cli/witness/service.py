"""What a witness answers over HTTP: C2SP `tlog-witness` add-checkpoint, and reads of what it keeps.

    POST /add-checkpoint              a co-signature of the log's checkpoint, or why there is none
    GET  /                            who the witness is, and what it knows of each log
    GET  /HASH/checkpoint             the last co-signed checkpoint of a log, co-signature included
    GET  /HASH/checkpoint/SIZE        every checkpoint of that size that the log signed, as a list
    GET  /HASH/forks                  the evidence of every fork of the log, as a list
    GET  /metrics                     counts, for Prometheus

HASH is SHA-256 of the log's origin line, in lower-case hex. Comparing, keeping and co-signing are
one step under one lock, and an answer leaves only when what it rests on is on disk. Times of one
log's co-signatures never go back, whatever the clock does.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.log.witnessing import MAX_SUBMISSION, Accepted, Refused, judge, parse_submission
from audit_cli.note import Note
from audit_cli.problem import Problem
from audit_cli.report.render import render_fork
from audit_cli.serving import JSON, METRICS, Answer, Site
from audit_cli.witness.state import FORMAT, Latest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from audit_cli.log.cosignature import WitnessSigner
    from audit_cli.log.witnessing import Submission
    from audit_cli.note import VerifierKey
    from audit_cli.witness.state import State

_ADD: Final = "/add-checkpoint"
_OF_LOG: Final = re.compile(r"/([0-9a-f]{64})/(checkpoint|forks)(?:/(0|[1-9][0-9]{0,18}))?")
#: What is read may be seconds old at most: caches would hide what a witness knows.
_FRESH: Final = {"Cache-Control": "no-store"}
_ENDED: Final = Answer.text(503, "this witness ends")


class Witness:
    """A witness of some logs. `seconds` tells the time, in whole seconds since 1970."""

    def __init__(
        self,
        state: State,
        signer: WitnessSigner,
        keys: Mapping[str, Sequence[VerifierKey]],
        seconds: Callable[[], int],
    ) -> None:
        self._state = state
        self._signer = signer
        self._keys = keys
        self._seconds = seconds
        self._origins = {sha256(origin.encode("utf-8")).hexdigest(): origin for origin in keys}
        self._lock = threading.Lock()
        self._answered: Counter[int] = Counter()
        self._is_closed = False

    def site(self) -> Site:
        """Return what is to be served."""
        return Site(self._get, self._post, MAX_SUBMISSION)

    def close(self) -> None:
        """Answer nothing more, and return when what was begun is done: the state may be closed."""
        with self._lock:
            self._is_closed = True

    def _post(self, path: str, body: bytes) -> Answer | None:
        if path != _ADD:
            return None
        submission = parse_submission(body)
        with self._lock:
            if self._is_closed:
                return _ENDED
            if isinstance(submission, Problem):
                answer = Answer.text(400, f"{submission}{_hint(submission)}")
            else:
                answer = self._add(self._bare(submission))
            self._answered[answer.status] += 1
        return answer

    def _bare(self, submission: Submission) -> Submission:
        """Leave the log's own signatures alone on a note: what strangers add is not kept."""
        names = {(key.name, key.key_id) for key in self._keys.get(submission.checkpoint.origin, ())}
        own = tuple(
            signature
            for signature in dict.fromkeys(submission.note.signatures)
            if (signature.name, signature.key_id) in names
        )
        text = submission.note.text
        lines = "".join(one.line for one in own)
        return replace(submission, note=Note(text, own), note_text=f"{text}\n{lines}")

    def _add(self, submission: Submission) -> Answer:
        """Compare, keep, co-sign: one at a time."""
        origin = submission.checkpoint.origin
        latest = self._state.latest(origin)
        note = None if latest is None else latest.note
        root = submission.checkpoint.root
        decided = judge(
            submission, self._keys, note, lambda size: self._state.contrary(origin, size, root)
        )
        if isinstance(decided, Accepted):
            return self._cosign(submission, latest)
        if decided.signed:
            self._keep(submission, decided)
        return Answer(decided.status, decided.body.encode("utf-8"), decided.content_type)

    def _cosign(self, submission: Submission, before: Latest | None) -> Answer:
        checkpoint = submission.checkpoint
        time = max(self._seconds(), 0 if before is None else before.time)
        line = self._signer.cosign(submission.note.text, time)
        self._state.keep_latest(
            Latest(
                checkpoint.origin,
                checkpoint.size,
                checkpoint.root,
                submission.note_text,
                time,
                line,
            )
        )
        return Answer(200, line.encode("utf-8"))

    def _keep(self, submission: Submission, refused: Refused) -> None:
        checkpoint = submission.checkpoint
        evidence = None if refused.fork is None else render_fork(refused.fork)
        note = submission.note_text
        place = (checkpoint.origin, checkpoint.size, checkpoint.root)
        if self._state.keep_refused(*place, note, evidence):
            hash_ = sha256(checkpoint.origin.encode("utf-8")).hexdigest()
            words = f"the log {checkpoint.origin} signed a fork at size {checkpoint.size:,}"
            say.warning(f"{words}: the evidence is at /{hash_}/forks")

    def _get(self, path: str) -> Answer | None:
        with self._lock:
            if self._is_closed:
                return _ENDED
            if path == "/":
                return _json(self._about())
            if path == "/metrics":
                return Answer(200, self._metrics().encode("utf-8"), METRICS)
            found = _OF_LOG.fullmatch(path)
            origin = None if found is None else self._origins.get(found.group(1))
            if found is None or origin is None:
                return None
            return self._of_log(origin, found.group(2), found.group(3))

    def _of_log(self, origin: str, what: str, size: str | None) -> Answer | None:
        if what == "forks":
            if size is not None:
                return None
            return _json([json.loads(one) for one in self._state.forks(origin)])
        if size is not None:
            return _json(self._state.kept(origin, int(size))) if int(size) < 2**63 else None
        latest = self._state.latest(origin)
        if latest is None:
            return None
        return Answer(200, (latest.note + latest.line).encode("utf-8"), headers=_FRESH)

    def _about(self) -> dict[str, object]:
        logs = []
        for hash_, origin in self._origins.items():
            latest = self._state.latest(origin)
            about: dict[str, object] = {"origin": origin, "hash": hash_}
            if latest is not None:
                about |= {"size": latest.size, "root": latest.root.hex(), "time": latest.time}
            about["forks"] = len(self._state.forks(origin))
            logs.append(about)
        return {"format": FORMAT, "key": self._signer.key.text, "logs": logs}

    def _metrics(self) -> str:
        lines = ["# TYPE cutcard_witness_answers_total counter"]
        lines += [
            f'cutcard_witness_answers_total{{status="{status}"}} {count}'
            for status, count in sorted(self._answered.items())
        ]
        sizes = ["# TYPE cutcard_witness_size gauge"]
        times = ["# TYPE cutcard_witness_cosigned_seconds gauge"]
        forks = ["# TYPE cutcard_witness_forks gauge"]
        for origin in self._origins.values():
            latest = self._state.latest(origin)
            label = f'{{log="{_escaped(origin)}"}}'
            if latest is not None:
                sizes.append(f"cutcard_witness_size{label} {latest.size}")
                times.append(f"cutcard_witness_cosigned_seconds{label} {latest.time}")
            forks.append(f"cutcard_witness_forks{label} {len(self._state.forks(origin))}")
        return "\n".join([*lines, *sizes, *times, *forks]) + "\n"


def _hint(problem: Problem) -> str:
    return f": {problem.hint}" if problem.hint else ""


def _json(value: object) -> Answer:
    text = json.dumps(value, ensure_ascii=False) + "\n"
    return Answer(200, text.encode("utf-8"), JSON, _FRESH)


def _escaped(text: str) -> str:
    """Return a label's value as Prometheus writes it."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
