"""What every act of the demo is played on: a dealer on loopback, and its callers' way to it.

They share one stream, as players of a backend do, which costs less than a stream and calls of each.
"""

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from dealer_service import app
from dealer_service.access.roles import Role
from dealer_service.client import Backend, Dealer
from dealer_service.commands.connecting import explained
from dealer_service.commands.failure import Failure
from dealer_service.commands.keeping import TokenOffice, verifier_key
from dealer_service.commands.loops import run_loop
from dealer_service.config import Settings

T = TypeVar("T")
Connect: TypeAlias = Callable[[str, Role], Dealer]
"""connect(name, role): a connection that lasts as long as the act."""

_TOKEN_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Played:
    """What an act leaves to be audited: its file, the dealer's verifier key, a player's records.

    `what` was played, a "game" or an "event"; `told` are the lines that say how it went.
    """

    what: str
    told: tuple[str, ...]
    file: Path
    key: str
    records: tuple[Path, ...]


def play_alone(folder: Path, play: Callable[[Connect, str], Awaitable[T]]) -> T:
    """Play one act in `folder`, from the dealer's start to its stop; Failure.

    `play` is given how to connect, and the dealer's verifier key.
    """
    outcome: list[T] = []

    async def work() -> int:
        outcome.append(await _play(folder, play))
        return 0

    run_loop(work())
    return outcome[0]


async def _play(folder: Path, play: Callable[[Connect, str], Awaitable[T]]) -> T:
    dealer = app.Dealer(Settings(folder, address="127.0.0.1:0"))
    try:
        await dealer.start()
    except Exception as error:
        message = f"the dealer can not start in {folder}: {error}"
        raise Failure(message) from error
    try:
        with explained():
            office, address = TokenOffice(folder), f"127.0.0.1:{dealer.port}"
            own = office.issue("demo", Role.OPERATOR, _TOKEN_SECONDS)
            async with Backend.connect(address, own) as backend:

                def connect(name: str, role: Role) -> Dealer:
                    return backend.player(office.issue(name, role, _TOKEN_SECONDS))

                return await play(connect, verifier_key(folder))
    finally:
        await dealer.stop()


class Progress:
    """How far an act is, where a person watches."""

    def __init__(self) -> None:
        self._watched = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Draw how far it is."""
        if self._watched:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._watched:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
