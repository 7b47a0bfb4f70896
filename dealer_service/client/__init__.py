"""A typed asyncio client that keeps its own record and refuses what the protocol refuses."""

from dealer_service.client.errors import CallRefusedError, Refusal
from dealer_service.client.events import (
    Acted,
    AnchorNotLogged,
    BetReturned,
    BoardOpened,
    CardsDealt,
    CaughtUp,
    Disconnected,
    Event,
    GameClosed,
    HandOver,
    HandStarted,
    HandVoided,
    LinkNotGiven,
    Mucked,
    MyTurn,
    Posted,
    PotAwarded,
    PotWinner,
    Shown,
    TableChanged,
)
from dealer_service.client.message import Decision, Span
from dealer_service.client.operator import ChipMovement, GameSummary, OpenedGame, Operator
from dealer_service.client.refusing import Evidence, Reason, Refused
from dealer_service.client.seat import Act, Seat, Spectator
from dealer_service.client.session import Dealer
from dealer_service.client.view import Pot, SeatView, TableView

__all__ = [
    "Act",
    "Acted",
    "AnchorNotLogged",
    "BetReturned",
    "BoardOpened",
    "CallRefusedError",
    "CardsDealt",
    "CaughtUp",
    "ChipMovement",
    "Dealer",
    "Decision",
    "Disconnected",
    "Event",
    "Evidence",
    "GameClosed",
    "GameSummary",
    "HandOver",
    "HandStarted",
    "HandVoided",
    "LinkNotGiven",
    "Mucked",
    "MyTurn",
    "OpenedGame",
    "Operator",
    "Posted",
    "Pot",
    "PotAwarded",
    "PotWinner",
    "Reason",
    "Refusal",
    "Refused",
    "Seat",
    "SeatView",
    "Shown",
    "Span",
    "Spectator",
    "TableChanged",
    "TableView",
]
