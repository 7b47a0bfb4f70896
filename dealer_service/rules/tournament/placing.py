"""Who is placed where: those who bust, and those who are in at the end (14.9, 14.10)."""

from collections.abc import Iterable, Sequence

from dealer_service.rules.tournament.entry import PayoutKind, Placed, Ties
from dealer_service.rules.tournament.prizes import (
    full_places,
    prizes_between,
    share_by_stacks,
    share_evenly,
)
from dealer_service.rules.tournament.state import Bust, TournamentState

Groups = Sequence[Sequence[str]]
"""Names that tie, the best group first."""


def rank_busted(busted: Iterable[Bust], ties: Ties) -> Groups:
    """Rank those who are out, the best first.

    One whose hand ended later is better, then one who had more when it opened. Of the hands of a
    round hand for hand, with `share`, the best of each table tie, then the second of each.
    """
    every = list(busted)
    groups: dict[tuple[int, int], list[str]] = {}
    for one in every:
        within = one.stack
        if one.ended.in_round and ties is Ties.SHARE:
            within = -_rank_at_table(one, every)
        groups.setdefault((one.ended.order, within), []).append(one.player)
    return [sorted(groups[key]) for key in sorted(groups, reverse=True)]


def place_busted(state: TournamentState) -> tuple[Placed, ...]:
    """Place all who have busted, behind those who are in."""
    return place(state, rank_busted(state.busted, state.structure.ties), state.players_in + 1)


def is_end_reached(state: TournamentState) -> bool:
    """Say whether nothing is left to be played for, and everybody else is placed."""
    return not state.busted and is_decided(state)


def is_decided(state: TournamentState) -> bool:
    """Say whether nothing is left to be played for, who has busted being placed or not."""
    if state.registration_open or not state.is_running:
        return False
    if state.players_in <= 1 or (state.deal is not None and state.deal.left == 0):
        return True
    satellite = state.structure.payout.kind is PayoutKind.SATELLITE
    return satellite and state.players_in <= full_places(state)


def place_winners(state: TournamentState) -> tuple[Placed, ...]:
    """Place those who are in at the end: by their stacks, in a satellite all alike."""
    if state.structure.payout.kind is PayoutKind.SATELLITE and state.players_in > 1:
        return place(state, [sorted(stacks_in(state))], 1)
    return place(state, _by_stacks(state), 1)


def place_cancelled(state: TournamentState, amount: int) -> tuple[Placed, ...]:
    """Place those in at a cancellation, sharing `amount` besides what a deal gave them."""
    shares = share_by_stacks(amount, stacks_in(state))
    deal = state.deal.shares if state.deal else {}
    return tuple(
        Placed(name, number, tied, shares[name] + deal.get(name, 0))
        for name, number, tied in _lay_out(_by_stacks(state), 1)
    )


def place(state: TournamentState, groups: Groups, first: int) -> tuple[Placed, ...]:
    """Give groups the places from `first` on with their prizes, the lowest place told first."""
    placed: list[Placed] = []
    for name, number, tied in _lay_out(groups, first):
        if state.deal is not None:
            prize = state.deal.shares[name] + (state.deal.left if number == 1 else 0)
        else:
            group = next(group for group in groups if name in group)
            prize = share_evenly(prizes_between(state.prizes, number, tied), group)[name]
        placed.append(Placed(name, number, tied, prize))
    return tuple(placed)


def stacks_in(state: TournamentState) -> dict[str, int]:
    """Give the stacks of all who are in, by rising name."""
    found = {
        seat.player: seat.stack
        for table in state.open_tables
        for seat in table.seats.values()
        if state.entrants[seat.player].is_in
    }
    found |= dict.fromkeys(state.waiting, state.structure.stack)
    return dict(sorted(found.items()))


def _rank_at_table(one: Bust, every: list[Bust]) -> int:
    """Count the greater stacks that went out at the same table in the same round."""
    return len(
        {
            other.stack
            for other in every
            if (other.table, other.ended) == (one.table, one.ended) and other.stack > one.stack
        }
    )


def _by_stacks(state: TournamentState) -> Groups:
    stacks = stacks_in(state)
    sizes = sorted(set(stacks.values()), reverse=True)
    return [[name for name, stack in stacks.items() if stack == size] for size in sizes]


def _lay_out(groups: Groups, first: int) -> list[tuple[str, int, int]]:
    """Give name, place and how many share it, from the lowest place on."""
    found: list[tuple[str, int, int]] = []
    for group in groups:
        found[:0] = [(name, first, len(group)) for name in sorted(group)]
        first += len(group)
    return found
