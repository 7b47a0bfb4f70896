"""The requirements that a bundle answers, R-01 to R-32: whose they are and what stands for them.

Sources are named as their issuers name them: GLI-11 and GLI-19 (Gaming Laboratories
International), RTS (UK Gambling Commission), NIGC (25 CFR 547.14), AGCO (Ontario), PA (58 Pa. Code
810.5), IoM, AGCC, MGA, Gibraltar, Sweden; clauses are to be confirmed against the current text.
`documents` are files of the bundle, `tests` the project's own that hold what no figure of the
bundle can show; `claim` says what they hold, where no figure is asked at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement, in short words."""

    id: str
    title: str
    sources: str
    documents: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    claim: str = ""


_FAIR: Final = "tests/fairness"
_DEALER: Final = "tests/audit/test_tampering_dealer.py"
_LOG: Final = "tests/audit/test_tampering_log.py"
_FILE: Final = "tests/audit/test_tampering_file.py"
_BOUNDS: Final = "tests/audit/test_tampering_bounds.py"
_SOURCE: Final = "tests/faults/test_random_source.py"
_GATE: Final = f"{_FAIR}/test_randomness.py"
_DRBG: Final = f"{_FAIR}/test_drbg.py"
_HEALTH: Final = f"{_FAIR}/test_health.py"
_FIELDS: Final = "tests/packaging/test_secret_fields.py"
_DRAWS_CHANCE: Final = f"{_GATE}::test_no_other_module_of_the_dealer_draws_chance_by_itself"

