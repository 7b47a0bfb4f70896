"""What an entry must meet to follow, or ImpossibleEntry says what it does not."""

from dealer_service.rules.refusal import ImpossibleEntry
from dealer_service.rules.state import HandState, Stage


def require(condition: bool, message: str) -> None:
    """Raise ImpossibleEntry with the message where the condition does not hold."""
    if not condition:
        raise ImpossibleEntry(message)


def require_stage(state: HandState, stage: Stage) -> None:
    """Raise ImpossibleEntry where the hand waits for something else."""
    if state.stage is not stage:
        message = f"the hand waits for {state.stage}, not for {stage}"
        raise ImpossibleEntry(message)


def require_hand(state: HandState, number: int) -> None:
    """Raise ImpossibleEntry where another hand is open."""
    if number != state.frame.hand:
        message = f"hand {number} is not the open hand {state.frame.hand}"
        raise ImpossibleEntry(message)
