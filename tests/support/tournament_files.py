"""Files of whole tournaments, with real draws, decks, chains, openings and signatures.

`play_event` plays one event of `tests.support.tournament_play` whose tables are `Simulator`s, and
gives `EventFiles`: the transcripts of the tournament and of its tables, to be rendered as they are
or changed and signed again. One structure, one seed and one set of habits are one event.

A test that changes a line of a table's log and wants only that to be wrong calls `mend`: it puts
the size and root of each table's log into its `table_closed` again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from dealer_service.rules import closing
from dealer_service.rules.entry import (
    CloseReason,
    Entry,
    GameOpened,
    HandEnded,
    HandLevel,
    HandOpened,
    SeatTaken,
    VoidReason,
)
from dealer_service.rules.hand import Decision
from dealer_service.rules.opening import links_missing
from dealer_service.rules.table_state import MAX_FREE_VOIDS, TableState, seat_of
from dealer_service.rules.tournament.entry import HandFinished, Structure, TournamentEntry
from dealer_service.tables.tournament.lines import encode
from dealer_service.transcript.note import NoteSigner, note_signer
from tests.support.simulator import KEY_SEED, Move, Simulator, granted
from tests.support.tournament_play import ORIGIN, Habits, TournamentPlay, choose
from tests.support.transcripts import Transcript, dump

CHAIN_LENGTH: Final = 300
QUIET: Final = Habits()
ANCHORED_AT_ONCE: Final = 0.8
"""How often a player logs an anchor directly when it sits down; else it never does."""


class SealedTable:
    """A table of the event: a simulator that has the game's id, rules and clock from outside."""

    def __init__(self, at: int, opened: GameOpened, random: Random, habits: Habits) -> None:
        self.habits = habits
        self.simulator = Simulator(
            seed=random.getrandbits(64), chain_length=CHAIN_LENGTH, begun=(at, opened)
        )

    @property
    def state(self) -> TableState:
        return self.simulator.state

    @property
    def log(self) -> list[tuple[int, Entry]]:
        return self.simulator.log

    def give(self, at: int, entries: Sequence[Entry]) -> None:
        simulator = self.simulator
        simulator.now = at
        simulator.append(*entries)
        for entry in entries:
            if isinstance(entry, SeatTaken) and simulator.random.random() < ANCHORED_AT_ONCE:
                self._anchor(entry.player)

    def _anchor(self, player: str) -> None:
        """Log an anchor for a player that may have one, and is not dealt into the open hand."""
        simulator = self.simulator
        if len(simulator.state.misses.get(player, ())) == 0:
            simulator.anchor(player)

    def open_hand(self, at: int, level: HandLevel, button: int | None) -> HandOpened:
        simulator = self.simulator
        simulator.now, simulator.level, simulator.button = at, level, button
        simulator.open_hand()
        opened = simulator.log[-1][1]
        assert isinstance(opened, HandOpened)
        return opened

    def play_out(self, at: int) -> None:
        simulator = self.simulator
        simulator.now = at
        simulator.give_links()
        simulator.commit_deck()
        while (due := simulator.decision) is not None:
            simulator.act(*self._choose(due))

    def _choose(self, due: Decision) -> Move:
        did, to = choose(self.simulator.random, self.habits, due)
        return did, to or 0

    def end_hand(self, at: int) -> HandEnded:
        self.simulator.now = at
        self.simulator.end_hand()
        ended = self.simulator.log[-1][1]
        assert isinstance(ended, HandEnded)
        return ended

    def void_hand(self, at: int) -> None:
        """Void by a missing link where one can be missing, else for the operator's own reasons."""
        simulator = self.simulator
        simulator.now = at
        opened = simulator.state.open
        assert opened is not None
        late = at >= opened.at + simulator.state.rules.link_ms
        if late and opened.frozen:
            first = next(iter(opened.frozen.values())).player
            simulator.give_links(missing=(first,))
            assert links_missing(simulator.state, simulator.links)
            simulator.void_hand(VoidReason.LINK_MISSING)
        else:
            assert simulator.state.voids < MAX_FREE_VOIDS, "choose another seed"
            simulator.void_hand(VoidReason.OPERATOR)

    def has_anchor(self, player: str) -> bool:
        seat = seat_of(self.state, player)
        return seat is not None and self.state.seats[seat].anchor is not None

    def close(self, at: int) -> tuple[int, str]:
        simulator = self.simulator
        simulator.now = at
        simulator.append(*granted(closing.close_game(simulator.state, CloseReason.TOURNAMENT)))
        simulator.checkpoint()
        return len(simulator.lines), simulator.tree.root().hex()


@dataclass(slots=True)
class EventFiles:
    """The transcript of a tournament and those of its tables by number, to change and to sign."""

    tournament: Transcript
    tables: dict[int, Transcript]
    signer: NoteSigner

    @property
    def key(self) -> str:
        """The dealer's verifier key."""
        return str(self.signer.verifier)

    def copy(self) -> "EventFiles":
        """Give one more to change."""
        tables = {number: table.copy() for number, table in self.tables.items()}
        return replace(self, tournament=self.tournament.copy(), tables=tables)

    def tournament_file(self) -> bytes:
        """Write the tournament's file, signed as it stands."""
        _, rest = self.tournament.render(self.signer).split(b"\n", 1)
        header = {
            "format": "cutcard-tournament/1",
            "key": self.key,
            "origin": self.tournament.origin,
            "tournament": self.tournament.game,
        }
        return dump(header) + b"\n" + rest

    def table_file(self, number: int) -> bytes:
        """Write a table's file, signed as it stands."""
        return self.tables[number].render(self.signer)

    def joined(self) -> bytes:
        """Write all files, one behind the other."""
        return self.tournament_file() + b"".join(map(self.table_file, self.tables))

    def mend(self) -> "EventFiles":
        """Put size and root of each table's log into its `table_closed`."""
        for line in self.tournament.all("table_closed"):
            table = self.tables.get(line.body["table"])
            if table is None:
                continue
            size = table.find("game_closed").index + 1
            self.tournament.change(line.index, size=size, root=table.root(size).hex())
        return self


def play_event(
    structure: Structure,
    *,
    seed: int = 1,
    habits: Habits = QUIET,
    visitors: Sequence[str] = (),
) -> EventFiles:
    """Play an event to its end, reveal its tables, and give its files.

    `visitors` register one after another, each behind the first hand that lets it in.
    """
    waiting = list(visitors)

    def let_in(play: TournamentPlay, entries: Sequence[TournamentEntry]) -> None:
        ended = any(isinstance(entry, HandFinished) for entry in entries)
        if ended and waiting and play.register(waiting[0]):
            del waiting[0]

    play = TournamentPlay(
        structure, seed=seed, habits=habits, make_table=SealedTable, after=let_in
    ).run()
    lines = [encode(at, entry) for at, entry in play.log]
    sizes = sorted({*range(25, len(lines), 25), len(lines)})
    tables: dict[int, Any] = play.tables
    for table in tables.values():
        table.simulator.now = play.now
        table.simulator.reveal()
    return EventFiles(
        Transcript(ORIGIN, play.tournament, lines, sizes),
        {number: table.simulator.transcript() for number, table in tables.items()},
        note_signer(ORIGIN, KEY_SEED),
    )
