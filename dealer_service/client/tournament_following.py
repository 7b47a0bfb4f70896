"""One tournament followed, once for however many players of this process, and verified.

Players join with what is to hear of them: entries that name them or are of all, in order. The view
that they share is that behind the last line received.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import TypeAlias

from cutcard.v1 import tournament_pb2
from dealer_service.client.calls import Caller
from dealer_service.client.disk import on_disk
from dealer_service.client.errors import CallRefusedError
from dealer_service.client.evidence import write_evidence
from dealer_service.client.refusing import Refused
from dealer_service.client.shapes import Entry
from dealer_service.client.tournament_events import OF_ALL, concerned
from dealer_service.client.tournament_verifier import TournamentVerifier, WatchedTournament
from dealer_service.client.tournament_view import Standing, TournamentView
from dealer_service.client.watching import TOURNAMENT, Broken, follow
from dealer_service.transcript.note import NoteKey

News: TypeAlias = Entry | Refused | CallRefusedError | None
"""An entry, why the tournament was refused or can not be followed, or None: it is over."""


class TournamentFollower:
    """Follows a tournament from its first line until it is closed, or refused.

    With a `directory` it writes there what a refusal rests on.
    """

    def __init__(
        self, caller: Caller, watched: WatchedTournament, directory: Path | None = None
    ) -> None:
        self.tournament = watched.tournament
        self.refused: Refused | None = None
        self.caught_up = asyncio.Event()
        """Set when all lines that there were on joining have been told."""
        self.is_over = False
        self._caller = caller
        self._key = watched.key
        self._directory = directory
        self._verifier = TournamentVerifier(watched)
        self._listeners: dict[str, Callable[[News], None]] = {}
        self._watchers: list[Callable[[News], None]] = []
        self._error: CallRefusedError | None = None
        self._task = asyncio.create_task(self._run())

    @property
    def view(self) -> TournamentView:
        """The tournament as its log tells it so far."""
        return self._verifier.view

    def join(self, player: str, hear: Callable[[News], None]) -> None:
        """Have `hear` told of what concerns a player from now on; the end at once where it came."""
        self._listeners[player] = hear
        self._tell_end(hear)

    def leave(self, player: str) -> None:
        """Tell of a player no more."""
        self._listeners.pop(player, None)

    def watch(self, hear: Callable[[News], None]) -> None:
        """Have `hear` told of every entry from now on."""
        self._watchers.append(hear)
        self._tell_end(hear)

    async def until_caught_up(self) -> TournamentView:
        """Wait until what there was has been told; CallRefusedError where it can not be followed.

        Also where it was refused meanwhile: see `refused`.
        """
        await self.caught_up.wait()
        if self._error is not None:
            raise self._error
        return self.view

    async def close(self) -> None:
        """Follow it no more."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            steps = follow(self._caller, self.tournament, self._verifier, TOURNAMENT)
            async with aclosing(steps):
                async for step in steps:
                    if isinstance(step, Refused):
                        await self._refuse(step)
                        return
                    if not isinstance(step, Broken):
                        for entry in step.entries:
                            self._tell(entry)
                    if self._verifier.caught_up:
                        self.caught_up.set()
        except CallRefusedError as error:
            self._error = error
        finally:
            self.is_over = True
            self.caught_up.set()
            for hear in (*self._listeners.values(), *self._watchers):
                self._tell_end(hear)

    async def _refuse(self, refused: Refused) -> None:
        self.refused = refused
        if self._directory is not None:
            path = self._directory / f"{self.tournament}.evidence"
            await on_disk(write_evidence, path, refused, self._key)

    def _tell(self, entry: Entry) -> None:
        for hear in tuple(self._watchers):
            hear(entry)
        if entry.kind in OF_ALL:
            for hear in tuple(self._listeners.values()):
                hear(entry)
            return
        names = concerned(entry)
        if entry.kind == "hand_finished":
            names = self._deciding_at(entry.body["table"])
        for name in names:
            if (listener := self._listeners.get(name)) is not None:
                listener(entry)

    def _deciding_at(self, number: int) -> tuple[str, ...]:
        players = self.view.players
        seated = self.view.tables[number].seats.values()
        return tuple(name for name in seated if players[name].standing is Standing.DECIDING)

    def _tell_end(self, hear: Callable[[News], None]) -> None:
        if self.is_over:
            hear(self.refused or self._error)


async def follow_tournament(
    caller: Caller, key: NoteKey, tournament: str, directory: Path | None = None
) -> TournamentFollower:
    """Begin to follow a tournament; CallRefusedError where there is none."""
    around = caller.surroundings
    joined, slept = around.monotonic(), around.slept()
    request = tournament_pb2.GetTournamentRequest(tournament=tournament)
    answer = await caller.call(lambda at: at.tournaments.GetTournament, request)
    size = answer.summary.size
    watched = WatchedTournament(tournament, key, joined, size, slept)
    return TournamentFollower(caller, watched, directory)
