"""Writes down what a refusal rests on, as JSON lines: the lines received, and what was refused."""

import json
from pathlib import Path

from dealer_service.client.durable import write_whole
from dealer_service.client.refusing import Refused
from dealer_service.transcript.note import NoteKey


def write_evidence(path: Path, refused: Refused, key: NoteKey, player: str = "") -> None:
    """Write the evidence to `path`, whole or not at all; `player` is empty for a mere watcher."""
    head: dict[str, object] = {
        "format": "cutcard-evidence/1",
        "game": refused.game,
        "key": str(key),
        "player": player,
    }
    lines: list[dict[str, object]] = [head]
    lines.append({"refused": {"detail": refused.detail, "reason": str(refused.reason)}})
    notes = dict(refused.evidence.checkpoints)
    for size, line in enumerate(refused.evidence.lines, 1):
        lines.append({"line": line.decode("ascii")})
        if size in notes:
            lines.append({"checkpoint": notes[size]})
    if refused.evidence.message:
        lines.append({"received": refused.evidence.message})
    encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    content = "".join(encoder.encode(line) + "\n" for line in lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content.encode("utf-8", "backslashreplace"))
