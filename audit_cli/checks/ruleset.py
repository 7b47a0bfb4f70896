"""What the checks need of a rule set (protocol 6.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

from audit_cli.poker.games import HOLDEM, Game
from audit_cli.poker.rules import HandRules, Limits, Rake, Structure


class Bank(NamedTuple):
    """A time bank: what it begins with, gains with each hand, and holds at most, in ms."""

    start_ms: int
    per_hand_ms: int
    max_ms: int


class OfTournament(NamedTuple):
    """Whose table a game is: the tournament's id in hex, and the table's number in it."""

    tournament: str
    table: int


class Rules(NamedTuple):
    """A rule set: `hand` is what a hand is played by, the rest what is between hands.

    `missed_blinds` is empty where nothing is owed, `return_ms` None where nobody has to come back
    with what it left with. At a tournament's table each hand is played at its level: `at_level`.
    """

    hand: HandRules
    seats: int
    buy_in_min: int
    buy_in_max: int
    dead_button: bool
    newcomers: str
    missed_blinds: str
    choices_before_links: bool
    return_ms: int | None
    bank: Bank | None
    turn_ms: int
    link_ms: int
    links_required: bool
    within_ms: int
    max_hands: int
    max_ms: int
    beacon: str | None
    tournament: OfTournament | None

    @property
    def plain(self) -> bool:
        """Whether no seat owes or waits, and none has a time bank."""
        return self.bank is None and not self.missed_blinds and self.newcomers == "next_hand"

    @property
    def big_blind(self) -> int:
        """The big blind."""
        return self.hand.big_blind


def read_rules(body: dict[str, Any]) -> Rules:
    """Return the rule set of a `game_opened`."""
    beacon, bank = body.get("beacon"), body.get("time_bank")
    tournament = body.get("tournament")
    return Rules(
        hand=_hand_rules(body),
        seats=body["seats"],
        buy_in_min=body["buy_in_min"],
        buy_in_max=body["buy_in_max"],
        dead_button=body["button"] == "dead",
        newcomers=body["newcomers"],
        missed_blinds=body.get("missed_blinds", ""),
        choices_before_links=body.get("choices") == "before_links",
        return_ms=body.get("return_ms"),
        bank=None if bank is None else Bank(**bank),
        turn_ms=body["turn_ms"],
        link_ms=body["link_ms"],
        links_required=body["links"] == "required",
        within_ms=body["reveal"]["within_ms"],
        max_hands=body["max_hands"],
        max_ms=body["max_ms"],
        beacon=None if beacon is None else beacon["chain"],
        tournament=None if tournament is None else OfTournament(**tournament),
    )


def at_level(rules: Rules, opening: dict[str, Any]) -> HandRules:
    """Return what the hand of a `hand_opened` is played by.

    At a tournament's table blinds, ante and unit are those of its level, and the bets of fixed
    limit follow from its big blind (protocol 8).
    """
    level = opening.get("level")
    if rules.tournament is None or level is None:
        return rules.hand
    ante, limits, big = level.get("ante"), rules.hand.limits, level["big_blind"]
    return rules.hand._replace(
        small_blind=level["small_blind"],
        big_blind=big,
        chip_unit=level["chip_unit"],
        ante=None if ante is None else (ante["kind"], ante["amount"]),
        limits=None if limits is None else limits._replace(small_bet=big, big_bet=2 * big),
    )


def _hand_rules(body: dict[str, Any]) -> HandRules:
    limits, ante, straddle = body.get("limits"), body.get("ante"), body.get("straddle")
    rake = body.get("rake")
    game = HOLDEM
    if body["variant"] != "holdem":
        game = Game(body["hole_cards"], two_count=True, hi_lo=body["variant"] == "omaha_hi_lo")
    return HandRules(
        small_blind=body["small_blind"],
        big_blind=body["big_blind"],
        chip_unit=body["chip_unit"],
        game=game,
        structure=Structure(body["structure"]),
        limits=None if limits is None else Limits(**limits),
        rounded_up=body.get("pot_small_blind") == "rounded_up",
        ante=None if ante is None else (ante["kind"], ante["amount"]),
        straddle=None
        if straddle is None
        else (straddle["kind"], straddle["min_raise"] == "double"),
        rake=None if rake is None else _rake(rake),
        runs="runs" in body,
        chop="chop" in body,
        show_all=body["show"] == "all",
    )


def _rake(body: dict[str, Any]) -> Rake:
    return Rake(
        body["per_ten_thousand"],
        tuple((cap["players"], cap["cap"]) for cap in body["caps"]),
        body["no_flop_no_drop"],
    )
