"""How a hand ended, in words: what each pot paid to whom, who won and lost, what was never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.review.painting import Paint
    from audit_cli.told.events import Awarded
    from audit_cli.told.hand import Hand

_BOARDS = {1: "first", 2: "second"}


def tell_award(hand: Hand, award: Awarded) -> str:
    """Return who wins what: "ann wins the main pot of 574, less 28 rake: Pair of aces"."""
    what = "the pot"
    if len(hand.pots) > 1:
        what = f"side pot {award.pot}" if award.pot else "the main pot"
    if award.half:
        what = f"the {award.half} half of {what}"
    if len(hand.boards) > 1:
        what += f" on the {_BOARDS.get(award.board, award.board)} board"
    rake = f", less {award.rake:,} rake" if award.rake else ""
    # A name is the same for all who share, as they hold equal hands.
    name = f": {award.winners[0].name}" if award.winners[0].name else ""
    players = [hand.seat(winner.seat).player for winner in award.winners]
    if len(players) == 1:
        return f"{players[0]} wins {what}, {award.amount:,}{rake}{name}"
    shares = ", ".join(
        f"{player} {winner.amount:,}" for player, winner in zip(players, award.winners, strict=True)
    )
    return f"{join_names(players)} share {what}, {award.amount:,}{rake} ({shares}){name}"


def tell_end(hand: Hand, paint: Paint) -> list[str]:
    """Return who won and lost what, and the cards that nobody saw at the table."""
    nets = sorted(hand.dealt_in, key=lambda seat: (-seat.net, seat.seat))
    moved = ", ".join(f"{seat.player} {seat.net:+,}" for seat in nets if seat.net)
    lines = ["", f"  {paint.strong('Net')}  {moved or 'no chip moved'}"]
    unseen = [
        f"{seat.player} {paint.cards(seat.holes)}"
        for seat in sorted(hand.dealt_in, key=lambda one: one.seat)
        if seat.holes is not None and seat.seat not in hand.shown and seat.player != hand.hero
    ]
    if unseen:
        lines.append(f"  {paint.faint('not shown at the table:')} {', '.join(unseen)}")
    return lines


def join_names(names: Sequence[str]) -> str:
    """Return names in a row: "ann, ben and cleo"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
