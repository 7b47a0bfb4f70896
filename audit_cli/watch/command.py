"""`cutcard-audit watch`: looks at a dealer's log once, as from cron, or again and again."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from audit_cli import say
from audit_cli.given import given_key, given_policy
from audit_cli.inputs import UsageError, read_bounded, shown
from audit_cli.log.cosignature import read_cosignatures
from audit_cli.log.source import MAX_CHECKPOINT, opened_source
from audit_cli.problem import Problem
from audit_cli.serving import JSON, METRICS, Answer, Site, ending, parse_address, serving
from audit_cli.watch.evidence import write_evidence
from audit_cli.watch.following import Look, Signed, compare, keep_fork, look, read_signed
from audit_cli.watch.state import State, opened_state
from audit_cli.watch.telling import Limits, Told, as_json, as_metrics, as_text, find_wrong

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from audit_cli.log.policy import Policy
    from audit_cli.log.tiles import Fetch
    from audit_cli.note import VerifierKey

_HOUR: Final = 3_600_000
_UNREADABLE: Final = 3
#: Seconds: a look that takes longer, with all that is new, is told as none.
_LONGEST_LOOK: Final = 900.0


@dataclass(frozen=True, slots=True)
class _Watch:
    """What one look needs: what is asked for, and where things are."""

    state: State
    fetch: Fetch
    key: VerifierKey
    policy: Policy | None
    others: tuple[tuple[str, Signed], ...]
    limits: Limits
    evidence: Path


def run(options: argparse.Namespace) -> int:
    """Look once, or serve; return the exit status. UsageError where the command line is wrong."""
    address = None if options.serve is None else parse_address(options.serve)
    key = given_key(options.key)
    limits = _limits(options)
    policy = None if options.policy is None else given_policy(options.policy)
    others = tuple((shown(name), _other(name, key)) for name in options.checkpoint)
    folder = Path(options.state)
    evidence = Path(options.evidence or folder)
    if options.evidence is not None and not evidence.is_dir():
        message = f"--evidence {shown(options.evidence)}: no such directory"
        raise UsageError(message)
    with opened_source(options.url) as fetch, opened_state(folder, key.text) as state:
        watch = _Watch(state, fetch, key, policy, others, limits, evidence)
        try:
            if address is None:
                return _once(watch, options)
            return _serve(watch, address, options.every)
        except sqlite3.Error as error:
            say.error(f"the watch stops: {error}", "what was seen is kept: start it again")
            return _UNREADABLE


def _once(watch: _Watch, options: argparse.Namespace) -> int:
    if options.game is not None:
        return _tell_game(watch.state, options.game)
    told = _look(watch)
    _say(told)
    text = (
        as_json(told, listed=options.list) if options.json else as_text(told, listed=options.list)
    )
    say.out(text)
    return int(told.status())


def _tell_game(state: State, game: str) -> int:
    """List the lines of one game, as they were read; without a look."""
    lines = state.lines(game)
    if not lines:
        message = f"--game {shown(game)}: no line of it was read"
        raise UsageError(message, "a game is 32 hex digits; `--list` names those that were seen")
    for number, stage, hand, size, root, at in lines:
        of_hand = f" {hand}" if hand else ""
        say.out(f"{number}: {stage}{of_hand} at {at}, size {size}, root {root.hex()}\n")
    return 0


def _look(watch: _Watch) -> Told:
    now = int(time.time() * 1000)
    done = look(watch.state, watch.fetch, watch.key, now)
    unproved = _compare_others(watch)
    cosigned = None
    if watch.policy is not None:
        cosigned = _is_cosigned(watch.policy, done)
        if cosigned is False:
            unproved.append("the checkpoint has no quorum of the policy's witnesses")
    write_evidence(watch.state, watch.evidence)
    games, wrong = find_wrong(watch.state, watch.limits, now)
    return Told(
        origin=watch.key.name,
        tip=watch.state.tip(),
        count=watch.state.count,
        fresh=done.fresh,
        games=games,
        wrong=tuple(wrong),
        problem="" if done.problem is None else _words(done.problem),
        unproved=tuple(unproved),
        cosigned=cosigned,
        now=now,
    )


def _words(problem: Problem) -> str:
    return f"{problem}: {problem.hint}" if problem.hint else str(problem)


def _compare_others(watch: _Watch) -> list[str]:
    """Hold checkpoints from elsewhere to the log; return what can not be compared, in words."""
    unproved = []
    for name, other in watch.others:
        found = compare(watch.state, other, watch.key)
        if isinstance(found, Problem):
            unproved.append(f"{name}: {found.reason}")
        elif found is not None:
            keep_fork(watch.state, found, other.checkpoint.size, other.checkpoint.root)
    return unproved


def _is_cosigned(policy: Policy, done: Look) -> bool | None:
    """Whether a quorum co-signed the checkpoint that the log shows; None where it shows none."""
    if done.shown is None:
        return None
    found = read_cosignatures(done.shown.note, [witness.key for witness in policy.witnesses])
    return not found.failed and policy.is_satisfied(policy.names_of(found.times))


def _say(told: Told) -> None:
    if told.problem:
        say.error(f"the log can not be followed: {told.problem}")
    for words in told.unproved:
        say.warning(words)


class _Pages:
    """What the last look came to, for whoever asks."""

    def __init__(self, longest: float, now: Callable[[], float] = time.monotonic) -> None:
        """`longest` is for how many seconds a look counts as the last one, by the clock `now`."""
        self._longest = longest
        self._now = now
        self._shown_at = now()
        self._lock = threading.Lock()
        self._looks = {"good": 0, "bad": 0}
        self._pages: dict[str, Answer] = {}
        self._is_good = False

    def show(self, told: Told) -> None:
        """Show what a look came to."""
        with self._lock:
            self._shown_at = self._now()
            self._is_good = not told.problem
            self._looks["good" if self._is_good else "bad"] += 1
            self._pages = {
                "/": _page(as_json(told, listed=False), JSON),
                "/games": _page(as_json(told, listed=True), JSON),
                "/metrics": _page(as_metrics(told, self._looks), METRICS),
            }

    def get(self, path: str) -> Answer | None:
        """Answer a request."""
        with self._lock:
            if path == "/healthz":
                seconds = self._now() - self._shown_at
                if seconds > self._longest:
                    return Answer.text(503, f"no look ended for {seconds:,.0f} seconds")
                words = "following" if self._is_good else "the log can not be followed"
                return Answer.text(200 if self._is_good else 503, words)
            return self._pages.get(path)


def _page(text: str, kind: str) -> Answer:
    return Answer(200, text.encode("utf-8"), kind, {"Cache-Control": "no-store"})


def _serve(watch: _Watch, address: tuple[str, int], every: float) -> int:
    """Look every so many seconds, until the process is told to end."""
    pages = _Pages(2 * every + _LONGEST_LOOK)
    told = _look(watch)
    with ending() as ended, _shown(pages, told, address):
        while True:
            _say(told)
            if ended.wait(every):
                return 0
            told = _look(watch)
            pages.show(told)


@contextmanager
def _shown(pages: _Pages, told: Told, address: tuple[str, int]) -> Iterator[None]:
    pages.show(told)
    with serving(address, Site(pages.get)) as url:
        say.note(f"serving on {url}")
        yield


def _limits(options: argparse.Namespace) -> Limits:
    for name in ("reveal_within", "longest", "every"):
        if not 0 < getattr(options, name) < 1e6:
            message = f"--{name.replace('_', '-')} {getattr(options, name):g} is no length of time"
            raise UsageError(message, "give more than 0, and less than 1,000,000")
    if not 0 < options.void_rate < 1:
        message = f"--void-rate {options.void_rate:g}: give a share of hands between 0 and 1"
        raise UsageError(message)
    return Limits(
        reveal_within=int(options.reveal_within * _HOUR),
        longest=int(options.longest * _HOUR),
        void_rate=options.void_rate,
    )


def _other(name: str, key: VerifierKey) -> Signed:
    """Read a checkpoint of the dealer's log from elsewhere. UsageError where it is none."""
    signed = read_signed(read_bounded(name, MAX_CHECKPOINT), key)
    if isinstance(signed, Problem):
        message = f"--checkpoint {shown(name)}: {signed}"
        raise UsageError(message, signed.hint)
    return signed
