"""Derives a case step by step, compares it with what the case expects, and shows it to a person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from audit_cli.derive import CARDS, Deck, derive_deck
from audit_cli.hashing import commit_hand, mix_hand, next_link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.case import Case

# Proofs that are worked out where a case names none: the ends, one between, and one beside the
# place where the tree of 52 leaves stops being perfect.
PROOF_POSITIONS = (0, 17, 47, 51)

_IN_A_ROW = 13
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """A derived case: its commitment, the anchor of each link by rising seat, mix and deck."""

    case: Case
    commitment: bytes
    anchors: tuple[bytes, ...]
    mix: bytes
    deck: Deck = field(repr=False)


def walk(case: Case) -> Walkthrough:
    """Derive everything of a case; StreamExhaustedError where there is no deck (protocol 3.2)."""
    commitment = commit_hand(case.origin, case.game, case.hand, case.secret)
    links = [entry.link for entry in case.links]
    mix = mix_hand(case.origin, case.game, case.hand, commitment, links, case.beacon)
    anchors = tuple(next_link(case.origin, case.game, link.player, link.link) for link in links)
    return Walkthrough(case, commitment, anchors, mix, derive_deck(case.secret, mix))


def _cards(numbers: Sequence[int]) -> str:
    return " ".join([CARDS[number] for number in numbers])


def derived_values(walked: Walkthrough) -> dict[str, Any]:
    """Return the keys of a vector's `expect`; proofs of the positions that the case asks for."""
    deck, ceremony = walked.deck, walked.deck.ceremony
    wanted = (walked.case.expect or {}).get("proofs")
    positions = PROOF_POSITIONS if wanted is None else [int(position) for position in wanted]
    return {
        "hand_commitment": walked.commitment.hex(),
        "mix": walked.mix.hex(),
        "deck_seed": deck.seed.hex(),
        "after_first_shuffle": _cards(ceremony.after_first_shuffle),
        "cut": ceremony.cut,
        "after_second_shuffle": _cards(ceremony.after_second_shuffle),
        "thirds": list(ceremony.thirds),
        "restack": ceremony.restack,
        "deck": _cards(ceremony.deck),
        "bytes_used": ceremony.bytes_used,
        "bytes_rejected": ceremony.bytes_rejected,
        "salts": [salt.hex() for salt in deck.salts],
        "leaves": [leaf.hex() for leaf in deck.leaves],
        "deck_root": deck.root.hex(),
        "proofs": {str(p): [step.hex() for step in deck.proof(p)] for p in positions},
    }


def differences(walked: Walkthrough, values: dict[str, Any]) -> list[str]:
    """Return what comes out otherwise than the case says, in words; empty where all agrees.

    Only what the case holds is compared: the keys of its `expect`, and the anchors of its links.
    """
    found = []
    for entry, anchor in zip(walked.case.links, walked.anchors, strict=True):
        if entry.anchor is not None and entry.anchor != anchor:
            where = f"the anchor of seat {entry.link.seat} ({entry.link.player})"
            found.append(_differs(where, entry.anchor.hex(), anchor.hex()))
    for name, expected in (walked.case.expect or {}).items():
        found += _compare(name, expected, values[name])
    return found


def _compare(name: str, expected: object, derived: object) -> list[str]:
    if type(expected) is type(derived) and expected == derived:
        return []
    if isinstance(expected, list) and isinstance(derived, list) and len(expected) == len(derived):
        pairs = enumerate(zip(expected, derived, strict=True))
        places = [_compare(f"{name}[{i}]", want, have) for i, (want, have) in pairs]
        return [words for place in places for words in place]
    if isinstance(expected, dict) and isinstance(derived, dict):
        places = [_compare(f"{name}.{key}", expected[key], derived[key]) for key in expected]
        return [words for place in places for words in place]
    if isinstance(expected, str) and isinstance(derived, str) and " " in derived:
        return [_first_card(name, expected.split(" "), derived.split(" "))]
    return [_differs(name, expected, derived)]


