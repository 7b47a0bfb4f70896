"""Who is placed where, and with which prize (protocol 14.9 and 14.10)."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.tournament.prizes import share, share_cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from audit_cli.tournament.state import Entrant, Out, State


class Placing(NamedTuple):
    """What a `placed` entry has to say."""

    player: str
    place: int
    tied: int
    prize: int


# Groups of names, the best first.
_Groups = list[list[str]]


def place_busted(state: State) -> list[Placing]:
    """Return the placings of all who have busted without a place, in their order."""
    return _place(state, _busted_groups(state), state.players_in)


def place_last(state: State, *, satellite: bool) -> list[Placing]:
    """Return the placings of those in, at the end: by stacks, or all tied in a satellite."""
    return _place(state, [_names_in(state)] if satellite else _by_stacks(state), 0)


def place_cancelled(state: State, total: int) -> list[Placing]:
    """Return the placings of those in when a tournament is cancelled, with its shares of money."""
    stacks = {name: state.entrants[name].stack for name in _names_in(state)}
    prizes = share_cancelled(total, stacks)
    for name, amount in (state.shares or {}).items():
        if name in prizes:
            prizes[name] += amount
    return _number(_by_stacks(state), 0, lambda group, _: {name: prizes[name] for name in group})


def still_to_win(state: State) -> int:
    """Return the prizes of as many places as players are in; after a deal what was left."""
    if state.shares is not None:
        return state.left
    return sum(state.prizes[: state.players_in])


def _names_in(state: State) -> list[str]:
    return sorted(name for name, one in state.entrants.items() if one.is_in and not one.placed)


def _by_stacks(state: State) -> _Groups:
    entrants = [state.entrants[name] for name in _names_in(state)]
    return _grouped(entrants, lambda one: (one.stack,))


def _busted_groups(state: State) -> _Groups:
    entrants = [state.entrants[name] for name in state.unplaced]
    by_share = state.structure.ties == "share"
    ranks = _rank_by_table(entrants) if by_share else {}

    def key(one: Entrant) -> tuple[int, ...]:
        out = one.out
        assert out is not None
        if by_share and out.in_round:
            return out.order, -ranks[one.name]
        return out.order, out.start

    return _grouped([one for one in entrants if one.out is not None], key)


def _rank_by_table(entrants: Iterable[Entrant]) -> dict[str, int]:
    """Rank those of a round within their own table, 0 for the best; equals have one rank."""
    hands: dict[tuple[int, int], dict[int, list[str]]] = {}
    for one in entrants:
        if one.out is not None and one.out.in_round:
            stacks = hands.setdefault(_hand_of(one.out), {})
            stacks.setdefault(one.out.start, []).append(one.name)
    return {
        name: rank
        for stacks in hands.values()
        for rank, start in enumerate(sorted(stacks, reverse=True))
        for name in stacks[start]
    }


def _hand_of(out: Out) -> tuple[int, int]:
    return out.order, out.table


def _grouped(entrants: list[Entrant], key: Callable[[Entrant], tuple[int, ...]]) -> _Groups:
    ordered = sorted(entrants, key=key, reverse=True)
    return [sorted(one.name for one in group) for _, group in groupby(ordered, key)]


def _place(state: State, groups: _Groups, above: int) -> list[Placing]:
    """Place groups below so many players, each group sharing the prizes of its places."""
    shares = state.shares

    def pay(group: list[str], place: int) -> Mapping[str, int]:
        if shares is None:
            total = sum(state.prizes[place - 1 : place - 1 + len(group)])
            return share(total, group)
        paid = share(state.left if place == 1 else 0, group)
        return {name: amount + shares.get(name, 0) for name, amount in paid.items()}

    return _number(groups, above, pay)


def _number(
    groups: _Groups, above: int, pay: Callable[[list[str], int], Mapping[str, int]]
) -> list[Placing]:
    placings: list[list[Placing]] = []
    for group in groups:
        place = above + 1
        prizes = pay(group, place)
        placings.append([Placing(name, place, len(group), prizes[name]) for name in group])
        above += len(group)
    return [placing for group in reversed(placings) for placing in group]
