"""B0: the code is held against known answers and crafted bytes, and whatever is wrong is found."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import audit_cli.rng.code
from audit_cli import drbg
from audit_cli.inputs import UsageError
from audit_cli.rng.code import check, model
from audit_cli.rng.code.judge import check_code, judge_code
from audit_cli.rng.engines.choose import engine
from audit_cli.rng.engines.plain import Plain
from audit_cli.rng.flaws.bounds import Bound, WrongBound
from audit_cli.rng.outcome import Tail
from tests.support.known_answers import known_answers, vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from audit_cli.rng.hands import Engine, Hands

ANSWERS = Path(audit_cli.rng.code.__path__[0]) / "answers"


def available() -> list[Engine]:
    found = []
    for name in ("plain", "numpy", "numba"):
        try:
            found.append(engine(name))
        except UsageError:
            assert name == "numba"
    return found


@dataclass(frozen=True)
class Changed:
    """The plain engine with something done to what it gives."""

    hands: Callable[[Hands], Hands] = lambda hands: hands
    streams: Callable[[NDArray[np.uint8]], NDArray[np.uint8]] = lambda streams: streams
    name: str = "changed"

    def derive(
        self,
        first: int,
        secrets: NDArray[np.uint8],
        mixes: NDArray[np.uint8],
        *,
        streams: bool = False,
    ) -> Hands:
        return self.hands(Plain().derive(first, secrets, mixes, streams=streams))

    def lab(self, secret: bytes, first: int, count: int, *, streams: bool = False) -> Hands:
        return self.hands(Plain().lab(secret, first, count, streams=streams))

    def expand(self, seeds: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return self.streams(Plain().expand(seeds))

    def deal(self, first: int, streams: NDArray[np.uint8]) -> Hands:
        return self.hands(Plain().deal(first, streams))


def failed(engines: list[Engine]) -> set[str]:
    return {outcome.test for outcome in judge_code(engines) if outcome.p == 0}


def test_all_engines_hold() -> None:
    outcomes = judge_code(available())
    assert all(outcome.p == 1 and outcome.tail is Tail.EXACT for outcome in outcomes)
    assert {outcome.test for outcome in outcomes} == {
        f"B0.{name}"
        for name in [
            "acvp",
            "bounds",
            "cavp",
            "cuts",
            "decks",
            "edge",
            "exhaustion",
            "hkdf",
            "hmac",
            "mixed",
            "permutations",
            "scaling",
            "small",
            "streams",
        ]
    }


def test_outcomes_are_the_same_whichever_engines_are_there() -> None:
    assert judge_code([Plain()]) == judge_code(available())


def test_each_byte_is_offered_to_each_draw() -> None:
    (scaling,) = (one for one in check_code([Plain()]) if one.name == "B0.scaling")
    assert scaling.cases == 256 * 157
    assert scaling.held


@pytest.mark.parametrize("bound", Bound, ids=lambda bound: bound.name)
def test_a_bound_that_is_wrong_by_one_is_found(bound: Bound) -> None:
    assert failed([WrongBound(bound)]) >= {"B0.scaling", "B0.bounds"}


def test_what_failed_names_the_engine_and_the_first_differences() -> None:
    outcomes = {one.test: one for one in judge_code([Plain(), WrongBound(Bound.LATE)])}
    assert "flawed: x > 256" in outcomes["B0.bounds"].title
    assert "draw 0 below 52: 0, not 51" in outcomes["B0.bounds"].title
    assert outcomes["B0.bounds"].statistic > 0
    assert outcomes["B0.hkdf"].p == 1


def test_a_deck_that_is_not_that_of_its_draws_is_found() -> None:
    def swap_ends(hands: Hands) -> Hands:
        decks = hands.decks.copy()
        decks[:, [0, 51]] = decks[:, [51, 0]]
        return replace(hands, decks=decks)

    changed = Changed(hands=swap_ends)
    assert failed([changed]) >= {"B0.decks", "B0.permutations", "B0.cuts", "B0.mixed"}


def test_a_wrong_count_of_bytes_is_found() -> None:
    def miscount(hands: Hands) -> Hands:
        assert hands.used is not None
        return replace(hands, used=hands.used + np.uint16(1))

    assert failed([Changed(hands=miscount)]) >= {"B0.decks", "B0.mixed", "B0.exhaustion"}


def test_an_engine_that_hides_its_draws_is_not_taken_for_right() -> None:
    hidden = Changed(hands=lambda hands: replace(hands, draws=None))
    assert failed([hidden]) >= {"B0.scaling", "B0.bounds"}


def test_a_stream_of_another_generator_is_found() -> None:
    assert failed([Changed(streams=lambda rows: rows[:, ::-1].copy())]) == {"B0.streams"}


def test_a_counter_that_does_not_wrap_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def stay(state: drbg.State, length: int) -> tuple[bytes, drbg.State]:
        output, after = generate(state, length)
        return output, replace(after, v=state.v)

    generate = drbg.generate
    monkeypatch.setattr(drbg, "generate", stay)
    assert "B0.edge" in failed([])


def test_a_check_of_nothing_does_not_hold() -> None:
    assert not check.make_check("B0.none", "", "", 0, ()).held


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_small_words_give_each_permutation_equally_often(n: int) -> None:
    counted = model.small_permutations(n, 3, n - 1)
    accepted = math.prod(8 - 8 % k for k in range(2, n + 1))
    assert set(counted.values()) == {accepted // math.factorial(n)}


def test_small_words_show_a_modulo_without_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model, "small_below", lambda n, words, _: next(words) % n)
    assert "B0.small" in failed([])


@pytest.mark.parametrize(
    "name",
    [
        "cavp_ctr_drbg_aes256_nodf.json",
        "acvp_ctr_drbg_aes256_nodf.json",
        "rfc5869.json",
        "stream_edge.json",
    ],
)
def test_the_package_holds_the_same_answers_as_the_tests(name: str) -> None:
    assert check.answers(name) == known_answers(name)


def test_the_decks_are_those_of_the_protocols_vectors() -> None:
    cases = check.answers("deck.json")["cases"]
    told = vectors("deal.json")
    assert len(cases) == len(told)
    for case, vector in zip(cases, told, strict=True):
        expect = vector["expect"]
        assert case == {
            "hand_secret": vector["hand_secret"],
            "mix": expect["mix"],
            "deck_seed": expect["deck_seed"],
            "deck": expect["deck"],
            "bytes_used": expect["bytes_used"],
        }


def test_every_file_of_answers_is_named_with_its_licence() -> None:
    readme = (ANSWERS / "README.md").read_text()
    files = {path.name for path in ANSWERS.iterdir()} - {"README.md", "LICENSE-NIST.txt"}
    assert files
    for name in files:
        assert f"`{name}`" in readme
        json.loads((ANSWERS / name).read_bytes())
    assert "NIST" in (ANSWERS / "LICENSE-NIST.txt").read_text()
