"""The three levels of house players, each with one plain strategy."""

from collections.abc import Mapping
from enum import StrEnum, unique
from typing import Final

from dealer_service.bots import beginner, intermediate, professional
from dealer_service.bots.choosing import Strategy


@unique
class Level(StrEnum):
    """How well a house player plays."""

    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    PROFESSIONAL = "professional"


STRATEGIES: Final[Mapping[Level, Strategy]] = {
    Level.BEGINNER: beginner.choose,
    Level.INTERMEDIATE: intermediate.choose,
    Level.PROFESSIONAL: professional.choose,
}
"""How each level decides."""
