"""The requirement matrix: for each requirement what a bundle shows, and by which of its files.

A row passes or fails by figures of the bundle alone. Where no figure can decide, it says so: by
document, with the project's tests that hold the claim; not applicable, and why; or not shown, with
what is missing from this bundle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import lgamma, log
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.battery.duplicates import SECRET
from audit_cli.rng.battery.families import FAMILIES, missing
from audit_cli.rng.certify.cutoffs import proportion_cutoff, repetition_cutoff
from audit_cli.rng.certify.evidence import (
    BATTERY,
    CORE,
    INDEX,
    REPLAY,
    SENSITIVITY,
    VECTORS,
)
from audit_cli.rng.certify.requirements import REQUIREMENTS
from audit_cli.rng.certify.review import PATH
from audit_cli.rng.certify.rulings import (
    Ruling,
    Status,
    both,
    by_code,
    by_core,
    by_games,
    by_tests,
    find_tests,
    listed,
    rejected,
)

if TYPE_CHECKING:
    from audit_cli.rng.certify.evidence import Evidence
    from audit_cli.rng.certify.requirements import Requirement

#: What R-01 asks for, in decks and blocks.
ENOUGH: Final = 10_000_000
ENOUGH_BLOCKS: Final = 100
#: R-23: more lines of code than this are not reviewed in an evening.
REVIEWABLE: Final = 400


@dataclass(frozen=True, slots=True)
class Row:
    """A requirement with its ruling; `files` are those of the figures and its documents."""

    requirement: Requirement
    status: Status
    why: str
    files: tuple[str, ...]


Rule = Callable[["Evidence"], Ruling]


def make_matrix(evidence: Evidence) -> tuple[Row, ...]:
    """Rule on every requirement, R-01 to R-32 in their order."""
    rows = []
    for requirement in REQUIREMENTS:
        rule = _RULES.get(requirement.id)
        claimed = Ruling(Status.BY_DOCUMENT, requirement.claim)
        ruling = claimed if rule is None else rule(evidence)
        lacking = [name for name in requirement.documents if name not in evidence.files]
        if lacking:
            ruling = Ruling(Status.FAIL, f"{listed(lacking)} not in the bundle", ruling.files)
        files = dict.fromkeys((*ruling.files, *requirement.documents))
        present = tuple(name for name in files if name in evidence.files)
        rows.append(Row(requirement, ruling.status, ruling.why, present))
    return tuple(rows)


def count_statuses(rows: Iterable[Row]) -> dict[str, int]:
    """Return how many rows have each status, in the order of `Status`."""
    found = [row.status for row in rows]
    return {status.value: found.count(status) for status in Status}


# The rows that figures decide.


def _uniform(evidence: Evidence) -> Ruling:
    ruling = _by_decks(evidence)
    return (
        ruling if evidence.sensitivity is None else both(ruling, _sensitive(evidence.sensitivity))
    )


def _by_decks(evidence: Evidence) -> Ruling:
    decks = [f"S{number}" for number in range(1, 24)]
    first = by_tests(evidence, decks, "decks and games", least=ENOUGH)
    battery = evidence.battery
    if battery is None:
        return first
    second = battery["second_level"]
    names = {one["test"] for one in second}
    bad = [f"{name} {how}" for name, how in rejected(battery).items() if "second" in how]
    values = [one["p"] for one in second]
    why = f"p-values over {battery['blocks']} blocks, {len(names)} tests"
    if bad:
        return both(first, Ruling(Status.FAIL, f"{why}: {listed(bad)}", (BATTERY,)))
    if battery["blocks"] < ENOUGH_BLOCKS or not values:
        return both(first, Ruling(Status.NOT_SHOWN, f"{why}: too few", (BATTERY,)))
    why = f"{why}: uniform, the smallest Kolmogorov-Smirnov p {min(values):.3g}"
    return both(first, Ruling(Status.PASS, why, (BATTERY,)))


def _sensitive(sensitivity: Mapping[str, Any]) -> Ruling:
    """Rule by planted flaws: a battery that does not find them shows nothing by passing."""
    cases, clean = sensitivity["cases"], sensitivity["clean"]
    missed = [one["flaw"] for one in cases if not one["good"]]
    alarms, most = len(clean["alarms"]), clean["most_alarms"]
    why = (
        f"{len(cases) - len(missed)} of {len(cases)} planted flaws as stated, {alarms} alarms in "
        f"{clean['runs']} clean runs ({most} at most)"
    )
    if missed or alarms > most:
        return Ruling(Status.FAIL, f"{why}: {listed(missed) or 'too many'}", (SENSITIVITY,))
    return Ruling(Status.PASS, why, (SENSITIVITY,))


def _levels(evidence: Evidence) -> Ruling:
    battery = evidence.battery
    if battery is None:
        return Ruling(Status.NOT_SHOWN, "the bundle has no results of a battery")
    names = {"B1": "raw", "B2": "scaled", "B3": "deck", "B4": "game"}
    by_level = {
        level: [one["test"] for one in battery["tests"] if one["level"] == level] for level in names
    }
    told = listed(f"{names[level]} {len(tests)}" for level, tests in by_level.items())
    bad = rejected(battery)
    if bad:
        failed = listed(f"{name} {how}" for name, how in bad.items())
        return Ruling(Status.FAIL, f"tests by level: {told}; {failed}", (BATTERY,))
    lacking = [names[level] for level, tests in by_level.items() if not tests]
    if lacking:
        why = f"tests by level: {told}; none on {listed(lacking)} output"
        return Ruling(Status.NOT_SHOWN, why, (BATTERY,))
    return Ruling(Status.PASS, f"tests by level: {told}; none rejected", (BATTERY,))


def _coverage(evidence: Evidence) -> Ruling:
    battery = evidence.battery
    if battery is None:
        return Ruling(Status.NOT_SHOWN, "the bundle has no results of a battery")
    covered = {key for one in battery["tests"] for key in one["covers"]}
    if battery["second_level"]:
        covered.add("PA.ks")
    lacking = missing(covered)
    number = len(FAMILIES) - len(lacking)
    why = f"{number} of {len(FAMILIES)} named families are answered for"
    if lacking:
        words = listed(f"{key} ({FAMILIES[key]})" for key in lacking)
        return Ruling(Status.NOT_SHOWN, f"{why}; not on these data: {words}", (BATTERY,))
    return Ruling(Status.PASS, why, (BATTERY,))


def _unpredictable(evidence: Evidence) -> Ruling:
    return both(
        by_code(evidence, "AES-256 CTR_DRBG by NIST's answers"),
        by_tests(evidence, ("S20",), "guessing the next card"),
        by_tests(evidence, ("SP800-22.2.10", "GF2"), "linear recurrences in the raw bits"),
    )


def _no_known_input(evidence: Evidence) -> Ruling:
    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        review = core["review"]
        if review["barred"]:
            return False, f"the core reaches beyond its arguments: {listed(review['barred'])}"
        calls = review["sources"]
        only = calls == ["os.urandom"]
        return (
            only,
            f"the core's only way to the system is {listed(calls) or 'none'}; no time, no pid",
        )

    return by_core(evidence, holds)


def _pure(evidence: Evidence) -> Ruling:
    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        given, barred = core["review"]["derive"], core["review"]["barred"]
        good = given == ["hand_secret", "mix"] and not barred
        more = f", but {listed(barred)}" if barred else ", and nothing beyond them is reached"
        return good, f"derive takes {listed(given) or 'nothing that was found'}{more}"

    return by_core(evidence, holds)


def _no_repetition(evidence: Evidence) -> Ruling:
    ruling = by_tests(evidence, ("S19",), "equal decks, and equal first five cards")
    replay = evidence.replay
    if replay is None or not replay["hands"]:
        if find_tests(evidence.battery or {"tests": []}, SECRET):
            return ruling
        why = "no secret of a dealer or of the operating system is in this bundle: the tests named"
        return both(ruling, Ruling(Status.BY_DOCUMENT, f"{why} here hold it"))
    twice = replay["secrets_twice"]
    why = f"{replay['hands']:,} hands of games: {twice} secrets that came twice"
    return both(ruling, Ruling(Status.FAIL if twice else Status.PASS, why, (REPLAY,)))


def _all_outcomes(evidence: Evidence) -> Ruling:
    needed = lgamma(53) / log(2)

    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        bits = 8 * core["review"]["constants"].get("SECRET_BYTES", 0)
        return bits >= needed, f"a secret of {bits} bits, where log2(52!) = {needed:.2f}"

    return by_core(evidence, holds)


def _scaling(evidence: Evidence) -> Ruling:
    return both(
        by_code(evidence, "all bytes counted for every n, and crafted streams"),
        by_tests(evidence, ("S22", "S23"), "the scaled draws"),
    )


def _order(evidence: Evidence) -> Ruling:
    totals = evidence.vectors
    if totals is None:
        return Ruling(Status.NOT_SHOWN, "the bundle has no vectors")
    good = totals["steps_that_differ"] == 0 == totals["dropped_in_range"]
    good = good and totals["words"] == totals["draws"] + totals["dropped"] and totals["decks"] > 0
    why = (
        f"{totals['decks']:,} decks followed byte by byte: {totals['words']:,} words gave "
        f"{totals['draws']:,} draws in their order, {totals['dropped']:,} were dropped, "
        f"{totals['dropped_in_range']} of them in range"
    )
    return Ruling(Status.PASS if good else Status.FAIL, why, (VECTORS,))


def _not_adaptive(evidence: Evidence) -> Ruling:
    return both(_pure(evidence), by_tests(evidence, ("S14", "S21"), "seat by seat"))


def _hardware(evidence: Evidence) -> Ruling:
    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        calls = core["review"]["sources"]
        return calls == ["os.urandom"], f"the core's only source is {listed(calls) or 'none'}"

    ruling = by_core(evidence, holds)
    if ruling.status is Status.PASS:
        why = f"no hardware generator is read: {ruling.why}, which is health-tested all the same"
        return Ruling(Status.NOT_APPLICABLE, why, ruling.files)
    return ruling


def _reviewable(evidence: Evidence) -> Ruling:
    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        review = core["review"]
        lines = sum(review["lines"].get(name, 0) for name in PATH)
        good = 0 < lines <= REVIEWABLE and not review["barred"]
        switches = listed(review["barred"]) or "none"
        why = (
            f"{lines} lines of code from secret to deck, {REVIEWABLE} at most; switches: {switches}"
        )
        return good, why

    return by_core(evidence, holds)


def _versioned(evidence: Evidence) -> Ruling:
    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        number, print_ = core["version"], core["hashes"]["fingerprint"]
        if not number:
            return False, f"the core's fingerprint {print_} is of no version that the dealer names"
        return True, f"version {number} of the core, fingerprint {print_}"

    return both(by_core(evidence, holds), by_code(evidence, "each engine by itself"))


def _deployed(evidence: Evidence) -> Ruling:
    dealer = (evidence.index or {}).get("dealer")
    if dealer is None or evidence.core is None:
        why = "no running dealer was asked; `cutcard-audit fingerprint --bundle` compares one"
        return Ruling(Status.BY_DOCUMENT, why)
    mine, its = evidence.core["hashes"]["fingerprint"], dealer["fingerprint"]
    why = f"the dealer that dealt tells the fingerprint {its}, and the bundle's is {mine}"
    return Ruling(Status.PASS if mine == its else Status.FAIL, why, (INDEX, CORE))


def _limits(evidence: Evidence) -> Ruling:
    wanted = {"SEED_BYTES": 48, "MAX_REQUEST_BYTES": 65_536, "RESEED_INTERVAL": 2**48}

    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        found = {name: core["review"]["constants"].get(name) for name in wanted}
        told = listed(f"{name} {value}" for name, value in found.items())
        asked = core["review"]["constants"].get("STREAM_BYTES", 0)
        good = found == wanted and 0 < asked <= wanted["MAX_REQUEST_BYTES"]
        return good, f"the core fixes {told}; a hand asks for {asked} bytes once"

    return both(by_core(evidence, holds), by_code(evidence, "CTR_DRBG by NIST's answers"))


def _self_tests(evidence: Evidence) -> Ruling:
    ruling = by_code(evidence, "known answers of the audit's own mechanism")
    dealer = (evidence.index or {}).get("dealer")
    if dealer is not None:
        tested = dealer["known_answers"]
        why = f"the dealer tells {len(tested)} known answers of its start: {listed(tested)}"
        return both(ruling, Ruling(Status.PASS if tested else Status.FAIL, why, (INDEX,)))
    why = "a dealer's own tests at its start: the tests named here"
    return both(ruling, Ruling(Status.BY_DOCUMENT, why))


def _health_cutoffs(evidence: Evidence) -> Ruling:
    def holds(core: Mapping[str, Any]) -> tuple[bool, str]:
        known = core["review"]["constants"]
        names = (
            "ALPHA_LOG2",
            "ENTROPY_BITS",
            "WINDOW",
            "REPETITION_CUTOFF",
            "PROPORTION_CUTOFF",
            "STARTUP_SAMPLES",
        )
        if any(name not in known for name in names):
            return False, "the core does not name its health tests' parameters"
        alpha, bits, window, run, often, start = (known[name] for name in names)
        right = (repetition_cutoff(alpha, bits), proportion_cutoff(alpha, bits, window))
        good = (run, often) == right and start >= 1024 and -40 <= alpha <= -20 and window == 512
        why = (
            f"alpha 2^{alpha}, {bits} bits a sample: cutoffs {run} in a row and {often} in "
            f"{window}, worked out again {right[0]} and {right[1]}; {start} samples at the start"
        )
        return good, why

    return by_core(evidence, holds)


def _dealt_in_order(evidence: Evidence) -> Ruling:
    return by_games(evidence, ("REPLAYED", "DEALT", "ORDERED"), "dealt as the deck lies")


def _fixed_before(evidence: Evidence) -> Ruling:
    return by_games(evidence, ("BOUND", "REPLAYED", "ORDERED"), "fixed before the first card")


def _logged(evidence: Evidence) -> Ruling:
    promises = ["BOUND", "REPLAYED", "COMPLETE"]
    if evidence.replay is not None and evidence.replay["key"]:
        promises.append("SIGNED")
    return by_games(evidence, promises, "made again from the log alone")


def _monitored(evidence: Evidence) -> Ruling:
    why = "a matter of operation: `cutcard-audit rng monitor` over the revealed hands of live games"
    if evidence.sensitivity is None:
        return Ruling(Status.BY_DOCUMENT, why)
    return both(Ruling(Status.BY_DOCUMENT, why), _sensitive(evidence.sensitivity))


_RULES: Final[Mapping[str, Rule]] = {
    "R-01": _uniform,
    "R-02": _levels,
    "R-03": _coverage,
    "R-04": lambda evidence: by_tests(evidence, ("S3", "S4", "S5"), "serial and pairs"),
    "R-05": _unpredictable,
    "R-06": _no_known_input,
    "R-09": _pure,
    "R-10": _no_repetition,
    "R-11": _all_outcomes,
    "R-12": _scaling,
    "R-13": _order,
    "R-14": _not_adaptive,
    "R-15": _dealt_in_order,
    "R-16": _fixed_before,
    "R-19": _hardware,
    "R-20": _monitored,
    "R-23": _reviewable,
    "R-24": _versioned,
    "R-25": _deployed,
    "R-26": _limits,
    "R-27": _self_tests,
    "R-28": _health_cutoffs,
    "R-32": _logged,
}
