"""What a monitor has to say of a log: counts, games, what is wrong; as text, JSON and metrics.

What is wrong with a line was wrong when it was read and stays so. What depends on the time, games
that are overdue, and on all games together, voids out of line, is judged anew each time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from audit_cli.watch.grammar import Kind
from audit_cli.watch.rates import out_of_line
from audit_cli.watch.state import FORMAT, Wrong

if TYPE_CHECKING:
    from audit_cli.watch.grammar import GameSeen
    from audit_cli.watch.state import State, Tip

_HOUR: Final = 3_600_000
_STATES: Final = ("open", "closed", "revealed")


class ExitStatus(IntEnum):
    """The exit status of `cutcard-audit watch`, the first that applies: 2, 1, 3, 4, 0."""

    GOOD = 0
    WRONG = 1
    UNREADABLE = 3
    NOT_ESTABLISHED = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """What an auditor expects of a dealer: times in milliseconds, the share of hands that are void.

    `reveal_within` counts from a game's close, `longest` from its opening to its close. So a game
    whose first line comes later than `longest` behind the log's was not open before it.
    """

    reveal_within: int
    longest: int
    void_rate: float


@dataclass(frozen=True, slots=True)
class Told:
    """Everything there is to say after a look, at `now` in milliseconds.

    `problem` is why the log could not be followed to its end; `unproved` is what was asked for and
    can not be told, such as a quorum; `cosigned` tells of the policy, None without one.
    """

    origin: str
    tip: Tip | None
    count: int
    fresh: int
    games: tuple[GameSeen, ...]
    wrong: tuple[Wrong, ...]
    problem: str
    unproved: tuple[str, ...]
    cosigned: bool | None
    now: int

    def status(self) -> ExitStatus:
        """Return the exit status that this comes to."""
        if self.wrong:
            return ExitStatus.WRONG
        if self.problem:
            return ExitStatus.UNREADABLE
        return ExitStatus.NOT_ESTABLISHED if self.unproved else ExitStatus.GOOD

    def counts(self) -> dict[str, int]:
        """Return how many games are in each state, and hands by what became of them."""
        counts = dict.fromkeys(_STATES, 0)
        for game in self.games:
            counts[game.state] += 1
        counts["committed"] = sum(game.committed for game in self.games)
        counts["void"] = sum(game.voids for game in self.games)
        return counts


def find_wrong(state: State, limits: Limits, now: int) -> tuple[tuple[GameSeen, ...], list[Wrong]]:
    """Return all games, and all that is wrong at `now` in milliseconds."""
    games = tuple(state.games())
    wrong = [*state.forks(), *state.wrong()]
    began = min((game.opened_at for game in games), default=0)
    for game in games:
        if game.joined and game.opened_at - began > limits.longest:
            words = (
                f"has no opening in the log, which began {_hours(game.opened_at - began)} before"
            )
            wrong.append(Wrong(Kind.OPENING_MISSING, game.game, -1, words))
        found = _overdue(game, limits, now)
        if found is not None:
            wrong.append(Wrong(found[0], game.game, -1, found[1]))
    for name, hands, voids in out_of_line(games, limits.void_rate):
        words = f"{voids:,} of {hands:,} hands are void, {limits.void_rate:.3g} expected"
        wrong.append(Wrong(Kind.VOIDS, name, -1, words))
    return games, wrong


def _overdue(game: GameSeen, limits: Limits, now: int) -> tuple[Kind, str] | None:
    if game.closed_at is None:
        if now - game.opened_at <= limits.longest:
            return None
        return Kind.NEVER_CLOSED, f"is open for {_hours(now - game.opened_at)}"
    if game.revealed_at is None:
        if now - game.closed_at <= limits.reveal_within:
            return None
        words = f"is not revealed, {_hours(now - game.closed_at)} after its close"
        return Kind.NEVER_REVEALED, words
    if game.revealed_at - game.closed_at <= limits.reveal_within:
        return None
    took = _hours(game.revealed_at - game.closed_at)
    return Kind.REVEALED_LATE, f"was revealed {took} after its close"


def _hours(milliseconds: int) -> str:
    return f"{milliseconds / _HOUR:,.1f} hours"


def as_text(told: Told, *, listed: bool) -> str:
    """Return what a person reads; with `listed`, a line for each game."""
    if told.tip is None:
        lines = [f"{told.origin}: nothing was seen of the log yet"]
    else:
        read = "" if told.count == told.tip.size else f", {told.count:,} of them read"
        lines = [f"{told.origin}: {told.tip.size:,} lines{read}, {told.fresh:,} new"]
        lines.append(f"root: {told.tip.root.hex()}")
    counts = told.counts()
    by_state = ", ".join(f"{counts[state]:,} {state}" for state in _STATES)
    lines.append(f"games: {len(told.games):,} ({by_state})")
    lines.append(f"hands: {counts['committed']:,} with a deck, {counts['void']:,} void")
    if joined := sum(game.joined for game in told.games):
        lines.append(
            f"without their opening: {joined:,}, which says that they began before the log"
        )
    if listed:
        lines += [
            f"  {game.game} {game.state}: {game.hand:,} hands, {game.voids:,} void"
            for game in told.games
        ]
    if told.cosigned is not None:
        lines.append(f"witnesses: {'a quorum' if told.cosigned else 'no quorum'}")
    lines += [f"wrong: {words_of(one)}" for one in told.wrong]
    return "\n".join(lines) + "\n"


def words_of(wrong: Wrong) -> str:
    """Return in words what is wrong, and with which game."""
    name = wrong.kind.replace("_", " ")
    if wrong.kind is Kind.VOIDS and not wrong.game:
        return f"{name}: of all games together, {wrong.words}"
    game = f" game {wrong.game}:" if wrong.game and wrong.number >= 0 else ""
    return f"{name}:{game or (f' game {wrong.game}' if wrong.game else '')} {wrong.words}"


def as_json(told: Told, *, listed: bool) -> str:
    """Return one JSON object; with `listed`, with an object for each game."""
    tip = told.tip
    value: dict[str, object] = {
        "format": FORMAT,
        "log": told.origin,
        "status": int(told.status()),
        "now": told.now,
        "read": told.count,
        "fresh": told.fresh,
        "games": len(told.games),
        "counts": told.counts(),
        "wrong": [
            {"kind": one.kind, "game": one.game, "line": one.number, "words": one.words}
            for one in told.wrong
        ],
        "problem": told.problem,
        "unproved": list(told.unproved),
    }
    if tip is not None:
        value |= {"size": tip.size, "root": tip.root.hex(), "seen": tip.seen}
        value["checkpoint"] = tip.note
    if told.cosigned is not None:
        value["cosigned"] = told.cosigned
    if listed:
        value["list"] = [_game(game) for game in told.games]
    return json.dumps(value) + "\n"


def _game(game: GameSeen) -> dict[str, object]:
    value: dict[str, object] = {
        "game": game.game,
        "state": game.state,
        "opened_at": game.opened_at,
        "hands": game.hand,
        "committed": game.committed,
        "void": game.voids,
        "joined": bool(game.joined),
    }
    if game.closed_at is not None:
        value["closed_at"] = game.closed_at
    if game.revealed_at is not None:
        value["revealed_at"] = game.revealed_at
    return value


def as_metrics(told: Told, looks: dict[str, int]) -> str:
    """Return the state for Prometheus; `looks` counts those that were good, and those not."""
    counts = told.counts()
    wrong = dict.fromkeys(Kind, 0)
    for one in told.wrong:
        wrong[one.kind] += 1
    families = [
        ("cutcard_watch_read_lines", "gauge", [("", told.count)]),
        (
            "cutcard_watch_games",
            "gauge",
            [(f'{{state="{state}"}}', counts[state]) for state in _STATES],
        ),
        (
            "cutcard_watch_hands",
            "gauge",
            [(f'{{fate="{fate}"}}', counts[fate]) for fate in ("committed", "void")],
        ),
        (
            "cutcard_watch_wrong",
            "gauge",
            [(f'{{kind="{kind}"}}', count) for kind, count in wrong.items()],
        ),
        (
            "cutcard_watch_looks_total",
            "counter",
            [(f'{{result="{result}"}}', count) for result, count in looks.items()],
        ),
        ("cutcard_watch_status", "gauge", [("", int(told.status()))]),
    ]
    if told.tip is not None:
        families.append(("cutcard_watch_size", "gauge", [("", told.tip.size)]))
        families.append(("cutcard_watch_seen_seconds", "gauge", [("", told.tip.seen // 1000)]))
    if told.cosigned is not None:
        families.append(("cutcard_watch_cosigned", "gauge", [("", int(told.cosigned))]))
    return "".join(
        f"# TYPE {name} {kind}\n" + "".join(f"{name}{labels} {value}\n" for labels, value in rows)
        for name, kind, rows in families
    )
