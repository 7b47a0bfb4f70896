"""The flaw bank's table: what is planted, at which amount of data, and which test has to see it.

The p-values stated are those of the certification text, each measured once on one sample of the
flaw, as ours are: the deviates z of two samples differ by sqrt(2) of their own deviation, so that
one is lower than the other by more than 3.3 once in a hundred times. A test has seen a flaw as it
should when its z is no lower than that below the stated one; and a flaw is found when besides
Holm's rule at 1 % over the whole battery rejects one of the tests stated for it. Where the text
says 0, 300 digits stand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scipy.special import ndtr, ndtri

from audit_cli.rng.flaws import direct, rigged, shuffles, sources
from audit_cli.rng.flaws.chance import Plant, correct

if TYPE_CHECKING:
    from collections.abc import Collection

#: Everything that the bank plants follows from this seed, unless another is given.
SEED: Final = b"cutcard flaw bank, version 1 ..."
#: What a short selftest leaves out.
QUICK_HANDS: Final = 100_000

_ZERO: Final = 1e-300
_NONE: Final = 0.0
_LOWER: Final = 3.3


@dataclass(frozen=True, slots=True)
class Sight:
    """A test that has to see the flaw, and the p-value that is stated for it.

    0.0 stands for a check that is exact: it holds or it does not. `spread` is the deviation of the
    test's z from sample to sample, which is above 1 where hands hang together (measured over 40).
    """

    test: str
    stated: float
    spread: float = 1.0

    @property
    def most(self) -> float:
        """The largest p-value that counts as seen."""
        if not self.stated:
            return 0.0
        stated = -float(ndtri(self.stated / 2))
        return float(2 * ndtr(min(0.0, _LOWER * self.spread - stated)))


@dataclass(frozen=True, slots=True)
class DeckCase:
    """A flaw that is looked for in `hands` decks."""

    name: str
    words: str
    hands: int
    plant: Plant
    sights: tuple[Sight, ...]

    @property
    def amount(self) -> str:
        """How much data, in words."""
        return f"{self.hands:,} decks"


#: look(seed): the p-value of every test made, 0 and 1 for what is exact.
Look = Callable[[bytes], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class DirectCase:
    """A flaw that decks do not show: in raw bits, in the code, or in a game's file."""

    name: str
    words: str
    amount: str
    look: Look
    sights: tuple[Sight, ...]

    @property
    def hands(self) -> int:
        """It is looked for in no decks."""
        return 0


Case = DeckCase | DirectCase


def _decks(name: str, words: str, hands: int, plant: Plant, **sights: float) -> DeckCase:
    """Return a case; sights are named with _ in the place of a point."""
    seen = tuple(Sight(test.replace("_", "."), stated) for test, stated in sights.items())
    return DeckCase(name, words, hands, plant, seen)


