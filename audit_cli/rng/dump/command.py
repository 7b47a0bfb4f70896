"""`cutcard-audit rng dump`: hands or a running generator, at a level, in a format, to a place."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from audit_cli import __version__, say
from audit_cli.derive import CARDS, STREAM_BYTES
from audit_cli.inputs import UsageError, shown
from audit_cli.rng.dump.encoding import TEXT, Encoding, encoding
from audit_cli.rng.dump.origins import (
    GAME_POSITIONS,
    OfDealer,
    OfFile,
    OfLab,
    OfSystem,
    Origin,
    continuous,
)
from audit_cli.rng.dump.origins import shown as shown_rows
from audit_cli.rng.dump.outlet import STANDARD_OUTPUT, Files, Outlet, Pipe
from audit_cli.rng.dump.running import REQUEST
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.fresh import DealerDiffersError
from audit_cli.rng.hands import DRAWS
from audit_cli.rng.hands_file import HandsFileError, read_header
from audit_cli.rng.remote import RemoteError, connected, where
from audit_cli.rng.running.bar import Bar, watched
from audit_cli.rng.sources import NotDerivedError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from audit_cli.rng.hands import Engine

FORMAT: Final = "cutcard-dump/1"
DIFFERENT = 1
UNREADABLE = 3

_SECRET_BYTES: Final = 32
_NUMBER_BYTES: Final = 4


@dataclass(frozen=True, slots=True)
class Amount:
    """How many hands are left out first, how many are dumped (None: all), and how many bytes.

    `size` is a generator's bytes, at level raw alone; None where hands are counted.
    """

    skip: int
    hands: int | None
    size: int | None


def run(options: argparse.Namespace) -> int:
    """Dump, and return the exit status. UsageError for what the command line has wrong."""
    form = encoding(options.level, options.format)
    amount = _read_amount(options, form)
    if options.split is not None:
        _check_split(options, form)
    used = engine(_engine_name(options))
    try:
        with opened_origin(options) as origin:
            return _dump(options, origin, used, form, _bounded(origin, amount))
    except (DealerDiffersError, NotDerivedError) as error:
        say.error(str(error))
        return DIFFERENT
    except (RemoteError, HandsFileError) as error:
        say.error(str(error))
        return UNREADABLE


def _dump(
    options: argparse.Namespace, origin: Origin, used: Engine, form: Encoding, amount: Amount
) -> int:
    total = amount.hands if amount.size is None else amount.size
    unit = "hands" if amount.size is None else "bytes"
    if options.out == STANDARD_OUTPUT:
        outlet = Pipe(is_text=form.format in TEXT)
        try:
            with watched("writing", total, unit) as bar:
                _write(origin, used, form, amount, outlet, bar)
        except BrokenPipeError:
            say.note(f"the reader stopped after {outlet.written:,} bytes")
        return 0
    path = Path(options.out)
    beside = path.with_name(path.name + ".json")
    if beside.exists():
        message = f"{shown(str(beside))} is there already"
        raise UsageError(message, "name another file, or remove it")
    told = origin.told()
    with Files(path, options.split) as files, watched("writing", total, unit) as bar:
        hands = _write(origin, used, form, amount, files, bar)
        parts = files.finish()
    about = _about(options, told, amount, hands, form)
    about["files"] = [
        {"name": one.name, "offset": one.offset, "bytes": one.size, "sha256": one.sha256}
        for one in parts
    ]
    text = json.dumps(about, indent=2, sort_keys=True) + "\n"
    with beside.open("x", encoding="ascii") as stream:
        stream.write(text)
    files_word = "1 file" if len(parts) == 1 else f"{len(parts):,} files"
    say.note(f"{files.written:,} bytes in {files_word}, described by {shown(str(beside))}")
    return 0


def _write(  # noqa: PLR0913, PLR0917  (what a dump is)
    origin: Origin, used: Engine, form: Encoding, amount: Amount, outlet: Outlet, bar: Bar
) -> int:
    """Write it all, and return how many hands it is of, a part of one counted whole."""
    left = amount.size
    hands = amount.hands
    if left is not None:
        hands = -(-left // STREAM_BYTES)
    outlet.write(form.head(None if hands is None else _numbers(hands, left)))
    first = amount.skip
    for rows in _rows(origin, used, form.level, amount.skip, hands):
        if left is None:
            outlet.write(form.body(first, rows))
            bar.add(len(rows))
        else:
            part = rows.reshape(-1)[:left]
            outlet.write(form.body(first, part if form.format != "csv" else rows))
            left -= len(part)
            bar.add(len(part))
        first += len(rows)
    return first - amount.skip


def _rows(
    origin: Origin, used: Engine, level: str, skip: int, hands: int | None
) -> Iterator[NDArray[np.uint8]]:
    if level == "raw":
        yield from origin.streams(used, skip, hands)
        return
    for some in origin.hands(used, skip, hands):
        yield shown_rows(some, level)


def _numbers(hands: int, size: int | None) -> int:
    """Return how many 32-bit numbers so many hands' bytes, or so many bytes, are."""
    return (hands * STREAM_BYTES if size is None else size) // _NUMBER_BYTES


