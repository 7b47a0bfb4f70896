"""Games that another dealer has, followed in the shared store for those who watch them here.

What is in the store is all that the owner may have told anybody, so a watcher here sees the same
lines, checkpoints and proofs, a moment later. The turn follows from the lines, and its deadline
from the rules: a clock that the owner let run longer is told by the owner alone. A seat's own cards
are told where the game is dealt, so whoever has a seat is sent there.

One look at the store serves all games and all who watch them, and there are none while nobody
watches.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import structlog

from dealer_service.rules.table import evolve
from dealer_service.rules.table_state import Phase, TableState
from dealer_service.store.api import Store
from dealer_service.store.leases import Leases
from dealer_service.store.refusal import StoreError
from dealer_service.tables.house import House
from dealer_service.tables.lines import decode
from dealer_service.tables.past import read_present
from dealer_service.tables.recovery import CannotRecover
from dealer_service.tables.refused import Refused
from dealer_service.tables.replay import PAGE, Replay
from dealer_service.tables.standing import Standing
from dealer_service.tables.watchers import Audience, Batch

LOOK_SECONDS: Final = 0.075
"""The time between two looks at the store."""

IDLE_LOOKS: Final = 60
"""A game that nobody watches any more is let go of after so many looks."""

_log = structlog.get_logger("afar")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a look found of a game, and how it stands then."""

    batches: Sequence[Batch]
    standing: Standing


class Followed:
    """One game of another dealer, with all who watch it here."""

    def __init__(self, house: House, game: str, standing: Standing) -> None:
        self.house = house
        self.game = game
        self.standing = standing
        self.audience = Audience(house.backlogs)
        self.idle = 0
        self._replay = Replay(house, game)
        self._why: Exception | None = None

    def require_running(self) -> None:
        """Raise why nothing more is told, where that is so."""
        if self._why is not None:
            raise self._why

    def has_grown(self, size: int, signed: int) -> bool:
        """Say whether a log of so many lines, signed so far, has something to tell."""
        standing = self.standing
        return size > standing.size or min(signed, size) > standing.checkpoint_size

    def look(self, store: Store, size: int) -> _Seen:
        """Read on up to `size`, or a page; blocks."""
        before = self.standing
        state, note, noted = before.state, before.checkpoint, before.checkpoint_size
        batches: list[Batch] = []
        if noted < before.size:
            batches += self._replay.late(store, size=before.size)
        end = min(size, before.size + PAGE)
        batches += self._replay.page(store, start=before.size, end=end)
        for batch in batches:
            for line in batch.lines:
                state = evolve(state, *decode(line))
            if batch.checkpoint:
                note, noted = batch.checkpoint, batch.end
        standing = _stand(state, end, note, noted)
        if end > before.size and (decision := standing.decision) is not None:
            batches[-1].decision, batches[-1].deadline = decision, standing.deadline
        return _Seen(batches, standing)

    def tell(self, seen: _Seen) -> None:
        """Tell all who watch what a look found."""
        before, self.standing = self.standing, seen.standing
        for batch in seen.batches:
            self.audience.tell_all(batch)
        for player in _seated(seen.standing.state) - _seated(before.state):
            # It has sat down, and is sent to where the game is dealt.
            self.audience.move(player)
            self.house.delays.move(self.game, player)
        if seen.standing.state.phase is Phase.REVEALED:
            self.audience.end()

    def end(self, why: Exception) -> None:
        """Tell nothing more, and why."""
        self._why = why
        self.audience.end()


class Afar:
    """All games of other dealers that somebody watches here."""

    def __init__(self, house: House, leases: Leases) -> None:
        self._house = house
        self._leases = leases
        self._games: dict[str, Followed] = {}
        self._looking: asyncio.Task[None] | None = None
        self._refusal: Refused | None = None

    async def follow(self, game: str) -> Followed:
        """Give a game as it stands in the store now; whoever watches joins its audience at once."""
        if self._refusal is not None:
            raise self._refusal
        followed = self._games.get(game)
        if followed is None:
            standing = await self._house.read(partial(_read_standing, game=game))
            # Another watcher may have come first.
            followed = self._games.setdefault(game, Followed(self._house, game, standing))
        await self._look([followed])
        followed.idle = 0
        self._games[game] = followed
        if self._looking is None:
            self._looking = asyncio.create_task(self._keep_looking())
        return followed

    async def end(self, refusal: Refused) -> None:
        """Tell all who watch that the dealer stops."""
        self._refusal = refusal
        for followed in self._games.values():
            followed.end(refusal)
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    @property
    def followed(self) -> Sequence[Followed]:
        """The games that are followed now."""
        return tuple(self._games.values())

    async def _keep_looking(self) -> None:
        try:
            while self._games:
                await asyncio.sleep(LOOK_SECONDS)
                try:
                    await self._look(list(self._games.values()))
                except StoreError as error:
                    # It is looked for again, until the dealer stops or the store is back.
                    _log.debug("look_failed", reason=error.reason)
                self._forget_idle()
        except Exception as fault:  # noqa: BLE001 - whoever watches is told, whatever it was
            for followed in self._games.values():
                followed.end(fault)
            self._games.clear()
        finally:
            self._looking = None

    async def _look(self, games: list[Followed]) -> None:
        before = {followed.game: followed.standing for followed in games}
        seen = await self._house.read(partial(self._read, games=games))
        for followed in games:
            found = seen.get(followed.game)
            # Another look may have been quicker.
            if found is not None and followed.standing is before[followed.game]:
                followed.tell(found)

    def _read(self, store: Store, *, games: list[Followed]) -> dict[str, _Seen]:
        sizes = self._leases.sizes([followed.game for followed in games])
        return {
            followed.game: followed.look(store, sizes[followed.game][0])
            for followed in games
            if followed.game in sizes and followed.has_grown(*sizes[followed.game])
        }

    def _forget_idle(self) -> None:
        for followed in tuple(self._games.values()):
            followed.idle = 0 if len(followed.audience) else followed.idle + 1
            if followed.idle > IDLE_LOOKS:
                del self._games[followed.game]


def _seated(state: TableState) -> frozenset[str]:
    return frozenset(seat.player for seat in state.seats.values())


def _read_standing(store: Store, *, game: str) -> Standing:
    present = read_present(store, log=game)
    state, size = present.state, present.size
    if state is None:
        message = f"the store has no lines of game {game}"
        raise CannotRecover(message)
    last = store.last_checkpoint(game)
    note, noted = (last.note, last.size) if last is not None and last.size <= size else ("", 0)
    return _stand(state, size, note, noted)


def _stand(state: TableState, size: int, note: str, noted: int) -> Standing:
    return Standing(state, size, note, noted, openings={})
