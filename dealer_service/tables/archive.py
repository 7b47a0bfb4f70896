"""What anybody may read of any game, open or over: lines, checkpoints, proofs, the game file.

Everything here comes from the store and is durable; of a game that the store has archived, from
the game's own file, at a node that has it. Who is told later has a `past`, beyond which there is
nothing for it. A tournament's log is read as a game's, by the tournament's id.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final, TypeVar

from dealer_service.store.api import Kept, LogState, Store, StoredCheckpoint
from dealer_service.tables.house import House
from dealer_service.tables.past import Past
from dealer_service.tables.refused import ServiceReason, archived, refused
from dealer_service.tables.replay import must_be_in_file
from dealer_service.transcript import canonical
from dealer_service.transcript.merkle import Tree, leaf_hash

CHUNK: Final = 64 * 1024
TREES: Final = 32
"""So many games' trees are kept for further proofs."""

_PAGE: Final = 512

T = TypeVar("T")


class Archive:
    """Reads games; a few trees are kept, and go on from where they were."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._trees: OrderedDict[str, Tree] = OrderedDict()

    async def lines(
        self, game: str, start: int, limit: int, past: Past | None = None
    ) -> tuple[tuple[bytes, ...], int]:
        """Give up to `limit` lines from `start` on, and the size of the log."""
        size = await self._size(game, past)
        if start > size:
            message = f"the log has {size} lines: ask from {size} at most"
            raise refused(ServiceReason.NO_SUCH_LINE, message, {"size": size})
        count = min(limit, size - start)
        lines = await self._kept(game, lambda kept: kept.lines(game, start, count))
        return lines, size

    async def checkpoint(self, game: str, past: Past | None = None) -> tuple[str, int]:
        """Give the newest checkpoint and its size; Refused NO_CHECKPOINT_YET."""
        await self._house.head(game)
        last = await self._last(game, past)
        if last is None:
            message = "nothing of this game was signed yet: ask again in a moment"
            raise refused(ServiceReason.NO_CHECKPOINT_YET, message)
        return last.note, last.size

    async def inclusion(
        self, game: str, index: int, size: int, past: Past | None = None
    ) -> tuple[bytes, int, tuple[bytes, ...]]:
        """Prove that a line is in the tree of `size` (0: the last checkpoint's).

        Gives the leaf hash, the size and the path (RFC 6962 2.1.1).
        """
        tree, size = await self._tree(game, size, past)
        if index >= size:
            message = f"the tree of size {size} ends with the line {size - 1}"
            raise refused(ServiceReason.NO_SUCH_LINE, message, {"size": size, "last": size - 1})
        return tree.leaf(index), size, tree.inclusion(index, size)

    async def consistency(
        self, game: str, old: int, new: int, past: Past | None = None
    ) -> tuple[int, tuple[bytes, ...]]:
        """Prove that the tree of size `old` is a beginning of that of `new` (0: the last one).

        Gives the new size and the path (RFC 6962 2.1.2).
        """
        tree, new = await self._tree(game, new, past)
        if not 1 <= old <= new:
            message = f"the first size is from 1 to {new}"
            raise refused(ServiceReason.NO_SUCH_SIZE, message, {"from": 1, "to": new})
        return new, tree.consistency(old, new)

    async def game_file(self, game: str, past: Past | None = None) -> AsyncIterator[bytes]:
        """Write the game file (PROTOCOL.md section 5) in chunks, up to its last checkpoint.

        A tournament's begins with a header of its own (14.1).
        """
        head = await self._house.head(game)
        if head.facts.state is LogState.LOST and head.next_index == 0:
            message = f"of this game nothing is left; it was signed to size {head.signed_size}"
            raise refused(ServiceReason.GAME_LOST, message, {"signed_size": head.signed_size})
        if head.facts.state is LogState.ARCHIVED and past is None:
            async for chunk in self._filed(game):
                yield chunk
            return
        what = "tournament" if head.is_tournament else "game"
        header = {
            "format": f"cutcard-{what}/1",
            what: game,
            "key": str(self._house.signer.verifier),
            "origin": self._house.origin,
        }
        buffer = bytearray(_file_line(header))
        last = await self._last(game, past)
        end = last.size if last else 0
        for start in range(0, end, _PAGE):
            stop = min(start + _PAGE, end)
            buffer += await self._kept(
                game, partial(_file_part, game=game, start=start, stop=stop, end=end)
            )
            while len(buffer) >= CHUNK:
                yield bytes(buffer[:CHUNK])
                del buffer[:CHUNK]
        yield bytes(buffer)

    async def _kept(self, game: str, call: Callable[[Kept], T]) -> T:
        """Read of a game where it is; Refused GAME_ARCHIVED where that is not here."""
        found, has_all = await self._house.read(partial(_read_with_state, game=game, call=call))
        if has_all:
            return found
        shelf = self._house.shelf
        if shelf is None:
            raise archived()
        try:
            return await shelf.do(partial(call, shelf))
        except FileNotFoundError:
            raise archived() from None

    async def _filed(self, game: str) -> AsyncIterator[bytes]:
        """Give a game's file as it stands on the shelf."""
        shelf = self._house.shelf
        if shelf is None:
            raise archived()
        at = 0
        try:
            while chunk := await shelf.do(partial(shelf.chunk, game, at)):
                yield chunk
                at += len(chunk)
        except FileNotFoundError:
            raise archived() from None

    async def _size(self, game: str, past: Past | None) -> int:
        head = await self._house.head(game)
        return head.next_index if past is None else past.size

    async def _last(self, game: str, past: Past | None) -> StoredCheckpoint | None:
        if past is None:
            return await self._kept(game, lambda kept: kept.last_checkpoint(game))
        return await self._kept(game, partial(_last_until, log=game, size=past.signed))

    async def _tree(self, game: str, size: int, past: Past | None) -> tuple[Tree, int]:
        if size == 0:
            _, size = await self.checkpoint(game, past)
        head = await self._house.head(game)
        there = head.next_index if past is None else past.size
        if size > there:
            message = f"the log has {there} lines"
            raise refused(ServiceReason.NO_SUCH_SIZE, message, {"size": there})
        tree = self._trees.pop(game, None) or Tree()
        have = tree.size
        if have < head.next_index:
            leaves = await self._kept(
                game, lambda kept: [leaf_hash(line) for line in kept.every_line(game, have)]
            )
            tree.extend(leaves)
        self._trees[game] = tree
        while len(self._trees) > TREES:
            self._trees.popitem(last=False)
        return tree, size


def _read_with_state(store: Store, *, game: str, call: Callable[[Kept], T]) -> tuple[T, bool]:
    """Read of a game, and say whether the store had all of it while it was read."""
    found = call(store)
    head = store.head(game)
    return found, head is not None and head.facts.state is not LogState.ARCHIVED


def _last_until(store: Kept, *, log: str, size: int) -> StoredCheckpoint | None:
    """Give the checkpoint of the greatest size up to `size`; there is one every few lines."""
    start, reach = size + 1, 64
    while start > 0:
        start, reach = max(0, size - reach), reach * 8
        found = store.checkpoints(log, start, size - start + 1)
        reached = [one for one in found if one.size <= size]
        if reached:
            return reached[-1]
    return None


def _file_part(store: Kept, *, game: str, start: int, stop: int, end: int) -> bytes:
    signed = store.checkpoints(game, start + 1, stop - start)
    notes = {one.size: one.note for one in signed}
    part = bytearray()
    for index, line in enumerate(store.lines(game, start, stop - start), start):
        part += line + b"\n"
        note = notes.get(index + 1)
        if note is not None and (must_be_in_file(line) or index + 1 == end):
            part += _file_line({"checkpoint": note})
    return bytes(part)


def _file_line(value: dict[str, str]) -> bytes:
    return canonical.encode(value, canonical.Text.UNICODE) + b"\n"
