"""Who bears a verified token, and which role that is at each game.

A token's claim `role` counts everywhere, and its claim `tables` (game ID to role) where it names
the game, or one that the game goes on from: the nearest named one counts. Which game goes on from
which never changes, so that what was found for a game is kept.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from dealer_service.access.limits import Allowance
from dealer_service.access.roles import Caller, Role

KEPT_GAMES: Final = 1_000
"""The roles of so many games are kept for one token."""


class Bearer:
    """A token that was verified: whom it names, until when, and what it allows.

    `everywhere` is the caller in calls that no named game decides; None where the token is for
    games alone. `first` is that one or, where there is none, the caller at the first named game.
    `expires` is in seconds since 1970.
    """

    __slots__ = ("_at", "_callers", "_tables", "allowance", "everywhere", "expires", "first")

    def __init__(
        self,
        name: str,
        role: Role | None,
        tables: Mapping[str, Role],
        expires: int,
        allowance: Allowance,
    ) -> None:
        self.expires = expires
        self.allowance = allowance
        roles = ([role] if role else []) + list(tables.values())
        self._callers = {one: Caller(name, one) for one in roles}
        self.everywhere = self._callers[role] if role else None
        self.first = self._callers[roles[0]]
        self._tables = tables
        self._at: dict[str, Caller | None] = {}

    @property
    def has_tables(self) -> bool:
        """Whether its role may differ from game to game."""
        return bool(self._tables)

    def knows(self, game: str) -> bool:
        """Whether `at` needs nothing of a game's ancestors."""
        return game in self._tables or game in self._at

    def at(self, game: str) -> Caller | None:
        """Give the caller at a game that it knows; None where the token is not for it."""
        role = self._tables.get(game)
        return self._callers[role] if role else self._at[game]

    def learn(self, game: str, ancestors: Iterable[str]) -> Caller | None:
        """Find out and keep who it is at a game that goes on from `ancestors`, nearest first."""
        role = next((self._tables[one] for one in ancestors if one in self._tables), None)
        caller = self._callers[role] if role else self.everywhere
        if len(self._at) >= KEPT_GAMES:
            del self._at[next(iter(self._at))]
        self._at[game] = caller
        return caller
