"""Pool, prizes and shares of money (protocol 14.9 and 14.10), all in whole units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.tournament.structure_shape import MOST_PAID, WHOLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.tournament.state import State
    from audit_cli.tournament.structure import Payout


def work_out_pool(state: State) -> int:
    """Return what is played for: the buy-ins, rebuys and add-ons, or what is guaranteed."""
    structure = state.structure
    return max(structure.buy_in * state.entries + state.bought, structure.guarantee)


def work_out_prizes(payout: Payout, pool: int, players: int) -> tuple[int, ...]:
    """Return the prizes from place 1 on, without zeros at the end; `players` is 1 or more."""
    if payout.kind == "points":
        prizes = list(payout.points[:players])
    elif payout.kind == "satellite":
        prizes = _satellite(payout, pool, players)
    elif payout.kind == "shares":
        prizes = _by_shares(payout, pool, players)
    else:
        prizes = [pool]
    while prizes and not prizes[-1]:
        prizes.pop()
    return tuple(prizes)


def count_full(payout: Payout, pool: int, players: int) -> int:
    """Return how many places of a satellite have the full prize."""
    return min(pool // payout.prize, players, MOST_PAID)


def _satellite(payout: Payout, pool: int, players: int) -> list[int]:
    full = count_full(payout, pool, players)
    rest = pool - full * payout.prize
    prizes = [payout.prize] * full
    if full < players:
        prizes.append(rest)
    elif prizes:
        prizes[0] += rest
    return prizes


def _by_shares(payout: Payout, pool: int, players: int) -> list[int]:
    tables = payout.tables
    shares = next((s for least, s in reversed(tables) if least <= players), tables[0][1])
    unit = payout.unit
    prizes = [pool * share // WHOLE // unit * unit for share in shares[:players]]
    prizes[0] += pool - sum(prizes)
    return prizes


def share(total: int, names: Sequence[str]) -> dict[str, int]:
    """Share an amount equally; units left over go one each by ascending name.

    A log that is wrong may leave nobody to share it.
    """
    if not names:
        return {}
    return _hand_out(total, dict.fromkeys(sorted(names), total // len(names)))


def _hand_out(total: int, parts: dict[str, int]) -> dict[str, int]:
    """Give what is above the parts to them, one unit each in their order, round by round."""
    left = total - sum(parts.values())
    rounds, more = divmod(left, len(parts))
    return {
        name: part + rounds + (index < more) for index, (name, part) in enumerate(parts.items())
    }


def share_cancelled(total: int, stacks: Mapping[str, int]) -> dict[str, int]:
    """Share what a cancelled tournament owes: half equally, half in proportion to the stacks."""
    names = sorted(stacks)
    if not names:
        return {}
    equal = total // 2
    rest, chips = total - equal, sum(stacks.values())
    each = equal // len(names)
    return _hand_out(
        total, {name: each + (rest * stacks[name] // chips if chips else 0) for name in names}
    )
