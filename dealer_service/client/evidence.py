"""Writes down what a refusal rests on, as JSON lines (PROTOCOL.md section 11)."""

import json
from collections.abc import Sequence
from pathlib import Path

from dealer_service.client.durable import write_whole
from dealer_service.client.message import Message
from dealer_service.client.refusing import Refused
from dealer_service.transcript.note import NoteKey

FORMAT = "cutcard-evidence/1"


def write_evidence(path: Path, refused: Refused, key: NoteKey, player: str = "") -> None:
    """Write the evidence to `path`, whole or not at all; `player` is empty for a mere watcher."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, tell_evidence(refused, str(key), player))


def tell_evidence(refused: Refused, key: str, player: str) -> bytes:
    """Give the bytes of the evidence: each line ended by LF, keys in rising order."""
    evidence = refused.evidence
    lines: list[dict[str, object]] = [
        {"format": FORMAT, "game": refused.game, "key": key, "player": player},
        {"refused": {"detail": refused.detail, "reason": str(refused.reason)}},
    ]
    notes = dict(evidence.checkpoints)
    for size, line in enumerate(evidence.lines, 1):
        lines.append({"line": line.decode("ascii")})
        if size in notes:
            lines.append({"checkpoint": notes[size]})
    if evidence.kept:
        lines.append({"kept": evidence.kept})
    if evidence.received is not None:
        lines.append({"received": _told(evidence.received)})
    if evidence.proof:
        lines.append({"proof": evidence.proof})
    encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    content = "".join(encoder.encode(line) + "\n" for line in lines)
    return content.encode("utf-8", "backslashreplace")


def _told(message: Message) -> dict[str, object]:
    """Write a refused message down, bytes as hex: it may be of any form."""
    return {
        "first": message.first,
        "lines": _hex(message.lines),
        "checkpoint": message.checkpoint,
        "proofs": [
            {"hand": one.hand, "position": one.position, "proof": _hex(one.proof)}
            for one in message.proofs
        ],
        "openings": [
            {
                "hand": one.hand,
                "position": one.position,
                "card": one.card,
                "salt": one.salt.hex(),
                "proof": _hex(one.proof),
            }
            for one in message.openings
        ],
    }


def _hex(each: Sequence[bytes]) -> list[str]:
    return [one.hex() for one in each]
