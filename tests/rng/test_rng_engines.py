"""Three engines, one set of bits: whatever is derived, dealt or expanded, by the protocol."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit_cli import drbg
from audit_cli.derive import CARD_NUMBERS, StreamExhaustedError, derive_deck
from audit_cli.rng.engines import batches, kernels, native
from audit_cli.rng.engines.batches import BATCH, Batches
from audit_cli.rng.engines.native import Native
from audit_cli.rng.engines.plain import Plain
from audit_cli.rng.hands import DRAWS, Engine, Hands
from audit_cli.rng.lab import hand_mix, hand_secret
from tests.support.known_answers import known_answers, vectors

SECRET = bytes(range(32))
FIELDS = ("decks", "draws", "used", "streams", "secrets")
ENGINES: tuple[Engine, ...] = (Plain(), Batches(), Native())
every_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
fast_engine = pytest.mark.parametrize("engine", ENGINES[1:], ids=lambda engine: engine.name)

Rows = NDArray[np.uint8]


def rows(*values: bytes) -> Rows:
    return np.array([list(value) for value in values], np.uint8)


def assert_same(one: Hands, other: Hands) -> None:
    assert one.first == other.first
    for name in FIELDS:
        own, its = getattr(one, name), getattr(other, name)
        assert (own is None) == (its is None), name
        assert own is None or (own.dtype == its.dtype and np.array_equal(own, its)), name


@fast_engine
@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("first", [0, 65_530, 2**40 - 4, 2**63 - 13])
def test_a_laboratory_run_is_the_same_on_every_engine(
    engine: Engine, first: int, streams: bool
) -> None:
    """The firsts are where another byte of a hand's number changes."""
    expected = Plain().lab(SECRET, first, 12, streams=streams)
    assert_same(engine.lab(SECRET, first, 12, streams=streams), expected)


@every_engine
def test_a_laboratory_run_is_of_the_protocols_hands(engine: Engine) -> None:
    hands = engine.lab(SECRET, 300, 3)
    assert hands.secrets is not None
    for index, deck, secret in zip(range(300, 303), hands.decks, hands.secrets, strict=True):
        own = hand_secret(SECRET, index)
        assert bytes(secret) == own
        assert tuple(deck.tolist()) == derive_deck(own, hand_mix(index, own)).cards


@every_engine
def test_a_run_does_not_depend_on_where_it_is_cut(engine: Engine) -> None:
    whole = engine.lab(SECRET, 250, 20)
    parts = [engine.lab(SECRET, first, 5) for first in range(250, 270, 5)]
    assert np.array_equal(whole.decks, np.concatenate([part.decks for part in parts]))


def test_more_than_a_batch_is_the_same_too() -> None:
    count = 2 * BATCH + 3
    assert_same(Batches().lab(SECRET, 9, count), Native().lab(SECRET, 9, count))


@every_engine
def test_the_vectors_decks(engine: Engine) -> None:
    deals: list[dict[str, Any]] = vectors("deal.json")
    hands = engine.derive(
        0,
        rows(*[bytes.fromhex(deal["hand_secret"]) for deal in deals]),
        rows(*[bytes.fromhex(deal["expect"]["mix"]) for deal in deals]),
    )
    assert hands.used is not None
    for deck, used, deal in zip(hands.decks, hands.used, deals, strict=True):
        expected = deal["expect"]
        assert deck.tolist() == [CARD_NUMBERS[card] for card in expected["deck"].split()]
        assert used == expected["bytes_used"]


@every_engine
def test_the_counter_wraps_at_128_bits(engine: Engine) -> None:
    edge = known_answers("stream_edge.json")
    (stream,) = engine.expand(rows(bytes.fromhex(edge["seed"])))
    assert bytes(stream[:32]).hex() == edge["generate"]["first_32"]
    assert bytes(stream[-32:]).hex() == edge["generate"]["last_32"]


@fast_engine
@pytest.mark.parametrize("ones", range(17))
def test_counters_that_end_in_ones_carry(engine: Engine, ones: int) -> None:
    zero = drbg.instantiate(bytes(48))
    wanted = bytes(range(32)) + bytes(16 - ones) + b"\xff" * ones
    seed = bytes(a ^ b for a, b in zip(wanted, zero.key + zero.v, strict=True))
    assert np.array_equal(engine.expand(rows(seed)), Plain().expand(rows(seed)))


@every_engine
def test_a_byte_at_the_bound_of_a_draw_is_dropped_and_the_one_below_is_not(engine: Engine) -> None:
    """For every draw of a deck: bound - 1, bound and bound + 1, and 255, in the draw's place."""
    streams, expected = [], []
    for place, n in enumerate(DRAWS):
        bound = 256 - 256 % n
        for x in sorted({bound - 1, bound, bound + 1, 255}):
            if x > 255:
                continue
            stream = np.zeros(200, np.uint8)
            stream[place : place + 2] = x, 1
            streams.append(stream)
            expected.append((place, 157 + (x >= bound), n - 1 if x < bound else 1))
    hands = engine.deal(0, np.array(streams))
    assert hands.draws is not None
    assert hands.used is not None
    for draws, used, (place, bytes_used, draw) in zip(
        hands.draws, hands.used, expected, strict=True
    ):
        assert (used, draws[place]) == (bytes_used, draw)
        assert not draws[:place].any()
    if engine.name != "plain":
        assert_same(hands, Plain().deal(0, np.array(streams)))


