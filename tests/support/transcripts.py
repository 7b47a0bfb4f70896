"""A transcript that tests can change at will and sign again with the dealer's key.

`Transcript` is a list of lines with the sizes that are signed. Every change keeps the checkpoints
behind the lines that they were behind; `render` hashes and signs anew what is there, as a dealer
who cheats would.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import NoteSigner

FORMAT = "cutcard-game/1"

Rewrite = Callable[[int, str], str | None]
"""rewrite(size, note): the note to write at that size in place of the honest one, or none."""


def dump(value: object) -> bytes:
    """Write any JSON value without spaces and with sorted keys, allowed in a transcript or not."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class Found:
    """One line as it was read: its index, its time, its kind and a copy of its body."""

    index: int
    at: int
    kind: str
    body: dict[str, Any]


@dataclass(slots=True)
class Transcript:
    """The lines of one game, and after how many of them a checkpoint stands, rising."""

    origin: str
    game: str
    lines: list[bytes]
    checkpoints: list[int]
    openings: list[dict[str, Any]] = field(default_factory=list)

    def copy(self) -> "Transcript":
        """Give one more to change."""
        return replace(
            self,
            lines=list(self.lines),
            checkpoints=list(self.checkpoints),
            openings=list(self.openings),
        )

    def read(self, index: int) -> Found:
        """Read a line."""
        index = index if index >= 0 else len(self.lines) + index
        value = json.loads(self.lines[index])
        at = value.pop("at")
        ((kind, body),) = value.items()
        return Found(index, at, kind, body)

    def all(self, kind: str | None = None) -> list[Found]:
        """List all lines, or those of one kind."""
        found = (self.read(index) for index in range(len(self.lines)))
        return [one for one in found if kind is None or one.kind == kind]

    def find(
        self,
        kind: str,
        *,
        hand: int | None = None,
        where: Callable[[dict[str, Any]], bool] | None = None,
    ) -> Found:
        """Find the first line of a kind, in the lines of one hand, whose body is as wanted."""
        inside = 0
        for one in self.all():
            if one.kind == "hand_opened":
                inside = one.body["hand"]
            of_hand = one.body.get("hand", inside)
            if one.kind == kind and hand in {None, of_hand} and (where is None or where(one.body)):
                return one
        message = f"no line {kind} of hand {hand} is like that"
        raise LookupError(message)

    def put(self, index: int, at: int, kind: str, body: object) -> None:
        """Write another line in one's place."""
        self.lines[index] = dump({"at": at, kind: body})

    def change(self, index: int, **fields: object) -> None:
        """Set fields of a line's body; None takes one out."""
        one = self.read(index)
        body = {name: value for name, value in (one.body | fields).items() if value is not None}
        self.put(index, one.at, one.kind, body)

    def move_time(self, index: int, at: int) -> None:
        """Give a line another time."""
        one = self.read(index)
        self.put(index, at, one.kind, one.body)

    def insert(self, index: int, at: int, kind: str, body: object) -> None:
        """Put a line before the one at `index`; checkpoints of later lines move on."""
        self.lines.insert(index, dump({"at": at, kind: body}))
        self.checkpoints = [size + (size > index) for size in self.checkpoints]

    def delete(self, index: int) -> None:
        """Take a line out; checkpoints of later lines move back."""
        del self.lines[index]
        sizes = {size - (size > index) for size in self.checkpoints}
        self.checkpoints = sorted(size for size in sizes if size)

    def swap(self, one: int, other: int) -> None:
        """Let two lines change places, each at the other's time."""
        a, b = self.read(one), self.read(other)
        self.put(one, a.at, b.kind, b.body)
        self.put(other, b.at, a.kind, a.body)

    def cut(self, size: int) -> None:
        """End the transcript after `size` lines."""
        del self.lines[size:]
        self.checkpoints = [one for one in self.checkpoints if one <= size]

    def span(self, hand: int) -> range:
        """Give the indices of a hand's lines, from its opening to its end or void."""
        start = self.find("hand_opened", hand=hand).index
        for one in map(self.read, range(start, len(self.lines))):
            if one.kind in {"hand_ended", "hand_void"}:
                return range(start, one.index + 1)
        return range(start, len(self.lines))

    def root(self, size: int | None = None) -> bytes:
        """Give the root over the first lines, over all without a size."""
        return Tree(leaf_hash(line) for line in self.lines).root(size)

    def note(self, signer: NoteSigner, size: int | None = None) -> str:
        """Sign a checkpoint of the first lines, of all without a size."""
        size = len(self.lines) if size is None else size
        return _sign(self, signer, size, self.root(size))

    def render(
        self,
        signer: NoteSigner,
        *,
        header: Mapping[str, object] | None = None,
        rewrite: Rewrite | None = None,
        also: Iterable[bytes] = (),
    ) -> bytes:
        """Write the game file, with every checkpoint signed over the lines as they are.

        `header` replaces fields of the first line, `rewrite` any note, `also` are lines for the
        very end.
        """
        first = {
            "format": FORMAT,
            "game": self.game,
            "key": str(signer.verifier),
            "origin": self.origin,
        }
        out = [dump(first | dict(header or {}))]
        tree = Tree()
        sizes = iter([*self.checkpoints, 0])
        due = next(sizes)
        for size, line in enumerate(self.lines, 1):
            out.append(line)
            tree.append(leaf_hash(line))
            while size == due:
                note: str | None = _sign(self, signer, size, tree.root())
                if rewrite is not None and note is not None:
                    note = rewrite(size, note)
                if note is not None:
                    out.append(dump({"checkpoint": note}))
                due = next(sizes)
        out += [dump({"opening": one}) for one in self.openings]
        out += also
        return b"\n".join(out) + b"\n"


def _sign(transcript: Transcript, signer: NoteSigner, size: int, root: bytes) -> str:
    origin = f"{transcript.origin}/games/{transcript.game}"
    return sign_checkpoint(Checkpoint(origin, size, root), signer)
