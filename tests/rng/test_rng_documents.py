"""The texts of a bundle say what the dealer's sources and the vectors say."""

import json
import re
from pathlib import Path

import pytest

from audit_cli.derive import CARD_NUMBERS
from audit_cli.rng.arguments import LEVELS
from audit_cli.rng.certify.core import read_core
from audit_cli.rng.certify.documents import read_documents
from audit_cli.rng.certify.requirements import REQUIREMENTS
from audit_cli.rng.certify.review import review_core
from audit_cli.rng.certify.vectors import make_sample, make_vectors
from audit_cli.rng.lab import hand_mix, hand_secret
from dealer_service.fairness import health, randomness, shuffle
from dealer_service.fairness.deck import derive
from dealer_service.fairness.drbg import stream_seed
from dealer_service.rng_core import find_version, hash_core

ROOT = Path(__file__).parents[2]
TEXTS = {name: data.decode() for name, data in read_documents().items()}
FUNCTIONS = sorted(
    {
        (name, module, function)
        for name, text in TEXTS.items()
        for module, function in re.findall(r"`(\w+)\.([A-Za-z_]\w+)[(`]", text)
        if (ROOT / "dealer_service" / "fairness" / f"{module}.py").exists()
    }
)


@pytest.mark.parametrize(("name", "module", "function"), FUNCTIONS)
def test_what_a_text_names_of_the_core_is_there(name: str, module: str, function: str) -> None:
    source = (ROOT / "dealer_service" / "fairness" / f"{module}.py").read_text()
    assert re.search(rf"^(def|class) {function}\b", source, re.MULTILINE), name


def test_enough_of_the_core_is_named() -> None:
    assert len(FUNCTIONS) >= 8


def test_the_health_tests_have_the_parameters_of_the_text() -> None:
    text = TEXTS["rng/entropy-90b.md"]
    assert f"alpha 2^{health.ALPHA_LOG2}, H {health.ENTROPY_BITS}: cutoff" in text
    assert f"cutoff {health.REPETITION_CUTOFF} |" in text
    assert f"window {health.WINDOW}, H 8: cutoff {health.PROPORTION_CUTOFF} |" in text
    assert f"{health.STARTUP_SAMPLES:,} samples" in text
    assert f"the last {randomness.REMEMBERED:,} answers" in text


def test_the_scaling_proof_has_the_figures_of_the_shuffle() -> None:
    text = TEXTS["rng/scaling-proof.md"]
    draws = [*range(52, 1, -1), 13, *range(52, 1, -1), 5, 5, 2, *range(52, 1, -1)]
    used = sum(256 / (256 - 256 % n) for n in draws)
    assert f"On average {used:.2f} bytes are used, {used - len(draws):.2f} of them dropped" in text
    assert f"{len(draws)} draws from {shuffle.STREAM_BYTES:,} bytes" in text
    worst = max(256 % n for n in range(2, 53))
    assert f"at most {worst} / 256, for n = 52" in text
    assert f"with probability {256 - worst} / 256 or more" in text


def test_sizes_are_those_of_the_core() -> None:
    known = review_core(ROOT / "dealer_service" / "fairness").constants
    assert f"{8 * known['SECRET_BYTES']} bits" in TEXTS["rng/seeding.md"]
    assert f"one Generate of {8 * known['STREAM_BYTES']:,} bits" in TEXTS["rng/construction-90c.md"]
    assert f"{8 * known['SEED_BYTES']} bits, derived by HKDF" in TEXTS["rng/construction-90c.md"]


def test_every_document_that_a_requirement_names_is_written_or_made() -> None:
    named = {name for each in REQUIREMENTS for name in each.documents}
    assert named <= TEXTS.keys() | {"source/rng-core.json"}


def test_the_fingerprint_is_the_one_that_a_dealer_tells_of_itself() -> None:
    core = read_core([str(ROOT)])
    assert core is not None
    assert core.sources.fingerprint == hash_core()
    assert core.version == find_version(hash_core()) > 0


def test_the_dealers_own_code_gives_the_vectors() -> None:
    for index, case in enumerate(json.loads(make_vectors(25))["vectors"]):
        secret = hand_secret(bytes(32), index)
        mix = hand_mix(index, secret)
        assert (case["hand_secret"], case["mix"]) == (secret.hex(), mix.hex())
        assert case["deck_seed"] == stream_seed(secret, mix, "deck").hex()
        sealed = derive(secret, mix)
        assert case["deck"] == bytes(sealed.cards).hex()
        assert case["deck_root"] == sealed.root.hex()


def test_the_sample_is_of_the_same_decks_in_two_characters_a_card() -> None:
    header, *rows = make_sample(10).decode("ascii").splitlines()
    assert header.split(",")[:2] == ["deck", "position 0"]
    vectors = json.loads(make_vectors(10))["vectors"]
    for number, (row, case) in enumerate(zip(rows, vectors, strict=True)):
        index, *cards = row.split(",")
        assert int(index) == number
        assert bytes(CARD_NUMBERS[card] for card in cards).hex() == case["deck"]


@pytest.mark.parametrize("level", ["raw", "scaled", "deck", "game"])
def test_the_levels_that_the_text_names_can_be_dumped(level: str) -> None:
    assert f"--level {level}`" in TEXTS["rng/description.md"]
    assert level in LEVELS
