"""Tells which entries a key has signed, and passes on those alone: what an audit judges.

Protocol 12: entries under a checkpoint of the trusted key are judged (without a trusted key: of
the file's own). An entry is held back until a checkpoint covers it. A checkpoint counts when the
key's signature holds, its origin line is the game's, its size is the number of lines before it
and its root is theirs; one under the key's name and ID that fails in any of these breaks SIGNED.

Held-back entries are bounded in bytes: past `MAX_HELD` without a checkpoint nothing later of that
game can be judged.
"""

from __future__ import annotations

import marshal
from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

from audit_cli import ed25519
from audit_cli.gamefile import Damage, Extra, GameEnd, Header, Item, Line, Play, Signed
from audit_cli.note import NoteVerdict, VerifierKey, verify_note
from audit_cli.report.finding import Finding, Promise, Verdict
from audit_cli.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_HELD = 16 * 1024 * 1024
_BATCH = 256


class Ended(NamedTuple):
    """The end of a game: its entries, those covered, and what the entries behind those touch.

    `unsigned` counts the uncovered entries by kind; `first_unsigned` is the input's line of the
    first, None where all are covered. `key` is the key whose checkpoints were counted, `beacon`
    tells whether the covered rules name one.
    """

    number: int
    entries: int
    covered: int
    checkpoints: int
    key: VerifierKey
    unsigned: dict[str, int]
    first_unsigned: int | None
    beacon: bool


Verify = Callable[[ed25519.PublicKey, bytes, bytes], bool]


class Foresight(Protocol):
    """What is worked out before it is asked for."""

    def verify(self, key: ed25519.PublicKey, message: bytes, signature: bytes) -> bool:
        """`ed25519.verify`."""
        ...

    def reveal(self, batches: Iterable[Sequence[Line | Play]]) -> Iterator[Line | Play]:
        """Give the lines of all batches, in order, the decks of their secrets being derived."""
        ...


class _NoForesight:
    """Works out everything when it is asked for."""

    verify = staticmethod(ed25519.verify)

    @staticmethod
    def reveal(batches: Iterable[Sequence[Line | Play]]) -> Iterator[Line | Play]:
        return chain.from_iterable(batches)


Judged = Header | Line | Play | Signed | Extra | Damage | Ended | Finding


def cover(
    items: Iterable[Item | Play], trusted: VerifierKey | None, foresight: Foresight | None = None
) -> Iterator[Judged]:
    """`items` of any number of games, less the entries that no good checkpoint covers.

    Yields each game's Header, its covered Lines each batch followed by the Signed that covers it,
    its Extras, and an Ended; Damage where it was met; a Finding on SIGNED for each thing that
    breaks it. Other checkpoints (of other keys) are left out. What `foresight` has
    of signatures and decks is made use of.
    """
    foresight = foresight or _NoForesight()
    game: _Game | None = None
    for item in items:
        if isinstance(item, Line):
            assert game is not None
            game.hold(item)
        elif isinstance(item, Play):
            assert game is not None
            game.hold_play(item)
        elif isinstance(item, Signed):
            assert game is not None
            wrong = game.check(item)
            if wrong is None:
                yield from foresight.reveal(game.release())
                yield item
            elif isinstance(wrong, Finding):
                yield wrong
        elif isinstance(item, Header):
            game = _Game(item, trusted or item.key, foresight.verify)
            yield item
            yield from game.check_header()
        elif isinstance(item, GameEnd):
            assert game is not None
            yield from game.check_opening()
            yield game.end(item)
        elif isinstance(item, Extra) and game is not None and not game.is_whole():
            yield item._replace(whole=False)
        else:
            yield item


def _unpack(data: bytes) -> list[Line | Play]:
    held = marshal.loads(data)  # noqa: S302  (from our own spool)
    return [Line(*one) if len(one) == len(Line._fields) else Play(*one) for one in held]


def _one_by_one(held: Iterable[Line | Play]) -> Iterator[Line]:
    for one in held:
        if isinstance(one, Play):
            yield from one.lines()
        else:
            yield one


