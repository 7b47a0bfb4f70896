"""From secret to deck (protocol 2 and 3), against the vectors and NIST's and the IETF's answers."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit_cli import drbg
from audit_cli.case import Case, parse_cases
from audit_cli.derive import (
    CARDS,
    StreamExhaustedError,
    derive_deck,
    hash_card,
    run_ceremony,
)
from audit_cli.hashing import Link, hkdf, mix_hand
from audit_cli.merkle import verify_inclusion
from audit_cli.walkthrough import derived_values, differences, walk
from tests.support.game_files import canonical
from tests.support.known_answers import known_answers, vectors

DEALS = vectors("deal.json")
NO_RESEED_NO_INPUT = [
    case
    for case in known_answers("cavp_ctr_drbg_aes256_nodf.json")["cases"]
    if not case["reseed"] and not case["additionalInput1"] and not case["additionalInput2"]
]


def _case(value: dict[str, Any]) -> Case:
    parsed = parse_cases(canonical(value))
    assert isinstance(parsed, tuple)
    return parsed[0][0]


@pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal["game"][:8])
def test_deal_vectors(deal: dict[str, Any]) -> None:
    walked = walk(_case(deal))
    values = derived_values(walked)
    assert values == deal["expect"]
    assert differences(walked, values) == []
    anchors = [anchor.hex() for anchor in walked.anchors]
    assert anchors == [link["anchor"] for link in deal["links"]]


@pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal["game"][:8])
def test_every_card_opens_to_the_root(deal: dict[str, Any]) -> None:
    mix = bytes.fromhex(deal["expect"]["mix"])
    deck = derive_deck(bytes.fromhex(deal["hand_secret"]), mix)
    assert sorted(deck.cards) == list(range(52))
    for position, (card, salt) in enumerate(zip(deck.cards, deck.salts, strict=True)):
        leaf = hash_card(mix, position, card, salt)
        assert verify_inclusion(position, 52, leaf, deck.proof(position), deck.root) is None


def test_cards_are_four_times_rank_plus_suit() -> None:
    assert CARDS[0] == "2c"
    assert CARDS[51] == "As"
    assert CARDS[4 * 8 + 2] == "Th"


def test_links_are_mixed_by_rising_seat_whatever_their_order() -> None:
    links = [Link(3, "c", bytes(32)), Link(1, "a", bytes(32)), Link(2, "b", bytes(32))]
    mixes = {
        mix_hand("o", bytes(16), 1, bytes(32), order, None)
        for order in (links, links[::-1], sorted(links, key=lambda link: link.seat))
    }
    assert len(mixes) == 1


@pytest.mark.parametrize("case", NO_RESEED_NO_INPUT, ids=lambda case: f"{case['count']}")
def test_ctr_drbg_answers_as_nist_says(case: dict[str, Any]) -> None:
    state = drbg.instantiate(
        bytes.fromhex(case["entropyInput"]), bytes.fromhex(case["personalizationString"])
    )
    _, state = drbg.generate(state, 64)
    output, _ = drbg.generate(state, 64)
    assert output.hex() == case["returnedBits"]


def test_nist_cases_without_reseed_and_input_are_there() -> None:
    assert len(NO_RESEED_NO_INPUT) == 6


def test_the_counter_wraps_at_128_bits() -> None:
    edge = known_answers("stream_edge.json")
    seed = bytes.fromhex(edge["seed"])
    wanted = edge["generate"]
    output, after = drbg.generate(drbg.instantiate(seed), 1024)
    assert output == drbg.stream(seed, 1024)
    assert sha256(output).hexdigest() == wanted["sha256"]
    assert after.key.hex() == edge["after_generate"]["K"]
    assert after.v.hex() == edge["after_generate"]["V"]


@pytest.mark.parametrize("length", [-1, 65_537])
def test_one_request_is_bounded(length: int) -> None:
    with pytest.raises(ValueError, match="65,536"):
        drbg.generate(drbg.instantiate(bytes(48)), length)


@pytest.mark.parametrize("case", known_answers("rfc5869.json")["cases"], ids=lambda c: c["section"])
def test_hkdf_answers_as_its_rfc_says(case: dict[str, Any]) -> None:
    okm = hkdf(
        bytes.fromhex(case["ikm"]),
        bytes.fromhex(case["salt"]),
        bytes.fromhex(case["info"]),
        case["L"],
    )
    assert okm.hex() == case["okm"]


def test_running_out_of_bytes_is_an_error() -> None:
    with pytest.raises(StreamExhaustedError):
        run_ceremony(bytes([255]) * 1024)
    with pytest.raises(StreamExhaustedError):
        run_ceremony(bytes(156))


def test_bytes_used_to_the_last_still_make_a_deck() -> None:
    assert run_ceremony(bytes(157)).bytes_used == 157


@given(st.binary(min_size=1024, max_size=1024))
def test_the_ceremony_follows_the_text_step_by_step(stream: bytes) -> None:
    """The same steps, written again as plainly as protocol 3 says them."""
    rest = iter(stream)

    def below(n: int) -> int:
        while True:
            x = next(rest)
            if x < 256 - 256 % n:
                return x % n

    def shuffled(cards: list[int]) -> list[int]:
        for i in range(51, 0, -1):
            j = below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards

    try:
        cards = shuffled(list(range(52)))
        c = 20 + below(13)
        cards = shuffled(cards[c:] + cards[:c])
        a, b, t = 15 + below(5), 15 + below(5), below(2)
        first, second, third = cards[:a], cards[a : a + b], cards[a + b :]
        cards = shuffled(third + first + second if t else second + third + first)
    except StopIteration:
        with pytest.raises(StreamExhaustedError):
            run_ceremony(stream)
        return
    ceremony = run_ceremony(stream)
    assert list(ceremony.deck) == cards
    assert (ceremony.cut, ceremony.thirds) == (c, (a, b, 52 - a - b))
    assert ceremony.bytes_used == 1024 - len(list(rest))