def _many_dropped(count: int, seed: int) -> tuple[Rows, Rows, NDArray[np.uint16]]:
    """Return streams that drop none to eight bytes before each draw, their draws and bytes used."""
    chance = np.random.default_rng(seed)
    streams = np.zeros((count, 1024), np.uint8)
    draws = np.array([[chance.integers(n) for n in DRAWS] for _ in range(count)], np.uint8)
    used = np.zeros(count, np.uint16)
    for hand in range(count):
        stream: list[int] = []
        for n, draw in zip(DRAWS, draws[hand].tolist(), strict=True):
            bound = 256 - 256 % n
            if bound < 256:
                stream += chance.integers(bound, 256, chance.integers(9)).tolist()
            stream.append(draw + n * int(chance.integers(bound // n)))
        streams[hand, : len(stream)] = stream
        used[hand] = len(stream)
    return streams, draws, used


@every_engine
def test_streams_that_drop_many_bytes(engine: Engine) -> None:
    streams, draws, used = _many_dropped(20, seed=5)
    hands = engine.deal(70, streams)
    assert_same(hands, Plain().deal(70, streams))
    assert hands.draws is not None
    assert hands.used is not None
    assert hands.draws.tolist() == draws.tolist()
    assert hands.used.tolist() == used.tolist()
    assert used.max() > 600


@every_engine
def test_a_stream_may_be_used_to_its_last_byte(engine: Engine) -> None:
    streams, _, used = _many_dropped(6, seed=6)
    for stream, end in zip(streams, used.tolist(), strict=True):
        hands = engine.deal(0, stream[None, :end])
        assert hands.used is not None
        assert hands.used.tolist() == [end]
        with pytest.raises(StreamExhaustedError, match=f"hand 0: .* than {end - 1} bytes"):
            engine.deal(0, stream[None, : end - 1])


@every_engine
def test_the_first_hand_whose_bytes_run_out_is_named(engine: Engine) -> None:
    streams = np.zeros((4, 1024), np.uint8)
    streams[2:] = 255
    with pytest.raises(StreamExhaustedError, match="hand 5,002: its deck needs more than 1,024"):
        engine.deal(5_000, streams)


@fast_engine
@pytest.mark.parametrize("first_bytes", [1, 157, 163, 168])
def test_a_deck_that_needs_more_than_the_first_bytes_gets_them(
    engine: Engine, first_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_FIRST_BYTES", first_bytes)
    monkeypatch.setattr(native, "_FIRST_BYTES", first_bytes)
    assert_same(engine.lab(SECRET, 0, 100), Plain().lab(SECRET, 0, 100))


@fast_engine
@pytest.mark.parametrize("streams", [False, True])
def test_a_derived_hand_whose_stream_runs_out_is_named(
    engine: Engine, streams: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = Plain().lab(SECRET, 0, 100).used
    assert used is not None
    worst = int(used.argmax())
    for module in (batches, native):
        monkeypatch.setattr(module, "_FIRST_BYTES", 160)
        monkeypatch.setattr(module, "STREAM_BYTES", int(used[worst]) - 1)
    with pytest.raises(StreamExhaustedError, match=f"hand {worst}: "):
        engine.lab(SECRET, 0, 100, streams=streams)


@every_engine
def test_no_hands_are_hands_too(engine: Engine) -> None:
    hands = engine.lab(SECRET, 5, 0, streams=True)
    assert hands.count == 0
    assert hands.streams is not None
    assert hands.streams.shape == (0, 1024)


@every_engine
def test_arrays_of_another_shape_are_refused(engine: Engine) -> None:
    right = np.zeros((2, 32), np.uint8)
    wrongs: tuple[Any, ...] = (right[:1], right[:, :31], right.astype(np.int64), right[0])
    for wrong in wrongs:
        with pytest.raises(ValueError, match="rows of 32 bytes"):
            engine.derive(0, right, wrong)
    with pytest.raises(ValueError, match="rows of 48 bytes"):
        engine.expand(right)
    with pytest.raises(ValueError, match="rows of 1024 bytes"):
        engine.deal(0, np.zeros((1, 1025), np.uint8))


@every_engine
@pytest.mark.parametrize(("first", "count"), [(-1, 1), (2**63 - 1, 1), (2**70, 1)])
def test_hands_that_no_run_has_are_refused(engine: Engine, first: int, count: int) -> None:
    with pytest.raises(ValueError, match="a run has no hands"):
        engine.lab(SECRET, first, count)
    with pytest.raises(ValueError, match="a laboratory secret has 32 bytes, not 31"):
        engine.lab(SECRET[:31], 0, 1)


@every_engine
def test_inputs_are_left_as_they_are(engine: Engine) -> None:
    """Read-only and strided inputs, as slices of a file's records are, give the same hands."""
    table = np.random.default_rng(7).integers(0, 256, (5, 70), dtype=np.uint8)
    table.flags.writeable = False
    before = table.copy()
    secrets, mixes = table[:, 1:33], table[:, 33:65]
    expected = Plain().derive(3, secrets.copy(), mixes.copy())
    assert_same(engine.derive(3, secrets, mixes), expected)
    engine.expand(table[:, :48])
    engine.deal(0, np.broadcast_to(table[0], (1, 70)).repeat(4, axis=1))
    assert np.array_equal(table, before)


@every_engine
def test_an_engine_can_be_sent_to_another_process(engine: Engine) -> None:
    assert pickle.loads(pickle.dumps(engine)).lab(SECRET, 0, 1).count == 1


def test_every_kernel_is_compiled_for_one_shape_of_arguments() -> None:
    """So that what two processes keep on the disk under one name is the same."""
    Native().lab(SECRET, 0, 1, streams=True)
    Native().derive(0, np.zeros((1, 32), np.uint8), np.zeros((1, 32), np.uint8))
    Native().expand(np.zeros((1, 48), np.uint8))
    Native().deal(0, np.zeros((1, 200), np.uint8))
    compiled: tuple[Any, ...] = (kernels.lab, kernels.derive, kernels.expand, kernels.deal)
    for kernel in compiled:
        assert len(kernel.signatures) == 1
