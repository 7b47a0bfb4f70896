"""The whole ruling on a run that came to its end: everything told, every call, the audit itself."""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint
from audit_cli.checks import CHECKS, Request
from audit_cli.checks.check import OutsideNote, RecordFile
from audit_cli.gamefile import read_game_file
from audit_cli.note import Note, VerifierKey, parse_note, parse_vkey
from audit_cli.report.finding import Promise, Verdict
from audit_cli.verify import audit
from cutcard.v1 import play_pb2
from tests.chaos.effects import rule_calls, rule_chips
from tests.chaos.judging import (
    Ruling,
    SignedAt,
    read_log,
    rule_forks,
    rule_lines,
    rule_signed,
    timeless,
)
from tests.chaos.ledger import Ledger


@dataclass(frozen=True)
class Final:
    """How a run ended: each game's file, all movements of chips, and the dealer's key.

    `answers` are those that the calls of the ledger get when they are made once more at the end.
    """

    key: str
    files: Mapping[str, bytes]
    movements: tuple[dict[str, Any], ...]
    answers: tuple[bytes, ...] = ()

    def lines(self, game: str) -> tuple[bytes, ...]:
        """Give a game's lines."""
        return read_log(self.files[game]).lines


def rule(ledger: Ledger, final: Final, signed: Iterable[SignedAt]) -> Ruling:
    """Hold everything that was ever said to how it ended."""
    signed = frozenset(signed)
    logs = {game: read_log(content) for game, content in final.files.items()}
    ruling = Ruling(wrong=list(ledger.refusals))
    ruling.add(rule_lines(ledger, logs))
    ruling.add(rule_forks(ledger, final.files, signed))
    ruling.add(rule_signed(ledger, logs, signed))
    ruling.add(rule_calls(ledger, logs, final.answers))
    ruling.add(rule_chips(logs, final.movements))
    if ledger.settled != list(final.movements):
        ruling.lost.append(f"the bank settled {ledger.settled}, and {final.movements} is there")
    for game in final.files:
        ruling.add(_audit(game, ledger, final))
    return ruling


def compare(final: Final, undisturbed: Final) -> Ruling:
    """Hold a disturbed run to an undisturbed one: the same lines apart from times, and chips."""
    ruling = Ruling()
    if final.files.keys() != undisturbed.files.keys():
        ruling.lost.append("other games than without faults")
        return ruling
    for game in final.files:
        mine = [timeless(line) for line in final.lines(game)]
        other = [timeless(line) for line in undisturbed.lines(game)]
        if len(mine) != len(other):
            ruling.lost.append(f"{game} has {len(mine)} lines, and without faults {len(other)}")
        for index, (found, expected) in enumerate(zip(mine, other, strict=False)):
            if found != expected:
                words = f"line {index} of {game} is {found}, and without faults {expected}"
                ruling.lost.append(words)
                break
    if list(map(_moved, final.movements)) != list(map(_moved, undisturbed.movements)):
        ruling.lost.append("chips moved otherwise than without faults")
    return ruling


def _moved(one: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name not in {"cursor", "at"}}


def _audit(game: str, ledger: Ledger, final: Final) -> Ruling:
    """Audit a game with every note that was ever seen and every player's record and openings."""
    key = parse_vkey(final.key)
    assert isinstance(key, VerifierKey)
    mine = tuple(
        RecordFile(name, _record(game, name, lines, final.key))
        for (of, name), lines in ledger.records.items()
        if of == game and any("link" in line for line in lines)
    )
    outside = tuple(map(_outside, sorted(ledger.notes.get(game, ()))))
    request = Request(trusted=key, mine=mine, outside=outside)
    content = final.files[game] + _told_openings(game, ledger)
    report = audit(read_game_file(io.BytesIO(content), "game"), request, CHECKS)
    ruling = Ruling(forked=[f"the audit found a fork: {one}" for one in report.forks])
    ruling.forked += [
        f"the deck of hand {one.hand} in {game} was replaced: {one.text}"
        for one in report.findings
        if (one.promise, one.verdict) == (Promise.REPLAYED, Verdict.BROKEN)
    ]
    if report.exit_status() != 0:
        why = [
            f"{one.promise.value} {one.verdict.value}: {one.text} (hand {one.hand}, entry "
            f"{one.entry}) expected {one.expected}, found {one.found}"
            for one in report.findings
            if one.verdict in {Verdict.BROKEN, Verdict.NOT_ESTABLISHED}
        ]
        why += [f"line {one.line}: {one.reason}" for one in report.damage]
        ruling.wrong.append(f"the audit of {game} ends with {report.exit_status()}: {why}")
    return ruling


def _outside(text: str) -> OutsideNote:
    note = parse_note(text)
    assert isinstance(note, Note)
    at = parse_game_checkpoint(note.text)
    assert isinstance(at, Checkpoint)
    return OutsideNote("a note that was seen", text, note, at)


def _record(game: str, player: str, lines: Iterable[object], key: str) -> bytes:
    origin, form = key.split("+", 1)[0], "cutcard-record/1"
    head = {"format": form, "game": game, "key": key, "origin": origin, "player": player}
    return b"".join(_canonical(line) + b"\n" for line in (head, *lines))


def _told_openings(game: str, ledger: Ledger) -> bytes:
    """Write what seats were shown of their own cards as lines behind the game file's own."""
    told: dict[bytes, None] = {}
    for (of, _, _, _), variants in sorted(ledger.openings.items()):
        for content in variants if of == game else ():
            one = play_pb2.Opening.FromString(content)
            body = {
                "card": one.card,
                "hand": one.hand,
                "position": one.position,
                "proof": [step.hex() for step in one.proof],
                "salt": one.salt.hex(),
            }
            told[_canonical({"opening": body}) + b"\n"] = None
    return b"".join(told)


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
