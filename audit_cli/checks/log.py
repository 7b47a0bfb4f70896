"""All checks of a game's entries, over one state of the table and one derived deck a hand.

The order within an entry: first the checks that compare it with the state before it, then the
table takes it, then the checks that need the state with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.beacon import BeaconMixed
from audit_cli.checks.bound import Bound
from audit_cli.checks.chain import Chain
from audit_cli.checks.check import TOURNAMENT
from audit_cli.checks.complete import Complete
from audit_cli.checks.dealt import Dealt
from audit_cli.checks.foreseen import tell_play, usual_handlers
from audit_cli.checks.mine import Mine
from audit_cli.checks.mixed import Mixed
from audit_cli.checks.ordered import Ordered
from audit_cli.checks.played import Played
from audit_cli.checks.published import Published
from audit_cli.checks.replayed import Replayed
from audit_cli.checks.table import Table
from audit_cli.checks.twice import Twice
from audit_cli.entries import SHAPES
from audit_cli.gamefile import PLAY, place_of
from audit_cli.record import read_records
from audit_cli.report.finding import Damaged, Finding, Promise, Verdict
from audit_cli.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from audit_cli.checks.check import Emit, Handler, Request
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Extra, Header, Line, Play, Signed
    from audit_cli.record import Record
    from audit_cli.tournament.check import Tournaments

# What a game without a single good checkpoint leaves open (SIGNED speaks for itself).
_OF_ENTRIES = (
    Promise.BOUND,
    Promise.REPLAYED,
    Promise.ORDERED,
    Promise.DEALT,
    Promise.COMPLETE,
    Promise.PLAYED,
    Promise.PLAYER_MIXED,
    Promise.BEACON_MIXED,
    Promise.WITNESSED,
)
# How many checks see every entry of any game.
_EVERY = 2


class GameLog:
    """Tells each check of each covered entry, around the table's own step."""

    def __init__(self, request: Request, emit: Emit) -> None:
        self._emit = emit
        self._trusted = request.trusted
        self._ordered = Ordered(emit)
        self._bound = Bound(emit)
        self._replayed = Replayed(request, emit)
        self._dealt = Dealt(emit)
        self._complete = Complete(emit)
        self._played = Played(emit)
        self._clock = self._played.clock
        self._mixed = Mixed(emit, alone=not request.mine)
        records = self._read_records(request)
        self._mine = tuple(
            Mine(emit, player, games, request.trusted) for player, games in records.items()
        )
        self._beacon = BeaconMixed(request, emit, tuple(records.values()))
        self._chain = Chain(emit)
        self._twice = Twice(emit)
        self._published = Published(request, emit)
        # What sees the entries of a hand's play besides; None where more checks see every entry.
        self._usual: dict[str, tuple[Handler, ...]] | None = None
        # Whether acts are for `Played` alone, and whether all these are those of `Foresight`.
        self._quick_acts = False
        self._foreseeable = False
        # None before there is one, or a table of one.
        self._tournaments: Tournaments | None = None
        self._games = 0
        self._covered = 0

    def _read_records(self, request: Request) -> dict[str, dict[str, Record]]:
        """Read the clients' records, by player and game."""
        records: dict[str, dict[str, Record]] = {}
        for file in request.mine:
            wrong = read_records(file.data, records)
            if wrong is not None:
                number, problem = wrong.number, wrong.problem
                self._emit.unreadable(Damaged(file.source, number, str(problem), problem.hint))
        return records

    def _plan(self) -> dict[str, tuple[Handler, ...]]:
        """Which checks see an entry of each kind of this game, in order, around the table."""
        bound, complete, mixed, dealt = self._bound, self._complete, self._mixed, self._dealt
        replayed, beacon, chain = self._replayed, self._beacon, self._chain
        before: dict[str, tuple[Handler, ...]] = {
            "seat_taken": (mixed.seat_taken,),
            "anchored": (mixed.anchored, complete.anchored),
            "hand_opened": (
                chain.hand_opened,
                bound.hand_opened,
                complete.hand_opened,
                mixed.hand_opened,
            ),
            "hand_void": (bound.hand_void, complete.hand_void, mixed.hand_void, self._void),
            "deck_committed": (mixed.deck_committed,),
            "posted": (complete.moved,),
            "dealt": (complete.moved, dealt.dealt),
            "opened": (dealt.opened, replayed.opened),
            "runs_agreed": (dealt.runs_agreed,),
            "game_opened": (beacon.game_opened, chain.game_opened, self._find_tournament),
            "game_closed": (complete.game_closed, chain.game_closed, self._game_closed),
            "secret_revealed": (
                bound.secret_revealed,
                complete.secret_revealed,
                self._secret_revealed,
            ),
        }
        after: dict[str, tuple[Handler, ...]] = {
            "hand_opened": (dealt.hand_opened, beacon.hand_opened),
            "hand_void": (complete.voided,),
            "deck_committed": (replayed.deck_committed, beacon.deck_committed),
        }
        every: tuple[Handler, ...] = (self._ordered.line, chain.line)
        assert len(every) == _EVERY
        if beacon.has_record:
            every = (*every, beacon.line)
        for mine in self._mine:
            every = (*every, mine.line)
            before["deck_committed"] += (mine.deck_committed,)
            before["hand_void"] += (mine.hand_void,)
            after["hand_opened"] += (mine.hand_opened,)
        table, played = self._table.handlers, self._played.handlers
        tournaments = self._tournaments
        event = {} if tournaments is None else tournaments.tables.handlers
        published = self._published.handlers
        plan: dict[str, tuple[Handler, ...]] = {
            kind: (
                *((played[kind],) if kind in played else ()),
                *((published[kind],) if kind in published else ()),
                *((event[kind],) if kind in event else ()),
                *before.get(kind, ()),
                *((table[kind],) if kind in table else ()),
                *after.get(kind, ()),
            )
            for kind in (*SHAPES, "")
        }
        # Order and leaves of a hand's play are taken for many lines at once.
        self._usual = None if len(every) > _EVERY else {kind: plan[kind] for kind in PLAY}
        self._quick_acts = plan["acted"] == (played["acted"],)
        foreseen = usual_handlers(self._played, dealt, replayed)
        self._foreseeable = all(
            [one for one in plan[kind] if one != complete.moved] == [*foreseen[kind]]
            for kind in PLAY
        )
        return {kind: (*every, *handlers) for kind, handlers in plan.items()}

    def handlers(self) -> Mapping[str, Handler]:
        """Every entry."""
        return {"*": self._line, TOURNAMENT: self._tournament_line}

    def begin(self, header: Header, /) -> None:
        """Begin a game, with a fresh table, or a tournament."""
        self._header = header
        self._signed: Signed | None = None
        if header.tournament:
            self._leaves = Spool()
            self._of_tournaments().begin(header)
            self._published.begin(header)
            return
        self._games += 1
        self._table = Table(header.game, header.origin)
        if self._tournaments is not None:
            self._tournaments.tables.begin()
        checks = (
            *(self._ordered, self._bound, self._replayed, self._dealt, self._complete),
            *(self._played, self._mixed, self._chain),
        )
        for check in checks:
            check.begin(self._table)
        self._published.begin(header)
        for mine in self._mine:
            mine.begin(self._table, header)
        self._beacon.begin(self._table, header)
        self._kinds = self._plan()

    def _of_tournaments(self) -> Tournaments:
        """Return the checks of tournaments, which are imported for the first of them."""
        if self._tournaments is None:
            from audit_cli.tournament.check import Tournaments  # noqa: PLC0415  (quick start)

            self._tournaments = Tournaments(self._emit)
            self._tournaments.tables.begun = self._games
        return self._tournaments

    def _find_tournament(self, line: Line) -> None:
        """See whether a game is a tournament's table, the first of the input."""
        if self._tournaments is None and "tournament" in line.body["rules"]:
            self._of_tournaments().tables.handlers[line.kind](line)
            self._kinds = self._plan()

    def _line(self, line: Line) -> None:
        if self._clock.acted is not None:
            self._clock.follow(line)
        for handle in self._kinds[line.kind]:
            handle(line)

    def play(self, play: Play, /) -> None:
        """Take the lines of a hand's play: as `_line` does, in fewer steps where all is usual."""
        clock, usual = self._clock, self._usual
        if usual is not None and clock.acted is None and self._foresaw(play):
            return
        if usual is None or clock.acted is not None or not self._ordered.play(play):
            for line in play.lines():
                self._line(line)
            return
        self._chain.play(play)
        tell_play(play, self._played, usual, quick=self._quick_acts)

    def _foresaw(self, play: Play) -> bool:
        """Take what came of the play of a hand, where it was followed from where the log is."""
        found, table = play.foreseen, self._table
        hand = table.hand
        if found is None or hand is None or not (self._foreseeable and hand.committed):
            return False
        if (table.leaf, hand.leaf) != (found.game, found.hand) or play.entry != hand.entry + 2:
            return False
        if not (self._played.is_fresh and self._replayed.is_fresh(hand.number, play.entry - 1)):
            return False
        if not self._ordered.foreseen(len(play.leaves), found.first, found.last):
            return False
        self._chain.play(play)
        self._complete.moved(place_of(play.entry, play.number))
        self._played.foreseen(hand.number, play, found)
        self._dealt.foreseen(found)
        self._replayed.foreseen(hand.number, play, found)
        return True

    def _tournament_line(self, line: Line) -> None:
        self._leaves.add(line.leaf)
        self._published.tournament(line)
        self._of_tournaments().line(line)

    def _game_closed(self, line: Line) -> None:
        if self._tournaments is not None:
            self._tournaments.tables.game_closed(line, self._chain.leaves)

    def _secret_revealed(self, line: Line) -> None:
        self._reveal(line, line.body["secret"])

    def _void(self, line: Line) -> None:
        """Compare the deck of a void hand, where one was committed."""
        self._reveal(line, line.body.get("secret"))

    def _reveal(self, line: Line, secret: str | None) -> None:
        number = line.body["hand"]
        deck = self._replayed.reveal(line, number, secret)
        self._played.reveal(number, deck)

    def signed(self, signed: Signed, /) -> None:
        """Note that a good checkpoint covers all entries so far."""
        self._signed = signed
        if not self._header.tournament:
            self._ordered.signed()

    def behind(self, extra: Extra, /) -> None:
        """Judge a player's own opening, and lines of the dealer's log."""
        if self._header.tournament:
            self._behind_tournament(extra)
            return
        self._replayed.behind(extra)
        self._dealt.behind(extra)
        self._published.behind(extra)

    def _behind_tournament(self, extra: Extra) -> None:
        if extra.kind == "opening":
            self._emit.warning("an opening is ignored: it stands behind a tournament's log")
        else:
            self._published.behind(extra)

    def _end_tournament(self, ended: Ended) -> None:
        leaves = self._leaves
        self._twice.end(self._header, leaves, self._signed, ended.key)
        self._published.end(leaves, self._signed, ended)
        self._of_tournaments().end(ended)

    def end(self, ended: Ended, /) -> None:
        """End the game: what was waited for will not come."""
        if self._header.tournament:
            self._end_tournament(ended)
            return
        if self._tournaments is not None:
            self._tournaments.tables.end(ended)
        self._covered += ended.covered
        leaves = self._chain.leaves
        self._twice.end(self._header, leaves, self._signed, ended.key)
        self._published.end(leaves, self._signed, ended)
        if ended.checkpoints == 0:
            text = f"no checkpoint of {ended.key} covers a line"
            for promise in _OF_ENTRIES:
                self._emit.finding(
                    Finding(promise, Verdict.NOT_ESTABLISHED, text, game=self._table.game)
                )
            return
        ends: tuple[Callable[[], None], ...] = (
            *(self._ordered.end, self._bound.end, self._replayed.end, self._dealt.end),
            *(self._played.end, self._mixed.end, self._beacon.end),
        )
        self._complete.end(ended)
        for tell in ends:
            tell()
        for mine in self._mine:
            mine.end()

    def conclude(self) -> None:
        """Say what holds, over all games; nothing where no entry was covered."""
        self._chain.conclude()
        if self._tournaments is not None:
            self._tournaments.conclude()
        self._published.conclude()
        self._beacon.conclude(self._published.cosigned_at)
        if self._covered:
            for check in (
                *(self._bound, self._replayed, self._ordered, self._dealt, self._complete),
                *(self._played, self._mixed),
            ):
                check.conclude()
        for mine in self._mine:
            mine.conclude()
