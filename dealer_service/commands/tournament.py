"""`cutcard-dealer tournament`: opens, lists, runs, enters, watches and plays tournaments."""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cutcard.v1 import tournament_entry_pb2
from dealer_service.access.roles import Role
from dealer_service.client import CallRefusedError, Contest, Dealer, Refused
from dealer_service.client.shapes import Entry
from dealer_service.commands import say
from dealer_service.commands.connecting import Action, act_as
from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.loops import on_signals, run_loop
from dealer_service.commands.message_files import read_message
from dealer_service.commands.orders import HELP
from dealer_service.commands.places import InTournament
from dealer_service.commands.play import run_sitting, tell_end
from dealer_service.commands.sitting import Sitting
from dealer_service.commands.telling import Paint, plain
from dealer_service.commands.tournament_telling import tell_entry, tell_lobby, tell_summary

if TYPE_CHECKING:
    from dealer_service.client.tournament_following import News


def run(options: argparse.Namespace) -> int:
    """Do the action that is named."""
    role, act = _ACTIONS[options.action]
    return run_loop(act_as(options, role, act))


# The operator's.


async def _open(dealer: Dealer, options: argparse.Namespace) -> int:
    opened = await dealer.tournaments.open(structure_of(options), reference=options.reference or "")
    say.out(opened.tournament)
    return Exit.DONE


async def _stop(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.tournaments.stop(options.tournament)
    say.note("no hand starts any more; those that are open play on")
    return Exit.DONE


async def _resume(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.tournaments.resume(options.tournament)
    return Exit.DONE


async def _cancel(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.tournaments.cancel(options.tournament)
    return Exit.DONE


async def _disqualify(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.tournaments.disqualify(options.tournament, options.player)
    say.note(f"{options.player} is out, and its chips with it")
    return Exit.DONE


def structure_of(options: argparse.Namespace) -> tournament_entry_pb2.Structure:
    """Give the structure of the file, with what the options say in place of what it says."""
    structure = tournament_entry_pb2.Structure()
    if options.structure is not None:
        read_message("--structure", options.structure, structure, "structure")
    structure.name = options.title or structure.name
    structure.players_max = options.players or structure.players_max
    structure.stack = options.stack or structure.stack
    structure.rules.seats = options.seats or structure.rules.seats
    if options.buy_in is not None:
        structure.buy_in = options.buy_in
    if options.fee is not None:
        structure.fee = options.fee
    if options.start_in is not None:
        structure.start.kind = "at"
        structure.start.at = int((time.time() + options.start_in) * 1000)
    if options.level is not None:
        _set_lengths(structure, options.level * 1000)
    return structure


def _set_lengths(structure: tournament_entry_pb2.Structure, ms: int) -> None:
    if not structure.levels:
        message = "--level needs a --structure that names the levels"
        raise Failure(message, status=Exit.USAGE)
    for level in structure.levels:
        level.length = ms


# Everybody's.


async def _list(dealer: Dealer, options: argparse.Namespace) -> int:
    async for one in dealer.tournaments.list(options.state or ""):
        say.out(tell_summary(one))
    return Exit.DONE


async def _show(dealer: Dealer, options: argparse.Namespace) -> int:
    for line in tell_lobby(await dealer.tournaments.get(options.tournament)):
        say.out(line)
    return Exit.DONE


async def _watch(dealer: Dealer, options: argparse.Namespace) -> int:
    """Tell each line that was verified; 1 where the dealer broke the protocol."""
    follower = await dealer.follow_tournament(options.tournament)
    heard: asyncio.Queue[News] = asyncio.Queue()
    follower.watch(heard.put_nowait)
    on_signals(lambda: heard.put_nowait(None))
    while True:
        match await heard.get():
            case Entry() as entry:
                if words := tell_entry(entry):
                    say.out(words)
            case Refused(reason=reason, detail=detail):
                say.error(f"the dealer broke the protocol ({reason}): {plain(detail)}")
                return Exit.FAILED
            case CallRefusedError() as error:
                raise error
            case None:
                return Exit.DONE


# A player's.


async def _register(dealer: Dealer, options: argparse.Namespace) -> int:
    links = not options.no_links
    entered = await dealer.tournaments.register(options.tournament, anchors=links)
    say.out(f"{dealer.player} is entrant {entered.entrant}")
    return Exit.DONE


async def _withdraw(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.tournaments.withdraw(options.tournament)
    say.note(f"{dealer.player} is registered no more")
    return Exit.DONE


async def _play(dealer: Dealer, options: argparse.Namespace) -> int:
    colour = not options.no_color and "NO_COLOR" not in os.environ and sys.stdout.isatty()
    contest = await dealer.enter(options.tournament, directory=options.records)
    interactive = sys.stdin.isatty()
    place = InTournament(contest, dealer.tournaments.withdraw)
    sitting = Sitting(place, Paint(colour), say.out, interactive=interactive)
    say.out(f"you are {dealer.player}; your records are in {options.records}")
    if interactive:
        for line in HELP:
            say.out(line)
    await run_sitting(sitting)
    return tell_end(sitting, *_papers(contest, options.records, sitting.refused))


def _papers(contest: Contest, records: Path, refused: Refused | None) -> tuple[Path, Path]:
    """Give the record of the last table, and where the evidence of a breach is."""
    player = contest.player
    game = refused.game if refused is not None else ""
    of_all = refused is not None and game == contest.tournament
    evidence = records / (f"{game}.evidence" if of_all else f"{game}.{player}.evidence")
    return records / f"{contest.last_game or '*'}.{player}.record", evidence


_ACTIONS: Final[Mapping[str, tuple[Role, Action]]] = {
    "open": (Role.OPERATOR, _open),
    "list": (Role.OPERATOR, _list),
    "show": (Role.OPERATOR, _show),
    "stop": (Role.OPERATOR, _stop),
    "resume": (Role.OPERATOR, _resume),
    "cancel": (Role.OPERATOR, _cancel),
    "disqualify": (Role.OPERATOR, _disqualify),
    "register": (Role.PLAYER, _register),
    "withdraw": (Role.PLAYER, _withdraw),
    "watch": (Role.WATCHER, _watch),
    "play": (Role.PLAYER, _play),
}