def _first_card(name: str, expected: list[str], derived: list[str]) -> str:
    for position, (want, have) in enumerate(zip(expected, derived, strict=False)):
        if want != have:
            return _differs(f"{name}, first at position {position}", want, have)
    return _differs(f"the length of {name}", len(expected), len(derived))


def _differs(name: str, expected: object, derived: object) -> str:
    return f"{name}: expected {_short(expected)}, derived {_short(derived)}"


def _short(value: object) -> str:
    shown = value if isinstance(value, str) else repr(value)
    escaped = shown.encode("unicode_escape").decode("ascii")
    longest = 2 * _SHOWN + 10
    return escaped if len(escaped) <= longest else escaped[:_SHOWN] + "..."


def show(walked: Walkthrough, values: dict[str, Any]) -> str:
    """Return the whole way from secret to deck, a step a paragraph, as a person can follow it."""
    case = walked.case
    lines = [
        f"hand {case.hand:,} of game {case.game.hex()} at {case.origin}",
        "",
        "1. the dealer's secret; its commitment was logged before any link was known",
        f"   secret      {case.secret.hex()}",
        f"   commitment  {values['hand_commitment']}",
        "",
        "2. the players' links, by rising seat; each hashes to the anchor that was frozen",
        *_link_lines(walked),
        "",
        "3. the mix of all of that",
        *_beacon_lines(case),
        f"   mix         {values['mix']}",
        "",
        "4. the seed of the byte stream that shuffles, from secret and mix",
        f"   seed        {values['deck_seed']}",
        "",
        "5. the first shuffle of a fresh deck",
        *_card_rows(values["after_first_shuffle"]),
        "",
        f"6. the cut: the first {values['cut']} cards go to the bottom; then the second shuffle",
        *_card_rows(values["after_second_shuffle"]),
        "",
        _thirds_line(values),
        "",
        "8. the third shuffle gives the deck, dealt from position 0 on",
        *_deck_rows(values["deck"]),
        _bytes_line(values),
        "",
        "9. the root over the 52 salted cards, logged before the first card was dealt",
        f"   deck root   {values['deck_root']}",
    ]
    return "\n".join(lines) + "\n"


def _link_lines(walked: Walkthrough) -> list[str]:
    pairs = zip(walked.case.links, walked.anchors, strict=True)
    lines = []
    for entry, anchor in sorted(pairs, key=lambda pair: pair[0].link.seat):
        verdict = ""
        if entry.anchor is not None:
            verdict = "  fits" if entry.anchor == anchor else "  does not fit the case's anchor"
        lines += [
            f"   seat {entry.link.seat:>2}     {entry.link.player}",
            f"     link      {entry.link.link.hex()}",
            f"     anchor    {anchor.hex()}{verdict}",
        ]
    return lines or ["   none: no player added to this deck"]


def _beacon_lines(case: Case) -> list[str]:
    if case.beacon is None:
        return ["   beacon      none"]
    return [
        f"   beacon      round {case.beacon.round:,}",
        f"   chain       {case.beacon.chain.hex()}",
        f"   randomness  {case.beacon.randomness.hex()}",
    ]


def _thirds_line(values: dict[str, Any]) -> str:
    a, b, c = values["thirds"]
    order = " ".join(values["restack"])
    return f"7. the thirds A, B, C of {a}, {b} and {c} cards, put back as {order}"


def _bytes_line(values: dict[str, Any]) -> str:
    used, dropped = values["bytes_used"], values["bytes_rejected"]
    return f"   {used} bytes of the stream were used, {dropped} of them dropped to stay uniform"


def _card_rows(cards: str) -> list[str]:
    each = cards.split(" ")
    return ["   " + " ".join(each[at : at + _IN_A_ROW]) for at in range(0, len(each), _IN_A_ROW)]


def _deck_rows(cards: str) -> list[str]:
    rows = _card_rows(cards)
    return [f"   {at * _IN_A_ROW:>2}{row}" for at, row in enumerate(rows)]
