"""F22, F23 and F25: an honest game that its dealer changes, signs again and hands out.

The dealer holds the key, so that every signature and every hash of the changed file is good. What
it can not change is what was published before: the commitment of a deck, and the checkpoints that
others keep.
"""

from __future__ import annotations

import io
import json
from base64 import b64encode
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint
from audit_cli.checks import CHECKS, Request
from audit_cli.checks.check import OutsideNote
from audit_cli.derive import derive_deck
from audit_cli.gamefile import read_game_file
from audit_cli.hashing import Link, commit_hand, mix_hand
from audit_cli.merkle import Frontier, leaf_hash
from audit_cli.note import Note, VerifierKey, parse_note, parse_vkey
from audit_cli.report.finding import Promise, Report, Verdict
from audit_cli.verify import audit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: The key of `games/honest.game`: known to everybody, and no dealer's.
KEY_SEED: Final = bytes(range(32))

#: The hands that are changed, and where.
RIVER_HAND: Final = 1
CARD_HAND: Final = 4
REWRITTEN_HAND: Final = 2


@dataclass(frozen=True, slots=True)
class Written:
    """A game's lines as its dealer keeps them; `sizes` are those that it signs, rising."""

    header: Mapping[str, str]
    lines: tuple[bytes, ...]
    sizes: tuple[int, ...]

    def change(self, kind: str, hand: int, change: Callable[[dict[str, Any]], None]) -> Written:
        """Return the game with every line of a kind in one hand changed."""
        lines = []
        inside = 0
        for line in self.lines:
            value = json.loads(line)
            body = value.get(kind)
            inside = value["hand_opened"]["hand"] if "hand_opened" in value else inside
            if body is not None and body.get("hand", inside) == hand:
                change(body)
            lines.append(_canonical(value))
        return replace(self, lines=tuple(lines))

    def find(self, kind: str, hand: int) -> dict[str, Any]:
        """Return the first line's body of a kind in one hand."""
        found: list[dict[str, Any]] = []
        self.change(kind, hand, found.append)
        return found[0]

    def note(self, size: int) -> str:
        """Return a signed checkpoint of the first lines."""
        frontier = Frontier()
        for line in self.lines[:size]:
            frontier.append(leaf_hash(line))
        return self._sign(size, frontier.root())

    def render(self) -> bytes:
        """Return the game's file, every checkpoint in its place."""
        parts = [_canonical(self.header)]
        frontier = Frontier()
        for number, line in enumerate(self.lines, 1):
            parts.append(line)
            frontier.append(leaf_hash(line))
            if number in self.sizes:
                parts.append(_canonical({"checkpoint": self._sign(number, frontier.root())}))
        return b"".join(part + b"\n" for part in parts)

    def _sign(self, size: int, root: bytes) -> str:
        origin = self.header["origin"]
        text = f"{origin}/games/{self.header['game']}\n{size}\n{b64encode(root).decode()}\n"
        key = Ed25519PrivateKey.from_private_bytes(KEY_SEED)
        public = b"\1" + key.public_key().public_bytes_raw()
        signed = sha256(f"{origin}\n".encode() + public).digest()[:4] + key.sign(text.encode())
        return f"{text}\n\N{EM DASH} {origin} {b64encode(signed).decode()}\n"


@cache
def honest() -> Written:
    """Return the honest game."""
    data = (resources.files(__package__) / "games" / "honest.game").read_bytes()
    header, *rest = data.splitlines()
    lines: list[bytes] = []
    sizes = []
    for line in rest:
        if line.startswith(b'{"checkpoint":'):
            sizes.append(len(lines))
        else:
            lines.append(line)
    return Written(json.loads(header), tuple(lines), tuple(sizes))


def river_swapped() -> Written:
    """F22: another ten on the river, after the commitment; the first seat wins by either."""

    def swap(body: dict[str, Any]) -> None:
        for card in body["cards"]:
            if card["card"] == "Ts":
                card["card"] = "Tc"

    def award(body: dict[str, Any]) -> None:
        body["winners"][0]["best_five"][:2] = ["Tc", "Td"]

    return honest().change("opened", RIVER_HAND, swap).change("awarded", RIVER_HAND, award)


def card_swapped() -> Written:
    """F23: one card of one hand, which changes nothing of who wins."""

    def swap(body: dict[str, Any]) -> None:
        for card in body["cards"]:
            if card["card"] == "2s":
                card["card"] = "3s"

    return honest().change("opened", CARD_HAND, swap)


def rewritten() -> Written:
    """F25: a hand that ended before the flop is given another deck, and all is committed anew.

    No card of it was ever opened, so that the file holds together; only checkpoints that somebody
    kept from before tell of another history.
    """
    game = honest()
    origin, game_id = game.header["origin"], bytes.fromhex(game.header["game"])
    secret = sha256(b"another secret").digest()
    commitment = commit_hand(origin, game_id, REWRITTEN_HAND, secret)
    players = {
        one["seat"]: one["player"] for one in game.find("hand_opened", REWRITTEN_HAND)["seats"]
    }
    links = [
        Link(one["seat"], players[one["seat"]], bytes.fromhex(one["link"]))
        for one in game.find("deck_committed", REWRITTEN_HAND)["links"]
    ]
    mix = mix_hand(origin, game_id, REWRITTEN_HAND, commitment, links, None)
    committed = {"mix": mix.hex(), "deck_root": derive_deck(secret, mix).root.hex()}
    for kind, fields in (
        ("hand_opened", {"commitment": commitment.hex()}),
        ("deck_committed", committed),
        ("secret_revealed", {"secret": secret.hex()}),
    ):
        game = game.change(kind, REWRITTEN_HAND, partial(_set, fields))
    return game


def _set(fields: Mapping[str, str], body: dict[str, Any]) -> None:
    body.update(fields)


def verify(game: Written, *, outside: str | None = None) -> Report:
    """Audit a game as `verify --key` does, with a checkpoint that somebody kept if one is given."""
    trusted = parse_vkey(honest().header["key"])
    assert isinstance(trusted, VerifierKey)
    kept = () if outside is None else (_outside(outside),)
    request = Request(trusted=trusted, outside=kept)
    return audit(read_game_file(io.BytesIO(game.render()), "game"), request, CHECKS)


def broken(report: Report) -> dict[Promise, set[int | None]]:
    """Return the promises that are broken, each with the hands in which it is."""
    found: dict[Promise, set[int | None]] = {}
    for one in report.findings:
        if one.verdict is Verdict.BROKEN:
            found.setdefault(one.promise, set()).add(one.hand)
    return found


def _outside(text: str) -> OutsideNote:
    note = parse_note(text)
    assert isinstance(note, Note)
    checkpoint = parse_game_checkpoint(note.text)
    assert isinstance(checkpoint, Checkpoint)
    return OutsideNote("a kept checkpoint", text, note, checkpoint)


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
