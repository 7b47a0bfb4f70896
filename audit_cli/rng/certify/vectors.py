"""A thousand decks with every step between: seed, words, draws, deck, for another's implementation.

The hands are those of a laboratory secret that everybody knows, thirty-two zero bytes. A word is a
byte of the stream; a draw is what `below(n)` made of it.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, Final

from audit_cli import drbg
from audit_cli.derive import CARDS, DECK_SIZE, STREAM_BYTES, derive_deck, run_ceremony
from audit_cli.hashing import framed, hkdf_expand
from audit_cli.rng.certify.writing import json_bytes
from audit_cli.rng.hands import DRAWS
from audit_cli.rng.lab import GAME, ORIGIN, hand_mix, hand_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT: Final = 1000
SAMPLE: Final = 100
SECRET: Final = bytes(32)
_INFO: Final = framed(b"cutcard/v1/deck")


def make_vectors(count: int = COUNT) -> bytes:
    """Return the vectors of decks 0 to `count - 1` as JSON, each followed byte by byte."""
    cases = [_case(index) for index in range(count)]
    return json_bytes(
        {
            "format": "cutcard-vectors/1",
            "about": "deck i is hand i + 1 of the laboratory's game; words, draws and cards are "
            "bytes in hex, `dropped` the places of words at or above their bound",
            "secret": SECRET.hex(),
            "origin": ORIGIN,
            "game": GAME.hex(),
            "ranges": list(DRAWS),
            "totals": {
                "decks": count,
                "words": sum(len(case["words"]) // 2 for case in cases),
                "draws": sum(len(case["draws"]) // 2 for case in cases),
                "dropped": sum(len(case["dropped"]) for case in cases),
                "dropped_in_range": sum(case.pop("in_range") for case in cases),
                "steps_that_differ": sum(case.pop("differs") for case in cases),
            },
            "vectors": cases,
        }
    )


def make_sample(count: int = SAMPLE) -> bytes:
    """Return the first decks of the vectors as CSV: the number of the deck, then its cards."""
    lines = [",".join(("deck", *(f"position {place}" for place in range(DECK_SIZE))))]
    for index in range(count):
        secret = hand_secret(SECRET, index)
        cards = derive_deck(secret, hand_mix(index, secret)).cards
        lines.append(",".join((str(index), *(CARDS[card] for card in cards))))
    return ("\n".join(lines) + "\n").encode("ascii")


def _case(index: int) -> dict[str, Any]:
    secret = hand_secret(SECRET, index)
    mix = hand_mix(index, secret)
    seed = hkdf_expand(hmac.digest(mix, secret, "sha256"), _INFO, drbg.SEED_BYTES)
    stream = drbg.stream(seed, STREAM_BYTES)
    long_way = drbg.generate(drbg.instantiate(seed), STREAM_BYTES)[0]
    draws, dropped = follow(stream)
    used = len(draws) + len(dropped)
    deck = derive_deck(secret, mix)
    same = (
        stream == long_way
        and deck.ceremony == run_ceremony(stream[:used])
        and _cards(draws) == deck.cards
        and (deck.ceremony.bytes_used, deck.ceremony.bytes_rejected) == (used, len(dropped))
    )
    return {
        "hand_secret": secret.hex(),
        "mix": mix.hex(),
        "deck_seed": seed.hex(),
        "words": stream[:used].hex(),
        "draws": bytes(draws).hex(),
        "dropped": [place for place, _ in dropped],
        "deck": bytes(deck.cards).hex(),
        "deck_root": deck.root.hex(),
        "in_range": sum(stream[place] < 256 - 256 % n for place, n in dropped),
        "differs": int(not same),
    }


def follow(stream: bytes) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the draws of a deck, and of each dropped word its place and the n it was drawn for.

    IndexError where the words run out.
    """
    draws: list[int] = []
    dropped: list[tuple[int, int]] = []
    at = 0
    for n in DRAWS:
        while stream[at] >= n * (256 // n):
            dropped.append((at, n))
            at += 1
        draws.append(stream[at] % n)
        at += 1
    return draws, dropped


def _cards(draws: list[int]) -> tuple[int, ...]:
    """Return the deck of these draws, by the text of the protocol once more (4.3 and 4.4)."""
    given = iter(draws)
    cards = _shuffled(list(range(DECK_SIZE)), given)
    cut = 20 + next(given)
    cards = _shuffled(cards[cut:] + cards[:cut], given)
    a, b, turned = 15 + next(given), 15 + next(given), next(given)
    parts = (cards[:a], cards[a : a + b], cards[a + b :])
    order = (2, 0, 1) if turned else (1, 2, 0)
    return tuple(_shuffled([card for part in order for card in parts[part]], given))


def _shuffled(cards: list[int], draws: Iterator[int]) -> list[int]:
    for i in range(DECK_SIZE - 1, 0, -1):
        j = next(draws)
        cards[i], cards[j] = cards[j], cards[i]
    return cards