CASES: Final[tuple[Case, ...]] = (
    _decks("F01", "each position swaps with any of the 52", 1_000, shuffles.plant_swap_with_any,
           S8_mean=1.8e-24, S1=4.7e-21, S7=2.8e-15),
    _decks("F02", "a byte modulo n", 1_000, shuffles.plant_byte_modulo, S23_modulo8=1e-4),
    _decks("F02", "a byte modulo n", 10_000, shuffles.plant_byte_modulo, S1=2e-26),
    _decks("F03", "Sattolo's shuffle: no card may stay", 1_000, shuffles.plant_sattolo,
           S6=_ZERO, S7=_ZERO),
    _decks("F04", "the last card never moves", 1_000, shuffles.plant_last_stays, S1=_ZERO),
    _decks("F05", "the first draw one short: the last card never stays", 10_000,
           shuffles.plant_first_draw_short, S1c_card=4e-41),
    _decks("F05", "the first draw one short: the last card never stays", 100_000,
           shuffles.plant_first_draw_short, S1=2.6e-112),
    _decks("F06", "MSVC's rand() % n, running on", 10_000_000, sources.plant_msvc,
           S8_mean=2.5e-7, S23_modulo15=4.2e-7),
    _decks("F07", "15 ideal bits modulo n", 5_000_000, sources.plant_fifteen_bits,
           S23_modulo15=4.2e-7),
    _decks("F08", "16 ideal bits modulo n", 20_000_000, sources.plant_sixteen_bits,
           S23_modulo16=3.8e-11),
    _decks("F09", "x % n of an LCG modulo 2^31, running on", 1_000, sources.plant_low_bits,
           S1=_ZERO),
    _decks("F10", "seeds of 16 bits", 1_000, sources.plant_seed_16, S19_deck=_NONE),
    _decks("F10", "seeds from the clock, 26.4 bits", 100_000, sources.plant_seed_day,
           S19_deck=_NONE),
    _decks("F10", "seeds of 32 bits", 1_000_000, sources.plant_seed_32, S19_deck=_NONE),
    _decks("F11", "one seed in 10,000 comes again", 100_000, sources.plant_seed_again,
           S19_deck=_NONE),
    _decks("F12", "the deck is only cut", 1_000, shuffles.plant_cut_only, S2=_ZERO, S10=_ZERO),
    DeckCase("F13", "the deck is kept, three riffles a hand", 1_000, shuffles.plant_kept_deck,
             (Sight("S4.1", 4.9e-33, spread=2.4), Sight("S5", 3.9e-10))),
    _decks("F14", "seven riffles of a fresh deck", 1_000, shuffles.plant_seven_riffles,
           S10=9e-211),
    _decks("F14", "ten riffles of a fresh deck", 10_000, shuffles.plant_ten_riffles, S10=3e-15),
    _decks("F15", "sorted with a coin for comparison", 1_000, shuffles.plant_random_comparator,
           S1=4e-59),
    _decks("F16", "sorted by keys of 8 bits", 1_000, shuffles.plant_byte_keys, S9=3e-50),
    _decks("F16", "sorted by keys of 16 bits", 10_000_000, shuffles.plant_short_keys,
           S9_mean=2.4e-9),
    _decks("F17", "RC4, a key for each hand", 100_000, sources.plant_rc4, S1c_card=1.6e-6),
    DirectCase("F18", "V8's Math.random(), xorshift128+", "48,000 words", direct.look_xorshift,
               (Sight("GF2.complexity", _ZERO),)),
    DirectCase("F19", "the Mersenne Twister", "96,000 words", direct.look_mersenne,
               (Sight("GF2.complexity", _ZERO),)),
    _decks("F20", "shuffled again where the first seat has two aces", 100_000,
           rigged.plant_redrawn_aces, S14_seat=2e-15),
    _decks("F21", "the first seat is given an ace in 1 hand of 1,000", 10_000_000,
           rigged.plant_given_ace, S1c_rank=4.9e-20),
    DirectCase("F22", "the river is swapped after the commitment", "one hand",
               direct.look_river, (Sight("verify.REPLAYED", _NONE),)),
    DirectCase("F23", "one card is swapped after the commitment", "one hand",
               direct.look_card, (Sight("verify.REPLAYED", _NONE),)),
    *(DirectCase("F24", f"a wrong bound: {bound.value}", "crafted bytes", look,
                 (Sight("B0.bounds", _NONE),)) for bound, look in direct.BOUNDS.items()),
    DirectCase("F25", "a log rewritten and committed anew", "one kept checkpoint",
               direct.look_rewritten, (Sight("verify.CONSISTENT", _NONE),)),
)  # fmt: skip

#: Correct shuffles, in which nothing may be seen.
CONTROLS: Final = tuple(
    DeckCase("control", "a correct shuffle", hands, correct, ())
    for hands in (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
)


#: Every case, in the order of reports; a case is known to workers by its place here.
BANK: Final[tuple[Case, ...]] = (*CASES, *CONTROLS)


def number_cases(names: Collection[str], *, quick: bool) -> tuple[int, ...]:
    """Return the numbers in `BANK` of all cases with these names, F01 to F25 or `control`.

    `quick` leaves out what needs more than 100,000 decks.
    """
    most = QUICK_HANDS if quick else max(case.hands for case in BANK)
    return tuple(
        number for number, case in enumerate(BANK) if case.name in names and case.hands <= most
    )
