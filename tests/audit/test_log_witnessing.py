"""What a witness answers to add-checkpoint, status by status (C2SP tlog-witness)."""

from collections.abc import Iterator

import pytest

from audit_cli.log.witnessing import (
    SIZE_TYPE,
    Accepted,
    Refused,
    Submission,
    judge,
    parse_submission,
    write_submission,
)
from audit_cli.merkle import verify_consistency
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.problem import Problem
from tests.support.game_files import ORIGIN, Signer
from tests.support.published_logs import PublishedLog, consistency_proof


def trusted() -> VerifierKey:
    key = parse_vkey(Signer().vkey)
    assert isinstance(key, VerifierKey)
    return key


def log(lines: int = 12) -> PublishedLog:
    grown = PublishedLog()
    for number in range(lines):
        grown.raw(b"line %d" % number)
    return grown


def forked(at: int, lines: int = 12) -> PublishedLog:
    """A log that tells another line at one place."""
    other = log(lines)
    other.lines[at] = b"another line"
    return other


def read(body: bytes) -> Submission:
    submission = parse_submission(body)
    assert isinstance(submission, Submission), submission
    return submission


def answer(
    body: bytes, latest: str | None = None, kept: tuple[str, ...] = ()
) -> Accepted | Refused:
    """Judge a body by a witness that keeps the latest checkpoint and some more."""
    sizes = {int(note.split("\n")[1]): note for note in (*kept, *([latest] if latest else ()))}
    return judge(read(body), {ORIGIN: [trusted()]}, latest, sizes.get)


def status(answered: Accepted | Refused) -> int:
    return 200 if isinstance(answered, Accepted) else answered.status


def test_a_first_checkpoint_is_accepted_from_size_zero() -> None:
    assert isinstance(answer(log().asks(0)), Accepted)


def test_a_larger_tree_is_accepted_with_its_proof() -> None:
    grown = log()
    for old in range(1, 13):
        assert isinstance(answer(grown.asks(old), grown.note(old)), Accepted), old


def test_the_same_checkpoint_again_is_accepted() -> None:
    grown = log()
    assert isinstance(answer(grown.asks(12), grown.note()), Accepted)


def test_an_empty_log_is_accepted_only_with_its_root() -> None:
    empty = log(0)
    assert isinstance(answer(empty.asks(0)), Accepted)
    wrong = empty.asks(0, note=Signer().note(ORIGIN, 0, bytes(32)))
    assert status(answer(wrong)) == 409


def cases() -> Iterator[tuple[str, bytes, str | None, int]]:
    grown = log()
    five = grown.note(5)
    stranger = PublishedLog(Signer("stranger.example"), list(grown.lines))
    other_key = PublishedLog(Signer(ORIGIN, bytes(32)), list(grown.lines))
    yield "an unknown log", stranger.asks(0), None, 404
    yield "another key", other_key.asks(0), None, 403
    yield "a size that went back", write_submission(9, [], grown.note(8)), grown.note(9), 400
    yield "an old size that is not the latest", grown.asks(4), five, 409
    yield "an old size of zero, to ask", grown.asks(0), five, 409
    yield "an old size of a log that is new here", grown.asks(5), None, 409
    yield "another root of the latest size", forked(3).asks(12), grown.note(), 409
    yield "another history", forked(3).asks(5), five, 422
    yield "no proof", write_submission(5, [], grown.note()), five, 422
    proof = consistency_proof(grown.leaves, 5)
    yield "a proof too long", write_submission(5, [*proof, bytes(32)], grown.note()), five, 422
    yield "a proof too short", write_submission(5, proof[:-1], grown.note()), five, 422
    yield "a proof from zero", write_submission(0, [bytes(32)], grown.note()), None, 422
    yield "a proof to itself", write_submission(5, [bytes(32)], five), five, 422


@pytest.mark.parametrize(
    ("body", "latest", "wanted"),
    [pytest.param(*case[1:], id=case[0]) for case in cases()],
)
def test_what_is_refused_has_the_status_of_the_specification(
    body: bytes, latest: str | None, wanted: int
) -> None:
    answered = answer(body, latest)
    assert status(answered) == wanted
    assert isinstance(answered, Refused)
    assert answered.body.endswith("\n")


def test_a_conflict_tells_the_size_of_the_latest_checkpoint() -> None:
    grown = log()
    answered = answer(grown.asks(0), grown.note(7))
    assert isinstance(answered, Refused)
    assert (answered.body, answered.content_type) == ("7\n", SIZE_TYPE)
    asked = answer(grown.asks(3))
    assert isinstance(asked, Refused)
    assert asked.body == "0\n"


def test_a_bad_signature_of_the_known_key_refuses_the_note() -> None:
    grown = log()
    bad = grown.note().rpartition("\n\n")[0] + "\n\n" + Signer().sign("something else\n")
    assert status(answer(grown.asks(0, note=bad))) == 403


@pytest.mark.parametrize("latest", [12, 5])
def test_two_roots_of_one_size_are_a_fork_whatever_is_answered(latest: int) -> None:
    grown, other = log(), forked(3)
    answered = answer(other.asks(latest), grown.note(latest), (grown.note(12),))
    assert isinstance(answered, Refused)
    assert answered.signed
    assert answered.fork is not None
    assert answered.fork.notes == (grown.note(12), other.note(12))


def test_a_log_that_signed_two_roots_of_a_size_gets_neither_co_signed() -> None:
    grown, other = log(), forked(3)
    answered = answer(grown.asks(5), grown.note(5), (other.note(12),))
    assert status(answered) == 422
    assert isinstance(answered, Refused)
    assert answered.fork is not None


def test_a_proof_of_a_fork_between_two_sizes_is_kept_as_evidence() -> None:
    """The proof that the dealer gives for its other tree tells that tree's root at the old size."""
    grown, other = log(), forked(3)
    answered = answer(other.asks(5), grown.note(5))
    assert isinstance(answered, Refused)
    fork = answered.fork
    assert fork is not None
    assert fork.notes == (grown.note(5), other.note(12))
    root, after = fork.prefix_root, read(other.asks(5)).checkpoint
    assert root is not None
    assert root != read(grown.asks(0, 5)).checkpoint.root
    assert verify_consistency(5, 12, root, after.root, fork.proof) is None


def test_a_made_up_proof_is_no_evidence() -> None:
    grown = log()
    made_up = [bytes(32)] * len(consistency_proof(grown.leaves, 5))
    answered = answer(write_submission(5, made_up, grown.note()), grown.note(5))
    assert isinstance(answered, Refused)
    assert answered.signed
    assert answered.fork is None


def test_a_body_reads_as_it_was_written() -> None:
    grown = log()
    submission = read(grown.asks(5))
    assert list(submission.proof) == consistency_proof(grown.leaves, 5)
    written = write_submission(submission.old, submission.proof, submission.note_text)
    assert written == grown.asks(5)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"old 5\n",
        log().asks(5).replace(b"old 5", b"old 05"),
        log().asks(5).replace(b"old 5", b"old -5"),
        log().asks(5).replace(b"old 5\n", b""),
        log().asks(5).replace(b"old 5\n", b"old 5\r\n"),
        log().asks(5).replace(b"\n\n", b"\n", 1),
        log().asks(5).replace(b"\n12\n", b"\n012\n"),
        log().asks(5)[:-1],
        b"old 5\n" + b"AAAA\n" * 64 + b"\n" + log().note().encode(),
        b"\xff",
        b"x" * (256 * 1024 + 1),
    ],
)
def test_another_body_is_refused(body: bytes) -> None:
    assert isinstance(parse_submission(body), Problem)
