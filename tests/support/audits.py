"""Audits a game file in memory, as `cutcard-audit verify` does, and reads the report."""

import io
from collections.abc import Iterable

from audit_cli.beacon import Network
from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint
from audit_cli.checks import CHECKS, Request
from audit_cli.checks.check import (
    CheckMaker,
    OutsideNote,
    ProofFile,
    Publication,
    RecordFile,
)
from audit_cli.gamefile import read_game_file
from audit_cli.log.policy import Policy
from audit_cli.note import Note, NoteVerdict, VerifierKey, parse_note, parse_vkey, verify_note
from audit_cli.report.finding import Promise, Report, Verdict
from audit_cli.verify import audit
from tests.support.kept_audits import keep_audit
from tests.support.simulator import Simulator
from tests.support.transcripts import Transcript


def judge(
    data: bytes,
    *,
    key: str | None = None,
    mine: bytes | tuple[bytes, ...] = (),
    outside: Iterable[str] = (),
    require: Iterable[Promise] = (),
    more: Iterable[CheckMaker] = (),
    beacons: Iterable[Network] = (),
    dealer_log: Publication | None = None,
    proofs: tuple[ProofFile, ...] = (),
    policy: Policy | None = None,
) -> Report:
    """Audit the bytes of a game file."""
    trusted = None if key is None else parse_vkey(key)
    assert trusted is None or isinstance(trusted, VerifierKey)
    notes = []
    for number, text in enumerate(outside, 1):
        note = parse_note(text)
        assert isinstance(note, Note)
        checkpoint = parse_game_checkpoint(note.text)
        assert isinstance(checkpoint, Checkpoint)
        notes.append(OutsideNote(f"note {number}", text, note, checkpoint))
    records = (mine,) if isinstance(mine, bytes) else mine
    files = tuple(RecordFile("record", record) for record in records)
    request = Request(
        trusted=trusted,
        mine=files,
        outside=tuple(notes),
        dealer_log=dealer_log,
        proofs=proofs,
        policy=policy,
        beacons=tuple(beacons),
    )
    items = read_game_file(io.BytesIO(data), "game")
    report = audit(items, request, (*CHECKS, *more), required=frozenset(require))
    keep_audit(data, key, request, report)
    return report


def broken(report: Report) -> set[str]:
    """Name the promises that the report calls broken."""
    return {
        promise.value for promise, verdict in report.verdicts().items() if verdict is Verdict.BROKEN
    }


def unproved(report: Report) -> set[str]:
    """Name the promises that were asked for and are not established."""
    verdicts = report.verdicts()
    return {
        promise.value for promise in report.asked if verdicts[promise] is Verdict.NOT_ESTABLISHED
    }


def places(report: Report, promise: str) -> list[tuple[int | None, int | None]]:
    """List hand and entry of each place where a promise is broken."""
    found = report.of(Promise(promise))
    return [(one.hand, one.entry) for one in found if one.verdict is Verdict.BROKEN]


def tell(report: Report) -> str:
    """Put what is not well into words, for a failing test."""
    return "\n".join(
        f"{one.promise.value} {one.verdict.value}: {one.text} (hand {one.hand}, entry {one.entry})"
        f" expected {one.expected}, found {one.found}"
        for one in report.findings
        if one.verdict is not Verdict.HOLDS
    ) + "".join(f"\nline {one.line}: {one.reason}" for one in report.damage)


def assert_told(
    game: Simulator, transcript: Transcript, index: int, text: str, promise: str = "PLAYED"
) -> None:
    """The line at `index` is where the promise is first broken, in these words."""
    report = judge(transcript.render(game.signer), key=game.key)
    found = [
        one
        for one in report.findings
        if one.promise.value == promise and one.verdict is Verdict.BROKEN
    ]
    assert found, tell(report)
    assert (found[0].entry, text in found[0].text) == (index, True), tell(report)


def told(report: Report) -> str:
    """Put what the report notices beside its verdicts into lines."""
    return "\n".join(words for one in report.notices for words in (one.text, *one.details))


def read_checkpoint(note: str, key: str) -> Checkpoint:
    """Give the checkpoint in a note whose signature holds under a verifier key."""
    trusted = parse_vkey(key)
    assert isinstance(trusted, VerifierKey)
    parsed = parse_note(note)
    assert isinstance(parsed, Note)
    assert verify_note(parsed, [trusted]).verdict is NoteVerdict.OK
    checkpoint = parse_game_checkpoint(parsed.text)
    assert isinstance(checkpoint, Checkpoint)
    return checkpoint
