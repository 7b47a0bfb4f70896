"""What each player did in the hands that are told, in counts; shares of them are for the reader.

By the words of trackers: VPIP, chips put in before the flop by the player's own will, and PFR, a
raise there, of the hands in which it had a turn before the flop (so that a walk is none); 3-bet, a
raise over the first raise of another, of the turns that faced one; WTSD, a showdown, of the flops
seen; W$SD, a showdown at which chips were won; aggression, bets and raises for each call from the
flop on. Who was away when a hand opened, and was dealt in all the same, has no turn in it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from audit_cli.told.events import Act, Acted, BoardDealt, Street

if TYPE_CHECKING:
    from collections.abc import Iterable

    from audit_cli.told.hand import Hand, Seat

_CALLS_OR_MORE = frozenset({Act.CALL, Act.BET, Act.RAISE})
_MOVES = frozenset({Act.BET, Act.RAISE})


@dataclass(frozen=True, slots=True)
class Session:
    """One player's counts. `biggest_pot` is the most that it won in one hand, `net` all chips.

    `first_turns` are the hands in which it had a turn before the flop, `moves` its bets and raises
    from the flop on, `calls` its calls there.
    """

    hands: int = 0
    first_turns: int = 0
    vpip: int = 0
    pfr: int = 0
    three_bets: int = 0
    three_bet_chances: int = 0
    flops: int = 0
    showdowns: int = 0
    showdowns_won: int = 0
    moves: int = 0
    calls: int = 0
    biggest_pot: int = 0
    net: int = 0

    def with_hand(self, other: Session) -> Session:
        """Return the counts of both; of the biggest pots the bigger one."""
        sums = {
            one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)
        }
        return Session(**sums | {"biggest_pot": max(self.biggest_pot, other.biggest_pot)})

    @property
    def aggression(self) -> float | None:
        """Bets and raises for each call; None without a call."""
        return self.moves / self.calls if self.calls else None


def count_session(hands: Iterable[Hand]) -> dict[str, Session]:
    """Return the counts of every player that was dealt in, by name in alphabetical order."""
    sessions: dict[str, Session] = {}
    for hand in hands:
        for seat in hand.dealt_in:
            before = sessions.get(seat.player, Session())
            sessions[seat.player] = before.with_hand(_count_hand(hand, seat))
    return dict(sorted(sessions.items()))


def _count_hand(hand: Hand, seat: Seat) -> Session:
    acts = [event for event in hand.events if isinstance(event, Acted)]
    first = [act for act in acts if act.street is Street.PREFLOP]
    own = [act for act in acts if act.seat == seat.seat and not seat.absent]
    later = [act.act for act in own if act.street is not Street.PREFLOP]
    early = {act.act for act in own if act.street is Street.PREFLOP}
    chance, taken = _three_bet(first, seat.seat)
    chance = chance and not seat.absent
    flop = any(isinstance(event, BoardDealt) for event in hand.events)
    stayed = seat.seat not in hand.folded
    folded_first = any(act.act is Act.FOLD and act.seat == seat.seat for act in first)
    # Blinds that are chopped are none: there is no board.
    showdown = stayed and len(hand.order) - len(hand.folded) > 1 and flop
    return Session(
        hands=1,
        first_turns=int(bool(early)),
        vpip=int(bool(early & _CALLS_OR_MORE)),
        pfr=int(Act.RAISE in early),
        three_bets=int(taken),
        three_bet_chances=int(chance),
        flops=int(flop and not folded_first),
        showdowns=int(showdown),
        showdowns_won=int(showdown and seat.won > 0),
        moves=sum(act in _MOVES for act in later),
        calls=later.count(Act.CALL),
        biggest_pot=seat.won,
        net=seat.net,
    )


def _three_bet(first: Iterable[Acted], seat: int) -> tuple[bool, bool]:
    """Tell whether a seat faced the first raise, another's, in a turn, and whether it raised."""
    raised_by: list[int] = []
    for act in first:
        if act.seat == seat and len(raised_by) == 1 and raised_by[0] != seat:
            return True, act.act is Act.RAISE
        if act.act is Act.RAISE:
            raised_by.append(act.seat)
    return False, False
