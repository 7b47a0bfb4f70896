"""What can be said of a block of lines without the lines before it: all of it by pure functions.

Entries are read and hashed, the signatures of checkpoints verified, the decks of revealed secrets
derived. Whoever audits the lines in their order takes each of these in place of a call of its own,
and only where it would make that very call, with the same arguments: so it does not matter who
examined a block, nor whether anybody did.
"""

from __future__ import annotations

import marshal
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, cast

from audit_cli import ed25519
from audit_cli.canonical import read_file_line
from audit_cli.derive import SALT_BYTES, StreamExhaustedError, derive_deck
from audit_cli.gamefile import CHECKPOINT, PLAY, Foreseen, Line, Play, read_checkpoint
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.problem import Problem
from audit_cli.transcript_line import Plain, parse_all_plainly, parse_entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from audit_cli.checks.foreseen import Foresight

_HEADER = b'{"format":'
_OPENED = b',"game_opened":{'
# So far behind the beginning of a line its kind stands at the latest.
_SECOND_KEY = 40

Entry = tuple[Plain, bytes]

# What `PLAY` lines that follow each other say, their leaf hashes, and what comes of them. Where
# that is known what they say is not, once it was packed: hardly anybody asks.
Run = tuple[list[Plain] | None, list[bytes], Foreseen | None]
# So few of them are not worth it.
_LEAST = 4


class Signed(NamedTuple):
    """Whether a key (32 bytes) signed a message: the arguments and the answer of one `verify`."""

    key: bytes
    message: bytes
    signature: bytes
    good: bool


class Derived(NamedTuple):
    """A deck by its secret and mix, small: its card numbers and its salts, each joined in one."""

    secret: bytes
    mix: bytes
    root: bytes
    cards: bytes
    salts: bytes

    def salt(self, position: int) -> bytes:
        """Return the salt of a position."""
        return self.salts[position * SALT_BYTES : (position + 1) * SALT_BYTES]


class Examined(NamedTuple):
    """What was found of a block: for each line its entry and leaf hash, or None.

    For the lines of a run there is but their number, and the next one of `runs`.
    """

    entries: list[Entry | int | None]
    runs: list[Run]
    signed: list[Signed]
    derived: list[Derived]


class Task(NamedTuple):
    """What there is to examine, and what has to be known of what stands before it.

    `opened` is the opening of the game in which the block begins, b"" where it is not known.
    `block` is whole lines, each with its LF. `key` is the vkey whose checkpoints count where the
    block begins ("" for none); it is `fixed` where it is the auditor's own, and else a header
    names the next one. `pairs` are secrets and mixes whose decks will be asked for.
    """

    block: bytes
    key: str
    fixed: bool
    pairs: list[tuple[bytes, bytes]]
    opened: bytes = b""


def examine(task: Task) -> Examined:
    """Examine a block, and derive decks."""
    key = _key(task.key)
    lines = task.block[:-1].split(b"\n") if task.block else []
    signed: list[Signed] = []
    derived = [deck for secret, mix in task.pairs for deck in _derive(secret, mix)]
    for raw in lines:
        if raw.startswith(CHECKPOINT):
            signed += _verify(raw, key)
        elif raw.startswith(_HEADER) and not task.fixed:
            key = _key(key_in(raw)) or key
    entries, runs = read_entries(lines)
    if runs:
        _follow(lines, entries, runs, task.opened)
    return Examined(entries, runs, signed, derived)


def read_entries(lines: Sequence[bytes]) -> tuple[list[Entry | int | None], list[Run]]:
    """Return the entry of each line that is plainly one, with its leaf hash, as `Examined` does."""
    entries: list[Entry | int | None] = []
    runs: list[Run] = []
    plains = parse_all_plainly(lines)
    leaves = [
        b"" if plain is None else sha256(b"\0" + raw).digest()
        for plain, raw in zip(plains, lines, strict=True)
    ]
    # Where a run may have begun.
    begun = 0
    for place, plain in enumerate(plains):
        if plain is not None and plain[1] in PLAY:
            continue
        if begun < place:
            _end_run(plains[begun:place], leaves[begun:place], entries, runs)
        begun = place + 1
        entries.append(None if plain is None else (plain, leaves[place]))
    if begun < len(lines):
        _end_run(plains[begun:], leaves[begun:], entries, runs)
    return entries, runs


def _end_run(
    plains: list[Plain | None],
    leaves: list[bytes],
    entries: list[Entry | int | None],
    runs: list[Run],
) -> None:
    told = cast("list[Plain]", plains)
    if len(told) < _LEAST:
        entries += zip(told, leaves, strict=True)
    else:
        entries.append(len(told))
        runs.append((told, leaves, None))


