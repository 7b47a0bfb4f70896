"""`cutcard-dealer demo`: a whole game from the first key to the audit, on this machine alone.

The dealer serves on loopback, with its store in a fresh folder; six house players sit down through
gRPC, as any client would, each adding its own randomness; the game is closed and revealed, and its
file is judged by `cutcard-audit`, as a program of its own. What was there before stays as it is.
"""

import argparse
import asyncio
import os
import shlex
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from cutcard.v1 import entry_pb2
from dealer_service import app
from dealer_service.access.roles import Role
from dealer_service.bots.house import play_all, seat_players
from dealer_service.bots.player import Ending, Manner
from dealer_service.client import Dealer, Event, GameClosed, HandOver, HandStarted
from dealer_service.commands import say
from dealer_service.commands.connecting import explained
from dealer_service.commands.failure import Failure
from dealer_service.commands.keeping import TokenOffice, verifier_key
from dealer_service.commands.loops import run_loop
from dealer_service.config import Settings
from dealer_service.observe import logs

NOTHING_TO_AUDIT = 5

_BLINDS = (50, 100)
_STACK = 10_000
_TOKEN_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Played:
    """A game that is over: its id, its file, the dealer's verifier key, and one player's record."""

    game: str
    file: Path
    key: str
    record: Path


def run(options: argparse.Namespace) -> int:
    """Play, audit, tell; the audit's exit status."""
    folder = _fresh_folder(options.directory)
    # That a dealer of one's own on loopback is not protected from oneself needs no saying.
    logs.configure("text", "error")
    progress = _Progress(options.hands)
    started = time.monotonic()
    try:
        played = _play_alone(folder, options, progress)
    except Failure as failure:
        failure.status = NOTHING_TO_AUDIT
        raise
    finally:
        progress.clear()
    seconds = time.monotonic() - started
    say.out(
        f"{options.hands} hands, {options.seats} house players, {seconds:.1f} s; now the audit:"
    )
    say.out("")
    status = _audit(played)
    say.out("")
    say.out(f"the game file   {played.file}")
    say.out(f"the audit again {_shown(_audit_command(played))}")
    return status


def _play_alone(folder: Path, options: argparse.Namespace, progress: "_Progress") -> Played:
    """Play one game in `folder`, from the dealer's start to its stop."""
    outcome: list[Played] = []

    async def work() -> int:
        outcome.append(await _play(folder, options, progress))
        return 0

    run_loop(work())
    return outcome[0]


async def _play(folder: Path, options: argparse.Namespace, progress: "_Progress") -> Played:
    dealer = app.Dealer(Settings(folder, address="127.0.0.1:0"))
    try:
        await dealer.start()
    except Exception as error:
        message = f"the dealer can not start in {folder}: {error}"
        raise Failure(message) from error
    try:
        with explained():
            async with AsyncExitStack() as stack:
                return await _play_game(folder, dealer.port, options, progress, stack)
    finally:
        await dealer.stop()


async def _play_game(
    folder: Path,
    port: int,
    options: argparse.Namespace,
    progress: "_Progress",
    stack: AsyncExitStack,
) -> Played:
    office, address = TokenOffice(folder), f"127.0.0.1:{port}"

    async def connect(name: str, role: Role) -> Dealer:
        token = office.issue(name, role, _TOKEN_SECONDS)
        return await stack.enter_async_context(Dealer.connect(address, token))

    operator = await connect("demo", Role.OPERATOR)
    guests = [
        await connect(f"house-{number}", Role.PLAYER) for number in range(1, options.seats + 1)
    ]
    small, big = _BLINDS
    rules = entry_pb2.RuleSet(
        seats=options.seats,
        small_blind=small,
        big_blind=big,
        max_hands=options.hands,
        # Nobody is away here, so that no clock should run out on a slow machine.
        turn_ms=60_000,
        link_ms=60_000,
    )
    game = (await operator.operator.open_game(rules)).game
    await operator.operator.pause(game)
    closing: list[asyncio.Task[int]] = []

    def hear(event: Event) -> None:
        match event:
            case HandStarted(hand=hand) if hand == options.hands and not closing:
                # A close is carried out when the hand that is open has ended.
                closing.append(asyncio.create_task(operator.operator.close(game)))
            case GameClosed(next=following) if following:
                # The last hand was over before the close came: the game went on by its rules.
                closing.append(asyncio.create_task(operator.operator.close(following)))
            case HandOver(hand=hand):
                progress.show(hand)
            case _:
                pass

    players = await seat_players(
        guests, game, folder / "players", Manner(_STACK), seed=options.seed, hear=hear
    )
    record = players[0].seat.record_path
    stays = await play_all(players, begin=lambda: operator.operator.resume(game))
    await asyncio.gather(*closing, return_exceptions=True)
    for stay in stays:
        if stay.ending is not Ending.CLOSED:
            message = f"{stay.player} did not play to the end: {stay.ending} {stay.detail}"
            raise Failure(message)
    file = folder / f"{game}.jsonl"
    await operator.download(game, file)
    return Played(game, file, verifier_key(folder), record)


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
    return [
        *_audit_program(),
        "verify",
        str(played.file),
        "--key",
        played.key,
        "--mine",
        str(played.record),
    ]


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


class _Progress:
    """How far the game is, where a person watches."""

    def __init__(self, hands: int) -> None:
        self._hands = hands
        self._watched = sys.stderr.isatty()

    def show(self, hand: int) -> None:
        """Draw that so many hands are over."""
        if self._watched:
            sys.stderr.write(f"\r\x1b[Kdealing: {hand} of {self._hands} hands")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._watched:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
