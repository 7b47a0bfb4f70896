"""A policy is read as C2SP tlog-policy has it, and its quorum is who it says."""

from typing import Any

import pytest

from dealer_service.transcript.cosignature import witness_key
from dealer_service.transcript.note import note_signer
from dealer_service.transcript.policy import (
    MAX_POLICY_BYTES,
    Group,
    Policy,
    PolicyLog,
    Witness,
    parse_policy,
)
from dealer_service.transcript.refusal import Reason, TranscriptError
from tests.support.known_answers import vectors

VECTORS = vectors("dealer_log.json")
LOG = note_signer("dealer.example.com", bytes(32)).verifier
KEYS = [witness_key(note_signer(f"w.example/{n}", bytes([n]) * 32)) for n in range(1, 7)]
SIX = "".join(f"witness {name} {key}\n" for name, key in zip("abcxyz", KEYS, strict=True))


def policy(text: str) -> Policy:
    return parse_policy(text.encode())


def refusal(text: str | bytes) -> str:
    with pytest.raises(TranscriptError) as refused:
        parse_policy(text if isinstance(text, bytes) else text.encode())
    assert refused.value.reason is Reason.POLICY_MALFORMED
    return str(refused.value)


@pytest.mark.parametrize("case", VECTORS["policy"]["quorums"], ids=str)
def test_the_policy_of_the_vectors_has_its_quorums(case: dict[str, Any]) -> None:
    read = policy(VECTORS["policy"]["text"])
    assert read.is_satisfied(case["cosigned"]) is case["satisfied"]


def test_a_policy_names_logs_and_witnesses_with_their_addresses() -> None:
    text = f"log {LOG} https://log\nwitness a {KEYS[0]} https://a\nwitness b {KEYS[1]}\nquorum b\n"
    assert policy(text) == Policy(
        logs=(PolicyLog(LOG, "https://log"),),
        witnesses=(Witness("a", KEYS[0], "https://a"), Witness("b", KEYS[1])),
        groups=(),
        quorum="b",
    )


def test_comments_blank_lines_and_white_space_say_nothing() -> None:
    text = f"# head\n\n \t\n\t# more\n  witness\t a   {KEYS[0]}\t\n quorum a # the last"
    assert "quorum NAME" in refusal(text)
    assert policy(text.removesuffix(" # the last")).quorum == "a"


def test_a_quorum_of_none_is_always_there() -> None:
    assert policy("quorum none\n").is_satisfied([])
    assert policy(SIX + "quorum none\n").is_satisfied([])


def test_a_quorum_of_one_witness_is_that_witness() -> None:
    read = policy(SIX + "quorum b\n")
    assert read.is_satisfied({"b"})
    assert read.is_satisfied({"a", "b"})
    assert not read.is_satisfied({"a", "c", "x", "y", "z"})
    assert not read.is_satisfied([])


@pytest.mark.parametrize(
    ("cosigners", "is_quorum"),
    [("ab", False), ("xyz", False), ("ax", False), ("abx", True), ("bcz", True), ("abcxyz", True)],
)
def test_groups_of_groups_count_their_members(cosigners: str, is_quorum: bool) -> None:
    groups = "group first 2 a b c\ngroup second any x y z\ngroup both all first second\n"
    assert policy(SIX + groups + "quorum both\n").is_satisfied(set(cosigners)) is is_quorum


def test_the_words_all_and_any_are_thresholds() -> None:
    read = policy(SIX + "group g all a b\ngroup h any x y\nquorum none\n")
    assert read.groups == (Group("g", 2, ("a", "b")), Group("h", 1, ("x", "y")))


def test_a_witness_that_the_policy_does_not_name_counts_for_nothing() -> None:
    """Nor does the name of a group stand for its members."""
    read = policy(SIX + "group g 2 a b c\nquorum g\n")
    assert not read.is_satisfied({"a", "stranger", "g"})


