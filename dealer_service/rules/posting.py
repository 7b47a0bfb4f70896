"""What is posted before the cards, in which order, and what of it is a bet (9.1).

All of it follows from the rules and the opening, so that it is known when a hand begins. A short
stack posts all that it has, and a seat without chips nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from dealer_service.rules.betting import Chair
from dealer_service.rules.entry import AnteKind, HandOpened, Post, Posted, RuleSet

_SMALL, _BIG, _ANTE, _DEAD = Post.SMALL_BLIND, Post.BIG_BLIND, Post.ANTE, Post.DEAD
BLINDS: Final = (_SMALL, _BIG)
STRADDLE_BLINDS: Final = 2
"""A straddle is twice the big blind."""


def post_blinds(
    rules: RuleSet, opened: HandOpened, chairs: Sequence[Chair], place: Mapping[int, int]
) -> tuple[Posted, ...]:
    """List the posts of a hand with blinds alone, as `list_posts` does."""
    small, big = opened.small_blind_seat, opened.big_blind_seat
    big_blind = Posted(big, _BIG, min(rules.big_blind, chairs[place[big]].stack))
    if small is None:
        return (big_blind,)
    return (Posted(small, _SMALL, min(rules.small_blind, chairs[place[small]].stack)), big_blind)


def list_posts(
    rules: RuleSet, opened: HandOpened, chairs: Sequence[Chair], place: Mapping[int, int]
) -> tuple[Posted, ...]:
    """List all posts of a hand in their order; the chairs stand clockwise from the button's left.

    `place` tells which of them is a seat's.
    """
    left = [chair.stack for chair in chairs]
    posts = []
    for seat, what, amount in _list_due(rules, opened, [chair.seat for chair in chairs]):
        paid = min(amount, left[place[seat]])
        if paid:
            left[place[seat]] -= paid
            posts.append(Posted(seat, what, paid))
    return tuple(posts)


def _list_due(
    rules: RuleSet, opened: HandOpened, seats: Sequence[int]
) -> list[tuple[int, Post, int]]:
    ante = rules.ante
    due: list[tuple[int, Post, int]] = []
    if ante is not None and ante.kind == AnteKind.EACH:
        due += [(seat, _ANTE, ante.amount) for seat in seats]
    if opened.small_blind_seat is not None:
        due.append((opened.small_blind_seat, _SMALL, rules.small_blind))
    due.append((opened.big_blind_seat, _BIG, rules.big_blind))
    if opened.straddle_seat is not None:
        due.append((opened.straddle_seat, Post.STRADDLE, STRADDLE_BLINDS * rules.big_blind))
    owing = {one.seat: one.owes for one in opened.seats if one.owes is not None}
    for seat in seats if owing else ():
        owes = owing.get(seat)
        if owes is not None:
            due += [(seat, _DEAD, owes.dead), (seat, Post.LIVE, owes.live)]
    if ante is not None and ante.kind == AnteKind.BIG_BLIND:
        due.append((opened.big_blind_seat, _ANTE, ante.amount))
    return due


def is_dead(rules: RuleSet, what: Post) -> bool:
    """Tell whether a post is dead money: nobody put it in, and it never comes back."""
    if what is _ANTE:
        return rules.ante is not None and rules.ante.kind == AnteKind.BIG_BLIND
    return what is _DEAD


def sum_dead(rules: RuleSet, posts: Sequence[Posted]) -> int:
    """Add up the dead money of some posts."""
    return sum([one.amount for one in posts if is_dead(rules, one.what)])
