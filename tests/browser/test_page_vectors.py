"""The page's own derivation, trees and notes give what the vectors and the public cases say."""

from hashlib import sha256
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.support.known_answers import known_answers, vectors

DEALS: list[dict[str, Any]] = vectors("deal.json")
CHECKPOINTS: list[dict[str, Any]] = vectors("checkpoint.json")
DEALER_LOG: dict[str, Any] = vectors("dealer_log.json")
NOTES: dict[str, Any] = known_answers("notes.json")
EDGES: list[dict[str, Any]] = known_answers("ed25519_edge.json")["cases"]
INCLUSIONS: list[dict[str, Any]] = known_answers("merkle_proofs/inclusion.json")


def ask(probe: Chrome, name: str, cases: list[Any]) -> list[Any]:
    """Call a function of the probe once for each list of arguments, and give all that it gives."""
    told = probe.execute_async_script(
        """
        const [name, cases, done] = arguments;
        Promise.all(cases.map((one) => probe[name](...one))).then(
          (told) => done({told}), (error) => done({error: String(error.stack || error)}));
        """,
        name,
        cases,
    )
    assert "error" not in told, told
    answers: list[Any] = told["told"]
    return answers


def test_every_deck_of_the_vectors_is_derived_step_by_step(probe: Chrome) -> None:
    for case, told in zip(DEALS, ask(probe, "deal", [[case] for case in DEALS]), strict=True):
        expected = dict(case["expect"])
        for position, path in expected.pop("proofs").items():
            assert told["proofs"][int(position)] == path
        assert told["values"] == expected
        assert told["wrong"] == [None] * 52


def test_checkpoints_of_the_vectors_are_those_of_their_lines(probe: Chrome) -> None:
    for case in CHECKPOINTS:
        (tree,) = ask(probe, "rootsOfLines", [[case["lines"]]])
        assert tree == {"leaves": case["leaf_hashes"], "roots": case["roots"]}
        asked = [[note, None, [case["vkey"]]] for note in case["notes"]]
        assert set(ask(probe, "openNote", asked)) == {"ok"}
        spoiled = [[note.replace("\n", "x\n", 1), None, keys] for note, _, keys in asked]
        assert set(ask(probe, "openNote", spoiled)) == {"invalid_signature"}


def test_the_dealers_log_of_the_vectors_has_these_roots_and_paths(probe: Chrome) -> None:
    lines = DEALER_LOG["lines"]
    (tree,) = ask(probe, "rootsOfLines", [[lines]])
    known = {one["size"]: one["root"] for one in DEALER_LOG["roots"] if one["size"]}
    assert {size: tree["roots"][size - 1] for size in known} == known
    asked = [[one["index"], one["size"]] for one in DEALER_LOG["inclusion"]]
    (paths,) = ask(probe, "pathsOfLeaves", [[tree["leaves"], asked]])
    assert paths == [one["path"] for one in DEALER_LOG["inclusion"]]
    notes = [[one["note"], None, [DEALER_LOG["vkey"]]] for one in DEALER_LOG["checkpoints"]]
    assert set(ask(probe, "openNote", notes)) == {"ok"}


def test_public_inclusion_proofs_are_judged_as_published(probe: Chrome) -> None:
    wrong = ask(probe, "judgeInclusion", [[one] for one in INCLUSIONS])
    for case, words in zip(INCLUSIONS, wrong, strict=True):
        assert (words is not None) == case["wantErr"], (case["path"], words)


def note_of(case: dict[str, Any]) -> list[Any]:
    """Give a case of the notes as text or bytes in hex, with its keys."""
    repeat = case.get("note_repeat")
    text = repeat["head"] + repeat["count"] * repeat["line"] if repeat else case.get("note")
    return [text, case.get("note_hex"), case["vkeys"]]


def test_public_notes_are_judged_as_published(probe: Chrome) -> None:
    """Of notes whose list of keys is good; the page never has the same key twice."""
    cases = [one for one in NOTES["notes"] if one["verdict"] != "ambiguous_key"]
    for case, verdict in zip(cases, ask(probe, "openNote", list(map(note_of, cases))), strict=True):
        assert verdict == case["verdict"], case["id"]


def test_public_checkpoint_texts_are_read_strictly(probe: Chrome) -> None:
    bodies = NOTES["checkpoint_bodies"]
    read = ask(probe, "parseCheckpoint", [[one["body"]] for one in bodies])
    assert read == [one["c2sp_strict_ok"] for one in bodies]


def test_public_verifier_keys_are_read_or_refused_as_published(probe: Chrome) -> None:
    valid = NOTES["vkeys"]["valid"]
    for vkey, told in zip(valid, ask(probe, "readKey", [[one] for one in valid]), strict=True):
        assert vkey.startswith(f"{told['shown']}+")
    refused = ask(probe, "readKey", [[one["vkey"]] for one in NOTES["vkeys"]["invalid"]])
    assert all("wrong" in told for told in refused)


def test_edge_cases_of_ed25519_are_judged_by_the_orders_of_key_and_r(probe: Chrome) -> None:
    """PROTOCOL.md 5: cofactorless, S below L, canonical, keys and R of order exactly L."""
    for case, accepted in zip(
        EDGES, ask(probe, "judgeSignature", [[c] for c in EDGES]), strict=True
    ):
        facts = case["properties"]
        assert accepted == bool(
            facts
            and facts["a_canonical"]
            and facts["r_canonical"]
            and facts["a_order"] == "L"
            and facts["r_order"] == "L"
            and facts["s_lt_L"]
            and facts["cofactorless_equation"]
        ), case["id"]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 255, 256, 257])
def test_trees_of_any_size_have_the_root_of_plain_recursion(probe: Chrome, size: int) -> None:
    lines = [f"line {number}" for number in range(size)]

    def root(leaves: list[bytes]) -> bytes:
        if len(leaves) == 1:
            return leaves[0]
        split = 1 << ((len(leaves) - 1).bit_length() - 1)
        return sha256(b"\1" + root(leaves[:split]) + root(leaves[split:])).digest()

    (tree,) = ask(probe, "rootsOfLines", [[lines]])
    leaves = [sha256(b"\0" + line.encode()).digest() for line in lines]
    assert tree["leaves"] == [leaf.hex() for leaf in leaves]
    assert tree["roots"] == [root(leaves[:count]).hex() for count in range(1, size + 1)]
