"""Lines of the dealer's log, co-signatures, policies and proofs are read in one way only."""

from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from audit_cli.log.cosignature import (
    WitnessKey,
    WitnessSigner,
    new_signer,
    parse_witness_key,
    read_cosignatures,
)
from audit_cli.log.logproof import LogProof, parse_log_proof, write_log_proof
from audit_cli.log.noted import OF_GAME, Noted, Stage, read_noted, write_noted
from audit_cli.log.policy import Policy, parse_policy
from audit_cli.merkle import leaf_hash
from audit_cli.note import Note, parse_note
from audit_cli.problem import Problem
from tests.support.game_files import GAME, Signer, canonical
from tests.support.published_logs import PublishedLog, check_cosignature
from tests.support.told_games import WITNESSES, cosigned, policy_text, proof_of

ABOUT = {"game": GAME, "hand": 3, "root": "ab" * 32, "size": 17, "stage": "hand_opened"}
NOTE = Signer().note("dealer.example.net", 3, bytes(32))


def read_note(text: str) -> Note:
    note = parse_note(text)
    assert isinstance(note, Note)
    return note


# Lines.


@given(
    st.integers(0, 2**53 - 1),
    st.integers(1, 2**53 - 1),
    st.integers(1, 2**53 - 1),
    st.sampled_from(Stage),
    st.binary(min_size=32, max_size=32),
)
def test_a_line_reads_as_it_was_written(
    at: int, hand: int, size: int, stage: Stage, root: bytes
) -> None:
    noted = Noted(at, GAME, 0 if stage in OF_GAME else hand, stage, size, root)
    line = write_noted(noted)
    assert read_noted(line) == noted
    about = {
        "game": GAME,
        "hand": noted.hand,
        "root": root.hex(),
        "size": size,
        "stage": stage.value,
    }
    assert line == canonical({"at": at, "noted": about})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (canonical({"at": 1, "noted": ABOUT}) + b"\n", "where the end"),
        (canonical({"at": 1, "noted": ABOUT | {"hand": 0}}), "hand 0"),
        (canonical({"at": 1, "noted": ABOUT | {"stage": "game_closed"}}), "hand 3"),
        (canonical({"at": 1, "noted": ABOUT | {"stage": "hand_ended"}}), "none of"),
        (canonical({"at": 1, "noted": ABOUT | {"size": 0}}), "size"),
        (canonical({"at": 1, "noted": ABOUT | {"root": "AB" * 32}}), "32 bytes"),
        (canonical({"at": 1, "noted": ABOUT | {"more": 1}}), "more"),
        (canonical({"at": 2**53, "noted": ABOUT}), "2^53"),
        (canonical({"at": 1, "noted": ABOUT}).replace(b",", b", "), "space"),
        (canonical({"noted": ABOUT}), "at"),
        (b'{"at":1,"noted":"\xc3\xa9"}', "ASCII"),
        (b"", ""),
    ],
)
def test_another_line_is_refused(line: bytes, reason: str) -> None:
    problem = read_noted(line)
    assert isinstance(problem, Problem)
    assert reason in problem.reason


# Co-signatures.


def signer(name: str = "witness.example/w1") -> WitnessSigner:
    made = new_signer(name, bytes(range(32)))
    assert isinstance(made, WitnessSigner)
    return made


def witness_keys() -> list[WitnessKey]:
    keys = [parse_witness_key(witness.vkey) for witness in WITNESSES]
    assert all(isinstance(key, WitnessKey) for key in keys)
    return [key for key in keys if isinstance(key, WitnessKey)]


def test_a_witness_signs_as_the_specification_says() -> None:
    own = signer()
    public = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key()
    line = own.cosign(read_note(NOTE).text, 1_679_315_147)
    assert check_cosignature(line, NOTE, own.key.name, public.public_bytes_raw()) == 1_679_315_147
    assert parse_witness_key(own.key.text) == own.key


def test_known_witnesses_are_read_with_their_times_and_others_passed_over() -> None:
    keys = witness_keys()
    note = read_note(cosigned(NOTE, 1, 2, 3) + signer().cosign(read_note(NOTE).text, 5))
    cosigns = read_cosignatures(note, keys[:2])
    assert cosigns.times == dict.fromkeys(keys[:2], 1_767_225_700)
    assert cosigns.failed == ()


