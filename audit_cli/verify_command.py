"""`cutcard-audit verify`: gathers what the auditor gives, runs the audit, prints its report."""

from __future__ import annotations

import gc
import os
import shutil
import stat
import sys
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from audit_cli import say
from audit_cli.ahead import working_ahead
from audit_cli.beacon import MAX_INFO, parse_network
from audit_cli.checkpoint import parse_game_checkpoint_note
from audit_cli.checks import CHECKS, CheckMaker, Request
from audit_cli.checks.check import OutsideNote, ProofFile, Publication, RecordFile
from audit_cli.gamefile import Damage, read_game_lines
from audit_cli.given import given_key, given_policy
from audit_cli.inputs import UsageError, opened, read_bounded, reason, shown
from audit_cli.log.logproof import MAX_LOG_PROOF, parse_log_proof
from audit_cli.problem import Problem
from audit_cli.progress import watched
from audit_cli.report.finding import Notice, Promise
from audit_cli.report.render import render_fork, render_json, render_text
from audit_cli.verify import audit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from audit_cli.ahead import Ahead
    from audit_cli.beacon import Network
    from audit_cli.gamefile import Item, Play
    from audit_cli.report.finding import Fork

_LF = "\n"
_ALLOCATIONS = 100_000
_MAX_NOTE = 1024 * 1024
_MAX_RECORD = 256 * 1024 * 1024


def run(options: argparse.Namespace) -> int:
    """Verify, print, and return the exit status; UsageError where the command line is wrong."""
    files, notes = list(options.files), list(options.checkpoint)
    if not files and len(notes) > 1:
        # `--checkpoint NOTE FILE` reads naturally, and argparse gives both to --checkpoint.
        files = [notes.pop()]
    if not files:
        message = "no game file given"
        raise UsageError(message, f"{say.NAME} verify FILE, or - for standard input")
    if files.count("-") > 1:
        message = "standard input can be read once only"
        raise UsageError(message)
    required = _required(options.require)
    makers = _makers(options.referee)
    request, warnings = _request(options, notes)
    for name in files:
        if name != "-":
            with opened(name):
                pass
    directory = Path(options.evidence)
    if not directory.is_dir():
        message = f"--evidence {shown(options.evidence)}: no such directory"
        raise UsageError(message)
    # An audit makes millions of values and hardly a cycle: looking for cycles is rarely worth it.
    gc.set_threshold(_ALLOCATIONS, 50, 50)
    with (
        _publication(options.dealer_log) as published,
        working_ahead(options.workers, request.trusted) as ahead,
    ):
        request = replace(request, dealer_log=published, ahead=ahead)
        items = _items(files, ahead)
        report = audit(items, request, makers, required=required, warnings=warnings)
    written = [_write_fork(directory, fork) for fork in report.forks]
    notices = (*report.notices, *(Notice(words) for words in written if words))
    report = replace(report, notices=notices, referee=options.referee or "")
    for words in report.warnings:
        say.warning(words)
    if options.json:
        say.out(render_json(report))
    else:
        person = sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if person else None
        say.out(render_text(report, colour=person, width=width))
    return int(report.exit_status())


def _makers(referee: str | None) -> tuple[CheckMaker, ...]:
    """Return the makers of all checks, with the referee that is asked for behind them."""
    if referee is None:
        return CHECKS
    from audit_cli.referee.refereed import refereed_by  # noqa: PLC0415  (when it is asked for)
    from audit_cli.referee.second_table import load  # noqa: PLC0415

    try:
        kit = load()
    except ImportError:
        message = f"--referee {referee}: PokerKit is not installed"
        raise UsageError(message, 'pip install "cutcard[referee]"') from None
    return (*CHECKS, refereed_by(kit))


def _required(given: Sequence[str]) -> frozenset[Promise]:
    """Return the promises that `--require` names, each option a list with commas."""
    names = [name for words in given for name in words.split(",") if name]
    known = {promise.value: promise for promise in Promise}
    for name in names:
        if name not in known:
            message = f"--require {shown(name)}: no such promise"
            raise UsageError(message, f"the promises are {', '.join(known)}")
    return frozenset(known[name] for name in names)


