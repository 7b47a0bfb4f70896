"""What players did over the hands of a game, counted from its entries alone.

The counts are those of the message PlayerStatistics: of hands that ended, never of void ones.
Where a player of the house's own was dealt into a hand nothing is counted for anybody, since
statistics of play against bots tell nothing of people.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from dealer_service.rules.entry import (
    Act,
    Acted,
    Awarded,
    BlindsChopped,
    Dealt,
    Destination,
    Entry,
    HandEnded,
    HandOpened,
    HandVoid,
    SeatWord,
)

_DEALT_IN: Final = (SeatWord.IN, SeatWord.ABSENT)
_RAISES: Final = (Act.BET, Act.RAISE)
SHOWDOWN: Final = 2
"""A showdown is between so many seats, or more, that have not folded."""


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """One player's counts, each of the hands before it: how many of them it did so in."""

    player: str
    hands: int = 0
    vpip: int = 0
    pfr: int = 0
    showdowns: int = 0
    won_at_showdown: int = 0


@dataclass(frozen=True, slots=True)
class Statistics:
    """The counts of every player that was dealt in, by rising name; none with a house player."""

    people_only: bool
    players: tuple[PlayerStatistics, ...]


@dataclass(frozen=True, slots=True)
class Hand:
    """The open hand as far as it counts: names by seat, and the seats that did something."""

    players: Mapping[int, str]
    board: bool = False
    chopped: bool = False
    folded: frozenset[int] = frozenset()
    put: frozenset[int] = frozenset()
    raised: frozenset[int] = frozenset()
    won: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Count:
    """The counts after some entries: of the hands that ended, and the hand that is open."""

    people_only: bool = True
    players: Mapping[str, PlayerStatistics] = field(default_factory=dict, hash=False)
    hand: Hand | None = None


def count(entries: Iterable[Entry]) -> Statistics:
    """Count over the entries of a game from its first one on, of a whole log or a part."""
    so_far = Count()
    for entry in entries:
        so_far = count_on(so_far, entry)
    return tell(so_far)


def tell(counted: Count) -> Statistics:
    """Give what was counted, for everybody to see."""
    if not counted.people_only:
        return Statistics(people_only=False, players=())
    return Statistics(True, tuple(one for _, one in sorted(counted.players.items())))


def count_on(counted: Count, entry: Entry) -> Count:
    """Count one entry more; entries that count for nothing give the same value."""
    if isinstance(entry, HandOpened):
        return _open(counted, entry)
    hand = counted.hand
    if hand is None:
        return counted
    if isinstance(entry, HandEnded):
        return Count(counted.people_only, _end(counted.players, hand))
    if isinstance(entry, HandVoid):
        return Count(counted.people_only, counted.players)
    followed = _follow(hand, entry)
    return counted if followed is hand else replace(counted, hand=followed)


def _open(counted: Count, opened: HandOpened) -> Count:
    dealt_in = [one for one in opened.seats if one.state in _DEALT_IN]
    people_only = counted.people_only and not any(one.house for one in dealt_in)
    return Count(people_only, counted.players, Hand({one.seat: one.player for one in dealt_in}))


def _follow(hand: Hand, entry: Entry) -> Hand:
    match entry:
        case Acted(act=Act.FOLD):
            return replace(hand, folded=hand.folded | {entry.seat})
        case Acted(act=Act.CALL | Act.BET | Act.RAISE) if not hand.board:
            raised = hand.raised | {entry.seat} if entry.act in _RAISES else hand.raised
            return replace(hand, put=hand.put | {entry.seat}, raised=raised)
        case Dealt() if any(one.to is Destination.BOARD for one in entry.positions):
            return replace(hand, board=True)
        case BlindsChopped():
            return replace(hand, chopped=True)
        case Awarded():
            return replace(hand, won=hand.won | {one.seat for one in entry.winners if one.amount})
        case _:
            return hand


def _end(players: Mapping[str, PlayerStatistics], hand: Hand) -> dict[str, PlayerStatistics]:
    live = hand.players.keys() - hand.folded
    shown = live if len(live) >= SHOWDOWN and not hand.chopped else frozenset()
    counted = dict(players)
    for seat, name in hand.players.items():
        one = counted.get(name, PlayerStatistics(name))
        counted[name] = PlayerStatistics(
            player=name,
            hands=one.hands + 1,
            vpip=one.vpip + (seat in hand.put),
            pfr=one.pfr + (seat in hand.raised),
            showdowns=one.showdowns + (seat in shown),
            won_at_showdown=one.won_at_showdown + (seat in shown and seat in hand.won),
        )
    return counted