def test_of_two_co_signatures_of_one_witness_the_later_time_counts() -> None:
    text = NOTE + WITNESSES[0].cosign(NOTE, 20) + WITNESSES[0].cosign(NOTE, 10)
    assert list(read_cosignatures(read_note(text), witness_keys()).times.values()) == [20]


@pytest.mark.parametrize("stamped", ["time", "note", "short", "far"])
def test_a_co_signature_that_does_not_hold_is_told(stamped: str) -> None:
    own = signer()
    text = read_note(NOTE).text
    line = own.cosign(text, 7)
    match stamped:
        case "time":
            line = _change(line, 11)
        case "note":
            line = own.cosign(text + "x\n", 7)
        case "short":
            line = _change(line, None)
        case _:
            line = own.cosign(text, 2**63)
    cosigns = read_cosignatures(read_note(NOTE + line), [own.key])
    assert cosigns.times == {}
    assert cosigns.failed == (own.key,)


def _change(line: str, at: int | None) -> str:
    """Flip a byte of a signature line, or take its last one away."""
    dash, name, encoded = line.split()
    data = bytearray(read_note(NOTE + line).signatures[-1].signature)
    head = read_note(NOTE + line).signatures[-1].key_id
    assert encoded
    if at is None:
        data.pop()
    else:
        data[at - 4] ^= 1
    return f"{dash} {name} {b64encode(head + bytes(data)).decode()}\n"


@pytest.mark.parametrize(
    ("vkey", "reason"),
    [
        ("w1", "not a witness's key"),
        (Signer().vkey, "another type"),
        (WITNESSES[0].vkey.replace("/1+", "/2+"), "ID is not of its name"),
        (WITNESSES[0].vkey[:-1], "canonical"),
        ("w+00000000+" + b64encode(b"\4" + bytes(31)).decode(), "31 bytes"),
        ("w+00000000+" + b64encode(b"\4\1" + bytes(31)).decode(), "order"),
        ("a b" + WITNESSES[0].vkey[17:], "proper name"),
    ],
)
def test_another_key_of_a_witness_is_refused(vkey: str, reason: str) -> None:
    problem = parse_witness_key(vkey)
    assert isinstance(problem, Problem)
    assert reason in problem.reason


# Policies.


def policy(text: str) -> Policy:
    read = parse_policy(text)
    assert isinstance(read, Policy), read
    return read


def test_a_group_counts_when_enough_of_its_members_do() -> None:
    most = policy(policy_text())
    assert [witness.name for witness in most.witnesses] == ["w1", "w2", "w3"]
    assert not most.is_satisfied({"w1"})
    assert most.is_satisfied({"w1", "w3"})
    assert not most.is_satisfied({"most"})
    assert most.names_of([most.witnesses[1].key]) == {"w2"}


def test_groups_stand_in_groups() -> None:
    text = "group pair any w1 w2\ngroup both all pair w3\nquorum both"
    both = policy(policy_text(text))
    assert both.is_satisfied({"w2", "w3"})
    assert not both.is_satisfied({"w1", "w2"})
    assert not both.is_satisfied({"w3"})


def test_one_witness_or_none_can_be_the_quorum() -> None:
    assert policy(policy_text("quorum w2")).is_satisfied({"w2"})
    assert not policy(policy_text("quorum w2")).is_satisfied({"w1", "w3"})
    assert policy("quorum none\n").is_satisfied(())


def test_logs_addresses_comments_and_tabs_are_read() -> None:
    text = (
        f"# caf\u00e9\n\n \tlog\t{Signer().vkey}  https://log.example/ \n"
        f"witness w\u00e9 {WITNESSES[0].vkey} https://w.example/1\n  # more\nquorum w\u00e9"
    )
    read = policy(text)
    assert (read.logs[0].key.text, read.logs[0].url) == (Signer().vkey, "https://log.example/")
    assert read.witnesses[0].url == "https://w.example/1"
    assert read.is_satisfied({"w\u00e9"})


