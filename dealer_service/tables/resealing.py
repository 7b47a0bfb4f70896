"""Puts sealed secrets under the key that seals now, in the background, after the key was changed.

A dealer started with a new sealing key and old ones seals under the new one and opens all. The
games that it took over are gone through one by one: each secret is sealed anew and exchanged in
the store, where the old one still stands there. So a crash anywhere in between leaves each secret
under one key or the other, and the next start goes on. Games that are revealed are left as they
are, for their secrets are public. When nothing that is not revealed stands under an old key any
more, in the whole store, the log says that it can be removed.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Coroutine
from functools import partial

import structlog

from dealer_service.fairness.refusal import FairnessError
from dealer_service.store.api import SealedSecret, Store, unfinished_heads
from dealer_service.store.refusal import StoreError
from dealer_service.store.sealing import Sealer, key_of
from dealer_service.tables.floor import Floor

_log = structlog.get_logger("dealer")


class Resealing:
    """Goes through the games that a dealer takes over, as long as it has old keys."""

    def __init__(self) -> None:
        self._games: deque[str] = deque()
        self._called = asyncio.Event()
        self._told: dict[bytes, int] = {}
        self._task: asyncio.Task[None] | None = None

    def start(self, floor: Floor) -> None:
        """Begin; a dealer with one key has nothing to do."""
        if len(floor.house.sealer.key_ids) > 1:
            self._task = asyncio.ensure_future(self._run(floor))

    def note(self, game: str) -> None:
        """Learn of a game that was taken over."""
        if self._task is not None:
            self._games.append(game)
            self._called.set()

    async def stop(self) -> None:
        """Begin nothing more; what is not done is left for the next start."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _run(self, floor: Floor) -> None:
        while True:
            self._called.clear()
            while self._games:
                await self._try(self._reseal_game(floor, self._games.popleft()))
            await self._try(self._count(floor))
            await self._called.wait()

    async def _try(self, work: Coroutine[None, None, None]) -> None:
        """Do something as far as it can be done; the rest is for the next start."""
        try:
            await work
        except (StoreError, FairnessError) as fault:
            _log.error("resealing_failed", why=str(fault))

    async def _reseal_game(self, floor: Floor, game: str) -> None:
        read, sealer = floor.house.read, floor.house.sealer
        count = 0
        for old in await read(lambda store: store.sealed_secrets(game)):
            if key_of(old.sealed) == sealer.key_id:
                continue
            new = await read(partial(reseal, sealer=sealer, game=game, old=old))
            if new is None:
                continue
            count += 1
            table = floor.running(game)
            if table is not None and table.dealing.sealed.get(old.hand) == old.sealed:
                table.dealing.sealed[old.hand] = new.sealed
        if count:
            _log.info("resealed", game=game, secrets=count, key=sealer.key_id.hex())

    async def _count(self, floor: Floor) -> None:
        left = await floor.house.read(count_by_key)
        for key_id in floor.house.sealer.key_ids[1:]:
            if self._told.get(key_id) == left[key_id]:
                continue
            self._told[key_id] = left[key_id]
            if left[key_id]:
                _log.info("sealing_key_in_use", key=key_id.hex(), secrets=left[key_id])
            else:
                _log.info("sealing_key_can_be_removed", key=key_id.hex())


def reseal(store: Store, *, sealer: Sealer, game: str, old: SealedSecret) -> SealedSecret | None:
    """Exchange one sealed secret for one under the new key; None where it was exchanged already.

    StoreError where it does not open, or where the store fails.
    """
    name = bytes.fromhex(game)
    new = SealedSecret(
        old.hand, sealer.seal(name, old.hand, sealer.unseal(name, old.hand, old.sealed))
    )
    return new if store.reseal(game, old, new) else None


def count_by_key(store: Store) -> Counter[bytes]:
    """Count the secrets that are not revealed yet by the ID of the key they are sealed under."""
    found: Counter[bytes] = Counter()
    for head in unfinished_heads(store):
        found.update(key_of(one.sealed) for one in store.sealed_secrets(head.log))
    return found
