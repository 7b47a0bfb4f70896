"""All tournaments of a dealer: those that run, and where to find the others.

Their tables stand on the dealer's floor among all others, and come and go with them. A tournament
with its tables is one thing to own: where the store is shared, another dealer has all of it or
nothing.
"""

from typing import Final, Protocol

from dealer_service.rules.tournament.entry import Structure
from dealer_service.rules.tournament.state import Phase, TournamentState
from dealer_service.store.api import LogAppend, LogHead, LogState
from dealer_service.tables.dealing import Dealing
from dealer_service.tables.house import House
from dealer_service.tables.part import Host
from dealer_service.tables.recovery import Recovered
from dealer_service.tables.refused import archived, no_such_tournament
from dealer_service.tables.table import Table
from dealer_service.tables.tournament.conduct import Conduct, open_tournament
from dealer_service.tables.tournament.recovery import RecoveredTournament, read_tournament_state
from dealer_service.tables.tournament.tournament import Floor as Ground
from dealer_service.tables.tournament.tournament import Tournament
from dealer_service.tables.whereabouts import Others, not_here

ENDED: Final = 16
"""The states of so many tournaments that are over are kept: folding one reads its whole log."""


class Tables(Protocol):
    """The floor, as far as tournaments go by it."""

    house: House

    @property
    def others(self) -> Others | None:
        """The other dealers; None where there are none."""
        ...

    @property
    def is_away(self) -> bool:
        """Whether no tables are had at present, because the store is out of reach."""
        ...

    def new_table(
        self, dealing: Dealing, host: Host, checkpoint: tuple[str, int] = ("", 0)
    ) -> Table:
        """Make a table of a tournament."""
        ...

    def adopt(self, recovered: Recovered, host: Host) -> Table:
        """Have a table that was recovered, which is still to be started."""
        ...

    def serve(self, table: Table) -> None:
        """Have a table from now on, and let it go on."""
        ...

    def remove(self, table: Table) -> None:
        """Have this table no longer."""
        ...


class Hall:
    """Every tournament of the dealer."""

    def __init__(self, floor: Tables) -> None:
        self._floor = floor
        self._ground = Ground(floor.new_table, floor.serve, self.remove, self._lose)
        self._running: dict[str, Tournament] = {}
        self._ended: dict[str, TournamentState] = {}

    @property
    def tournaments(self) -> tuple[Tournament, ...]:
        """The tournaments that run."""
        return tuple(self._running.values())

    def running(self, tournament: str) -> Tournament | None:
        """Give one that runs; None when there is no such, or it is over."""
        return self._running.get(tournament)

    def open(self, structure: Structure, reference: str) -> tuple[Tournament, LogAppend]:
        """Make a new tournament under a valid structure, and give what is to be written of it.

        FairnessError without randomness.
        """
        conduct, unit = open_tournament(self._floor.house, structure, reference)
        change, last = conduct.finish(unit), unit.signed[-1]
        return self._make(conduct, (last.note, last.size)), change

    def follow(self, tournament: Tournament) -> None:
        """Have a tournament that was just opened, and let it go on."""
        if self._floor.is_away and self._floor.others is not None:
            self._floor.others.mislaid(tournament.game)
            return
        self._running[tournament.game] = tournament
        tournament.start()

    def place(self, recovered: RecoveredTournament) -> Tournament:
        """Have a tournament that was recovered with its tables; it is still to be started."""
        tournament = self._make(recovered.conduct, recovered.checkpoint)
        for caller, request_id in recovered.answered:
            tournament.requests.note(caller, request_id)
        for number, one in recovered.tables.items():
            tournament.adopt(number, self._floor.adopt(one, tournament))
        self._running[tournament.game] = tournament
        return tournament

    def remove(self, tournament: Tournament) -> None:
        """Have this tournament and its tables no longer."""
        if self._running.get(tournament.game) is tournament:
            del self._running[tournament.game]
        for table in tuple(tournament.tables.values()):
            self._floor.remove(table)

    async def find(self, tournament: str) -> Tournament:
        """Give a tournament that runs; Refused where there is none."""
        running = self._running.get(tournament)
        if running is not None:
            return running
        head = await self._head(tournament)
        running = self._running.get(tournament)
        if running is not None:
            return running
        others = self._floor.others
        raise await not_here(head, others, "tournament", "the tournament is over")

    async def state(self, tournament: str) -> tuple[TournamentState, int]:
        """Give the durable state of any tournament and the size of its log."""
        running = self._running.get(tournament)
        if running is not None:
            return running.standing.state, running.standing.size
        head = await self._head(tournament)
        if head.facts.state is LogState.ARCHIVED:
            raise archived()
        if head.facts.state is not LogState.REVEALED:
            running = await self.find(tournament)
            return running.standing.state, running.standing.size
        state = self._ended.get(tournament)
        if state is None:
            state = await self._floor.house.read(
                lambda store: read_tournament_state(store, tournament)
            )
        if state.phase is Phase.CLOSED:
            self._ended[tournament] = state
            if len(self._ended) > ENDED:
                del self._ended[next(iter(self._ended))]
        return state, head.next_index

    def _make(self, conduct: Conduct, checkpoint: tuple[str, int]) -> Tournament:
        return Tournament(conduct, self._ground, checkpoint)

    async def _head(self, tournament: str) -> LogHead:
        head = await self._floor.house.read(lambda store: store.head(tournament))
        if head is None or not head.is_tournament:
            raise no_such_tournament()
        return head

    def _lose(self, tournament: Tournament) -> None:
        """Let go of a tournament that another dealer seems to have."""
        self._floor.house.metrics.fencings.inc()
        self.remove(tournament)
        if self._floor.others is not None:
            self._floor.others.mislaid(tournament.game)