def test_names_are_octets_that_need_not_be_utf_8() -> None:
    read = parse_policy(b"witness \xff " + WITNESSES[0].vkey.encode() + b"\nquorum \xff\n")
    assert isinstance(read, Policy)
    assert read.is_satisfied({read.witnesses[0].name})


WITNESS = f"witness w1 {WITNESSES[0].vkey}\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "without a quorum"),
        (WITNESS, "without a quorum"),
        ("quorum none\nquorum none\n", "second quorum"),
        ("quorum w1\n" + WITNESS, "not defined before"),
        ("quorum\n", "another form"),
        ("log\nquorum none\n", "another form"),
        ("log x\nquorum none\n", "not a verifier key"),
        (f"log {Signer().vkey}\nlog {Signer().vkey}\nquorum none\n", "log twice"),
        ("witness none " + WITNESSES[0].vkey + "\nquorum none\n", "none is taken"),
        (WITNESS + f"witness w1 {WITNESSES[1].vkey}\nquorum w1\n", "'w1' twice"),
        (WITNESS + f"witness w2 {WITNESSES[0].vkey}\nquorum w1\n", "witness twice"),
        (WITNESS + "group g 0 w1\nquorum g\n", "'0' of its members"),
        (WITNESS + "group g 2 w1\nquorum g\n", "'2' of its members"),
        (WITNESS + "group g 01 w1\nquorum g\n", "'01' of its members"),
        (WITNESS + "group g some w1\nquorum g\n", "'some' of its members"),
        (WITNESS + "group g all\nquorum w1\n", "another form"),
        (WITNESS + "group g all g\nquorum g\n", "not defined before"),
        (WITNESS + "group g all none\nquorum g\n", "not defined before"),
        (WITNESS + "group g all w1\ngroup h all w1\nquorum h\n", "member twice"),
        (WITNESS + "witnesses w1\nquorum w1\n", "begins with"),
        (f"witness w1 {Signer().vkey}\nquorum w1\n", "another type"),
        ("quorum none\r\n", "control character"),
    ],
)
def test_another_policy_is_refused_with_its_line(text: str, reason: str) -> None:
    problem = parse_policy(text)
    assert isinstance(problem, Problem)
    assert reason in problem.reason


# Proofs.


def log() -> PublishedLog:
    return PublishedLog().game(hands=3)


@pytest.mark.parametrize("extra", [True, False])
def test_a_proof_reads_as_other_tools_write_it(extra: bool) -> None:
    text = proof_of(log(), 4, extra=extra)
    proof = parse_log_proof(text.encode())
    assert isinstance(proof, LogProof)
    assert (proof.index, proof.extra) == (4, log().lines[4] if extra else None)
    assert proof.check(leaf_hash(log().lines[4])) is None
    assert proof.check(leaf_hash(log().lines[3])) is not None
    assert write_log_proof(proof.index, proof.path, proof.note_text, proof.extra) == text


def test_a_log_of_one_line_needs_no_path() -> None:
    one = PublishedLog().noted("game_opened")
    proof = parse_log_proof(proof_of(one, 0))
    assert isinstance(proof, LogProof)
    assert proof.path == ()
    assert proof.check(leaf_hash(one.lines[0])) is None


TEXT = proof_of(log(), 4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "blank line"),
        (TEXT.replace("@v1", "@v2"), "not a proof"),
        (TEXT.replace("index 4", "index 04"), "index line"),
        (TEXT.replace("index 4\n", ""), "index line"),
        (TEXT.replace("extra ", "extra  "), "canonical base64"),
        (TEXT.replace("index 4\n", "index 4\nAAAA\n"), "32 bytes"),
        (TEXT.replace("index 4\n", "index 4\n" + (b64encode(bytes(32)).decode() + "\n") * 64), "6"),
        (TEXT.replace("\n\n\N{EM DASH}", "\n\N{EM DASH}"), "note"),
        (TEXT.replace("\n9\n", "\n+9\n"), "size"),
        (TEXT.replace("\n", "\r\n"), "blank line"),
    ],
)
def test_another_proof_is_refused(text: str, reason: str) -> None:
    problem = parse_log_proof(text)
    assert isinstance(problem, Problem)
    assert reason in problem.reason
