"""How well house players may play: a name of its own, which costs nothing to know."""

from enum import StrEnum, unique


@unique
class Level(StrEnum):
    """How well a house player plays; `strategies` says how."""

    BEGINNER = "beginner"
    INTERMEDIATE = "intermediate"
    PROFESSIONAL = "professional"
