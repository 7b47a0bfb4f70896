"""Between a game's rule set and its message; what is zero or empty takes a default.

A word that no rule set knows is kept as it came: `rules.ruleset.find_faults` names it, together
with every other fault.
"""

from enum import StrEnum
from typing import TypeVar

from cutcard.v1 import entry_pb2
from dealer_service.rules.entry import (
    AnteKind,
    AnteRule,
    BeaconRule,
    Button,
    ChoicesCount,
    Limits,
    Links,
    LogProof,
    MissedBlinds,
    Newcomers,
    PotSmallBlind,
    RakeCap,
    RakeRule,
    RevealRule,
    RuleSet,
    Show,
    StraddleKind,
    StraddleRaise,
    StraddleRule,
    Structure,
    TimeBankRule,
    TournamentTable,
    Variant,
)

Word = TypeVar("Word", bound=StrEnum)

_OMAHA = frozenset({Variant.OMAHA, Variant.OMAHA_HI_LO})


def rules_of(message: entry_pb2.RuleSet) -> RuleSet:
    """Read a rule set in which what is zero or empty takes the dealer's default.

    Blinds default to 1 and 2, or to each other's half and double; a seat is taken with 20 to 200
    big blinds; fixed limit is bet in big blinds, four to a street. What no default says is absent
    where it is left out.
    """
    small, big = message.small_blind, message.big_blind
    big = big or 2 * small or 2
    small = small or max(1, big // 2)
    variant = _word(Variant, message.variant or "holdem")
    structure = _word(Structure, message.structure or "no_limit")
    return RuleSet(
        variant=variant,
        structure=structure,
        seats=message.seats or 6,
        small_blind=small,
        big_blind=big,
        chip_unit=message.chip_unit or 1,
        buy_in_min=message.buy_in_min or 20 * big,
        buy_in_max=message.buy_in_max or 200 * big,
        button=_word(Button, message.button or "moving"),
        newcomers=_word(Newcomers, message.newcomers or "next_hand"),
        absent=message.absent or "sit_out",
        show=_word(Show, message.show or "winners"),
        all_in=message.all_in or "face_up",
        turn_ms=message.turn_ms or 20_000,
        link_ms=message.link_ms or 3_000,
        pause_ms=message.pause_ms,
        links=_word(Links, message.links or "optional"),
        log_proof=_word(LogProof, message.log_proof or "none"),
        reveal=RevealRule(
            policy=message.reveal.policy or "all_cards",
            within_ms=message.reveal.within_ms or 60_000,
        ),
        max_hands=message.max_hands or 1_000,
        max_ms=message.max_ms or 24 * 3_600_000,
        beacon=BeaconRule(message.beacon.chain) if message.HasField("beacon") else None,
        hole_cards=_hole_cards(message, variant),
        limits=_limits(message, structure, big),
        pot_small_blind=_pot_small_blind(message, structure),
        ante=_ante(message),
        straddle=_straddle(message),
        missed_blinds=_word(MissedBlinds, message.missed_blinds)
        if message.HasField("missed_blinds")
        else None,
        runs=message.runs if message.HasField("runs") else None,
        chop=message.chop if message.HasField("chop") else None,
        choices=_choices(message),
        rake=_rake(message),
        return_ms=message.return_ms if message.HasField("return_ms") else None,
        time_bank=_time_bank(message),
        disconnect_ms=message.disconnect_ms if message.HasField("disconnect_ms") else None,
        watch_delay_ms=message.watch_delay_ms or None,
        tournament=_tournament(message),
    )


def rules_message(rules: RuleSet) -> entry_pb2.RuleSet:
    """Write a rule set."""
    return entry_pb2.RuleSet(
        variant=rules.variant,
        structure=rules.structure,
        seats=rules.seats,
        small_blind=rules.small_blind,
        big_blind=rules.big_blind,
        chip_unit=rules.chip_unit,
        buy_in_min=rules.buy_in_min,
        buy_in_max=rules.buy_in_max,
        button=rules.button,
        newcomers=rules.newcomers,
        absent=rules.absent,
        show=rules.show,
        all_in=rules.all_in,
        turn_ms=rules.turn_ms,
        link_ms=rules.link_ms,
        pause_ms=rules.pause_ms,
        links=rules.links,
        log_proof=rules.log_proof,
        reveal=entry_pb2.RevealRule(policy=rules.reveal.policy, within_ms=rules.reveal.within_ms),
        max_hands=rules.max_hands,
        max_ms=rules.max_ms,
        beacon=entry_pb2.BeaconRule(chain=rules.beacon.chain) if rules.beacon else None,
        hole_cards=rules.hole_cards,
        limits=_limits_message(rules.limits) if rules.limits else None,
        pot_small_blind=rules.pot_small_blind,
        ante=_ante_message(rules.ante) if rules.ante else None,
        straddle=_straddle_message(rules.straddle) if rules.straddle else None,
        missed_blinds=rules.missed_blinds,
        runs=rules.runs,
        chop=rules.chop,
        choices=rules.choices,
        rake=_rake_message(rules.rake) if rules.rake else None,
        return_ms=rules.return_ms,
        time_bank=_time_bank_message(rules.time_bank) if rules.time_bank else None,
        disconnect_ms=rules.disconnect_ms,
        watch_delay_ms=rules.watch_delay_ms,
        tournament=_tournament_message(rules.tournament) if rules.tournament else None,
    )


def _word(words: type[Word], text: str) -> Word:
    # What is none of the words is kept: it is named as a fault of the request.
    return words(text) if text in set(words) else text  # type: ignore[return-value]


def _hole_cards(message: entry_pb2.RuleSet, variant: Variant) -> int | None:
    if message.HasField("hole_cards"):
        return message.hole_cards
    return 4 if variant in _OMAHA else None


def _limits(message: entry_pb2.RuleSet, structure: Structure, big: int) -> Limits | None:
    if message.HasField("limits"):
        told = message.limits
        bet = told.small_bet or big
        return Limits(bet, told.big_bet or 2 * bet, told.cap, told.uncapped_heads_up)
    if structure is Structure.FIXED_LIMIT:
        return Limits(big, 2 * big, 4, uncapped_heads_up=True)
    return None


def _pot_small_blind(message: entry_pb2.RuleSet, structure: Structure) -> PotSmallBlind | None:
    if message.HasField("pot_small_blind"):
        return _word(PotSmallBlind, message.pot_small_blind)
    return PotSmallBlind.EXACT if structure is Structure.POT_LIMIT else None


def _ante(message: entry_pb2.RuleSet) -> AnteRule | None:
    if not message.HasField("ante"):
        return None
    return AnteRule(_word(AnteKind, message.ante.kind or "each"), message.ante.amount)


def _straddle(message: entry_pb2.RuleSet) -> StraddleRule | None:
    if not message.HasField("straddle"):
        return None
    return StraddleRule(
        _word(StraddleKind, message.straddle.kind or "under_the_gun"),
        _word(StraddleRaise, message.straddle.min_raise or "double"),
    )


def _choices(message: entry_pb2.RuleSet) -> ChoicesCount | None:
    if message.HasField("choices"):
        return _word(ChoicesCount, message.choices)
    counts = any(message.HasField(name) for name in ("straddle", "runs", "chop"))
    return ChoicesCount.BEFORE_LINKS if counts else None


def _rake(message: entry_pb2.RuleSet) -> RakeRule | None:
    if not message.HasField("rake"):
        return None
    told = message.rake
    caps = tuple(RakeCap(one.players, one.cap) for one in told.caps)
    return RakeRule(told.per_ten_thousand, caps, told.no_flop_no_drop)


def _time_bank(message: entry_pb2.RuleSet) -> TimeBankRule | None:
    if not message.HasField("time_bank"):
        return None
    told = message.time_bank
    return TimeBankRule(told.start_ms, told.per_hand_ms, told.max_ms)


def _tournament(message: entry_pb2.RuleSet) -> TournamentTable | None:
    if not message.HasField("tournament"):
        return None
    return TournamentTable(message.tournament.tournament, message.tournament.table)


def _limits_message(limits: Limits) -> entry_pb2.Limits:
    return entry_pb2.Limits(
        small_bet=limits.small_bet,
        big_bet=limits.big_bet,
        cap=limits.cap,
        uncapped_heads_up=limits.uncapped_heads_up,
    )


def _ante_message(ante: AnteRule) -> entry_pb2.AnteRule:
    return entry_pb2.AnteRule(kind=ante.kind, amount=ante.amount)


def _straddle_message(straddle: StraddleRule) -> entry_pb2.StraddleRule:
    return entry_pb2.StraddleRule(kind=straddle.kind, min_raise=straddle.min_raise)


def _rake_message(rake: RakeRule) -> entry_pb2.RakeRule:
    return entry_pb2.RakeRule(
        per_ten_thousand=rake.per_ten_thousand,
        caps=[entry_pb2.RakeCap(players=one.players, cap=one.cap) for one in rake.caps],
        no_flop_no_drop=rake.no_flop_no_drop,
    )


def _time_bank_message(bank: TimeBankRule) -> entry_pb2.TimeBankRule:
    return entry_pb2.TimeBankRule(
        start_ms=bank.start_ms, per_hand_ms=bank.per_hand_ms, max_ms=bank.max_ms
    )


def _tournament_message(table: TournamentTable) -> entry_pb2.TournamentTable:
    return entry_pb2.TournamentTable(tournament=table.tournament, table=table.table)
