"""`cutcard-audit rng collect`: keep hands that can not be derived from one secret.

What is kept is what derives each deck, and the deck. A collection that stopped, however it did,
goes on where it was when the same command is given again.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.inputs import UsageError, shown
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.fresh import SYSTEM, DealerDiffersError, dealer_hands, system_hands
from audit_cli.rng.hands_file import HandsFileError, HandsWriter, Header, sidecar
from audit_cli.rng.lab import ORIGIN
from audit_cli.rng.remote import RemoteError, connected, where
from audit_cli.rng.running.bar import watched

if TYPE_CHECKING:
    import argparse

    from audit_cli.rng.remote import Remote, Where

DIFFERENT = 1
UNREADABLE = 3


def run(options: argparse.Namespace) -> int:
    """Collect, and return the exit status. UsageError for what the command line has wrong."""
    if bool(options.system) == bool(options.dealer):
        message = "say whose hands to collect: --system, or --dealer HOST:PORT"
        raise UsageError(message)
    place = where(options, options.dealer) if options.dealer else None
    path = Path(options.out)
    try:
        collect(path, options.count, place)
    except DealerDiffersError as error:
        say.error(str(error), "the dealer deals by other rules than these: keep the file as it is")
        return DIFFERENT
    except (RemoteError, HandsFileError) as error:
        say.error(str(error), "the same command goes on where this one stopped")
        return UNREADABLE
    say.out(f"{options.count:,} hands in {shown(options.out)}, SHA-256 in {sidecar(path).name}\n")
    return 0


def collect(path: Path, count: int, place: Where | None) -> None:
    """Write a file of `count` hands: of the dealer at a place, or (None) of the operating system.

    A file that holds some of them already is gone on with. RemoteError where the dealer can not be
    read, DealerDiffersError where one of its hands does not derive, HandsFileError, UsageError
    where `grpc` is missing.
    """
    with nullcontext() if place is None else connected(place) as remote:
        header = Header(count, *_described(remote))
        with (
            HandsWriter(path, header) as writer,
            watched("collecting", count, "hands", writer.written) as bar,
        ):
            left = count - writer.written
            if remote is None:
                batches = system_hands(engine("auto"), left)
            else:
                batches = dealer_hands(remote, left)
            for records in batches:
                writer.append(records)
                bar.add(len(records.decks))


def _described(remote: Remote | None) -> tuple[str, str]:
    """Return the origin of the hands, and where they are from in words."""
    if remote is None:
        return ORIGIN, SYSTEM
    said = remote.describe()
    words = (
        f"a dealer in certification mode, key {said.key}, version {said.version}, "
        f"rng core {said.rng_core} {said.fingerprint}"
    )
    return said.origin, words
