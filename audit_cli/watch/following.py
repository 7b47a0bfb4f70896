"""One look at a dealer's log: its checkpoint, held to what was seen before, and its new lines.

Nothing of the log's server is believed. A checkpoint counts when the dealer's key signed it, a tile
when it makes the checkpoint's root, a line when it makes its leaf. A larger tree has to begin with
the tree that was seen, a smaller one to be its beginning; otherwise the key signed a fork, and both
notes with a consistency proof are the evidence. A tree that was seen stays: what contradicts it is
told, and not followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint
from audit_cli.log.noted import read_noted
from audit_cli.log.tiles import CHECKPOINT_PATH, TILE_WIDTH, open_tiles
from audit_cli.merkle import EMPTY_ROOT, leaf_hash
from audit_cli.note import Note, NoteVerdict, parse_note, verify_note
from audit_cli.problem import Problem, printable
from audit_cli.report.finding import Fork
from audit_cli.report.render import render_fork
from audit_cli.watch.evidence import render_lines
from audit_cli.watch.grammar import Kind, take
from audit_cli.watch.state import Tip, Wrong

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.log.noted import Noted
    from audit_cli.log.tiles import Fetch, TileReader
    from audit_cli.note import VerifierKey
    from audit_cli.watch.grammar import GameSeen
    from audit_cli.watch.state import State

#: Lines that are read and kept in one step.
LOT: Final = 16 * TILE_WIDTH
#: Of a lot that is wrong all over, so many lines are written out.
_MOST_EVIDENCE: Final = 16


@dataclass(frozen=True, slots=True)
class Signed:
    """A checkpoint that the dealer's key signed, with its note."""

    text: str
    note: Note
    checkpoint: Checkpoint


@dataclass(slots=True)
class Look:
    """What came of a look: how many new lines were read, and why it ended early, if it did."""

    shown: Signed | None = None
    fresh: int = 0
    problem: Problem | None = None


def read_signed(data: bytes | str, key: VerifierKey) -> Signed | Problem:
    """Return the checkpoint of the dealer's log in a note, or why it is none of this key."""
    note = parse_note(data)
    if isinstance(note, Problem):
        return Problem(f"the checkpoint: {note.reason}", note.hint)
    checkpoint = parse_game_checkpoint(note.text)
    if isinstance(checkpoint, Problem):
        return checkpoint
    if checkpoint.origin != key.name:
        return Problem(f"the checkpoint is of another log, {printable(checkpoint.origin)}")
    if verify_note(note, (key,)).verdict is not NoteVerdict.OK:
        return Problem(f"the checkpoint is not signed by {key}")
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    return Signed(text, note, checkpoint)


def look(state: State, fetch: Fetch, key: VerifierKey, now: int) -> Look:
    """Follow the log to the checkpoint that it shows; `now` is in milliseconds since 1970.

    sqlite3.Error from the state is the caller's.
    """
    done = Look()
    done.problem = _look(state, fetch, key, now, done)
    return done


def _look(state: State, fetch: Fetch, key: VerifierKey, now: int, done: Look) -> Problem | None:
    data = fetch(CHECKPOINT_PATH)
    if isinstance(data, Problem):
        return data
    shown = read_signed(data, key)
    if isinstance(shown, Problem):
        return shown
    done.shown = shown
    tip = state.tip()
    if tip is not None and (shown.checkpoint.size < tip.size):
        return _look_back(state, tip, shown, key)
    if tip is not None and shown.checkpoint.size == tip.size != 0:
        if shown.checkpoint.root != tip.root:
            keep_fork(state, _fork(key, tip.note, shown.text), tip.size, tip.root)
            return None
        if state.count == tip.size:
            # Its co-signatures may be more than they were.
            state.keep_tip(Tip(shown.text, tip.size, tip.root, now))
            return None
    return _follow(state, fetch, key, Tip(shown.text, *_place(shown), now), done)


def _place(signed: Signed) -> tuple[int, bytes]:
    return signed.checkpoint.size, signed.checkpoint.root


def _follow(state: State, fetch: Fetch, key: VerifierKey, new: Tip, done: Look) -> Problem | None:
    """Go on to a checkpoint that is at least as large as the tip."""
    reader = open_tiles(fetch, new.size, new.root)
    if isinstance(reader, Problem):
        return reader
    tip = state.tip()
    if tip is not None and tip.size:
        before = reader.root_at(tip.size)
        if isinstance(before, Problem):
            return before
        if before != tip.root:
            proof = reader.consistency(tip.size)
            if isinstance(proof, Problem):
                return proof
            keep_fork(state, _fork(key, tip.note, new.note, proof, before), tip.size, tip.root)
            return None
    state.keep_tip(new)
    return _read(state, reader, key, new, done)


