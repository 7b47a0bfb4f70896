"""A real dealer in the test's own process, and connections of the typed client to it."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutcard.v1 import entry_pb2
from dealer_service import app
from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue
from dealer_service.client import Dealer
from dealer_service.config import Settings
from tests.support.service import UNHURRIED


@dataclass
class House:
    """A dealer that serves, one operator, and the folder in which players keep their files."""

    dealer: app.Dealer
    folder: Path
    stack: AsyncExitStack

    @property
    def key(self) -> str:
        return str(self.dealer.keys.signer.verifier)

    async def connect(self, name: str, role: Role = Role.PLAYER) -> Dealer:
        """Connect as somebody, until the house closes."""
        settings = self.dealer.settings
        key = self.dealer.keys.token
        token = issue(key, name, role, ttl=3600, now=time.time(), origin=settings.origin)
        return await self.stack.enter_async_context(
            Dealer.connect(f"127.0.0.1:{self.dealer.port}", token)
        )

    async def open_game(self, operator: Dealer, **rules: Any) -> str:
        """Open a paused game, so that all can sit before its first hand; no clock hurries it."""
        usual = {"small_blind": 50, "big_blind": 100, "turn_ms": 60_000, "link_ms": 60_000}
        game = (await operator.operator.open_game(entry_pb2.RuleSet(**usual | rules))).game
        await operator.operator.pause(game)
        return game


@asynccontextmanager
async def keeping_house(folder: Path, **given: Any) -> AsyncIterator[House]:
    """Run a dealer on loopback until the block ends; `given` are other fields of its settings."""
    dealer = app.Dealer(
        Settings(folder / "dealer", address="127.0.0.1:0", grace=0.0, limits=UNHURRIED, **given)
    )
    await dealer.start()
    try:
        async with AsyncExitStack() as stack:
            yield House(dealer, folder / "players", stack)
    finally:
        await dealer.stop()
