"""C2SP `tlog-witness`: what a witness answers to add-checkpoint, as a pure function.

The witness looks its log up, calls `judge`, and where that accepts, keeps the new checkpoint (in
one step with the comparison of sizes, and on disk) before it co-signs and answers. Whole signed
checkpoints are kept, so that two which contradict each other are proof: `Refused.fork`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from audit_cli.checkpoint import Checkpoint, parse_checkpoint_note
from audit_cli.log.logproof import read_hashes
from audit_cli.merkle import EMPTY_ROOT, consistency_roots, verify_consistency
from audit_cli.note import Note, NoteVerdict, verify_note
from audit_cli.problem import Problem
from audit_cli.report.finding import Fork

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from audit_cli.note import VerifierKey

MAX_SUBMISSION: Final = 256 * 1024
SIZE_TYPE: Final = "text/x.tlog.size"
TEXT_TYPE: Final = "text/plain; charset=utf-8"

_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Submission:
    """The body of an add-checkpoint request: a checkpoint, and a proof from the size `old`."""

    old: int
    proof: tuple[bytes, ...]
    note_text: str
    note: Note
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class Accepted:
    """The checkpoint is the log's latest now: to be kept first, then co-signed (status 200)."""

    submission: Submission


@dataclass(frozen=True, slots=True)
class Refused:
    """The answer to a submission that is not co-signed.

    `signed` tells that the checkpoint is the log's own word all the same, and worth keeping;
    `fork` is there where it contradicts one that was kept.
    """

    status: int
    body: str
    content_type: str = TEXT_TYPE
    signed: bool = False
    fork: Fork | None = None


def parse_submission(  # noqa: PLR0911  (one return a kind of refusal)
    body: bytes,
) -> Submission | Problem:
    """Return the parts of an add-checkpoint body, or the first thing that is wrong with it."""
    if len(body) > MAX_SUBMISSION:
        return Problem(f"a body of more than {MAX_SUBMISSION:,} bytes")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        return Problem("a body that is not UTF-8", "", error.start)
    head, blank, note_text = text.partition("\n\n")
    if not blank:
        return Problem("a body without an empty line before its checkpoint")
    first, *lines = head.split("\n")
    old = _OLD.fullmatch(first)
    if old is None:
        return Problem("a body without its old size", "the first line is old SIZE, in decimal")
    proof = read_hashes(lines)
    if isinstance(proof, Problem):
        return proof
    found = parse_checkpoint_note(note_text)
    if isinstance(found, Problem):
        return found
    return Submission(int(old.group(1)), proof, note_text, *found)


def write_submission(old: int, proof: Sequence[bytes], note_text: str) -> bytes:
    """Return the body of an add-checkpoint request."""
    lines = [f"old {old}", *(b64encode(step).decode("ascii") for step in proof)]
    return ("\n".join(lines) + f"\n\n{note_text}").encode()


def judge(
    submission: Submission,
    keys: Mapping[str, Sequence[VerifierKey]],
    latest: str | None,
    kept: Callable[[int], str | None],
) -> Accepted | Refused:
    """Return whether a submission is to be kept and co-signed, or the answer that refuses it.

    `keys` are the trusted keys of each known log by its origin line; `latest` is the note of the
    log's last co-signed checkpoint (None: there is none yet); `kept` gives a note of the log of
    a size that was kept, co-signed or not.
    """
    checkpoint = submission.checkpoint
    known = keys.get(checkpoint.origin)
    if known is None:
        return Refused(404, "this witness does not know the log\n")
    opened = verify_note(submission.note, known)
    if opened.verdict is not NoteVerdict.OK:
        return Refused(403, "no signature of a trusted key of the log holds\n")
    key = next(key for key in known if str(key) == opened.verified[0])
    other = kept(checkpoint.size)
    fork = None if other is None else _fork_of_one_size(key, other, submission)
    answer = _compare(submission, latest, fork)
    if answer is None:
        return Accepted(submission)
    if answer.status == 422 and fork is None and latest is not None:
        fork = _fork_of_two_sizes(key, latest, submission)
        return replace(answer, fork=fork)
    return answer


def _compare(submission: Submission, latest: str | None, fork: Fork | None) -> Refused | None:
    """None where a well signed checkpoint goes on from the latest one; else what refuses it."""
    after = submission.checkpoint
    before = Checkpoint(after.origin, 0, EMPTY_ROOT) if latest is None else _read(latest)
    if submission.old > after.size:
        words, status = "the old size is beyond the checkpoint's", 400
    elif submission.old != before.size or _is_other(before, after):
        return Refused(409, f"{before.size}\n", SIZE_TYPE, signed=True, fork=fork)
    else:
        words, status = _disagree(before, submission) or "", 422
        if not words and fork is not None:
            words = "the log signed another root of this size"
    return Refused(status, f"{words}\n", signed=True, fork=fork) if words else None


def _is_other(before: Checkpoint, after: Checkpoint) -> bool:
    return before.size == after.size and before.root != after.root


def _read(note_text: str) -> Checkpoint:
    """Return the checkpoint of a note that was kept, and so could be read once already."""
    found = parse_checkpoint_note(note_text)
    assert not isinstance(found, Problem)
    return found[1]


def _disagree(before: Checkpoint, submission: Submission) -> str | None:
    """None when the proof leads from the checkpoint before to the new one; else the reason."""
    after, proof = submission.checkpoint, submission.proof
    if before.size == 0:
        return "a proof from size 0 is empty" if proof else None
    return verify_consistency(before.size, after.size, before.root, after.root, proof)


def _fork_of_one_size(key: VerifierKey, other: str, submission: Submission) -> Fork | None:
    if _read(other).root == submission.checkpoint.root:
        return None
    return Fork(submission.checkpoint.origin, key.text, (other, submission.note_text))


def _fork_of_two_sizes(key: VerifierKey, latest: str, submission: Submission) -> Fork | None:
    """See whether the proof shows another root of the earlier size under the new checkpoint."""
    before, after = _read(latest), submission.checkpoint
    roots = consistency_roots(before.size, after.size, before.root, submission.proof)
    if isinstance(roots, str) or roots[1] != after.root or roots[0] == before.root:
        return None
    return Fork(
        after.origin,
        key.text,
        (latest, submission.note_text),
        proof=submission.proof,
        prefix_root=roots[0],
    )
