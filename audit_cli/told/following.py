"""One hand, followed through its entries: chips are counted, cards are put to their places.

Nothing is judged here that `verify` judges, but everything has to fit together: what a seat puts
in it has, what a pot holds was put in, and the hand ends with the stacks that follow. `Unfit`
says where it does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.checks.voice import count
from audit_cli.poker.pots import layer_pots
from audit_cli.told.events import (
    Act,
    Acted,
    Awarded,
    BlindsChopped,
    BoardDealt,
    By,
    HolesDealt,
    Mucked,
    Posted,
    Returned,
    RunsAgreed,
    Shown,
    Street,
    What,
    Winner,
)
from audit_cli.told.followed import UnfitError
from audit_cli.told.hand import Pot

if TYPE_CHECKING:
    from collections.abc import Callable

    from audit_cli.gamefile import Line
    from audit_cli.told.followed import Followed

_BETS = frozenset({What.SMALL_BLIND, What.BIG_BLIND, What.STRADDLE, What.LIVE})
_MOVES = frozenset({Act.BET, Act.RAISE})
_WHOLE = 5


def follow(hand: Followed, line: Line) -> None:
    """Take an entry of the hand; what does not fit is kept in `hand.wrong`, and then no more."""
    if hand.wrong:
        return
    named = line.body.get("hand", hand.number)
    if named != hand.number:
        hand.wrong = f"entry {line.entry}: it names hand {named:,}"
        return
    try:
        _TAKERS[line.kind](hand, line.body, line.at)
    except UnfitError as unfit:
        hand.wrong = f"entry {line.entry}: {unfit}"


def count_pots(hand: Followed) -> tuple[Pot, ...]:
    """Return the pots of an ended hand; UnfitError where the awards are not of them."""
    totals = {seat: chips.total for seat, chips in hand.chips.items()}
    layers = layer_pots(totals, hand.live, hand.dead)
    awarded: dict[int, list[Awarded]] = {}
    for award in hand.awards:
        awarded.setdefault(award.pot, []).append(award)
    if sum(layer.amount for layer in layers) != sum(totals.values()) + hand.dead:
        message = "every seat has folded, and chips lie in the pot"
        raise UnfitError(message)
    lying = [layer.amount for layer in layers]
    amounts = [sum(award.amount for award in awarded.get(at, ())) for at in range(len(layers))]
    if lying != amounts or len(awarded) != len(layers):
        message = f"its pots hold {_list(lying)}, and {_list(amounts)} was awarded"
        raise UnfitError(message)
    big_blind = hand.opened["big_blind_seat"]
    return tuple(
        Pot(
            number,
            layer.amount,
            sum(award.rake for award in awarded[number]),
            (big_blind,) if hand.chopped else layer.eligible,
            tuple(awarded[number]),
        )
        for number, layer in enumerate(layers)
    )


def _list(amounts: list[int]) -> str:
    return ", ".join(map(str, amounts)) or "nothing"


def _deck_committed(hand: Followed, body: dict[str, Any], _: int) -> None:
    if hand.root:
        message = "a second deck is committed"
        raise UnfitError(message)
    hand.mix = bytes.fromhex(body["mix"])
    hand.root = bytes.fromhex(body["deck_root"])


def _posted(hand: Followed, body: dict[str, Any], at: int) -> None:
    seat, what, amount = body["seat"], What(body["what"]), body["amount"]
    chips = hand.seated(seat)
    if what in chips.posted:
        message = f"seat {seat} posts its {what.value.replace('_', ' ')} twice"
        raise UnfitError(message)
    chips.posted.add(what)
    chips.pay(seat, amount)
    ante = hand.rules.ante
    if what in _BETS:
        chips.bet += amount
        chips.total += amount
    elif what is What.ANTE and ante is not None and ante[0] == "each":
        chips.total += amount
    else:
        hand.dead += amount
    if what is What.STRADDLE:
        hand.facing = 2 * hand.rules.big_blind
    hand.events.append(Posted(at, seat, what, amount, chips.stack, what in _BETS))


def _dealt(hand: Followed, body: dict[str, Any], at: int) -> None:
    again = hand.holes_dealt
    for dealt in body["positions"]:
        if dealt["position"] in hand.places:
            message = f"position {dealt['position']} is dealt twice"
            raise UnfitError(message)
        to = dealt["seat"] if dealt["to"] == "seat" else -dealt.get("board", 0)
        hand.places[dealt["position"]] = to
    seats = [dealt["seat"] for dealt in body["positions"] if dealt["to"] == "seat"]
    if not seats:
        return
    if again:
        message = "hole cards are dealt a second time"
        raise UnfitError(message)
    wanted = hand.rules.game.hole_cards
    for seat in hand.chips:
        if seats.count(seat) != wanted:
            message = f"seat {seat} is dealt {count(seats.count(seat), 'card')}, not {wanted}"
            raise UnfitError(message)
    if any(seat not in hand.chips for seat in seats):
        message = "a seat that is not dealt in gets cards"
        raise UnfitError(message)
    hand.events.append(HolesDealt(at))


def _acted(hand: Followed, body: dict[str, Any], at: int) -> None:
    seat, act, to = body["seat"], Act(body["act"]), body["to"]
    chips = hand.seated(seat)
    amount = to - chips.bet
    more = act in _MOVES
    if seat not in hand.live:
        message = f"seat {seat} has folded and acts"
        raise UnfitError(message)
    if amount < 0 or (more and to <= hand.facing) or (act is Act.CALL and to > hand.facing):
        message = f"a {act.value} of seat {seat} to {to} over {chips.bet}, facing {hand.facing}"
        raise UnfitError(message)
    if amount and act in {Act.FOLD, Act.CHECK}:
        message = f"seat {seat} puts in {amount} with a {act.value}"
        raise UnfitError(message)
    chips.pay(seat, amount)
    chips.bet = to
    chips.total += amount
    facing = hand.facing
    hand.events.append(
        Acted(
            at=at,
            seat=seat,
            street=hand.street,
            act=act,
            by=By(body["by"]),
            amount=amount,
            to=to,
            facing=facing,
            stack=chips.stack,
            turn=body["turn"],
        )
    )
    if more:
        hand.facing = to
    if act is Act.FOLD:
        hand.live.remove(seat)
        hand.folded.append(seat)


def _opened(hand: Followed, body: dict[str, Any], at: int) -> None:
    board = body.get("board", 0)
    seat = body.get("seat", 0)
    cards = tuple(opening["card"] for opening in body["cards"])
    for opening in body["cards"]:
        if hand.places.get(opening["position"]) != (-board if board else seat):
            message = f"position {opening['position']} is opened where it was not dealt"
            raise UnfitError(message)
        if opening["position"] in hand.cards:
            message = f"position {opening['position']} is opened twice"
            raise UnfitError(message)
        hand.see(opening["position"], opening["card"])
    if board:
        _open_board(hand, board, cards, at)
        return
    if len(cards) != hand.rules.game.hole_cards:
        message = f"seat {seat} shows {count(len(cards), 'card')}"
        raise UnfitError(message)
    hand.shown[seat] = cards
    hand.events.append(Shown(at, seat, By(body["by"]), cards))


def _open_board(hand: Followed, board: int, cards: tuple[str, ...], at: int) -> None:
    if board > len(hand.boards):
        message = "a second board is opened and was not agreed"
        raise UnfitError(message)
    whole = hand.boards[board - 1]
    if len(whole) + len(cards) not in {3, 4, 5}:
        message = f"a board of {count(len(whole) + len(cards), 'card')}"
        raise UnfitError(message)
    whole += cards
    hand.street = Street(len(whole))
    hand.facing = 0
    for chips in hand.chips.values():
        chips.bet = 0
    hand.events.append(BoardDealt(at, hand.street, board, cards, tuple(whole)))


def _mucked(hand: Followed, body: dict[str, Any], at: int) -> None:
    hand.seated(body["seat"])
    hand.events.append(Mucked(at, body["seat"], By(body["by"])))


def _runs_agreed(hand: Followed, body: dict[str, Any], at: int) -> None:
    if hand.shared is not None or len(hand.boards[0]) == _WHOLE:
        message = "there is nothing to run twice"
        raise UnfitError(message)
    hand.shared = len(hand.boards[0])
    hand.boards.append(list(hand.boards[0]))
    hand.events.append(RunsAgreed(at, tuple(body["seats"])))


def _blinds_chopped(hand: Followed, body: dict[str, Any], at: int) -> None:
    hand.chopped = True
    hand.events.append(BlindsChopped(at, tuple(body["seats"])))


def _returned(hand: Followed, body: dict[str, Any], at: int) -> None:
    seat, amount = body["seat"], body["amount"]
    chips = hand.seated(seat)
    if amount > chips.total:
        message = f"seat {seat} gets back {amount} and has put in {chips.total}"
        raise UnfitError(message)
    chips.stack += amount
    chips.total -= amount
    chips.put_in -= amount
    hand.events.append(Returned(at, seat, amount, chips.stack))


def _awarded(hand: Followed, body: dict[str, Any], at: int) -> None:
    winners = tuple(
        Winner(
            winner["seat"],
            winner["amount"],
            winner.get("name", ""),
            tuple(winner.get("best_five", ())),
        )
        for winner in body["winners"]
    )
    if sum(winner.amount for winner in winners) + body["rake"] != body["amount"]:
        message = f"{body['amount']} is awarded, and its parts are not that"
        raise UnfitError(message)
    if body["board"] > len(hand.boards):
        message = "an award of a board that was not dealt"
        raise UnfitError(message)
    for winner in winners:
        chips = hand.seated(winner.seat)
        chips.stack += winner.amount
        chips.won += winner.amount
    half = body.get("half", "")
    award = Awarded(at, body["pot"], body["board"], half, body["amount"], body["rake"], winners)
    hand.awards.append(award)
    hand.events.append(award)


def _hand_ended(hand: Followed, body: dict[str, Any], at: int) -> None:
    told = {ended["seat"]: ended["stack"] for ended in body["stacks"]}
    for seat, chips in hand.chips.items():
        if told.get(seat) != chips.stack:
            message = f"seat {seat} ends with {told.get(seat)}, and has {chips.stack}"
            raise UnfitError(message)
    if not hand.root or not hand.holes_dealt:
        message = "it ends and no hole card was dealt"
        raise UnfitError(message)
    if len(hand.boards) > 1 and any(len(board) < _WHOLE for board in hand.boards):
        message = "it ends before both boards are dealt"
        raise UnfitError(message)
    hand.ended_at = at


_TAKERS: dict[str, Callable[[Followed, dict[str, Any], int], None]] = {
    "deck_committed": _deck_committed,
    "posted": _posted,
    "dealt": _dealt,
    "acted": _acted,
    "opened": _opened,
    "mucked": _mucked,
    "runs_agreed": _runs_agreed,
    "blinds_chopped": _blinds_chopped,
    "returned": _returned,
    "awarded": _awarded,
    "hand_ended": _hand_ended,
}

OF_A_HAND = frozenset(_TAKERS)
"""The kinds of entries that `follow` takes."""
