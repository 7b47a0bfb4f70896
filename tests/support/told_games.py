"""A dealer's log that tells of games, and witnesses that co-sign it, for audits in memory.

The lines are worked out from the transcripts' bytes and co-signatures from their definition, by
neither the dealer's code nor the audit's.
"""

import json
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit_cli.log.tiles import Fetch
from audit_cli.problem import Problem
from tests.support.game_files import Signer, canonical, tree_root
from tests.support.published_logs import PublishedLog
from tests.support.transcripts import Transcript

STAGES = ("game_opened", "hand_opened", "deck_committed", "hand_void", "game_closed")
Change = Callable[[dict[str, Any]], dict[str, Any] | None]
"""What a dealer tells in place of a line, or None to leave it out."""


def inclusion_path(leaves: list[bytes], index: int) -> list[bytes]:
    """Give the path, leaf to root, by the recursive definition (RFC 6962 2.1.1)."""
    if len(leaves) == 1:
        return []
    split = 1 << (len(leaves) - 1).bit_length() - 1
    if index < split:
        return [*inclusion_path(leaves[:split], index), tree_root(leaves[split:])]
    return [*inclusion_path(leaves[split:], index - split), tree_root(leaves[:split])]


def noted_lines(transcript: Transcript) -> list[dict[str, Any]]:
    """Give the lines that a dealer's log has to have of a transcript."""
    leaves: list[bytes] = []
    found: list[dict[str, Any]] = []
    to_reveal: set[int] = set()
    closed = False

    def note(at: int, hand: int, stage: str) -> None:
        about = {
            "game": transcript.game,
            "hand": hand,
            "root": tree_root(leaves).hex(),
            "size": len(leaves),
            "stage": stage,
        }
        found.append({"at": at, "noted": about})

    for line in transcript.lines:
        value = json.loads(line)
        leaves.append(sha256(b"\0" + line).digest())
        ((kind, body),) = ((kind, body) for kind, body in value.items() if kind != "at")
        hand = body.get("hand", 0)
        if kind in STAGES:
            note(value["at"], hand, kind)
        if kind == "hand_opened":
            to_reveal.add(hand)
        elif kind in {"hand_void", "secret_revealed"}:
            to_reveal.discard(hand)
        closed = closed or kind == "game_closed"
        if closed and not to_reveal and kind in {"game_closed", "secret_revealed"}:
            note(value["at"], 0, "game_revealed")
    return found


def told(log: PublishedLog, transcript: Transcript, change: Change | None = None) -> PublishedLog:
    """Add the lines of a transcript to a log, as a dealer tells them that changes some."""
    for line in noted_lines(transcript):
        one = line if change is None else change(line)
        if one is not None:
            log.raw(canonical(one))
    return log


class Witness:
    """A witness's key of type 0x04, from a seed of 32 bytes."""

    def __init__(self, name: str, seed: bytes) -> None:
        self.name = name
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        public = b"\4" + self._key.public_key().public_bytes_raw()
        self._id = sha256(name.encode() + b"\n" + public).digest()[:4]
        self.vkey = f"{name}+{self._id.hex()}+{b64encode(public).decode()}"

    def cosign(self, note: str, time: int = 1_767_225_700) -> str:
        """Give the signature line on a note's text, at a time in seconds."""
        text = note[: note.rindex("\n\n") + 1]
        signed = self._key.sign(f"cosignature/v1\ntime {time}\n{text}".encode())
        data = self._id + time.to_bytes(8, "big") + signed
        return f"\N{EM DASH} {self.name} {b64encode(data).decode()}\n"


WITNESSES = tuple(Witness(f"witness.example/{n}", bytes([n]) * 32) for n in (1, 2, 3))


def policy_text(quorum: str = "group most 2 w1 w2 w3\nquorum most", log: str | None = None) -> str:
    """Give a policy of the three witnesses."""
    lines = [] if log is None else [f"log {log}"]
    lines += [f"witness w{n} {witness.vkey}" for n, witness in enumerate(WITNESSES, 1)]
    return "\n".join([*lines, quorum]) + "\n"


def cosigned(note: str, *numbers: int) -> str:
    """Give a note with the co-signatures of some of the witnesses, counted from 1."""
    return note + "".join(WITNESSES[number - 1].cosign(note) for number in numbers)


def files_of(log: PublishedLog, folder: Path, note: str | None = None) -> Fetch:
    """Publish a log into a folder and give what fetches its files from there."""
    log.publish(folder, note)

    def fetch(path: str) -> bytes | Problem:
        file = folder / path
        return file.read_bytes() if file.is_file() else Problem(f"{path}: no such file")

    return fetch


def proof_of(log: PublishedLog, index: int, note: str | None = None, *, extra: bool = True) -> str:
    """Give the `tlog-proof` of a line."""
    lines = ["c2sp.org/tlog-proof@v1"]
    if extra:
        lines.append(f"extra {b64encode(log.lines[index]).decode()}")
    lines.append(f"index {index}")
    lines += [b64encode(step).decode() for step in inclusion_path(log.leaves, index)]
    return "\n".join(lines) + f"\n\n{note or log.note()}"


def dealer_log_line(log: PublishedLog, indexes: list[int], note: str | None = None) -> bytes:
    """Give a line of a game file with some lines of the log."""
    leaves = log.leaves
    lines = [
        {
            "index": index,
            "line": log.lines[index].decode(),
            "proof": [step.hex() for step in inclusion_path(leaves, index)],
        }
        for index in indexes
    ]
    return canonical({"dealer_log": {"checkpoint": note or log.note(), "lines": lines}})


def new_log(name: str, seed: bytes) -> PublishedLog:
    """Begin a log under the key of a dealer."""
    return PublishedLog(Signer(name, seed))