def test_names_are_octets() -> None:
    text = b"witness K " + str(KEYS[0]).encode() + b"\nwitness \xe2\x84\xaa "
    text += str(KEYS[1]).encode() + b"\nwitness \xff " + str(KEYS[2]).encode() + b"\nquorum \xff\n"
    read = parse_policy(text)
    assert len({witness.name for witness in read.witnesses}) == 3
    assert read.is_satisfied({read.witnesses[2].name})
    assert not read.is_satisfied({"K"})


def test_32_of_each_are_read() -> None:
    keys = [note_signer(f"k{n}", bytes([n, 1] * 16)) for n in range(32)]
    text = "".join(
        f"log {key.verifier}\nwitness w{n} {witness_key(key)}\n" for n, key in enumerate(keys)
    )
    text += "".join(f"group g{n} any w{n}\n" for n in range(32)) + "quorum g31\n"
    assert policy(text).is_satisfied({"w31"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no quorum"),
        (SIX, "no quorum"),
        ("quorum none\nquorum none\n", "line 2 of the policy: a second quorum"),
        ("quorum a\n" + SIX, "line 1 of the policy: 'a' is no witness"),
        (SIX + "quorum d\n", "line 7 of the policy: 'd' is no witness"),
        (SIX + "group g any a g\nquorum g\n", "'g' is no witness or group"),
        (SIX + "group g any h\ngroup h any a\nquorum g\n", "'h' is no witness or group"),
        (SIX + "group g any a none\nquorum g\n", "'none' is no witness"),
        (SIX + "group g any a a\nquorum g\n", "'a' is a member already"),
        (SIX + "group g any a\ngroup h any a b\nquorum h\n", "'a' is a member already"),
        (SIX + "group g any\nquorum g\n", "a line is"),
        (SIX + "group g 0 a\nquorum g\n", "from 1 to 1"),
        (SIX + "group g 3 a b\nquorum g\n", "from 1 to 2"),
        (SIX + "group g 01 a b\nquorum g\n", "from 1 to 2"),
        (SIX + "group g +1 a b\nquorum g\n", "from 1 to 2"),
        (SIX + "group g most a b\nquorum g\n", "from 1 to 2"),
        (SIX + "group a any b\nquorum a\n", "'a' is defined already"),
        (SIX + "group none any b\nquorum none\n", "stands for no quorum"),
        (f"witness none {KEYS[0]}\nquorum none\n", "stands for no quorum"),
        (f"witness a {KEYS[0]}\nwitness a {KEYS[1]}\nquorum a\n", "defined already"),
        (f"witness a {KEYS[0]}\nwitness b {KEYS[0]}\nquorum a\n", "key of a witness above"),
        (f"log {LOG}\nlog {LOG} https://b\nquorum none\n", "key of a log above"),
        (f"log {KEYS[0]}\nquorum none\n", "not Ed25519 (type 0x01)"),
        (f"witness a {LOG}\nquorum a\n", "not Ed25519 (type 0x04)"),
        (f"witness a {KEYS[0]} https://a more\nquorum a\n", "a line is"),
        ("witness a key\nquorum a\n", "name+hexid+base64"),
        ("log\nquorum none\n", "a line is"),
        ("quorum\n", "a line is"),
        ("Quorum none\n", "a line is"),
        ("quorum none\r\n", "control character"),
        ("quorum none\n#\x7f\n", "line 2 of the policy: a control character"),
        (b"quorum none\n" + b"#" * MAX_POLICY_BYTES, "at most"),
    ],
)
def test_what_is_no_policy_is_refused_with_its_line(text: str | bytes, why: str) -> None:
    assert why in refusal(text)


def test_keys_that_differ_by_name_alone_are_one_witness() -> None:
    again = witness_key(note_signer("another.example", bytes([1]) * 32))
    assert "key of a witness above" in refusal(
        f"witness a {KEYS[0]}\nwitness b {again}\nquorum a\n"
    )
