"""A game's log in memory: it signs only what goes on from what it signed."""

import pytest

from dealer_service.tables import log as logs
from dealer_service.tables.log import GameLog, Unit, WouldFork
from dealer_service.tables.watchers import Batch
from dealer_service.transcript import signer
from dealer_service.transcript.merkle import Tree, leaf_hash, tree_root
from dealer_service.transcript.note import note_signer
from tests.support.audits import read_checkpoint

ORIGIN = "dealer.example.com"
GAME = "00" * 16
KEY = note_signer(ORIGIN, bytes(range(32)))


def log_of(lines: list[bytes], last_signed: signer.Signed | None = None) -> GameLog:
    leaves = [leaf_hash(line) for line in lines]
    return GameLog(ORIGIN, GAME, KEY, epoch=1, leaves=leaves, last_signed=last_signed)


def unit_of(log: GameLog, *lines: bytes) -> Unit:
    unit = log.begin(1)
    for line in lines:
        log.add(unit, line)
    return unit


def test_a_checkpoint_is_of_all_lines_so_far() -> None:
    log = log_of([b"a", b"b"])
    unit = unit_of(log, b"c")
    log.sign(unit)
    (signed,) = unit.signed
    checkpoint = read_checkpoint(signed.note, str(KEY.verifier))
    assert (checkpoint.size, checkpoint.origin) == (3, f"{ORIGIN}/games/{GAME}")
    assert checkpoint.root == tree_root([leaf_hash(line) for line in (b"a", b"b", b"c")])
    assert log.is_covered


def test_a_log_that_lost_signed_lines_is_not_signed() -> None:
    last = signer.Signed(3, Tree([leaf_hash(x) for x in (b"a", b"b", b"c")]).root())
    log = log_of([b"a", b"b"], last)
    with pytest.raises(WouldFork):
        log.sign(log.begin(1))


def test_a_log_with_another_past_is_not_signed() -> None:
    last = signer.Signed(2, Tree([leaf_hash(x) for x in (b"a", b"b")]).root())
    log = log_of([b"a", b"B", b"c"], last)
    with pytest.raises(WouldFork):
        log.sign(log.begin(1))
    assert log.last_signed == last


def test_a_log_that_went_on_is_signed() -> None:
    last = signer.Signed(2, Tree([leaf_hash(x) for x in (b"a", b"b")]).root())
    log = log_of([b"a", b"b", b"c"], last)
    unit = log.begin(1)
    log.sign(unit)
    assert (unit.signed[0].size, unit.signed[0].previous_size) == (3, 2)


def test_a_checkpoint_ends_its_batch() -> None:
    log = log_of([])
    unit = unit_of(log, b"a", b"b")
    log.sign(unit)
    log.add(unit, b"c")
    log.finish(unit)
    told = [message for _, message in unit.told]
    assert all(isinstance(one, Batch) for one in told)
    assert [
        (one.first, one.lines, bool(one.checkpoint)) for one in told if isinstance(one, Batch)
    ] == [
        (0, (b"a", b"b"), True),
        (2, (b"c",), False),
    ]
    assert not log.is_covered


def test_many_lines_are_told_in_several_batches() -> None:
    log = log_of([])
    lines = [b"%d" % number for number in range(2 * logs.BATCH_LINES + 7)]
    unit = unit_of(log, *lines)
    log.sign(unit)
    told = [message for _, message in unit.told if isinstance(message, Batch)]
    assert [len(one.lines) for one in told] == [logs.BATCH_LINES, logs.BATCH_LINES, 7]
    assert [bool(one.checkpoint) for one in told] == [False, False, True]
    assert [line for one in told for line in one.lines] == lines
    assert [one.first for one in told] == [0, logs.BATCH_LINES, 2 * logs.BATCH_LINES]
