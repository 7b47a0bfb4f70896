"""A player's chains for one game, in a file of their own (PROTOCOL.md section 2).

One chain begins with 32 fresh bytes; its last value is the anchor, and each hand is given the
value before the one that stands. The file notes which value goes to which hand before the value
leaves, so that a client that was killed in between gives the same link again, never two for one
hand, and never one that has left already for another hand: a link that left is spent.
"""

import hmac
from collections.abc import Callable
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from dealer_service.client.durable import FileError, LineFile
from dealer_service.fairness.commitment import LINK_BYTES, chain
from dealer_service.transcript.canonical import Value

Entropy = Callable[[int], bytes]

FORMAT: Final = "cutcard-chain/1"
MAX_LENGTH: Final = 20_001  # 20,000 hands; a game that goes on gets another chain


@unique
class NoLink(StrEnum):
    """Why there is no link for a hand."""

    UNKNOWN_ANCHOR = "UNKNOWN_ANCHOR"
    EXHAUSTED = "EXHAUSTED"
    SPENT = "SPENT"


class Chains:
    """The chains of one player in one game; nothing of them is in any repr."""

    __slots__ = ("_chains", "_file", "_given", "_place", "_where")

    def __init__(self, path: Path, origin: str, game: str, player: str) -> None:
        self._place = (origin, bytes.fromhex(game), player)
        self._chains: list[tuple[bytes, ...]] = []
        self._where: dict[bytes, tuple[int, int]] = {}
        self._given: dict[int, bytes] = {}
        self._file = LineFile(path)
        try:
            self._load({"format": FORMAT, "game": game, "origin": origin, "player": player})
        except BaseException:
            self._file.close()
            raise

    def new_anchor(self, entropy: Entropy, hands: int) -> bytes:
        """Begin a chain for `hands` hands, on disk before its anchor is known to anyone."""
        length = min(max(hands, 1) + 1, MAX_LENGTH)
        seed = entropy(LINK_BYTES)
        if len(seed) != LINK_BYTES or seed == seed[:1] * LINK_BYTES or seed in self._where:
            message = "the random source gave no 32 fresh bytes; no chain is begun with it"
            raise ValueError(message)
        self._file.append({"chain": {"length": length, "seed": seed.hex()}})
        self._begin(seed, length)
        return self._chains[-1][-1]

    def link_for(self, hand: int, anchor: bytes) -> bytes | NoLink:
        """Give the link for a hand that froze `anchor`, noted on disk first; again the same."""
        place = self._where.get(anchor)
        if place is None:
            return NoLink.UNKNOWN_ANCHOR
        number, index = place
        if index == 0:
            return NoLink.EXHAUSTED
        link = self._chains[number][index - 1]
        if (given := self._given.get(hand)) is not None:
            return link if hmac.compare_digest(given, link) else NoLink.SPENT
        if link in self._given.values():
            return NoLink.SPENT
        self._file.append({"link": {"chain": number, "hand": hand, "index": index - 1}})
        self._given[hand] = link
        return link

    def given(self, hand: int) -> bytes | None:
        """Give the link that was noted for a hand."""
        return self._given.get(hand)

    def before(self, anchor: bytes) -> bytes | None:
        """Give the value before an anchor that has been lost, to be told as the missing link."""
        number, index = self._where.get(anchor, (0, 0))
        return self._chains[number][index - 1] if index else None

    def left(self, anchor: bytes) -> int:
        """Say how many hands an anchor can still serve; 0 for one that is none of these."""
        return self._where.get(anchor, (0, 0))[1]

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _begin(self, seed: bytes, length: int) -> None:
        values = chain(*self._place, seed, length)
        number = len(self._chains)
        self._chains.append(values)
        self._where |= {value: (number, index) for index, value in enumerate(values)}

    def _load(self, header: dict[str, Value]) -> None:
        if not self._file.lines:
            self._file.append(header)
            return
        try:
            self._read(header)
        except (KeyError, IndexError, TypeError, ValueError):
            message = f"{self._file.path} is not the chain of this player and game"
            raise FileError(message) from None

    def _read(self, header: dict[str, Value]) -> None:
        if self._file.lines[0] != header:
            raise ValueError
        for line in self._file.lines[1:]:
            ((kind, body),) = line.items()
            if not isinstance(body, dict):
                raise TypeError
            if kind == "chain":
                length = _number(body["length"])
                self._begin(bytes.fromhex(str(body["seed"])), length)
            else:
                number, index, hand = (_number(body[name]) for name in ("chain", "index", "hand"))
                self._given[hand] = self._chains[number][index]


def _number(value: Value) -> int:
    if type(value) is not int:
        raise TypeError
    return value
