"""Hashes are labelled and framed, commitments open once, chains lead to their anchor."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.fairness import commitment
from dealer_service.fairness.refusal import FairnessError, Reason
from tests.support.known_answers import vectors

DEALS = vectors("deal.json")
LINKS = [(case, link) for case in DEALS for link in case["links"]]
GAME = bytes(16)
SECRET = bytes(range(32))


@pytest.mark.parametrize("case", DEALS, ids=lambda case: case["game"])
def test_the_commitment_is_the_vectors(case: dict[str, Any]) -> None:
    game, secret = bytes.fromhex(case["game"]), bytes.fromhex(case["hand_secret"])
    expected = case["expect"]["hand_commitment"]
    assert commitment.hand_commitment(case["origin"], game, case["hand"], secret).hex() == expected
    assert commitment.opens_commitment(
        bytes.fromhex(expected), case["origin"], game, case["hand"], secret
    )


@pytest.mark.parametrize(("case", "link"), LINKS)
def test_the_next_link_is_the_vectors_anchor(case: dict[str, Any], link: dict[str, Any]) -> None:
    game, value = bytes.fromhex(case["game"]), bytes.fromhex(link["link"])
    anchor = bytes.fromhex(link["anchor"])
    assert commitment.next_link(case["origin"], game, link["player"], value) == anchor
    assert commitment.follows(case["origin"], game, link["player"], link=value, anchor=anchor)


@pytest.mark.parametrize(
    ("origin", "game", "hand", "secret"),
    [
        ("b", GAME, 1, SECRET),
        ("a", bytes(15) + b"\x01", 1, SECRET),
        ("a", GAME, 2, SECRET),
        ("a", GAME, 1, bytes(32)),
    ],
)
def test_a_commitment_is_of_one_origin_game_hand_and_secret(
    origin: str, game: bytes, hand: int, secret: bytes
) -> None:
    made = commitment.hand_commitment("a", GAME, 1, SECRET)
    assert commitment.opens_commitment(made, "a", GAME, 1, SECRET)
    assert not commitment.opens_commitment(made, origin, game, hand, secret)


@given(st.lists(st.binary(max_size=8), max_size=4), st.lists(st.binary(max_size=8), max_size=4))
def test_hashes_of_different_parts_differ(one: list[bytes], other: list[bytes]) -> None:
    """Framing keeps "ab", "c" apart from "a", "bc" and from "abc"."""
    same = commitment.labelled_hash("x", *one) == commitment.labelled_hash("x", *other)
    assert same == (one == other)


def test_hashes_of_different_labels_differ() -> None:
    assert commitment.labelled_hash("x", b"1") != commitment.labelled_hash("y", b"1")


@given(seed=st.binary(min_size=32, max_size=32), length=st.integers(2, 40))
def test_each_value_of_a_chain_leads_to_the_one_behind_it(seed: bytes, length: int) -> None:
    values = commitment.chain("a", GAME, "ann", seed, length)
    assert len(values) == length
    assert values[0] == seed
    for link, anchor in pairwise(values):
        assert commitment.next_link("a", GAME, "ann", link) == anchor


def test_a_chain_belongs_to_one_player_of_one_game() -> None:
    anchors = {
        commitment.chain(origin, game, player, SECRET, 2)[-1]
        for origin in ("a", "b")
        for game in (GAME, b"\x01" * 16)
        for player in ("ann", "bob")
    }
    assert len(anchors) == 8


def test_a_link_does_not_follow_another_players_anchor() -> None:
    anchor = commitment.next_link("a", GAME, "ann", SECRET)
    assert not commitment.follows("a", GAME, "bob", link=SECRET, anchor=anchor)


@pytest.mark.parametrize("length", [1, 0, -1])
def test_a_chain_too_short_for_one_hand_is_refused(length: int) -> None:
    with pytest.raises(FairnessError) as refused:
        commitment.chain("a", GAME, "ann", SECRET, length)
    assert refused.value.reason is Reason.BAD_NUMBER


@pytest.mark.parametrize("origin", ["a", "dealer.example.com", "cards.example/eu-1", "a" * 128])
def test_an_origin_of_the_protocol_is_taken(origin: str) -> None:
    assert commitment.origin_bytes(origin) == origin.encode()


@pytest.mark.parametrize(
    "origin", ["", "a" * 129, "A", "a b", "a\n", "a+b", "a_b", "\u00e9", "a/games/b", "a/games/"]
)
def test_another_origin_is_refused(origin: str) -> None:
    with pytest.raises(FairnessError) as refused:
        commitment.origin_bytes(origin)
    assert refused.value.reason is Reason.BAD_ORIGIN


@pytest.mark.parametrize("player", ["a", "Ann_B-2.x", "a" * 64])
def test_a_players_name_of_the_protocol_is_taken(player: str) -> None:
    assert commitment.player_bytes(player) == player.encode()


@pytest.mark.parametrize("player", ["", "a" * 65, "a b", "a/b", "a\n", "\u00e9", "a+b", "\uff11"])
def test_another_players_name_is_refused(player: str) -> None:
    with pytest.raises(FairnessError) as refused:
        commitment.player_bytes(player)
    assert refused.value.reason is Reason.BAD_PLAYER


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_a_game_id_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(FairnessError) as refused:
        commitment.hand_commitment("a", bytes(size), 1, SECRET)
    assert refused.value.reason is Reason.BAD_GAME


@pytest.mark.parametrize("hand", [0, -1, 2**64])
def test_a_hand_number_out_of_range_is_refused(hand: int) -> None:
    with pytest.raises(FairnessError) as refused:
        commitment.hand_commitment("a", GAME, hand, SECRET)
    assert refused.value.reason is Reason.BAD_NUMBER


@pytest.mark.parametrize("size", [0, 31, 33])
def test_secrets_and_links_of_another_length_are_refused(size: int) -> None:
    value = b"\xa5" * size
    for refuse in (
        lambda: commitment.hand_commitment("a", GAME, 1, value),
        lambda: commitment.next_link("a", GAME, "ann", value),
        lambda: commitment.chain("a", GAME, "ann", value, 2),
    ):
        with pytest.raises(FairnessError) as refused:
            refuse()
        assert refused.value.reason is Reason.BAD_LENGTH
        assert "a5" not in str(refused.value)
