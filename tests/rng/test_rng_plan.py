"""The plan: what it fixes, its text, and which runs there are."""

from __future__ import annotations

import json

import pytest

from audit_cli.rng.code_hash import hash_code
from audit_cli.rng.plan import (
    PRESETS,
    Kind,
    Plan,
    PlanError,
    Source,
    make_plan,
    preset_run,
    read_plan,
    shape_run,
)

LAB = Source(Kind.LAB, "ab" * 32, "cd" * 32)
RAW = ("SP800-22.2.1.share",)


def plan_of(hands: int = 100_000) -> Plan:
    return make_plan(LAB, hands=hands, raw=RAW, code="ee" * 32)


@pytest.mark.parametrize(
    ("preset", "hands", "chunk", "per_block"),
    [
        ("quick", 1_000_000, 10_000, 1),
        ("cert", 10_000_000, 100_000, 1),
        ("gli", 70_000_000, 700_000, 1),
        ("deep", 1_000_000_000, 1_000_000, 10),
    ],
)
def test_a_preset_is_a_hundred_blocks_of_equal_chunks(
    preset: str, hands: int, chunk: int, per_block: int
) -> None:
    run = preset_run(preset)
    assert (run.hands, run.blocks, run.chunk, run.chunks_per_block) == (
        hands,
        100,
        chunk,
        per_block,
    )
    assert run.block == hands // 100


@pytest.mark.parametrize("hands", [10_000, 10_099, 1_234_567, 99_999_999, 333_333_333])
def test_another_number_is_rounded_down_to_equal_chunks(hands: int) -> None:
    run = shape_run(hands)
    assert 0 <= hands - run.hands < 100 * run.chunks_per_block
    assert run.hands == run.blocks * run.chunks_per_block * run.chunk
    assert run.chunk <= 1_000_000


def test_fewer_than_ten_thousand_decks_are_no_run() -> None:
    with pytest.raises(PlanError, match="10,000 are the least"):
        shape_run(9_999)


def test_each_chunk_has_its_hands() -> None:
    run = preset_run("deep")
    assert (run.first(0), run.first(999)) == (0, 999_000_000)


def test_a_confirmation_has_as_many_blocks_each_four_times_as_large() -> None:
    plan = plan_of()
    again = plan.confirmation
    assert (again.hands, again.blocks, again.chunk) == (400_000, 100, plan.run.chunk)
    assert again.chunks_per_block == 4 * plan.run.chunks_per_block


def test_a_plan_is_read_as_it_was_written() -> None:
    plan = plan_of()
    assert read_plan(plan.text) == plan
    assert read_plan(plan.text).id == plan.id


def test_the_same_choices_are_the_same_plan_and_others_another() -> None:
    assert plan_of().id == plan_of().id
    assert plan_of().id != plan_of(200_000).id
    other = make_plan(Source(Kind.LAB, "00" * 32, "cd" * 32), hands=100_000, raw=RAW, code="ee")
    assert other.id != plan_of().id


def test_the_text_is_one_canonical_line_without_time_or_place() -> None:
    text = plan_of().text
    value = json.loads(text)
    assert text == json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n"
    assert set(value) == {
        *("alpha", "certain", "code", "confirmation", "correction", "format", "preset", "rule"),
        *("run", "second", "sequences", "source", "tests"),
    }
    assert value["alpha"] == "0.01"
    assert value["certain"] == "1e-10"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda value: value.pop("rule"),
        lambda value: value.update(rule="none"),
        lambda value: value.update(more=1),
        lambda value: value.update(format="cutcard-plan/2"),
        lambda value: value.update(alpha=0),
        lambda value: value.update(alpha="many"),
        lambda value: value.update(run=[]),
        lambda value: value["run"].update(hands=-1),
        lambda value: value["run"].update(hands=100_001),
        lambda value: value["run"].update(chunk=0),
        lambda value: value["run"].update(blocks=0),
        lambda value: value["source"].update(kind="chance"),
        lambda value: value.update(tests=[1]),
        lambda value: value["sequences"].update(bits=5),
    ],
)
def test_a_text_that_says_more_or_less_is_no_plan(spoil: object) -> None:
    value = json.loads(plan_of().text)
    assert callable(spoil)
    spoil(value)
    with pytest.raises(PlanError, match="not a plan"):
        read_plan(json.dumps(value, separators=(",", ":"), sort_keys=True) + "\n")


@pytest.mark.parametrize("text", ["", "\n", "[]\n", "{}", "null\n", '{"a":1}\n\n', "x" * 70_000])
def test_what_is_no_canonical_object_is_no_plan(text: str) -> None:
    with pytest.raises(PlanError, match="not a plan"):
        read_plan(text)


def test_every_preset_names_its_tests_of_both_levels_and_of_raw_bits() -> None:
    for preset, (_, sequences) in PRESETS.items():
        plan = make_plan(LAB, preset=preset, raw=RAW, code="")
        assert plan.preset == preset
        assert plan.sequences == sequences
        assert {"S1", "S14.seat", "S19.five", "S22", *RAW} <= set(plan.tests)
        assert {"S1", "S14", "S22"} <= set(plan.second)
        assert not {"S19.five", *RAW} & set(plan.second)
        assert len(set(plan.tests)) == len(plan.tests)


def test_raw_bits_are_tested_where_there_are_streams_enough() -> None:
    assert make_plan(LAB, hands=10_000, raw=RAW, code="").sequences == 0
    assert RAW[0] not in make_plan(LAB, hands=10_000, raw=RAW, code="").tests
    assert make_plan(LAB, hands=100_000, raw=(), code="").sequences == 0


def test_the_code_is_hashed_whole_and_once() -> None:
    assert make_plan(LAB, hands=10_000).code == hash_code()
    assert len(bytes.fromhex(hash_code())) == 32