def _follow(
    lines: Sequence[bytes], entries: list[Entry | int | None], runs: list[Run], opened: bytes
) -> None:
    """Follow the play of hands that stand whole in a block, and say so in their runs."""
    foresight = _foresight(opened)
    at = number = 0
    # The opening of the hand and its deck, if they directly follow each other.
    hand: list[Entry] = []
    for place, entry in enumerate(entries):
        if isinstance(entry, int):
            told, leaves, _ = runs[number]
            ended = entries[place + 1] if place + 1 < len(entries) else None
            if (
                foresight is not None
                and len(hand) == 2
                and isinstance(ended, tuple)
                and ended[0][1] == "hand_ended"
                and told is not None
            ):
                play = Play(0, 0, told, leaves, [0] * entry)
                opening, deck = _line(hand[0], -2), _line(hand[1], -1)
                found = foresight.follow(opening, deck, play, _line(ended, entry))
                runs[number] = told, leaves, found
            number += 1
            at += entry
            continue
        if entry is None:
            raw = lines[at]
            if not raw.startswith(CHECKPOINT):
                hand = []
            if _OPENED in raw[:_SECOND_KEY]:
                # Its rules are more than a pattern can tell.
                foresight = _foresight(raw)
        elif entry[0][1] == "hand_opened":
            hand = [entry]
        elif entry[0][1] == "deck_committed" and len(hand) == 1:
            hand.append(entry)
        else:
            hand = []
        at += 1


def _line(entry: Entry, place: int) -> Line:
    plain, leaf = entry
    return Line(place, place, *plain, leaf, 0)


@lru_cache(maxsize=4)
def _foresight(opened: bytes) -> Foresight | None:
    """Return what follows the hands of the game that a line opens; None where it opens none."""
    from audit_cli.checks.foreseen import Foresight  # noqa: PLC0415  (the checks import this)

    entry = parse_entry(opened)
    if isinstance(entry, Problem) or entry.kind != "game_opened":
        return None
    return Foresight(_line((entry, sha256(b"\0" + opened).digest()), -3))


def last_opened(block: bytes, opened: bytes) -> bytes:
    """Return the last line of a block that opens a game, or `opened` where there is none."""
    if _OPENED not in block:
        return opened
    at = block.rfind(_OPENED)
    return block[block.rfind(b"\n", 0, at) + 1 : block.find(b"\n", at)]


def _verify(raw: bytes, key: VerifierKey | None) -> Iterator[Signed]:
    """Verify a checkpoint line's only signature, if it is of the key."""
    found = None if key is None else read_checkpoint(raw)
    if key is None or found is None or isinstance(found, Problem):
        return
    note = found[1]
    if len(note.signatures) == 1:
        name, key_id, signature = note.signatures[0]
        if (name, key_id) == (key.name, key.key_id):
            message = note.text.encode("utf-8")
            good = ed25519.verify(key.key, message, signature)
            yield Signed(key.key.encoded, message, signature, good)


def _derive(secret: bytes, mix: bytes) -> Iterator[Derived]:
    try:
        deck = derive_deck(secret, mix)
    except StreamExhaustedError:
        # For the audit to meet, and to tell.
        return
    yield Derived(secret, mix, deck.root, bytes(deck.cards), deck.salt_bytes)


@lru_cache(maxsize=16)
def _key(text: str) -> VerifierKey | None:
    key = parse_vkey(text)
    return None if isinstance(key, Problem) else key


def key_in(raw: bytes) -> str:
    """Return the vkey that a header names; nothing where it names none."""
    value = read_file_line(raw)
    key = value.get("key") if isinstance(value, dict) else None
    return key if isinstance(key, str) else ""


def last_key(block: bytes, key: str) -> str:
    """Return the vkey of the last header of a block, or `key` where there is none."""
    if _HEADER not in block:
        return key
    at = block.rfind(b"\n" + _HEADER) + 1
    if not at and not block.startswith(_HEADER):
        return key
    return key_in(block[at : block.find(b"\n", at)]) or key


def pack(examined: Examined) -> bytes:
    """Return it as bytes, for `unpack` in another process of this very program."""
    runs = [
        (told, leaves, None) if found is None else (None, leaves, tuple(found))
        for told, leaves, found in examined.runs
    ]
    signed, derived = ([tuple(one) for one in part] for part in examined[2:])
    return marshal.dumps((examined.entries, runs, signed, derived))


def unpack(data: memoryview) -> Examined:
    """Return what `pack` was given."""
    entries, runs, signed, derived = marshal.loads(data)  # noqa: S302  (by a worker of our own)
    runs = [
        (told, leaves, None if found is None else Foreseen(*found)) for told, leaves, found in runs
    ]
    return Examined(
        entries, runs, [Signed(*one) for one in signed], [Derived(*one) for one in derived]
    )