REQUIREMENTS: Final = (
    Requirement(
        "R-01",
        "each value, and each combination that the game uses, is equally likely",
        "GLI-19 3.2.3; NIGC (b)(1); RTS 7A; AGCO 21.1.1; IoM, AGCC, MGA",
        ("rng/limits.md",),
    ),
    Requirement(
        "R-02",
        "raw output and scaled, shuffled output are both tested",
        "UKGC testing strategy 3; GLI 3.2.2",
    ),
    Requirement(
        "R-03",
        "the families of tests that are named by laboratories and regulators are all applied",
        "GLI 3.2.2; PA 810.5(c); NIGC (spectral)",
    ),
    Requirement(
        "R-04",
        "draws are independent of each other and inside a draw",
        "GLI 3.2.4; NIGC (b)(2)(iii); AGCO 21.1.4",
    ),
    Requirement(
        "R-05",
        "unpredictable, also for who knows the algorithm and all past output",
        "NIGC (c)(1); GLI 3.3.1 to 3.3.2(a); RTS 7A(b)",
        ("rng/construction-90c.md", "rng/limits.md"),
    ),
    Requirement(
        "R-06",
        "no known input: never seeded by time alone, and no two instances share a seed",
        "GLI 3.3.2(b)",
        ("rng/seeding.md",),
        (
            _DRAWS_CHANCE,
            f"{_GATE}::test_a_source_that_was_set_back_is_refused",
        ),
    ),
    Requirement(
        "R-07",
        "seeding and reseeding add no predictability",
        "RTS 7A(d); NIGC (c)(3), (d)",
        ("rng/seeding.md", "rng/entropy-90b.md"),
        (
            f"{_GATE}::test_the_operating_system_gives_fresh_bytes_each_time",
            f"{_GATE}::test_a_source_that_turns_bad_shuts_it",
            f"{_FAIR}/test_mixing.py::test_every_input_changes_the_mix",
        ),
        claim="every hand is seeded anew from the operating system, through a gate that tests "
        "every byte; links are mixed in as HKDF's salt and take nothing away",
    ),
    Requirement(
        "R-08",
        "a state that became known tells neither earlier nor later hands",
        "GLI 3.3.2(c); AIS 20/31",
        ("rng/seeding.md",),
        (
            "tests/faults/test_memory.py::test_nothing_of_a_hand_outlasts_it",
            f"{_GATE}::test_keeps_no_answer",
            f"{_GATE}::test_the_operating_system_gives_fresh_bytes_each_time",
        ),
        claim="no state is kept between hands and no secret comes from another, so that one "
        "that leaks tells one hand",
    ),
    Requirement(
        "R-09",
        "the moment of a request can not select the outcome",
        "GLI-11; NIGC (c)(2)",
        ("rng/description.md",),
        (f"{_FAIR}/test_deck.py::test_the_deck_its_salts_leaves_root_and_proofs_are_the_vectors",),
    ),
    Requirement(
        "R-10",
        "no repetition: no two hands, and no two instances, give the same",
        "NIGC (d); RTS 7A(c)",
        (),
        (f"{_GATE}::test_two_threads_never_get_the_same_bytes",),
    ),
    Requirement(
        "R-11",
        "every outcome of the game can come",
        "GLI 3.2.5; NIGC (f)(3); AGCO 21.1.3",
        ("rng/scaling-proof.md",),
    ),
    Requirement(
        "R-12",
        "scaling is without bias",
        "NIGC (f); GLI 3.2.3(a); PA 810.5(d)",
        ("rng/scaling-proof.md",),
        (f"{_FAIR}/test_shuffle.py::test_every_value_below_n_is_drawn_by_equally_many_bytes",),
    ),
    Requirement(
        "R-13",
        "numbers are used in their order, and none is left out but those out of range",
        "RTS 7B; NIGC (e)",
        ("rng/scaling-proof.md",),
        (f"{_FAIR}/test_shuffle.py::test_dropped_bytes_are_skipped_one_by_one",),
    ),
    Requirement(
        "R-14",
        "nothing adapts: independent of stakes, players and history",
        "RTS 7A; GLI 4.5.2; AGCO 21.1.5",
        ("rng/description.md",),
    ),
    Requirement(
        "R-15",
        "shuffled once, at the start of the hand; dealt in the deck's order; nothing substituted",
        "GLI-19 4.4.4",
        (),
        (
            f"{_LOG}::_row_two_seats_swapped",
            f"{_LOG}::_row_a_burn_left_out",
            f"{_DEALER}::test_a_deck_made_otherwise_breaks_replayed_from_the_first_hand",
        ),
    ),
    Requirement(
        "R-16",
        "the outcome is fixed before play, and nothing changes it after",
        "GLI 4.5.2(c); RTS 7B, 7C",
        (),
        (
            f"{_LOG}::_row_no_checkpoint_between_deck_and_card",
            f"{_DEALER}::test_secrets_that_were_never_committed_to_break_bound_in_every_hand",
        ),
    ),
    Requirement(
        "R-17",
        "a selection that was interrupted is kept until it goes on",
        "AGCO 21.1.8; RTS 10",
        (),
        (
            "tests/faults/test_killed_dealer.py::test_a_hand_goes_on_through_more_than_twenty_kills",
            "tests/faults/test_chaos.py::test_a_game_goes_on_through_kills_at_every_step",
            "tests/cluster/test_take_over.py::test_the_same_hand_goes_on_at_another_node",
        ),
        claim="the secret is on disk before its commitment is told: after a kill the same hand "
        "goes on with the same deck",
    ),
    Requirement(
        "R-18",
        "where the mechanism fails, the games that rest on it stop",
        "AGCO 21.1.9; GLI 3.3.3",
        ("rng/entropy-90b.md",),
        (
            f"{_GATE}::test_a_wrong_one_keeps_the_gate_shut",
            f"{_GATE}::test_once_shut_it_refuses_at_once_whatever_the_source_gives",
            f"{_SOURCE}::test_a_bad_source_lets_no_dealer_start",
            f"{_SOURCE}::test_a_wrong_known_answer_lets_no_dealer_start",
            f"{_SOURCE}::test_a_hand_without_a_deck_is_void_and_the_game_is_sound",
        ),
        claim="a known answer or a health test that fails shuts the gate: no hand opens, and "
        "one without a deck is void in public",
    ),
    Requirement(
        "R-19",
        "the output of a hardware generator is monitored, and its failure stops it",
        "GLI 3.3.3",
        ("rng/entropy-90b.md",),
        (f"{_GATE}::test_a_source_that_turns_bad_shuts_it",),
    ),
    Requirement(
        "R-20",
        "the output is monitored in operation",
        "GLI-19 A.6.2; UKGC",
        ("rng/limits.md",),
        tests=(
            "tests/rng/test_rng_monitor.py::test_a_hand_that_does_not_derive_is_named_and_not_counted",
            "tests/rng/test_rng_monitor.py::test_the_levels_of_all_looks_add_up_to_one_percent",
            "tests/rng/test_rng_monitor.py::test_a_folder_of_games_is_taken_once",
        ),
    ),
    Requirement(
        "R-21",
        "what the generator gives reaches the game unchanged and unseen",
        "AGCO 21.1.10; eCOGRA",
        ("rng/description.md",),
        (
            "tests/rpc/test_tls.py::test_a_call_in_the_clear_is_not_answered",
            "tests/rpc/test_tls.py::test_with_a_client_ca_only_its_certificates_get_through",
            "tests/faults/test_two_worlds.py::test_a_seat_is_sent_the_same_in_both",
        ),
        claim="generator and game are one process, no network lies between them; what leaves it "
        "for players goes by TLS, each card to its seat alone",
    ),
    Requirement(
        "R-22",
        "seeds are kept from being known",
        "AGCO 21.1.6",
        ("rng/seeding.md", "rng/limits.md"),
        (
            "tests/faults/test_leaks.py::test_no_secret_leaves_before_its_time",
            f"{_FIELDS}::test_a_field_named_like_a_secret_is_in_no_repr",
            "tests/store/test_keys_at_rest.py::test_opens_only_where_it_belongs",
            "tests/cli/test_dealer_privacy.py::test_dumps_no_core",
        ),
        claim="secrets are in no log, error or answer before the reveal, sealed at rest, and "
        "let go of with their hand",
    ),
    Requirement(
        "R-23",
        "the source can be reviewed, and has no switch that is not told",
        "GLI 3.2.1; UKGC 3",
        ("rng/description.md", "source/rng-core.json"),
        (_DRAWS_CHANCE,),
    ),
    Requirement(
        "R-24",
        "each implementation is evaluated by itself, and again after any change",
        "PA 810.5(a); GLI 4.5.1; Gibraltar 12.2(5)",
        ("rng/change-control.md", "source/rng-core.json"),
        tests=(
            "tests/app/test_rng_core.py::test_the_sources_are_those_of_the_newest_version",
            "tests/app/test_rng_core.py::test_every_version_stands_in_the_changes_with_its_fingerprint",
        ),
    ),
    Requirement(
        "R-25",
        "what is deployed is what was certified",
        "GLI (field verification); iTech",
        ("rng/change-control.md", "source/rng-core.json"),
        tests=(
            "tests/app/test_rng_core.py::test_a_core_that_is_no_version_is_warned_of",
            "tests/rng/test_rng_certify.py::test_a_dealer_that_was_changed_is_another_and_the_file_is_named",
        ),
    ),
    Requirement(
        "R-26",
        "the limits of the mechanism are kept",
        "SP 800-90A Rev. 1, table 3",
        ("rng/construction-90c.md",),
        (
            f"{_DRBG}::test_one_generate_gives_at_most_65536_bytes",
            f"{_DRBG}::test_a_worn_out_state_must_be_reseeded",
            f"{_DRBG}::test_entropy_input_has_48_bytes",
        ),
    ),
    Requirement(
        "R-27",
        "the mechanism tests itself by known answers, and has an error state",
        "SP 800-90A Rev. 1, 11",
        ("rng/construction-90c.md",),
        (
            f"{_DRBG}::test_cavp",
            f"{_GATE}::test_are_run_before_a_byte_is_read",
            f"{_GATE}::test_a_wrong_one_keeps_the_gate_shut",
            f"{_GATE}::test_opens_again_only_by_the_tests_of_a_start",
        ),
    ),
    Requirement(
        "R-28",
        "an entropy source is health-tested with cutoffs that follow from its entropy",
        "SP 800-90B 4.3, 4.4",
        ("rng/entropy-90b.md",),
        (
            f"{_HEALTH}::test_of_the_repetition_count_test",
            f"{_HEALTH}::test_of_the_adaptive_proportion_test",
            f"{_GATE}::test_tests_at_least_1024_samples_and_hands_none_of_them_out",
        ),
    ),
    Requirement(
        "R-29",
        "the construction is declared",
        "SP 800-90C (25 September 2025)",
        ("rng/construction-90c.md",),
        (f"{_DRBG}::test_the_stream_is_one_generate",),
        claim="the construction is declared, with its source and what is assumed of it",
    ),
    Requirement(
        "R-30",
        "classes of AIS 20/31 are named, without a claim of conformity",
        "AIS 20/31 v3.0; NIST IR 8446",
        ("rng/construction-90c.md",),
        claim="classes are named in the construction's text; no conformity is claimed",
    ),
    Requirement(
        "R-31",
        "the continuous test of FIPS 140-2 is no evidence for a deterministic generator",
        "FIPS 140-3 implementation guidance",
        ("rng/construction-90c.md",),
        claim="the construction's text says so, and nothing in this bundle rests on such a test",
    ),
    Requirement(
        "R-32",
        "logs hold what is needed to make every outcome again, and are checked without the service",
        "SIFS 2022:3; GLI 2.8",
        (),
        (
            f"{_BOUNDS}::test_the_audit_needs_neither_the_dealer_nor_stubs_nor_grpc",
            f"{_FILE}::test_a_note_of_another_history_breaks_consistent_and_is_kept_as_evidence",
        ),
    ),
)