def _look_back(state: State, tip: Tip, shown: Signed, key: VerifierKey) -> Problem | None:
    """Hold a checkpoint that is smaller than the tip to the lines that were read."""
    fork = _fork_below(state, tip, shown, key)
    if fork is None or isinstance(fork, Problem):
        return fork or Problem(
            f"the log shows size {shown.checkpoint.size:,}, and {tip.size:,} was seen before",
            "a cache may be stale; a log that went back lost lines",
        )
    keep_fork(state, fork, *_place(shown))
    return None


def _fork_below(state: State, tip: Tip, shown: Signed, key: VerifierKey) -> Fork | Problem | None:
    """Return the fork of the tip and a checkpoint that is no larger; None where they agree.

    A Problem where not all lines below the tip were read yet.
    """
    size, root = _place(shown)
    if size == tip.size:
        return None if root == tip.root else _fork(key, tip.note, shown.text)
    if size == 0:
        return None if root == EMPTY_ROOT else Problem("it is of no line, and has a root of some")
    own = open_tiles(state.fetch, tip.size, tip.root)
    before = own if isinstance(own, Problem) else own.root_at(size)
    if isinstance(own, Problem) or isinstance(before, Problem):
        return Problem(f"size {size:,} can not be compared before all {tip.size:,} lines are read")
    proof = own.consistency(size)
    if before == root:
        return None
    if isinstance(proof, Problem):
        return proof
    return _fork(key, shown.text, tip.note, proof, before)


def _fork(
    key: VerifierKey, one: str, other: str, proof: Sequence[bytes] = (), root: bytes | None = None
) -> Fork:
    """Put the evidence together, the smaller size first."""
    return Fork(key.name, key.text, (one, other), proof=tuple(proof), prefix_root=root)


def keep_fork(state: State, fork: Fork, size: int, root: bytes) -> None:
    """Keep the evidence of a fork at a checkpoint, once."""
    if not state.knows_fork(size, root):
        words = f"the log's key signed another history than that of size {size:,}"
        state.keep_fork(size, root, words, render_fork(fork))


def compare(state: State, other: Signed, key: VerifierKey) -> Fork | Problem | None:
    """Hold a checkpoint from elsewhere to the log that was followed: None where it is of it."""
    tip = state.tip()
    if tip is None or other.checkpoint.size > tip.size:
        seen = 0 if tip is None else tip.size
        return Problem(f"it is of size {other.checkpoint.size:,}; the log is followed to {seen:,}")
    return _fork_below(state, tip, other, key)


def _read(
    state: State, reader: TileReader, key: VerifierKey, tip: Tip, done: Look
) -> Problem | None:
    """Read the lines that are below the tip and not read yet, a lot at a time."""
    first = state.count
    while first < tip.size:
        end = min(tip.size, (first // LOT + 1) * LOT)
        lines: list[bytes] = []
        for line in reader.entries(first, end):
            if isinstance(line, Problem):
                return line
            lines.append(line)
        _take(state, reader, key, tip, first, lines)
        done.fresh += len(lines)
        first = end
    return None


def _take(  # noqa: PLR0913, PLR0917  (what is read, and under what)
    state: State,
    reader: TileReader,
    key: VerifierKey,
    tip: Tip,
    first: int,
    lines: Sequence[bytes],
) -> None:
    """Take lines into the state, with what is wrong with them and the evidence of it."""
    games: dict[str, GameSeen] = {}
    told = 0
    with state.taking():
        for number, line in enumerate(lines, first):
            found = _take_line(state, games, number, line)
            if found is None:
                continue
            told += 1
            evidence = ""
            if told <= _MOST_EVIDENCE:
                evidence = render_lines(*found, reader, tip.note, key.text)
            state.keep_wrong(found[0], evidence)
        state.keep_games(games.values())
        state.keep_leaves(first, map(leaf_hash, lines))


def _take_line(
    state: State, games: dict[str, GameSeen], number: int, line: bytes
) -> tuple[Wrong, tuple[int, ...]] | None:
    """Take a line; what is wrong with it, and the numbers of the lines that show it."""
    noted = read_noted(line)
    if isinstance(noted, Problem):
        words = f"line {number:,} is none of a dealer's log: {noted}"
        return Wrong(Kind.MALFORMED, "", number, words), (number,)
    found = _judge(state, games, number, noted)
    state.keep_line(number, noted)
    return found


def _judge(
    state: State, games: dict[str, GameSeen], number: int, noted: Noted
) -> tuple[Wrong, tuple[int, ...]] | None:
    """Put a line behind those of its game, unless it is a second one."""
    same = state.line_of(noted)
    if same is not None:
        words = f"line {number:,} is a second one for {noted}, behind line {same:,}"
        return Wrong(Kind.SECOND_LINE, noted.game, number, words), (same, number)
    seen = games.get(noted.game) or state.game(noted.game)
    after, wrong = take(seen, noted)
    if after is not None:
        games[noted.game] = after
    if wrong is None:
        return None
    before = state.line_before(noted.game, number)
    shown = (number,) if before is None else (before, number)
    return Wrong(wrong[0], noted.game, number, f"line {number:,}: {wrong[1]}"), shown
