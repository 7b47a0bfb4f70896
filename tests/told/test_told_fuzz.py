"""Whatever is done to a game file, a hand that is told adds up, and all can be said of it."""

import json
from io import BytesIO
from random import Random

import pytest

from audit_cli.export.formats import FORMATS
from audit_cli.export.money import Money
from audit_cli.gamefile import Damage
from audit_cli.review.as_json import tell_plainly
from audit_cli.review.painting import Paint
from audit_cli.review.statistics import count_session
from audit_cli.review.story import tell_hand
from audit_cli.told.followed import Chips, Followed, UnfitError
from audit_cli.told.following import count_pots
from audit_cli.told.reading import read_games
from audit_cli.told.view import see_as
from tests.support.mutations import count_changes, mutate_line, mutate_order
from tests.support.told_houses import ALL_HOUSES, hands_of, played, told_hand


@pytest.mark.parametrize("house", ALL_HOUSES)
@pytest.mark.parametrize("seed", range(count_changes(4)))
def test_changed_entries_are_told_in_sums_that_fit_or_not_at_all(house: str, seed: int) -> None:
    random = Random(seed)
    game = played(house, 1)
    transcript = game.transcript(openings_of="ben")
    for _ in range(random.choice([1, 5, 20])):
        random.choice([mutate_line, mutate_line, mutate_order])(random, transcript)
    games = read_games(BytesIO(transcript.render(game.signer)), "game.jsonl")
    if isinstance(games, Damage):
        return
    for whole in games:
        for told in (whole, see_as(whole, "ben")):
            for hand in hands_of(told):
                assert sum(seat.net for seat in hand.seats) == -hand.rake
                assert sum(pot.amount for pot in hand.pots) == sum(
                    seat.put_in for seat in hand.seats
                )
                for form in FORMATS.values():
                    form.write(told, hand, Money("USD", 100))
                tell_hand(hand, Paint(on=True))
            json.dumps(tell_plainly(told, told.hands, count_session(hands_of(told))))


def test_chips_that_all_have_folded_away_from_fit_nowhere() -> None:
    _, hand = told_hand("plain", 1, 1)
    chips = {1: Chips(0, total=5), 2: Chips(0, total=5)}
    opened = {"hand": 1, "big_blind_seat": 2}
    followed = Followed(opened, 0, hand.rules, chips, live=[], facing=0)
    with pytest.raises(UnfitError, match="every seat has folded"):
        count_pots(followed)
