"""A sealed deck is its vectors', and an opening proves its own card and no other."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.fairness.cards import card_name
from dealer_service.fairness.deck import (
    Opening,
    SealedDeck,
    card_leaf,
    derive,
    verify_opening,
)
from dealer_service.fairness.refusal import FairnessError, Reason
from tests.support.known_answers import vectors

DEALS = vectors("deal.json")
SECRETS = st.binary(min_size=32, max_size=32)
POSITIONS = st.integers(0, 51)
DECK = derive(b"\x01" * 32, b"\x02" * 32)


def holds(opening: Opening, deck: SealedDeck = DECK) -> bool:
    return verify_opening(deck.root, deck.mix, opening)


@pytest.mark.parametrize("case", DEALS, ids=lambda case: case["game"])
def test_the_deck_its_salts_leaves_root_and_proofs_are_the_vectors(case: dict[str, Any]) -> None:
    expect = case["expect"]
    deck = derive(bytes.fromhex(case["hand_secret"]), bytes.fromhex(expect["mix"]))
    assert " ".join(map(card_name, deck.cards)) == expect["deck"]
    assert [salt.hex() for salt in deck.salts] == expect["salts"]
    assert [leaf.hex() for leaf in deck.leaves] == expect["leaves"]
    assert deck.root.hex() == expect["deck_root"]
    for position, proof in expect["proofs"].items():
        assert [node.hex() for node in deck.opening(int(position)).proof] == proof


@given(secret=SECRETS, mix=SECRETS, position=POSITIONS)
def test_every_opening_holds_under_its_root(secret: bytes, mix: bytes, position: int) -> None:
    deck = derive(secret, mix)
    opening = deck.opening(position)
    assert opening.card == deck.cards[position]
    assert holds(opening, deck)


@pytest.mark.parametrize("position", range(52))
def test_an_opening_of_another_card_position_or_salt_fails(position: int) -> None:
    opening = DECK.opening(position)
    assert not holds(replace(opening, card=(opening.card + 1) % 52))
    assert not holds(replace(opening, position=(position + 1) % 52))
    assert not holds(replace(opening, salt=bytes(16)))


@given(position=POSITIONS, other=POSITIONS)
def test_a_proof_of_one_position_fails_for_another(position: int, other: int) -> None:
    swapped = replace(DECK.opening(position), proof=DECK.opening(other).proof)
    assert holds(swapped) == (position == other)


def test_an_opening_of_another_hand_fails() -> None:
    """The leaf binds the mix, hence the origin, the game and the hand."""
    opening = DECK.opening(3)
    assert not verify_opening(DECK.root, bytes(32), opening)
    assert not verify_opening(bytes(32), DECK.mix, opening)


def test_position_51_has_four_hashes_and_six_are_refused() -> None:
    opening = DECK.opening(51)
    assert len(opening.proof) == 4
    assert len(DECK.opening(50).proof) == 4
    assert len(DECK.opening(0).proof) == 6
    assert not holds(replace(opening, proof=DECK.opening(0).proof))
    assert not holds(replace(opening, proof=(*opening.proof, bytes(32), bytes(32))))


@pytest.mark.parametrize("position", [0, 17, 47, 48, 51])
def test_a_hash_too_many_or_too_few_is_refused(position: int) -> None:
    opening = DECK.opening(position)
    assert not holds(replace(opening, proof=(*opening.proof, bytes(32))))
    assert not holds(replace(opening, proof=opening.proof[:-1]))
    assert not holds(replace(opening, proof=opening.proof[1:]))
    assert not holds(replace(opening, proof=()))


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_hash_of_another_length_is_refused(size: int) -> None:
    opening = DECK.opening(5)
    assert not holds(replace(opening, proof=(bytes(size), *opening.proof[1:])))


def test_an_inner_node_is_no_leaf() -> None:
    """A shorter path from an inner node to the root does not open a card."""
    opening = DECK.opening(0)
    assert DECK.levels[1][0] != card_leaf(DECK.mix, 0, opening.card, opening.salt)
    assert not holds(replace(opening, proof=opening.proof[1:]))


@pytest.mark.parametrize("position", [-1, 52, 255])
def test_a_position_beyond_the_deck_is_refused(position: int) -> None:
    assert not holds(replace(DECK.opening(0), position=position))
    with pytest.raises(FairnessError) as refused:
        DECK.opening(position)
    assert refused.value.reason is Reason.BAD_POSITION


@pytest.mark.parametrize("card", [-1, 52, 255])
def test_a_number_that_is_no_card_is_refused(card: int) -> None:
    assert not holds(replace(DECK.opening(0), card=card))


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_a_salt_of_another_length_is_refused(size: int) -> None:
    assert not holds(replace(DECK.opening(0), salt=bytes(size)))


def test_a_secret_or_mix_of_another_length_is_refused() -> None:
    for secret, mix in ((bytes(31), bytes(32)), (bytes(32), bytes(33))):
        with pytest.raises(FairnessError) as refused:
            derive(secret, mix)
        assert refused.value.reason is Reason.BAD_LENGTH


def test_neither_deck_nor_opening_shows_a_card_or_salt() -> None:
    assert repr(DECK) == f"SealedDeck(mix={DECK.mix!r})"
    assert str(DECK.opening(7)) == "Opening(position=7)"


def test_every_salt_of_a_deck_differs() -> None:
    assert len(set(DECK.salts)) == 52
