"""The prize pool, the prizes that follow from it, and how those who tie share them (14.9)."""

from collections.abc import Mapping, Sequence
from typing import Final

from dealer_service.rules.tournament.entry import PayoutKind, PayoutRule, Structure
from dealer_service.rules.tournament.state import TournamentState

WHOLE = 10_000
"""Shares of the pool are in ten thousandths."""

MOST_PAID: Final = 2_500
"""So many places get shares, points or the full prize at most: the prizes fit into a line."""


def prize_pool(state: TournamentState) -> int:
    """Give the pool in units of money: every entry and purchase, at least the guarantee."""
    structure = state.structure
    return max(structure.guarantee, structure.buy_in * state.entries + state.spent)


def prizes_of(structure: Structure, pool: int, players: int) -> tuple[int, ...]:
    """Give the prizes, or points, from place 1 on, up to the last that is not 0."""
    rule = structure.payout
    match rule.kind:
        case PayoutKind.SHARES:
            found = _by_shares(rule, pool, players)
        case PayoutKind.WINNER:
            found = [pool]
        case PayoutKind.SATELLITE:
            found = _by_equal_prizes(rule, pool, players)
        case PayoutKind.POINTS:
            found = list(rule.points or ())[:players]
    while found and not found[-1]:
        found.pop()
    return tuple(found)


def full_places(state: TournamentState) -> int:
    """Give how many places of a satellite get the full prize."""
    prize = state.structure.payout.prize
    assert prize is not None
    return min(state.pool // prize, len(state.prizes), MOST_PAID)


def prizes_between(prizes: Sequence[int], first: int, count: int) -> int:
    """Add up the prizes of `count` places from place `first` on."""
    return sum(prizes[first - 1 : first - 1 + count])


def share_evenly(amount: int, names: Sequence[str]) -> dict[str, int]:
    """Share an amount in whole units; what is left over goes one each by ascending name."""
    each, over = divmod(amount, len(names))
    return {name: each + (place < over) for place, name in enumerate(sorted(names))}


def share_by_stacks(amount: int, stacks: Mapping[str, int]) -> dict[str, int]:
    """Share half of an amount in equal parts and half in proportion to the stacks (14.10).

    Each part is rounded down, and what is left over goes one each by ascending name, round and
    round.
    """
    names, chips = sorted(stacks), sum(stacks.values())
    equal = amount // 2
    shares = {
        name: equal // len(names) + (amount - equal) * stacks[name] // max(1, chips)
        for name in names
    }
    each, over = divmod(amount - sum(shares.values()), len(names))
    return {name: shares[name] + each + (place < over) for place, name in enumerate(names)}


def _by_shares(rule: PayoutRule, pool: int, players: int) -> list[int]:
    tables, unit = rule.tables, rule.unit
    assert tables is not None
    assert unit is not None
    fitting = [one for one in tables if one.players <= players] or tables[:1]
    shares = fitting[-1].shares[:players]
    prizes = [pool * share // WHOLE // unit * unit for share in shares]
    prizes[0] += pool - sum(prizes)
    return prizes


def _by_equal_prizes(rule: PayoutRule, pool: int, players: int) -> list[int]:
    prize = rule.prize
    assert prize is not None
    full = min(pool // prize, players, MOST_PAID)
    rest = pool - full * prize
    if full < players:
        return [*[prize] * full, rest]
    return [prize + rest, *[prize] * (full - 1)]