def _engine_name(options: argparse.Namespace) -> str:
    """Return the engine to use: a running generator's bytes need none, and no wait for one."""
    bare = options.level == "raw" and options.stream == "continuous"
    return "numpy" if bare and options.engine == "auto" else str(options.engine)


def _read_amount(options: argparse.Namespace, form: Encoding) -> Amount:
    count, size, skip = options.count, options.bytes, options.skip
    if count is not None and size is not None:
        message = "--count counts hands and --bytes bytes: leave one out"
        raise UsageError(message)
    if size is not None and (form.level != "raw" or form.format == "csv"):
        message = "--bytes is for --level raw in a format without lines"
        raise UsageError(message, "--count N is for hands")
    if size is not None and size % form.unit:
        message = f"--bytes {size} is no whole number of words of {form.unit} bytes"
        raise UsageError(message)
    if form.format == "dieharder" and count is None and size is None:
        message = "the head of dieharder's format says how many numbers follow"
        raise UsageError(message, "give --count or --bytes, or pipe --format u8 without end")
    return Amount(skip, count, size)


def _bounded(origin: Origin, amount: Amount) -> Amount:
    """Fit an amount to what there is; UsageError where that is less than was asked for."""
    has = origin.has
    if has is None:
        return amount
    left = has - amount.skip
    asked = amount.hands
    if amount.size is not None:
        asked = -(-amount.size // STREAM_BYTES)
    if left < 1 or (asked is not None and asked > left):
        message = f"the file holds {has:,} hands, and {amount.skip:,} are left out"
        raise UsageError(message)
    return amount if asked is not None else Amount(amount.skip, left, None)


def _check_split(options: argparse.Namespace, form: Encoding) -> None:
    if options.out == STANDARD_OUTPUT:
        message = "--split makes files: give --out FILE"
        raise UsageError(message)
    if not form.piece:
        message = f"--format {form.format} has a head, and is one file"
        raise UsageError(message)
    if options.split % form.piece:
        message = f"--split {options.split} would cut what belongs together"
        raise UsageError(message, f"give a multiple of {form.piece} bytes")


@contextmanager
def opened_origin(options: argparse.Namespace) -> Iterator[Origin]:
    """Open the one origin that the command line names."""
    named = [one for one in ("secret", "system", "dealer", "hands") if getattr(options, one)]
    if len(named) != 1:
        message = "say whose hands to dump: --secret HEX, --system, --dealer or --hands"
        raise UsageError(message)
    (name,) = named
    runs_on = options.stream == "continuous"
    if runs_on and name in {"dealer", "hands"}:
        message = f"--{name} has hands, each with a generator of its own"
        raise UsageError(message, "--stream continuous is for --secret and --system")
    if options.skip and name in {"dealer", "system"}:
        message = f"--{name} gives fresh hands, of which none need be left out"
        raise UsageError(message)
    if name == "secret":
        secret = _read_secret(options.secret)
        yield continuous(secret) if runs_on else OfLab(secret)
    elif name == "system":
        yield continuous(None) if runs_on else OfSystem()
    elif name == "hands":
        path = Path(options.hands)
        read_header(path)
        yield OfFile(path)
    else:
        with connected(where(options, options.dealer)) as remote:
            yield OfDealer(remote)


def _read_secret(text: str) -> bytes:
    try:
        secret = bytes.fromhex(text)
    except ValueError:
        secret = b""
    if len(secret) != _SECRET_BYTES or len(text) != 2 * _SECRET_BYTES:
        # What was given is not repeated: it may be a secret that only misses a digit.
        message = "--secret is 64 hex digits"
        raise UsageError(message)
    return secret


def _about(
    options: argparse.Namespace,
    told: dict[str, Any],
    amount: Amount,
    hands: int,
    form: Encoding,
) -> dict[str, Any]:
    """Return what the sidecar says; nothing of the machine, the engine or the time.

    `cards` names the cards by their numbers, `positions` the places in the deck of a game's values.
    """
    about: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "level": form.level,
        "written_as": form.format,
        "stream": options.stream,
        "origin": told,
        "first_hand": amount.skip,
        "hands": hands,
    }
    if form.level == "raw":
        size = hands * STREAM_BYTES if amount.size is None else amount.size
        about["generator"] = {
            "offset": amount.skip * STREAM_BYTES if options.stream == "continuous" else 0,
            "bytes": size,
            "bytes_a_hand": STREAM_BYTES,
            "bytes_a_request": REQUEST if options.stream == "continuous" else STREAM_BYTES,
        }
    if form.level == "scaled":
        about["draws_below"] = list(DRAWS)
    if form.level in {"deck", "game"}:
        about["cards"] = list(CARDS)
    if form.level == "game":
        about["positions"] = list(GAME_POSITIONS)
    if options.split is not None:
        about["split_bytes"] = options.split
    return about
