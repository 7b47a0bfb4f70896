"""`cutcard-dealer demo`: a game and two tournaments, from first key to audit, on this machine.

The dealer serves on loopback, with its store in a fresh folder; house players come through gRPC, as
any client would, each adding its own randomness. First six of them play a cash game; then a Sit &
Go of six and a tournament of 45 are played to their winners at full speed. Each game and each event
is judged by `cutcard-audit`, as a program of its own. What was there before stays as it is.
"""

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

from dealer_service.commands import say
from dealer_service.commands.demo_event import SIT_AND_GO, multi_table, play_event
from dealer_service.commands.demo_game import play_game
from dealer_service.commands.demo_stage import Played, Progress, play_alone
from dealer_service.commands.failure import Failure
from dealer_service.commands.open_files import raise_limit
from dealer_service.observe import logs

NOTHING_TO_AUDIT = 5


def run(options: argparse.Namespace) -> int:
    """Play, audit and tell, act by act; the status of the first audit that does not hold, or 0."""
    folder = _fresh_folder(options.directory)
    # That a dealer of one's own on loopback is not protected from oneself needs no saying.
    logs.configure("text", "error")
    # Each house player keeps a record, a chain and a journal open.
    raise_limit()
    status = 0
    for number, play in enumerate(_acts(folder, options)):
        if number:
            say.out("")
        status = _show(play)
        if status:
            break
    return status


def _acts(folder: Path, options: argparse.Namespace) -> Iterator[Callable[[], Played]]:
    progress, seed = Progress(), options.seed
    game = partial(
        play_game, folder, hands=options.hands, seats=options.seats, seed=seed, progress=progress
    )
    yield partial(_play, folder, game, progress)
    if options.players:
        for plan in (SIT_AND_GO, multi_table(options.players)):
            event = partial(play_event, folder, plan=plan, seed=seed, progress=progress)
            yield partial(_play, folder, event, progress)


def _play(folder: Path, act: Callable[..., Awaitable[Played]], progress: Progress) -> Played:
    try:
        return play_alone(folder, act)
    except Failure as failure:
        failure.status = NOTHING_TO_AUDIT
        raise
    finally:
        progress.clear()


def _show(play: Callable[[], Played]) -> int:
    played = play()
    for line in played.told:
        say.out(line)
    say.out("")
    status = _audit(played)
    say.out("")
    say.out(f"{f'the {played.what} file':<15} {played.file}")
    say.out(f"the audit again {_shown(_audit_command(played))}")
    return status


def _fresh_folder(directory: Path) -> Path:
    """Make a folder of this run's own; what is in the directory already stays as it is."""
    stem = time.strftime("%Y-%m-%d-%H%M%S")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for number in count(1):
            folder = directory / (stem if number == 1 else f"{stem}-{number}")
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        message = f"{directory} can not be used: {error.strerror}"
        raise Failure(message, status=NOTHING_TO_AUDIT) from None
    raise AssertionError


def _audit_command(played: Played) -> list[str]:
    mine = [word for record in played.records for word in ("--mine", str(record))]
    return [*_audit_program(), "verify", str(played.file), "--key", played.key, *mine]


def _audit_program() -> list[str]:
    """Give the audit beside this interpreter: the command, or where there is none the module."""
    command = Path(sys.executable).parent / "cutcard-audit"
    return [str(command)] if command.exists() else [sys.executable, "-m", "audit_cli"]


def _audit(played: Played) -> int:
    sys.stdout.flush()
    # The audit is another implementation: it is started, and never imported.
    audit = subprocess.run(_audit_command(played), check=False)  # noqa: S603 - our own words
    return audit.returncode


def _shown(command: list[str]) -> str:
    """Write a command as it would be typed here."""
    here = f"{Path.cwd()}{os.sep}"
    return shlex.join(part.removeprefix(here) for part in command)
