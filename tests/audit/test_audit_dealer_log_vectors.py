"""The audit reads the dealer's log as the protocol's vectors have it, by code of its own."""

from hashlib import sha256
from typing import Any, TypeVar

import pytest

from audit_cli.checkpoint import parse_checkpoint
from audit_cli.log.cosignature import (
    WitnessSigner,
    new_signer,
    parse_witness_key,
    read_cosignatures,
)
from audit_cli.log.logproof import parse_log_proof, write_log_proof
from audit_cli.log.noted import Stage, read_noted, write_noted
from audit_cli.log.policy import parse_policy
from audit_cli.log.tiles import (
    Fetch,
    TileReader,
    entries_path,
    hash_tile_path,
    open_tiles,
    split_bundle,
)
from audit_cli.merkle import leaf_hash, root_of
from audit_cli.note import open_note, parse_note, parse_vkey
from audit_cli.problem import Problem
from tests.support.known_answers import vectors

VECTORS = vectors("dealer_log.json")
LINES = [line.encode() for line in VECTORS["lines"]]
LEAVES = [leaf_hash(line) for line in LINES]
SIZES = [case["size"] for case in VECTORS["checkpoints"]]
ROOTS = {case["size"]: bytes.fromhex(case["root"]) for case in VECTORS["roots"]}

Good = TypeVar("Good")


def good(value: Good | Problem) -> Good:
    assert not isinstance(value, Problem), value
    return value


def files() -> dict[str, bytes]:
    """Write the tiles and bundles of each size by their definition."""
    made: dict[str, bytes] = {}
    for size in SIZES:
        hashes, level = LEAVES[:size], 0
        while hashes:
            for first in range(0, len(hashes), 256):
                some = hashes[first : first + 256]
                made[hash_tile_path(level, first // 256, len(some))] = b"".join(some)
            hashes = [root_of(hashes[i : i + 256]) for i in range(0, len(hashes) - 255, 256)]
            level += 1
        for first in range(0, size, 256):
            lines = LINES[first : min(first + 256, size)]
            bundle = b"".join(len(line).to_bytes(2, "big") + line for line in lines)
            made[entries_path(first // 256, len(lines))] = bundle
    return made


FILES = files()
FETCH: Fetch = FILES.__getitem__


def reader(size: int) -> TileReader:
    return good(open_tiles(FETCH, size, ROOTS[size]))


@pytest.mark.parametrize("case", VECTORS["noted"], ids=lambda case: f"{case['at']}{case['stage']}")
def test_each_line_tells_what_the_vectors_say(case: dict[str, Any]) -> None:
    noted = good(read_noted(case["line"].encode()))
    assert (noted.at, noted.game, noted.hand) == (case["at"], case["game"], case["hand"])
    assert (noted.stage, noted.size) == (Stage(case["stage"]), case["size"])
    assert noted.root.hex() == case["root"]
    assert write_noted(noted) == case["line"].encode()


@pytest.mark.parametrize("case", VECTORS["tile_paths"], ids=lambda case: case["path"])
def test_each_tile_is_looked_for_where_the_vectors_have_it(case: dict[str, Any]) -> None:
    assert hash_tile_path(case["level"], case["index"], case["width"]) == case["path"]


def test_the_files_of_the_log_are_those_of_the_vectors() -> None:
    expected = {case["path"]: (case["length"], case["sha256"]) for case in VECTORS["files"]}
    found = {path: (len(data), sha256(data).hexdigest()) for path, data in FILES.items()}
    assert found == expected


@pytest.mark.parametrize("size", SIZES)
def test_the_tiles_of_each_size_give_its_root_and_lines(size: int) -> None:
    assert list(reader(size).entries()) == LINES[:size]
    assert split_bundle(FILES[entries_path(0, min(size, 256))]) == tuple(LINES[: min(size, 256)])


def test_tiles_that_do_not_make_the_signed_root_are_refused() -> None:
    assert isinstance(open_tiles(FETCH, 260, ROOTS[257]), Problem)


def test_earlier_roots_and_proofs_from_tiles_are_the_vectors() -> None:
    for size, root in ROOTS.items():
        assert reader(260).root_at(size) == root
    for case in VECTORS["inclusion"]:
        if case["size"] in SIZES:
            path = good(reader(case["size"]).inclusion(case["index"]))
            assert [step.hex() for step in path] == case["path"]
    for case in VECTORS["consistency"]:
        if case["new"] in SIZES:
            path = good(reader(case["new"]).consistency(case["old"]))
            assert [step.hex() for step in path] == case["path"]


@pytest.mark.parametrize("case", VECTORS["checkpoints"], ids=lambda case: str(case["size"]))
def test_each_checkpoint_is_signed_by_the_dealer_for_its_root(case: dict[str, Any]) -> None:
    opened = open_note(case["note"], [good(parse_vkey(VECTORS["vkey"]))])
    assert list(opened.verified) == ["+".join(VECTORS["vkey"].split("+")[:2])]
    checkpoint = good(parse_checkpoint(good(parse_note(case["note"])).text))
    assert (checkpoint.size, checkpoint.root) == (case["size"], ROOTS[case["size"]])


def test_the_witnesses_of_the_vectors_co_signed_at_their_times() -> None:
    keys = [good(parse_witness_key(witness["vkey"])) for witness in VECTORS["witnesses"]]
    cosigned = read_cosignatures(good(parse_note(VECTORS["cosigned"]["note"])), keys)
    assert {key.text: time for key, time in cosigned.times.items()} == VECTORS["cosigned"]["times"]
    assert cosigned.failed == ()


def test_co_signing_again_gives_the_note_of_the_vectors() -> None:
    plain: str = VECTORS["checkpoints"][-1]["note"]
    text = good(parse_note(plain)).text
    lines = ""
    for witness, time in zip(
        VECTORS["witnesses"], VECTORS["cosigned"]["times"].values(), strict=False
    ):
        signer: WitnessSigner = good(
            new_signer(witness["name"], bytes.fromhex(witness["private_seed"]))
        )
        lines += signer.cosign(text, time)
    assert plain + lines == VECTORS["cosigned"]["note"]


@pytest.mark.parametrize("case", VECTORS["policy"]["quorums"], ids=str)
def test_the_policy_of_the_vectors_has_its_quorums(case: dict[str, Any]) -> None:
    policy = good(parse_policy(VECTORS["policy"]["text"]))
    assert policy.is_satisfied(case["cosigned"]) is case["satisfied"]


@pytest.mark.parametrize("case", VECTORS["proofs"], ids=lambda case: str(case["index"]))
def test_each_proof_of_the_vectors_holds_for_its_line_alone(case: dict[str, Any]) -> None:
    proof = good(parse_log_proof(case["text"]))
    assert (proof.index, proof.checkpoint.size) == (case["index"], case["size"])
    assert proof.check(LEAVES[case["index"]]) is None
    assert proof.check(LEAVES[case["index"] - 1]) is not None
    again = write_log_proof(proof.index, proof.path, proof.note_text, proof.extra)
    assert again == case["text"]
