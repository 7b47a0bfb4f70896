"""`cutcard-audit rng monitor`: takes what games reveal, and looks at it every so many hands."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.given import given_key
from audit_cli.inputs import UsageError, opened, reason, shown
from audit_cli.rng import remote
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.hands_file import HandsFileError
from audit_cli.rng.monitor import state
from audit_cli.rng.monitor.looks import Look, check_every, look_from_json, take_looks
from audit_cli.rng.monitor.taking import Taken, take_games
from audit_cli.rng.running.judging import DamagedError
from audit_cli.rng.running.pool import Pool, WorkersDiedError, cores
from audit_cli.rng.sources import NotDerivedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from audit_cli.note import VerifierKey
    from audit_cli.rng.monitor.state import State, WrongHand

FAILED: Final = 1
UNREADABLE: Final = 3
FORMAT: Final = "cutcard-monitor/1"

#: How a folder's game files end, as `cutcard-dealer export` names them.
_SUFFIX: Final = ".jsonl"
_ARCHIVED: Final = "GAME_ARCHIVED"
_STOPS: Final = (
    OSError,
    sqlite3.Error,
    HandsFileError,
    NotDerivedError,
    DamagedError,
    WorkersDiedError,
)


def run(options: argparse.Namespace) -> int:
    """Take, look, print, and return the exit status; UsageError where the command line is wrong."""
    trusted = _trusted(options.key)
    if not options.paths and options.log is None:
        message = "no game to watch: neither a file nor a dealer is named"
        raise UsageError(message, "give game files, folders of them, or --log HOST:PORT")
    if options.every is not None and (words := check_every(options.every)) is not None:
        message = f"--every {options.every:,}: {words}"
        raise UsageError(message, "give a multiple of 100, at least 10,000")
    files = list(_files(options.paths))
    place = None if options.log is None else remote.where(options, options.log)
    folder = Path(options.state)
    with state.opened(folder, options.every) as seen:
        try:
            taken = Taken()
            for path in files:
                taken.add(_take_file(seen, path, trusted))
            if place is not None:
                taken.add(_take_log(seen, place, trusted))
            if (len(seen.looks()) + 1) * seen.every <= seen.count:
                with Pool(cores()) as pool:
                    for look in take_looks(seen, folder, engine("auto"), pool):
                        say.note(_words(look))
        except _STOPS as error:
            words = reason(error) if isinstance(error, OSError) else str(error)
            say.error(f"the watch stops: {words}", "what was taken is kept: start it again")
            return UNREADABLE
        return _tell(seen, taken, as_json=options.json)


def _trusted(text: str | None) -> VerifierKey | None:
    if text is None:
        say.warning("without --key, each game is judged by the key that its own file names")
        return None
    return given_key(text)


def _files(names: list[str]) -> Iterator[Path]:
    """Give the files that are named, and those of folders in the order of their names."""
    for name in names:
        path = Path(name)
        if path.is_dir():
            found = sorted(one for one in path.rglob(f"*{_SUFFIX}") if one.is_file())
            if not found:
                say.warning(f"there is no {_SUFFIX} file in {shown(name)}")
            yield from found
        elif path.exists():
            yield path
        else:
            message = f"there is no {shown(name)}"
            raise UsageError(message)


def _take_file(seen: State, path: Path, trusted: VerifierKey | None) -> Taken:
    """Take a file, unless it was taken whole before and has not changed since."""
    name = shown(str(path))
    with opened(str(path)) as stream:
        now = os.fstat(stream.fileno())
        mark = (str(path.resolve()), now.st_size, now.st_mtime_ns)
        if seen.knows_file(*mark):
            return Taken()
        try:
            taken = take_games(seen, stream, name, trusted)
        except OSError as error:
            taken = Taken(damage=[f"{name} can not be read further: {reason(error)}"])
    if not taken.hidden and not taken.damage:
        seen.take_file(*mark)
    return taken


class _Chunks:
    """A file that comes in chunks of any size, to be read as one."""

    __slots__ = ("_chunks", "_left")

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = b""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return b""
            self._left = chunk
        given, self._left = self._left[:size], self._left[size:]
        return given


def _take_log(seen: State, place: remote.Where, trusted: VerifierKey | None) -> Taken:
    """Take the finished games of a dealer that were not taken whole before."""
    taken = Taken()
    archived = 0
    try:
        with remote.connected(place) as dealer:
            for game in dealer.finished_games():
                if seen.knows_game(bytes.fromhex(game)):
                    continue
                try:
                    stream = _Chunks(dealer.game_file(game))
                    taken.add(take_games(seen, stream, f"game {shown(game)}", trusted))
                except remote.RemoteError as error:
                    if error.reason != _ARCHIVED:
                        raise
                    archived += 1
    except remote.RemoteError as error:
        taken.damage.append(str(error))
    if archived:
        say.note(f"{archived:,} archived games are no more at the dealer: give their files")
    return taken


def _tell(seen: State, taken: Taken, *, as_json: bool) -> int:
    looks = [look_from_json(text) for text in seen.looks()]
    wrong = seen.wrong()
    for words in taken.damage:
        say.error(words)
    if as_json:
        say.out(json.dumps(_json(seen, taken, looks, wrong)) + "\n")
    else:
        say.out(_text(seen, taken, looks, wrong))
    if wrong or not all(look.good for look in looks):
        return FAILED
    return UNREADABLE if taken.damage else 0


def _json(
    seen: State, taken: Taken, looks: list[Look], wrong: list[WrongHand]
) -> dict[str, object]:
    return {
        "format": FORMAT,
        "games": taken.games,
        "fresh": taken.fresh,
        "known": taken.known,
        "hidden": taken.hidden,
        "unreadable": taken.damage,
        "hands": seen.count,
        "every": seen.every,
        "wrong": [
            {"origin": one.origin, "game": one.game.hex(), "hand": one.hand, "words": one.words}
            for one in wrong
        ],
        "looks": [json.loads(look.to_json()) for look in looks],
    }


def _text(seen: State, taken: Taken, looks: list[Look], wrong: list[WrongHand]) -> str:
    lines = [
        f"taken: {taken.fresh:,} hands of {taken.games:,} games, {taken.known:,} known before"
        + (f", {taken.hidden:,} not yet revealed" if taken.hidden else "")
    ]
    lines += [f"wrong: {_named(one)} {one.words}" for one in wrong]
    lines += [_words(look) for look in looks]
    left = seen.count - len(looks) * seen.every
    lines.append(
        f"seen so far: {seen.count:,} hands; the next look is in {seen.every - left:,} hands"
    )
    return "\n".join(lines) + "\n"


def _named(one: WrongHand) -> str:
    where = f"game {one.game.hex()} of {one.origin}"
    return f"hand {one.hand:,} of the {where}" if one.hand else f"the {where}:"


def _words(look: Look) -> str:
    name = f"look {look.look} ({look.hands:,} hands, level {look.alpha:.3g})"
    repeated = "".join(f"; one deck in {' and '.join(group)}" for group in look.repeated)
    return f"{name}: {'nothing found' if look.good else 'FAILED'}: {look.why}{repeated}"
