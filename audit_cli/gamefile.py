"""Reads a game file (protocol 5) line by line, in bounded memory, into a stream of items.

Reading never raises for what the bytes say: what is wrong becomes a `Damage` with its line, and
reading goes on where the next line can still be told. It stops, with a fatal one, at a line that
is too long to be one, at a header that names no game, and after `MAX_DAMAGE` damaged lines.
A damaged entry keeps its place in the log: it comes as a `Line` of kind "" behind its `Damage`,
with its leaf hash, so that checkpoints behind it are still compared.

The items are named tuples: a large file makes millions of them. The lines of a hand's play, which
are most of a log, come as one item where they were read ahead.
"""

from __future__ import annotations

import itertools
import re
from binascii import a2b_base64
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from audit_cli.canonical import MAX_LINE, read_file_line
from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint_note
from audit_cli.entries import DEALER_LOG, OPENING
from audit_cli.merkle import Frontier
from audit_cli.note import Note, Signature, VerifierKey, parse_vkey
from audit_cli.problem import Problem
from audit_cli.shape import hex_bytes, origin, text
from audit_cli.transcript_line import (
    ENTRY,
    Entry,
    Plain,
    parse_all_plainly,
    parse_entry_strictly,
    parse_plainly,
    parse_tournament_entry,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FORMAT = "cutcard-game/1"
TOURNAMENT_FORMAT = "cutcard-tournament/1"
MAX_DAMAGE = 100

# How a checkpoint's line usually begins.
CHECKPOINT = b'{"checkpoint":'
_CHUNK = 256 * 1024
_OTHER = re.compile(rb'\s*\{\s*"(checkpoint|format|opening|dealer_log)"')
# The line of a usual note: printable ASCII, line feeds and dashes; any other is read with care.
_PLAIN_CHECKPOINT = re.compile(
    rb'\{"checkpoint":"((?:[ !#-\[\]-~]|\\n|\xe2\x80\x94)*+)"\}', re.DOTALL
)
# The whole line of a usual checkpoint: of one signature, its base64 canonical, of a size that no
# check of its range is needed for.
_USUAL_CHECKPOINT = re.compile(
    rb'\{"checkpoint":"(([a-z0-9./-]+)\\n(0|[1-9][0-9]{0,17})\\n'
    rb"([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)\\n)"
    rb"\\n\xe2\x80\x94 ([!#-*,-\[\]-~]+) ([A-Za-z0-9+/]{90}[AEIMQUYcgkosw048]=)"
    rb'\\n"\}'
)
_HEADER_SHAPES = (("key", text), ("origin", origin))
_ID = hex_bytes(16)
# The field that has the log's id, by the format of its file.
_ID_FIELDS = {FORMAT: "game", TOURNAMENT_FORMAT: "tournament"}


class Readable(Protocol):
    """A binary input: an open file, a pipe, or what counts for a progress bar in between."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


class Header(NamedTuple):
    """The first line of a game: what the file says it is. Nothing in it is trusted.

    `tournament` tells that the log is a tournament's, whose id stands for `game` (protocol 14.1).
    """

    source: str
    number: int
    game: str
    origin: str
    key: VerifierKey
    tournament: bool = False

    @property
    def log_origin(self) -> str:
        """The origin line of the game's checkpoints."""
        return f"{self.origin}/games/{self.game}"


class Line(NamedTuple):
    """One entry. `number` counts the input's lines from 1, `entry` the log's from 0.

    `kind` is "" (and `body` empty, `at` -1) where the line could not be read. `length` is in bytes,
    without the LF.
    """

    number: int
    entry: int
    at: int
    kind: str
    body: dict[str, Any]
    leaf: bytes
    length: int


class Foreseen(NamedTuple):
    """What comes of a hand's play, of which no check has anything to say, up to its end.

    `game` and `hand` are the leaf hashes of the openings that it was followed from. `first` and
    `last` are the times of its first and last entry, `holes` counts the positions that the hole
    cards have. `cards` are opened ones, each its position, number, salt and the place of its
    entry in the play; `mucks` are as `Mucks` keeps them, with such places.
    """

    game: bytes
    hand: bytes
    first: int
    last: int
    acts: int
    pots: int
    positions: int
    holes: int
    cards: list[tuple[int, int, str, int]]
    mucks: list[tuple[Any, ...]]


class Play(NamedTuple):
    """Entries of kinds of `PLAY` that directly follow each other, in one item.

    `number` and `entry` are those of the first; `packed` has time, kind and fields of each, or
    their lines where nobody may ask. `foreseen` is what comes of them, if that is known.
    """

    number: int
    entry: int
    packed: list[Plain] | list[bytes]
    leaves: list[bytes]
    lengths: list[int]
    foreseen: Foreseen | None = None

    @property
    def told(self) -> list[Plain]:
        """Return time, kind and fields of each entry."""
        packed = self.packed
        if isinstance(packed[0], bytes):
            # Each has been read so before.
            return cast("list[Plain]", parse_all_plainly(packed))
        return packed

    def lines(self) -> Iterator[Line]:
        """Give the entries one by one."""
        return itertools.starmap(self.line, enumerate(self.told))

    def line(self, place: int, plain: Plain) -> Line:
        """Give the entry at a place of the play, which says `plain`."""
        at, kind, body = plain
        number, entry = self.number + place, self.entry + place
        leaf, length = self.leaves[place], self.lengths[place]
        return _new(Line, (number, entry, at, kind, body, leaf, length))


def place_of(entry: int, number: int) -> Line:
    """Return a line without its content: where it is, for what is said of it later."""
    return _new(Line, (number, entry, -1, "", {}, b"", 0))


class Signed(NamedTuple):
    """A checkpoint line: its note, what it says, and the size and root of the lines before it."""

    number: int
    size: int
    root: bytes
    text: str
    note: Note
    checkpoint: Checkpoint


class Extra(NamedTuple):
    """A line behind the transcript: an `opening` (a player's own) or a `dealer_log` line.

    `whole` tells whether all entries before it are covered, which is for `coverage` to say.
    """

    number: int
    kind: str
    body: dict[str, Any]
    whole: bool = True


class Damage(NamedTuple):
    """A line that is not of this format; `fatal` where reading stopped."""

    source: str
    number: int
    problem: Problem
    fatal: bool = False


class GameEnd(NamedTuple):
    """The end of one game's lines: how many entries it had and at which line it ended."""

    number: int
    size: int


Item = Header | Line | Signed | Extra | Damage | GameEnd

# The kinds of entries of which a hand's play is made, from its posts to the last award.
PLAY = frozenset({"posted", "dealt", "acted", "opened", "mucked", "returned", "awarded"})

# A line that was read ahead: its bytes, what `parse_plainly` gives of them, and their leaf hash.
Known = tuple[bytes, Plain, bytes]


class KnownPlay(NamedTuple):
    """Lines of `PLAY` that were read ahead, with what `Known` has of each."""

    raws: list[bytes]
    packed: list[Plain] | list[bytes]
    leaves: list[bytes]
    foreseen: Foreseen | None = None


_new = tuple.__new__


def split_lines(stream: Readable) -> Iterator[bytes | Problem]:
    """Give the lines without their LF, and last a Problem where one is too long or has no LF.

    Holds one chunk and one line at most, whatever the input.
    """
    tail = b""
    while chunk := stream.read(_CHUNK):
        lines = (tail + chunk).split(b"\n")
        tail = lines.pop()
        for line in lines:
            if len(line) > MAX_LINE:
                yield too_long()
                return
            yield line
        if len(tail) > MAX_LINE:
            yield too_long()
            return
    if tail:
        yield unended()


def too_long() -> Problem:
    """Say that a line is too long to be one."""
    hint = f"a line has at most {MAX_LINE:,} bytes"
    return Problem(f"a line of more than {MAX_LINE:,} bytes", hint)


def unended() -> Problem:
    """Say that an input ends within a line."""
    return Problem("the last line has no line feed", "each line ends with LF; was it cut off?")


def read_checkpoint_line(raw: bytes) -> str | Problem:
    """Return the note's text in a canonical checkpoint line."""
    plain = _PLAIN_CHECKPOINT.fullmatch(raw)
    if plain is not None and len(raw) <= MAX_LINE:
        return plain.group(1).replace(b"\\n", b"\n").decode("utf-8")
    value = read_file_line(raw)
    if isinstance(value, Problem):
        return value
    if type(value) is not dict or value.keys() != {"checkpoint"}:
        return Problem("a checkpoint line with other fields")
    note_text = value["checkpoint"]
    if type(note_text) is not str:
        return Problem("a checkpoint that is no text")
    return note_text


def read_checkpoint(raw: bytes) -> tuple[str, Note, Checkpoint] | Problem:
    """Return the note of a checkpoint line, as its text and in its parts; the usual one fast."""
    usual = _USUAL_CHECKPOINT.fullmatch(raw)
    if usual is not None and len(raw) <= MAX_LINE:
        told, origin, size, root, name, encoded = usual.groups()
        signed = a2b_base64(encoded)
        text = told.replace(b"\\n", b"\n").decode("ascii")
        signer = name.decode("ascii")
        signature = _new(Signature, (signer, signed[:4], signed[4:]))
        checkpoint = Checkpoint(origin.decode("ascii"), int(size), a2b_base64(root))
        note = Note(text, (signature,))
        return f"{text}\n\u2014 {signer} {encoded.decode('ascii')}\n", note, checkpoint
    note_text = read_checkpoint_line(raw)
    if isinstance(note_text, Problem):
        return note_text
    found = parse_game_checkpoint_note(note_text)
    return found if isinstance(found, Problem) else (note_text, *found)


def read_game_file(stream: Readable, source: str) -> Iterator[Item]:
    """All games of one input, each as Header, then Lines, Signeds and Extras, then GameEnd.

    A tournament's log is read as a game's, with its own kinds of entries.

    OSError from the stream is the caller's.
    """
    # Of what was read ahead alone there is a Play.
    return cast("Iterator[Item]", _Reader(source).read(split_lines(stream)))


def read_game_lines(
    lines: Iterable[bytes | Known | KnownPlay | Problem], source: str
) -> Iterator[Item | Play]:
    """`read_game_file` from the lines of an input, of which some may be known already."""
    return _Reader(source).read(lines)


class _Reader:
    """The state between lines: where in which game the input is."""

    __slots__ = (
        "_behind",
        "_damaged",
        "_frontier",
        "_in_game",
        "_number",
        "_source",
        "_tournament",
    )

    def __init__(self, source: str) -> None:
        self._source = source
        self._number = 0
        self._frontier = Frontier()
        self._in_game = False
        self._behind = False
        self._damaged = 0
        self._tournament = False

    def read(  # noqa: C901, PLR0912  (the common case stands inline)
        self, lines: Iterable[bytes | Known | KnownPlay | Problem]
    ) -> Iterator[Item | Play]:
        for given in self._one_by_one(lines):
            self._number += 1
            if isinstance(given, KnownPlay):
                yield self._play(given)
                continue
            if isinstance(given, Problem):
                yield self._damage(given, fatal=True)
                break
            plain, leaf = None, b""
            if isinstance(given, tuple):
                raw, plain, leaf = given
            else:
                raw = given
            # The common case first, without another generator between.
            if self._in_game and not self._behind and raw.startswith(ENTRY):
                if self._tournament:
                    plain = None
                elif plain is None:
                    plain, leaf = parse_plainly(raw), sha256(b"\0" + raw).digest()
                if plain is not None:
                    frontier = self._frontier
                    entry, (at, kind, body) = frontier.size, plain
                    frontier.append(leaf)
                    yield _new(Line, (self._number, entry, at, kind, body, leaf, len(raw)))
                    continue
                yield from self._entry(raw)
            elif raw.startswith(CHECKPOINT) and self._in_game:
                yield self._checkpoint(raw)
            else:
                yield from self._other(raw)
            if self._damaged > MAX_DAMAGE:
                hint = "this is no game file, or a very damaged one"
                yield self._damage(Problem(f"more than {MAX_DAMAGE} damaged lines", hint), True)
                break
            if not self._in_game:
                break
        if self._number == 0:
            hint = f'a game file begins with {{"format":"{FORMAT}"'
            yield self._damage(Problem("an empty input", hint), fatal=True)
        if self._in_game:
            yield GameEnd(self._number, self._frontier.size)

    def _one_by_one(
        self, lines: Iterable[bytes | Known | KnownPlay | Problem]
    ) -> Iterator[bytes | Known | KnownPlay | Problem]:
        """Give the lines of a hand's play one by one where none may stand."""
        for given in lines:
            if isinstance(given, KnownPlay) and (
                not self._in_game or self._behind or self._tournament
            ):
                yield from given.raws
            else:
                yield given

    def _play(self, known: KnownPlay) -> Play:
        raws, packed, leaves, foreseen = known
        frontier = self._frontier
        play = Play(self._number, frontier.size, packed, leaves, [*map(len, raws)], foreseen)
        self._number += len(raws) - 1
        frontier.extend(leaves)
        return play

    def _damage(self, problem: Problem, fatal: bool = False) -> Damage:
        self._damaged += 1
        return Damage(self._source, self._number, problem, fatal)

    def _entry(self, raw: bytes) -> Iterator[Item]:
        """Read an entry that is of no usual form, or of no right one."""
        entry = (parse_tournament_entry if self._tournament else parse_entry_strictly)(raw)
        if isinstance(entry, Problem):
            yield self._damage(entry)
            entry = Entry(-1, "", {})
        leaf = sha256(b"\0" + raw).digest()
        yield Line(self._number, self._frontier.size, *entry, leaf, len(raw))
        self._frontier.append(leaf)

    def _other(self, raw: bytes) -> Iterator[Item]:
        """Read a line that does not begin as an entry does, or that stands where none may."""
        found = _OTHER.match(raw)
        name = found.group(1).decode("ascii") if found else ""
        if name == "format" or not self._in_game:
            yield from self._header(raw)
        elif name == "checkpoint":
            yield self._checkpoint(raw)
        elif name:
            self._behind = True
            yield self._extra(raw, name)
        elif self._behind:
            hint = "openings and dealer_log lines end a game's part of the file"
            yield self._damage(Problem("an entry behind an opening or dealer_log line", hint))
        else:
            yield from self._entry(raw)

    def _header(self, raw: bytes) -> Iterator[Item]:
        if self._in_game:
            yield GameEnd(self._number - 1, self._frontier.size)
        self._in_game = False
        header = self._parse_header(raw)
        if isinstance(header, Problem):
            yield self._damage(header, fatal=True)
            return
        self._in_game = True
        self._behind = False
        self._frontier = Frontier()
        self._tournament = header.tournament
        yield header

    def _parse_header(  # noqa: PLR0911  (one return a kind of refusal)
        self, raw: bytes
    ) -> Header | Problem:
        form = f'{{"format":"{FORMAT}","game":GAME,"key":VKEY,"origin":ORIGIN}}'
        value = read_file_line(raw)
        if isinstance(value, Problem):
            where = "" if value.byte is None else f" at byte {value.byte}"
            return Problem(f"no header: {value.reason}{where}", f"a game begins with {form}")
        if type(value) is not dict or "format" not in value:
            return Problem("no header", f"a game begins with {form}")
        field = _ID_FIELDS.get(value["format"]) if type(value["format"]) is str else None
        if field is None:
            hint = f"this audit reads {FORMAT!r} and {TOURNAMENT_FORMAT!r}"
            return Problem("a file of another format", hint)
        if field != "game":
            form = f'{{"format":"{TOURNAMENT_FORMAT}","key":VKEY,"origin":ORIGIN,"tournament":ID}}'
        if value.keys() != {"format", field, "key", "origin"}:
            return Problem("a header with other fields", f"a header is {form}")
        for name, shape in ((field, _ID), *_HEADER_SHAPES):
            wrong = shape(value[name])
            if wrong is not None:
                return Problem(f"header.{name}{wrong}", f"a header is {form}")
        key = parse_vkey(value["key"])
        if isinstance(key, Problem):
            return Problem(f"header.key: {key.reason}", key.hint)
        tournament = value["format"] == TOURNAMENT_FORMAT
        return Header(self._source, self._number, value[field], value["origin"], key, tournament)

    def _checkpoint(self, raw: bytes) -> Signed | Damage:
        if self._behind:
            hint = "a checkpoint stands directly behind the last line that it covers"
            return self._damage(Problem("a checkpoint behind the end of the entries", hint))
        found = read_checkpoint(raw)
        if isinstance(found, Problem):
            return self._damage(found)
        frontier = self._frontier
        return Signed(self._number, frontier.size, frontier.root(), *found)

    def _extra(self, raw: bytes, name: str) -> Extra | Damage:
        value = read_file_line(raw)
        if isinstance(value, Problem):
            return self._damage(value)
        if type(value) is not dict or value.keys() != {name} or type(value[name]) is not dict:
            return self._damage(Problem(f"a line {name} that is not one object"))
        wrong = (OPENING if name == "opening" else DEALER_LOG)(value[name])
        if wrong is not None:
            return self._damage(Problem(f"{name}{wrong}"))
        if name == "dealer_log":
            found = parse_game_checkpoint_note(value[name]["checkpoint"])
            if isinstance(found, Problem):
                return self._damage(found)
        return Extra(self._number, name, value[name])
