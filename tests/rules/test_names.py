import pytest

from dealer_service.rules.cards import RANKS
from dealer_service.rules.names import name_hand
from dealer_service.rules.ranking import best_five, category_of, strength_of

NAMES = [
    ("As Ks Qs Js Ts 2c 3d", "Royal flush"),
    ("9s 8s 7s 6s 5s 2c 3d", "Straight flush, nine high"),
    ("As 2s 3s 4s 5s Kc Kd", "Straight flush, five high"),
    ("9c 9d 9h 9s 2c 2d 2h", "Four nines"),
    ("Qc Qd Qs 4c 4d 2h 3s", "Full house, queens full of fours"),
    ("6c 6d 6s Ac Ad 2h 3s", "Full house, sixes full of aces"),
    ("Ac Jc 9c 5c 2c 2d 3d", "Flush, ace high"),
    ("Tc 9d 8h 7s 6c 2c 2d", "Straight, ten high"),
    ("Ac 2d 3h 4s 5c Kd Kh", "Straight, five high"),
    ("6c 6d 6h 2s 9c Jd Kh", "Three sixes"),
    ("Jc Jd 3h 3s 9c 2d Kh", "Two pair, jacks and threes"),
    ("Ac Ad 3h 5s 9c 2d Kh", "Pair of aces"),
    ("6c 6d 3h 5s 9c 2d Kh", "Pair of sixes"),
    ("2c 3d 5h 7s 9c Jd Kh", "King high"),
]


@pytest.mark.parametrize(("cards", "name"), NAMES)
def test_a_hand_is_named_as_people_say_it(cards: str, name: str) -> None:
    seven = cards.split()
    assert name_hand(best_five(seven), category_of(strength_of(seven))) == name


def test_every_rank_has_its_words() -> None:
    words = [
        name_hand(best_five([f"{rank}{suit}" for suit in "cdhs"] + ["2c", "3d", "4h"]), four)
        for rank in RANKS[3:]
        for four in [category_of(strength_of([f"{rank}{suit}" for suit in "cdhs"] + ["2c"]))]
    ]
    said = "fives sixes sevens eights nines tens jacks queens kings aces"
    assert words == [f"Four {word}" for word in said.split()]
