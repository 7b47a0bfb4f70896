"""The gate to the random source lets through what passes every test, and shuts at what does not."""

import hashlib
import hmac
import os
import re
from collections.abc import Callable
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import pytest

from dealer_service.fairness import drbg, known_answers, randomness
from dealer_service.fairness.health import STARTUP_SAMPLES
from dealer_service.fairness.known_answers import require_known_answers
from dealer_service.fairness.randomness import (
    REMEMBERED,
    Entropy,
    EntropyGate,
    draw_game,
    draw_secret,
    operating_system,
)
from dealer_service.fairness.refusal import FairnessError, Reason
from tests.support.bad_sources import make_biased

BLOCK = bytes(range(100, 132))


def stuck(size: int) -> bytes:
    return b"\x5a" * size


def repeating(size: int) -> bytes:
    return (BLOCK * (size // 32 + 1))[:size]


def short(size: int) -> bytes:
    return os.urandom(max(0, size - 1))


def long(size: int) -> bytes:
    return os.urandom(size + 1)


def gone(_size: int) -> bytes:
    raise OSError(5, "Input/output error")


def missing(_size: int) -> bytes:
    message = "/dev/urandom (or equivalent) not found"
    raise NotImplementedError(message)


def of_few_seeds() -> Entropy:
    """Give one of sixteen answers, each of which looks well."""
    draws = count()

    def answer(size: int) -> bytes:
        return hashlib.shake_128(bytes([next(draws) % 16])).digest(size)

    return answer


BAD: dict[str, Callable[[], Entropy]] = {
    "stuck at a byte": lambda: stuck,
    "one block for ever": lambda: repeating,
    "a byte too few": lambda: short,
    "a byte too many": lambda: long,
    "not readable": lambda: gone,
    "not there": lambda: missing,
    "biased": make_biased,
    "few seeds": of_few_seeds,
}


class Source:
    """A source that can be exchanged while it is used."""

    def __init__(self) -> None:
        self.now: Callable[[int], bytes] = os.urandom

    def __call__(self, size: int) -> bytes:
        return self.now(size)


def make_gate(source: Entropy, faults: list[FairnessError] | None = None) -> EntropyGate:
    told = (lambda _: None) if faults is None else faults.append
    return EntropyGate(source, nullcontext(), told)


def draw_until_shut(gate: EntropyGate, most: int = 200) -> None:
    for _ in range(most):
        gate(32)


class TestAtTheStart:
    def test_nothing_is_given_before_the_tests_have_passed(self) -> None:
        gate = make_gate(os.urandom)
        assert not gate.is_open
        with pytest.raises(FairnessError, match="not been tested") as refused:
            gate(32)
        assert refused.value.reason is Reason.ENTROPY_FAILED
        gate.test()
        assert gate.is_open
        assert len(gate(32)) == 32

    def test_tests_at_least_1024_samples_and_hands_none_of_them_out(self) -> None:
        given: list[bytes] = []

        def source(size: int) -> bytes:
            given.append(os.urandom(size))
            return given[-1]

        gate = make_gate(source)
        gate.test()
        assert sum(map(len, given)) >= STARTUP_SAMPLES == 1024
        before = set(given)
        assert gate(32) not in before

    @pytest.mark.parametrize("bad", BAD)
    def test_a_bad_source_opens_no_gate(self, bad: str) -> None:
        gate = make_gate(BAD[bad]())
        with pytest.raises(FairnessError) as refused:
            gate.test()
        assert refused.value.reason is Reason.ENTROPY_FAILED
        assert not gate.is_open

    def test_good_sources_open_it(self) -> None:
        """What the operating system gives passes, and so does a good generator."""
        draws = count()
        for source in (
            operating_system,
            lambda size: hashlib.shake_256(next(draws).to_bytes(8, "big")).digest(size),
        ):
            gate = make_gate(source)
            gate.test()
            for _ in range(2000):
                gate(32)
                gate(12)
            assert gate.is_open


class TestWhileItIsOpen:
    @pytest.mark.parametrize("bad", BAD)
    def test_a_source_that_turns_bad_shuts_it(self, bad: str) -> None:
        source, faults = Source(), list[FairnessError]()
        gate = make_gate(source, faults)
        gate.test()
        gate(32)
        source.now = BAD[bad]()
        with pytest.raises(FairnessError) as refused:
            draw_until_shut(gate)
        assert refused.value.reason is Reason.ENTROPY_FAILED
        assert not gate.is_open
        assert len(faults) == 1

    @pytest.mark.parametrize("bad", ["stuck at a byte", "one block for ever", "not readable"])
    def test_what_is_plainly_bad_gives_one_secret_at_most(self, bad: str) -> None:
        """A block is known for one that comes again only when it does."""
        source = Source()
        gate = make_gate(source)
        gate.test()
        source.now = BAD[bad]()
        with pytest.raises(FairnessError):
            draw_until_shut(gate, 2)

    def test_a_source_that_repeats_the_last_secret_is_refused(self) -> None:
        """Two hands never share a secret, even where the source fails."""
        source = Source()
        gate = make_gate(source)
        gate.test()
        last = gate(32)
        source.now = lambda _: last
        with pytest.raises(FairnessError, match="again") as refused:
            gate(32)
        assert last.hex() not in str(refused.value)

    def test_a_source_that_was_set_back_is_refused(self) -> None:
        """As of a machine that goes on from an old picture of itself."""
        source = Source()
        gate = make_gate(source)
        gate.test()
        early = [gate(32) for _ in range(10)]
        for _ in range(REMEMBERED // 2):
            gate(32)
        source.now = lambda _: early[3]
        with pytest.raises(FairnessError, match="again"):
            gate(32)

    def test_once_shut_it_refuses_at_once_whatever_the_source_gives(self) -> None:
        source, faults = Source(), list[FairnessError]()
        gate = make_gate(source, faults)
        gate.test()
        source.now = stuck
        with pytest.raises(FairnessError):
            gate(32)
        source.now = lambda _: pytest.fail("the source was asked")
        for _ in range(3):
            with pytest.raises(FairnessError, match="health test"):
                gate(32)
        assert len(faults) == 1

    def test_opens_again_only_by_the_tests_of_a_start(self) -> None:
        source, faults = Source(), list[FairnessError]()
        gate = make_gate(source, faults)
        gate.test()
        source.now = stuck
        with pytest.raises(FairnessError):
            gate(32)
        with pytest.raises(FairnessError):
            gate.test()
        assert not gate.is_open
        source.now = os.urandom
        gate.test()
        assert gate.is_open
        assert len(gate(32)) == 32
        # Failing again is told again.
        source.now = short
        with pytest.raises(FairnessError):
            gate(32)
        assert len(faults) == 2

    def test_keeps_no_answer(self) -> None:
        gate = make_gate(os.urandom)
        gate.test()
        secret = gate(32)
        kept = repr([getattr(gate, name) for name in vars(gate)]) + repr(gate)
        assert secret.hex() not in kept
        assert repr(secret)[2:-1] not in kept

    def test_two_threads_never_get_the_same_bytes(self) -> None:
        gate = EntropyGate(os.urandom, Lock())
        gate.test()
        drawn: list[bytes] = []
        threads = [
            Thread(target=lambda: drawn.extend(gate(32) for _ in range(500))) for _ in range(4)
        ]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert len(set(drawn)) == 2000
        assert gate.is_open


class TestKnownAnswers:
    def test_hold_here(self) -> None:
        require_known_answers()

    @pytest.mark.parametrize(
        ("where", "name", "broken"),
        [
            ("SHA-256", (known_answers, "sha256"), hashlib.sha512),
            ("HMAC", (hmac, "digest"), lambda *_: bytes(32)),
            ("HKDF", (drbg, "hkdf"), lambda *_: bytes(42)),
            ("CTR_DRBG", (drbg, "_update"), lambda key, v, _: (key, v)),
            ("the hand's stream", (drbg, "seeded_stream"), lambda *_: bytes(64)),
        ],
    )
    def test_a_wrong_one_keeps_the_gate_shut(
        self, monkeypatch: pytest.MonkeyPatch, where: str, name: tuple[Any, str], broken: Any
    ) -> None:
        gate = make_gate(os.urandom)
        monkeypatch.setattr(*name, broken)
        with pytest.raises(FairnessError, match=where) as refused:
            gate.test()
        assert refused.value.reason is Reason.KNOWN_ANSWER_FAILED
        assert not gate.is_open
        monkeypatch.undo()
        gate.test()
        assert gate.is_open

    def test_are_run_before_a_byte_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(drbg, "hkdf", lambda *_: bytes(42))
        with pytest.raises(FairnessError):
            make_gate(lambda _: pytest.fail("the source was asked")).test()


class TestDrawing:
    def test_a_secret_is_32_bytes_of_the_source(self) -> None:
        assert draw_secret(lambda size: bytes(range(size))) == bytes(range(32))

    def test_a_game_id_is_16_bytes_of_the_source(self) -> None:
        assert draw_game(lambda size: bytes(range(size))) == bytes(range(16))

    def test_the_operating_system_gives_fresh_bytes_each_time(self) -> None:
        drawn = {operating_system(32) for _ in range(64)}
        assert len(drawn) == 64
        assert {len(secret) for secret in drawn} == {32}

    @pytest.mark.parametrize("given", [0, 31, 33])
    def test_a_source_that_gives_another_number_of_bytes_is_refused(self, given: int) -> None:
        with pytest.raises(FairnessError) as refused:
            draw_secret(lambda _: bytes(range(given)))
        assert refused.value.reason is Reason.ENTROPY_FAILED

    def test_no_other_module_of_the_dealer_draws_chance_by_itself(self) -> None:
        """Players draw their own; what names log events and transactions need be no secret."""
        package = Path(randomness.__file__).parents[1]
        drawing = re.compile(r"urandom|^(import|from) (random|secrets|uuid)\b", re.MULTILINE)
        found = {
            path.relative_to(package).as_posix()
            for path in package.rglob("*.py")
            if drawing.search(path.read_text(encoding="utf-8"))
        }
        others = ("bots/", "client/", "commands/", "observe/", "store/postgres")
        assert {one for one in found if not one.startswith(others)} == {"fairness/randomness.py"}
