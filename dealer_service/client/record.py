"""A player's record of one game: its own witness, as PROTOCOL.md section 10 has it.

What the client sends is in the record, and on disk, before it is sent: each anchor, and each link
with the checkpoint that it was given under. It holds no secret and may be shown to anyone;
`cutcard-audit verify --mine` judges the dealer by it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from dealer_service.client.durable import FileError, LineFile
from dealer_service.client.refusing import Refused
from dealer_service.transcript.canonical import Value

FORMAT: Final = "cutcard-record/1"
_MAX_DETAIL: Final = 1000


class Record:
    """One game's record; opening it again goes on where it ended."""

    __slots__ = (
        "_anchors",
        "_checkpoints",
        "_file",
        "_links",
        "_missed",
        "last_checkpoint",
        "left_because",
    )

    def __init__(self, path: Path, *, game: str, key: str, origin: str, player: str) -> None:
        self._anchors: set[str] = set()
        self._checkpoints: set[str] = set()
        self._links: dict[int, str] = {}
        self._missed: set[int] = set()
        self.last_checkpoint = ""
        """That of the most lines, when the record was opened; empty for none."""
        self.left_because = ""
        self._file = LineFile(path)
        header: dict[str, Value] = {
            "format": FORMAT,
            "game": game,
            "key": key,
            "origin": origin,
            "player": player,
        }
        try:
            self._load(header)
        except BaseException:
            self._file.close()
            raise

    @property
    def path(self) -> Path:
        """Where the record is."""
        return self._file.path

    @property
    def links(self) -> Mapping[int, str]:
        """The links that were sent, in hex, by hand."""
        return self._links

    @property
    def anchors(self) -> frozenset[str]:
        """The anchors that were sent, in hex."""
        return frozenset(self._anchors)

    def anchor(self, anchor: str) -> None:
        """Note an anchor that is about to be sent."""
        if anchor not in self._anchors:
            self._file.append({"anchor": {"anchor": anchor}})
            self._anchors.add(anchor)

    def link(self, hand: int, link: str, checkpoint: str) -> None:
        """Note a link that is about to be sent, and the checkpoint that ends with its opening."""
        known = self._links.get(hand)
        if known is None:
            self._file.append({"link": {"checkpoint": checkpoint, "hand": hand, "link": link}})
            self._links[hand] = link
        elif known != link:
            message = f"another link was sent for hand {hand}; a hand has one"
            raise FileError(message)

    def checkpoint(self, note: str) -> None:
        """Keep another checkpoint."""
        if note not in self._checkpoints:
            self._file.append({"checkpoint": note})
            self._checkpoints.add(note)

    def missed(self, hand: int) -> None:
        """Note that a void called missing the link that was sent."""
        if hand not in self._missed:
            self._file.append({"missed": {"hand": hand}})
            self._missed.add(hand)

    def refused(self, refused: Refused) -> None:
        """Note why the client left the game: it never comes back to it."""
        detail = refused.detail[:_MAX_DETAIL]
        self._file.append({"refused": {"detail": detail, "reason": str(refused.reason)}})
        self.left_because = str(refused.reason)

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _load(self, header: dict[str, Value]) -> None:
        lines = self._file.lines
        if not lines:
            self._file.append(header)
            return
        if lines[0] != header:
            message = f"{self.path} is of another dealer key, game or player"
            raise FileError(message)
        try:
            for line in lines[1:]:
                self._read(line)
        except (KeyError, TypeError, ValueError):
            message = f"{self.path} is not a record of the form {FORMAT}"
            raise FileError(message) from None

    def _read(self, line: Mapping[str, Value]) -> None:
        match line:
            case {"anchor": {"anchor": str(anchor)}}:
                self._anchors.add(anchor)
            case {"link": {"hand": int(hand), "link": str(link), "checkpoint": str(note)}}:
                self._links[hand] = link
                self._see(note)
            case {"checkpoint": str(note)}:
                self._checkpoints.add(note)
                self._see(note)
            case {"missed": {"hand": int(hand)}}:
                self._missed.add(hand)
            case {"refused": {"reason": str(reason)}}:
                self.left_because = reason
            case _:
                raise ValueError

    def _see(self, note: str) -> None:
        """Remember the checkpoint of the most lines; ValueError for what is none."""
        last = self.last_checkpoint
        if not last or _size_of(note) >= _size_of(last):
            self.last_checkpoint = note


def _size_of(note: str) -> int:
    _, size, _ = note.split("\n", 2)
    return int(size)
