"""Writes game files line by line, signed with a throw-away key, independently of the dealer.

The canonical text, the Merkle root and the signatures are made here from first principles, so
that the audit's own code is never what a test's input is made with.
"""

import json
from base64 import b64encode
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN = "dealer.example.net"
GAME = "ced2a6b7b0ae389ff81a07d04e915305"
START = 1_767_225_600_000

RULES: dict[str, Any] = {
    "variant": "holdem",
    "structure": "no_limit",
    "seats": 6,
    "small_blind": 1,
    "big_blind": 2,
    "chip_unit": 1,
    "buy_in_min": 40,
    "buy_in_max": 200,
    "button": "moving",
    "newcomers": "next_hand",
    "absent": "sit_out",
    "show": "winners",
    "all_in": "face_up",
    "turn_ms": 15_000,
    "link_ms": 3_000,
    "pause_ms": 2_000,
    "links": "optional",
    "log_proof": "none",
    "reveal": {"policy": "all_cards", "within_ms": 60_000},
    "max_hands": 1_000,
    "max_ms": 86_400_000,
}


def canonical(value: object) -> bytes:
    """Give the canonical bytes of a JSON value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def tree_root(leaves: list[bytes]) -> bytes:
    """Give the RFC 6962 root of some leaf hashes, by its recursive definition."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256().digest()
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1" + tree_root(leaves[:split]) + tree_root(leaves[split:])).digest()


class Signer:
    """A key with its origin's name, from a seed of 32 bytes."""

    def __init__(self, name: str = ORIGIN, seed: bytes = bytes(range(32))) -> None:
        self.name = name
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        public = b"\1" + self._key.public_key().public_bytes_raw()
        self._id = sha256(name.encode() + b"\n" + public).digest()[:4]
        self.vkey = f"{name}+{self._id.hex()}+{b64encode(public).decode()}"

    def sign(self, text: str) -> str:
        """Give the signature line of a note's text."""
        signed = self._id + self._key.sign(text.encode())
        return f"\N{EM DASH} {self.name} {b64encode(signed).decode()}\n"

    def note(self, log: str, size: int, root: bytes) -> str:
        """Give a checkpoint as a signed note."""
        text = f"{log}\n{size}\n{b64encode(root).decode()}\n"
        return f"{text}\n{self.sign(text)}"


class GameFile:
    """A file in the making: `entry` and `raw` add lines, `checkpoint` signs those so far."""

    def __init__(
        self,
        signer: Signer | None = None,
        *,
        game: str = GAME,
        origin: str = ORIGIN,
        opened: bool = True,
        **header: object,
    ) -> None:
        self.signer = signer or Signer()
        self.game = game
        self.origin = origin
        self.log = f"{origin}/games/{game}"
        self.leaves: list[bytes] = []
        fields = {
            "format": "cutcard-game/1",
            "game": game,
            "key": self.signer.vkey,
            "origin": origin,
        }
        self.lines = [canonical(fields | header)]
        if opened:
            self.entry("game_opened", suite="cutcard/v1", origin=origin, game=game, rules=RULES)

    def entry(self, kind: str, **fields: object) -> "GameFile":
        """Add an entry, a second after the one before."""
        at = START + 1_000 * len(self.leaves)
        return self.raw(canonical({"at": at, kind: fields}))

    def raw(self, line: bytes) -> "GameFile":
        """Add an entry's bytes as they are."""
        self.leaves.append(sha256(b"\0" + line).digest())
        return self.other(line)

    def other(self, line: bytes) -> "GameFile":
        """Add a line that is not of the log."""
        self.lines.append(line)
        return self

    def note(self, size: int | None = None) -> str:
        """Give the note of the first `size` entries, or of all so far."""
        leaves = self.leaves[:size]
        return self.signer.note(self.log, len(leaves), tree_root(leaves))

    def checkpoint(self, note: str | None = None) -> "GameFile":
        """Add a checkpoint of the entries so far, or the note given."""
        return self.other(canonical({"checkpoint": self.note() if note is None else note}))

    def data(self) -> bytes:
        """Give the whole file."""
        return b"".join(line + b"\n" for line in self.lines)
