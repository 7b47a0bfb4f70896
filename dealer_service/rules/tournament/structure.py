"""Which structures a tournament can be played by (14.3), and the usual one."""

from dealer_service.rules.entry import RuleSet
from dealer_service.rules.ruleset import Fault
from dealer_service.rules.tournament.entry import Structure


def find_faults(structure: Structure) -> tuple[Fault, ...]:
    """Give every fault of a structure at once, in the order of its fields; none if it can be."""
    raise NotImplementedError


def table_rules(structure: Structure, tournament: str, table: int) -> RuleSet:
    """Give the rules of a table's game: those of the structure, with whose table it is."""
    raise NotImplementedError