class _Game:
    """One game's held-back entries and counts."""

    __slots__ = (
        "_batched",
        "_bytes",
        "_checkpoints",
        "_count",
        "_covered",
        "_first",
        "_first_unsigned",
        "_header",
        "_held",
        "_key",
        "_overflow",
        "_spool",
        "_stored",
        "_unsigned",
        "_verify",
    )

    def __init__(self, header: Header, key: VerifierKey, verify: Verify) -> None:
        self._header = header
        self._key = key
        self._verify = verify
        self._held: list[Line | Play] = []
        # Batches of held lines, as their places in the spool; how many are held and in such.
        self._stored: list[tuple[int, int]] = []
        self._count = 0
        self._batched = 0
        self._spool = Spool()
        self._bytes = 0
        self._covered = 0
        self._checkpoints = 0
        self._overflow = False
        self._unsigned: Counter[str] = Counter()
        self._first: Line | None = None
        self._first_unsigned: int | None = None

    def hold(self, line: Line) -> None:
        if self._first is None:
            self._first = line
        self._bytes += line.length
        if not self._overflow and self._bytes <= MAX_HELD:
            self._held.append(line)
            self._count += 1
            if self._count - self._batched >= _BATCH:
                self._store()
            return
        self._overflow = True
        self._give_up()
        self._count_unsigned(line)

    def hold_play(self, play: Play) -> None:
        more = sum(play.lengths)
        if self._first is None or self._overflow or self._bytes + more > MAX_HELD:
            for line in play.lines():
                self.hold(line)
            return
        self._bytes += more
        self._held.append(play)
        self._count += len(play.leaves)
        if self._count - self._batched >= _BATCH:
            self._store()

    def _store(self) -> None:
        # A long log's secrets stand under one checkpoint.
        # What was foreseen is not kept so long.
        held = [one[:-1] if isinstance(one, Play) else tuple(one) for one in self._held]
        data = marshal.dumps(held)
        self._stored.append((self._spool.add(data), len(data)))
        self._held = []
        self._batched = self._count

    def _give_up(self) -> None:
        for held in self._take_held():
            for line in _one_by_one(held):
                self._count_unsigned(line)

    def _count_unsigned(self, line: Line) -> None:
        self._unsigned[line.kind or "unreadable"] += 1
        if self._first_unsigned is None:
            self._first_unsigned = line.number

    def is_whole(self) -> bool:
        """Whether every entry so far is covered."""
        return not (self._held or self._stored) and self._first_unsigned is None

    def release(self) -> Iterator[list[Line | Play]]:
        """Return the held lines, in order, in batches; none once there were too many."""
        self._checkpoints += 1
        self._bytes = 0
        self._covered += self._count
        return self._take_held()

    def _take_held(self) -> Iterator[list[Line | Play]]:
        """Return the held lines in batches, and hold none of them any more."""
        self._count = self._batched = 0
        held, self._held = self._held, []
        stored, self._stored = self._stored, []
        spool, self._spool = self._spool, Spool()
        return chain((_unpack(spool.read(*place)) for place in stored), (held,) if held else ())

    def check(self, signed: Signed) -> Finding | Verdict | None:
        """None for a checkpoint that counts; a Finding for one that breaks SIGNED.

        NOT_APPLICABLE for one that is not of the key: it says nothing.
        """
        verdict = self._open(signed)
        if verdict is NoteVerdict.NO_VERIFIABLE_SIGNATURE:
            return Verdict.NOT_APPLICABLE
        if verdict is not NoteVerdict.OK:
            return self._broken(signed, f"a signature of {self._key} on a checkpoint fails")
        return self._compare(signed)

    def _open(self, signed: Signed) -> NoteVerdict:
        """Return what the key says of a checkpoint's note, with few steps where it stands alone."""
        key, note = self._key, signed.note
        if len(note.signatures) != 1:
            return verify_note(note, (key,)).verdict
        name, key_id, signature = note.signatures[0]
        if (name, key_id) != (key.name, key.key_id):
            return NoteVerdict.NO_VERIFIABLE_SIGNATURE
        good = self._verify(key.key, note.text.encode("utf-8"), signature)
        return NoteVerdict.OK if good else NoteVerdict.INVALID_SIGNATURE

    def _compare(self, signed: Signed) -> Finding | None:
        """Compare what a well signed checkpoint says with the header and the lines before it."""
        checkpoint = signed.checkpoint
        # A header's key of another name has been told of already.
        if self._key.name not in (self._header.origin, self._header.key.name):
            text = "a checkpoint is signed by the key of another origin"
            return self._broken(signed, text, self._header.origin, self._key.name)
        if checkpoint.origin != self._header.log_origin:
            return self._broken(
                signed,
                "a checkpoint is of another log",
                self._header.log_origin,
                checkpoint.origin,
            )
        if checkpoint.size != signed.size:
            return self._broken(
                signed,
                "a checkpoint does not stand behind the last line that it covers",
                f"size {signed.size}, the entries before it",
                f"size {checkpoint.size}",
            )
        if checkpoint.root != signed.root:
            return self._broken(
                signed,
                f"the root of a checkpoint is not that of the {signed.size:,} entries before it",
                checkpoint.root.hex(),
                signed.root.hex(),
            )
        return None

    def _broken(
        self, signed: Signed, text: str, expected: str | None = None, found: str | None = None
    ) -> Finding:
        return Finding(
            Promise.SIGNED,
            Verdict.BROKEN,
            text,
            game=self._header.game,
            entry=signed.size - 1 if signed.size else None,
            line=signed.number,
            expected=expected,
            found=found,
        )

    def check_header(self) -> Iterator[Finding]:
        """Compare the key's name with the origin of the file."""
        name, origin = self._header.key.name, self._header.origin
        if name != origin:
            yield self._names("the key of the header", self._header.number, origin, name)

    def check_opening(self) -> Iterator[Finding]:
        """Compare the first entry's origin and game with the header's."""
        first = self._first
        name = "tournament" if self._header.tournament else "game"
        if first is None or first.kind != f"{name}_opened":
            return
        for field, wanted in (("origin", self._header.origin), (name, self._header.game)):
            if first.body[field] != wanted:
                yield self._names(first.kind, first.number, wanted, first.body[field])

    def _names(self, what: str, number: int, expected: str, found: str) -> Finding:
        return Finding(
            Promise.SIGNED,
            Verdict.BROKEN,
            f"{what} names another origin or game than the header",
            game=self._header.game,
            line=number,
            expected=expected,
            found=found,
        )

    def end(self, end: GameEnd) -> Ended:
        self._give_up()
        return Ended(
            number=end.number,
            entries=end.size,
            covered=self._covered,
            checkpoints=self._checkpoints,
            key=self._key,
            unsigned=dict(self._unsigned),
            first_unsigned=self._first_unsigned,
            beacon=self._covered > 0 and self._names_beacon(),
        )

    def _names_beacon(self) -> bool:
        first = self._first
        return first is not None and first.kind == "game_opened" and "beacon" in first.body["rules"]
