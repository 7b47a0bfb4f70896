"""What became of all that a dealer said, by the audit's own code: nothing of the dealer's judges.

"Lost" is what was acknowledged, published or signed, or chips that moved, and is not there exactly
once in the end. "Forked" is what was signed, dealt or committed in two ways. Whatever else is not
as it should be is "wrong".
"""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint
from audit_cli.gamefile import Header, Line, Signed, read_game_file
from audit_cli.merkle import Frontier
from audit_cli.note import Note, NoteVerdict, VerifierKey, parse_note, verify_note
from tests.chaos.ledger import Ledger

SignedAt = tuple[str, int, bytes]
"""A log, a size, and the root that was signed there."""
Entries = list[tuple[str, dict[str, Any]]]
"""The kinds and bodies of lines, in their order."""


@dataclass
class Ruling:
    """What a run is found to have lost, forked, or done wrong otherwise, in words."""

    lost: list[str] = field(default_factory=list)
    forked: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Ruling") -> None:
        """Add what another found."""
        self.lost += other.lost
        self.forked += other.forked
        self.wrong += other.wrong

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found."""
        return not (self.lost or self.forked or self.wrong)


@dataclass(frozen=True)
class Log:
    """A game's file, read: its lines, the roots at every size, its notes, and its dealer's key."""

    lines: tuple[bytes, ...] = ()
    roots: tuple[bytes, ...] = (Frontier().root(),)
    notes: frozenset[str] = frozenset()
    key: VerifierKey | None = None

    @property
    def entries(self) -> Entries:
        """Kinds and bodies."""
        return read_entries(self.lines)


def read_log(content: bytes) -> Log:
    """Read a game file of one game; an empty one is of a game of which nothing is left."""
    if not content:
        return Log()
    raw = content.split(b"\n")
    lines, notes, frontier, key = [], [], Frontier(), None
    roots = [frontier.root()]
    for item in read_game_file(io.BytesIO(content), "game"):
        if isinstance(item, Line):
            lines.append(raw[item.number - 1])
            frontier.append(item.leaf)
            roots.append(frontier.root())
        elif isinstance(item, Signed):
            notes.append(item.text)
        elif isinstance(item, Header):
            key = item.key
    return Log(tuple(lines), tuple(roots), frozenset(notes), key)


def read_entries(lines: Iterable[bytes]) -> Entries:
    """Read the kinds and bodies of lines."""
    found: Entries = []
    for line in lines:
        ((kind, body),) = timeless(line).items()
        found.append((kind, body))
    return found


def timeless(line: bytes) -> dict[str, Any]:
    """Read a line without its time, and without the root that is made of other lines' times."""
    value: dict[str, Any] = json.loads(line)
    del value["at"]
    value.get("game_opened", {}).get("previous", {}).pop("root", None)
    return value


def rule_lines(ledger: Ledger, logs: Mapping[str, Log]) -> Ruling:
    """Every line that was ever told stands where it stood, and times never go back."""
    ruling = Ruling()
    for game in {*ledger.lines, *ledger.notes} - logs.keys():
        ruling.lost.append(f"game {game} is not there")
    for game, log in logs.items():
        for index, variants in sorted(ledger.lines.get(game, {}).items()):
            stands = log.lines[index] if index < len(log.lines) else None
            ruling.lost += [
                f"the published line {index} of {game} does not stand: {line!r}"
                for line in variants
                if line != stands
            ]
        ruling.lost += [
            f"the stream of {name} ended at line {size} of {game}, which has {len(log.lines)}"
            for (name, of), size in ledger.ended.items()
            if of == game and size != len(log.lines)
        ]
        times = [json.loads(line)["at"] for line in log.lines]
        if any(after < before for before, after in pairwise(times)):
            ruling.wrong.append(f"the lines of {game} go back in time")
    return ruling


def rule_forks(ledger: Ledger, files: Mapping[str, bytes], signed: Iterable[SignedAt]) -> Ruling:
    """Nothing was signed, dealt, committed or shown in two ways, whatever is left of the games."""
    ruling = Ruling()
    logs = {game: read_log(content) for game, content in files.items()}
    roots: dict[tuple[str, int], set[bytes]] = {}
    for game, size, root in signed:
        roots.setdefault((game, size), set()).add(root)
    for game, log in logs.items():
        for text in log.notes | ledger.notes.get(game, set()):
            at = _read_note(text, log, ruling)
            if at is not None:
                roots.setdefault((game, at.size), set()).add(at.root)
    for (game, size), found in sorted(roots.items()):
        log = logs.get(game, Log())
        if size < len(log.roots):
            found.add(log.roots[size])
        if len(found) > 1:
            ruling.forked.append(f"{game} has {len(found)} roots at size {size}")
    for game, log in logs.items():
        _rule_hands(ruling, game, log, ledger)
    _rule_cards(ruling, ledger)
    return ruling


def _rule_cards(ruling: Ruling, ledger: Ledger) -> None:
    """What a seat was shown of its own cards stays what it was."""
    cards: dict[tuple[str, int, int], set[bytes]] = {}
    for (game, _, hand, position), told in ledger.openings.items():
        cards.setdefault((game, hand, position), set()).update(told)
    for (game, hand, position), told in cards.items():
        if len(told) > 1:
            ruling.forked.append(f"position {position} of hand {hand} in {game} was two cards")


def rule_signed(ledger: Ledger, logs: Mapping[str, Log], signed: Iterable[SignedAt]) -> Ruling:
    """Whatever was signed, for anybody or in a journal, is there up to its size."""
    ruling = Ruling()
    sizes = [(game, size, "a journal") for game, size, _ in signed]
    for game, notes in ledger.notes.items():
        sizes += [(game, int(text.split("\n")[1]), "a note") for text in notes]
    for game, size, where in sizes:
        lines = len(logs[game].lines) if game in logs else 0
        if size > lines:
            ruling.lost.append(f"{where} has {game} signed to {size}, and {lines} lines are there")
    return ruling


def _read_note(text: str, log: Log, ruling: Ruling) -> Checkpoint | None:
    note = parse_note(text)
    keys = [log.key] if log.key is not None else []
    if keys and isinstance(note, Note) and verify_note(note, keys).verdict is not NoteVerdict.OK:
        ruling.wrong.append(f"a note is not signed by the dealer: {text!r}")
        return None
    at = parse_game_checkpoint(note.text) if isinstance(note, Note) else None
    if not isinstance(at, Checkpoint):
        ruling.wrong.append(f"a note is none: {text!r}")
        return None
    return at


def _rule_hands(ruling: Ruling, game: str, log: Log, ledger: Ledger) -> None:
    """A hand has one commitment and one deck in all that was told, whether it stands or not."""
    told = [line for variants in ledger.lines.get(game, {}).values() for line in variants]
    seen: dict[tuple[str, int], set[str]] = {}
    for kind, body in read_entries((*log.lines, *told)):
        if kind in {"hand_opened", "deck_committed"}:
            what = body["commitment"] if kind == "hand_opened" else body["deck_root"]
            seen.setdefault((kind, body["hand"]), set()).add(what)
    ruling.forked += [
        f"hand {hand} of {game} has {len(values)} of {kind}"
        for (kind, hand), values in seen.items()
        if len(values) > 1
    ]
    opened = [body["hand"] for kind, body in log.entries if kind == "hand_opened"]
    if len(set(opened)) != len(opened):
        ruling.forked.append(f"a hand of {game} was opened twice: {opened}")
