"""How each level of house players decides: one plain strategy each."""

from collections.abc import Mapping
from typing import Final

from dealer_service.bots import beginner, intermediate, professional
from dealer_service.bots.choosing import Strategy
from dealer_service.bots.level import Level

STRATEGIES: Final[Mapping[Level, Strategy]] = {
    Level.BEGINNER: beginner.choose,
    Level.INTERMEDIATE: intermediate.choose,
    Level.PROFESSIONAL: professional.choose,
}
