"""Games that a test plays step by step: a table to begin with, and an end that is revealed."""

from dealer_service.rules.entry import CloseReason
from tests.support.simulator import Cheat, Simulator


def table_of(*names: str, cheat: Cheat | None = None) -> Simulator:
    """Open a game and seat players, each with a chain."""
    game = Simulator(seed=3, cheat=cheat)
    for name in names:
        game.sit(name)
    return game


def finish(game: Simulator, reason: CloseReason = CloseReason.OPERATOR) -> Simulator:
    """Close a game and reveal it."""
    game.close(reason)
    game.reveal()
    return game
