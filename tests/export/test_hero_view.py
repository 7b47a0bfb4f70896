"""What one player saw: no export and no review names a card that it did not see."""

import json
import re

import pytest

from audit_cli.export.formats import FORMATS
from audit_cli.export.money import CHIPS
from audit_cli.review.as_json import tell_plainly
from audit_cli.review.painting import Paint
from audit_cli.review.story import tell_hand
from audit_cli.told.hand import Game, Hand, Told
from audit_cli.told.view import see_as
from tests.support.told_houses import ALL_HOUSES, hands_of, played, told, told_house

_CARDS = re.compile(r"\b(?:[2-9TJQKA][cdhs])+\b")


def texts_of(game: Game, hand: Hand) -> dict[str, str]:
    """Give all that can be had of a hand, by what it is."""
    texts = {name: str(form.write(game, hand, CHIPS)) for name, form in FORMATS.items()}
    texts["review"] = "\n".join(tell_hand(hand, Paint(on=False)))
    texts["json"] = json.dumps(tell_plainly(game, [Told((), hand)], {})["hands"])
    return texts


def cards_in(text: str) -> set[str]:
    return {cards[at : at + 2] for cards in _CARDS.findall(text) for at in range(0, len(cards), 2)}


def seen_by(player: str, hand: Hand) -> set[str]:
    """Give the cards of a revealed hand that a player saw."""
    cards = {card for board in hand.boards for card in board}
    for seat in hand.dealt_in:
        if seat.player == player or seat.seat in hand.shown:
            cards.update(seat.holes or ())
    return cards


@pytest.mark.parametrize("house", ALL_HOUSES)
@pytest.mark.parametrize("player", ["ann", "ben"])
def test_after_the_reveal_one_player_is_told_what_it_saw(house: str, player: str) -> None:
    whole = told_house(house, 1)
    game = see_as(whole, player)
    for hand, known in zip(hands_of(game), hands_of(whole), strict=True):
        seen = seen_by(player, known)
        for name, text in texts_of(game, hand).items():
            assert cards_in(text) <= seen, name
        assert seen_by(player, hand) == seen


@pytest.mark.parametrize("house", ["straddles", "hi_lo"])
def test_a_file_with_another_s_openings_tells_a_player_nothing_of_them(house: str) -> None:
    bens = told(played(house, 1, reveal=False).game_file(openings_of="ben"))
    hidden = 0
    for hand, known, mine in zip(
        hands_of(see_as(bens, "ann")), hands_of(told_house(house, 1)), hands_of(bens), strict=True
    ):
        seen = seen_by("nobody", known)
        for name, text in texts_of(bens, hand).items():
            assert cards_in(text) <= seen, name
        hidden += cards_in(texts_of(bens, mine)["json"]) > seen
    assert hidden