def _request(options: argparse.Namespace, notes: Sequence[str]) -> tuple[Request, list[str]]:
    """Read what the auditor brings, with warnings of notes that can not be read as such."""
    trusted = None if options.key is None else given_key(options.key)
    mine = []
    for name in options.mine:
        data = read_bounded(name, _MAX_RECORD)
        if len(data) > _MAX_RECORD:
            message = f"--mine {shown(name)}: larger than any record"
            raise UsageError(message)
        mine.append(RecordFile(shown(name), data))
    outside = []
    warnings = []
    for name in notes:
        read = _outside(name)
        if isinstance(read, str):
            warnings.append(f"the note {_named(name)} is ignored: {read}")
        else:
            outside.append(read)
    proofs = []
    for name in options.log_proof:
        proof = parse_log_proof(read_bounded(name, MAX_LOG_PROOF))
        if isinstance(proof, Problem):
            warnings.append(f"the proof {shown(name)} is ignored: {proof.reason}")
        else:
            proofs.append(ProofFile(shown(name), proof))
    request = Request(
        trusted=trusted,
        outside=tuple(outside),
        outside_ignored=bool(warnings),
        mine=tuple(mine),
        proofs=tuple(proofs),
        policy=None if options.policy is None else given_policy(options.policy),
        beacons=tuple(map(_network, options.beacon)),
    )
    return request, warnings


def _network(name: str) -> Network:
    network = parse_network(read_bounded(name, MAX_INFO))
    if isinstance(network, Problem):
        message = f"--beacon {shown(name)}: {network.reason}"
        raise UsageError(message, network.hint)
    return network


@contextmanager
def _publication(name: str | None) -> Iterator[Publication | None]:
    """Give the dealer's log that is named, with its connection kept until the audit is over."""
    if name is None:
        yield None
        return
    from audit_cli.log.source import opened_source  # noqa: PLC0415  (where there is a log to read)

    with opened_source(name) as fetch:
        yield Publication(shown(name), fetch)


def _outside(name: str) -> OutsideNote | str:
    """Read a checkpoint from outside: a file, or the note itself; else why it is ignored."""
    if _LF in name:
        # The note itself; a shell takes the last line feed of `$(cat NOTE)` away.
        data = f"{name.rstrip(_LF)}{_LF}".encode("utf-8", "surrogateescape")
    else:
        data = read_bounded(name, _MAX_NOTE)
    if len(data) > _MAX_NOTE:
        return "it is larger than any note"
    found = parse_game_checkpoint_note(data)
    if isinstance(found, Problem):
        return found.reason
    return OutsideNote(_named(name), data.decode("utf-8"), *found)


def _named(name: str) -> str:
    return "on the command line" if _LF in name else shown(name)


def _items(names: Sequence[str], ahead: Ahead) -> Iterator[Item | Play]:
    """Give the items of all files, one after another; a read that fails becomes damage."""
    for name in names:
        with opened(name) as stream:
            state = os.fstat(stream.fileno())
            total = state.st_size if stat.S_ISREG(state.st_mode) else None
            try:
                lines = ahead.lines(watched(stream, total))
                yield from read_game_lines(lines, shown(name))
            except OSError as error:
                problem = Problem(f"can not be read further: {reason(error)}")
                yield Damage(shown(name), 0, problem, fatal=True)


def _write_fork(directory: Path, fork: Fork) -> str | None:
    """Write the evidence; say where it is, or put it on standard error if that fails.

    Evidence that is there already stays as it is: the new one takes the next number.
    """
    log = fork.log_origin.rpartition("/")[2]
    paths = (directory / f"cutcard-fork-{log}-{number}.json" for number in count(1))
    path = next(path for path in paths if not os.path.lexists(path))
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(render_fork(fork))
    except OSError as error:
        say.error(f"can not write the evidence to {path}: {reason(error)}")
        say.note("the evidence follows")
        sys.stderr.write(render_fork(fork))
        return None
    words = f"the evidence of a fork is in {path}"
    say.note(words)
    return words
