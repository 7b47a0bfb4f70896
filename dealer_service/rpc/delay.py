"""Who is told of a game later, and as it was when (PROTOCOL.md section 5).

Every call that tells of a game's course asks here first, whichever node it comes to.
"""

from dealer_service.access.roles import Caller
from dealer_service.rules.table_state import TableState, seat_of
from dealer_service.store.api import LogState
from dealer_service.tables.floor import Floor
from dealer_service.tables.past import DelayRule, Past


def is_delayed(caller: Caller, state: TableState) -> bool:
    """Say whether a caller is told later of a game in this state: its rules say so, and no seat."""
    if not state.rules.watch_delay_ms or caller.keeps:
        return False
    return not caller.plays or seat_of(state, caller.name) is None


class Delay:
    """The delays of a dealer's games, as its callers meet them."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    async def rule(self, caller: Caller, game: str) -> DelayRule | None:
        """Give the delay by which a caller is told of a game; None where it is at once."""
        if caller.keeps:
            return None
        table = self._floor.running(game)
        if table is not None:
            state = table.standing.state
            if not is_delayed(caller, state):
                return None
            return DelayRule(state.rules.watch_delay_ms or 0, state.opened.previous is None)
        head = await self._floor.house.head(game)
        # What is archived was over for longer than its delay; tournaments are told at once.
        if head.is_tournament or head.facts.state is LogState.ARCHIVED:
            return None
        return await self._stored_rule(caller, game)

    async def _stored_rule(self, caller: Caller, game: str) -> DelayRule | None:
        """Give the delay of a game that has no table here, as the store tells it."""
        house = self._floor.house
        rule = await house.delays.pasts.rule(house, game)
        if not rule.ms:
            return None
        if caller.plays:
            stored = await house.delays.pasts.state(house, game)
            if stored is None or not is_delayed(caller, stored):
                return None
        return rule

    async def past(self, caller: Caller, game: str) -> Past | None:
        """Give the game as it is told to a caller: None where that is all there is.

        Refused NO_SUCH_GAME where it was not there yet.
        """
        rule = await self.rule(caller, game)
        if rule is None:
            return None
        house = self._floor.house
        return await house.delays.pasts.past(house, game, rule)
