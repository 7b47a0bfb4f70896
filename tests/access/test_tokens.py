"""A token says who calls until it expires, and nothing but this dealer's own key makes one."""

import base64
import json
import stat
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from dealer_service.access.refusal import AccessError, AccessRefusal, Reason
from dealer_service.access.roles import Caller, Role
from dealer_service.access.tokens import (
    Gate,
    TokenKey,
    issue,
    load_token_key,
    make_token_key,
)

ORIGIN = "dealer.example.net"
NOW = 1_767_225_600.5
ACT = "/cutcard.v1.PlayService/Act"


@pytest.fixture
def key(tmp_path: Path) -> TokenKey:
    return make_token_key(tmp_path / "token.key", bytes(range(32)))


@pytest.fixture
def gate(key: TokenKey) -> Gate:
    return Gate(key.public, ORIGIN)


def player_token(key: TokenKey, **changed: Any) -> str:
    terms: dict[str, Any] = {"ttl": 60, "now": NOW, "origin": ORIGIN} | changed
    return issue(key, "anna", Role.PLAYER, **terms)


def signed(key: TokenKey, **claims: Any) -> str:
    """Sign an honest player's claims with some changed, or taken away where None."""
    honest = {
        "iss": ORIGIN,
        "aud": "cutcard",
        "sub": "anna",
        "role": "player",
        "iat": int(NOW),
        "exp": int(NOW) + 60,
    }
    changed = {name: value for name, value in (honest | claims).items() if value is not None}
    return jwt.encode(changed, key.private, algorithm="EdDSA")


def reason(answer: Caller | AccessRefusal | None) -> Reason | None:
    return answer.reason if isinstance(answer, AccessRefusal) else None


def test_an_issued_token_names_its_caller(gate: Gate, key: TokenKey) -> None:
    assert gate.verify(player_token(key), NOW) == Caller("anna", Role.PLAYER)


def test_a_token_holds_until_the_second_it_expires(gate: Gate, key: TokenKey) -> None:
    token = player_token(key)
    assert reason(gate.verify(token, int(NOW) + 59.9)) is None
    assert reason(gate.verify(token, int(NOW) + 60)) is Reason.TOKEN_EXPIRED


def test_a_remembered_token_expires_all_the_same(gate: Gate, key: TokenKey) -> None:
    token = player_token(key)
    for _ in range(2):
        assert gate.verify(token, NOW) == Caller("anna", Role.PLAYER)
    for _ in range(2):
        assert reason(gate.verify(token, NOW + 61)) is Reason.TOKEN_EXPIRED


def test_a_remembered_token_costs_no_second_check(
    gate: Gate, key: TokenKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = player_token(key)
    gate.verify(token, NOW)
    monkeypatch.setattr(jwt, "decode", lambda *_, **__: pytest.fail("the token was checked again"))
    assert gate.verify(token, NOW) == Caller("anna", Role.PLAYER)


def test_no_more_tokens_are_remembered_than_the_bound(key: TokenKey) -> None:
    gate = Gate(key.public, ORIGIN, remembered=2)
    for name in ("a", "b", "c"):
        gate.verify(issue(key, name, Role.PLAYER, ttl=60, now=NOW, origin=ORIGIN), NOW)
    assert [caller.name for caller, _ in gate._remembered.values()] == ["b", "c"]


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"iss": "other.example.net"}, Reason.WRONG_ISSUER),
        ({"aud": "poker"}, Reason.WRONG_AUDIENCE),
        ({"aud": None}, Reason.TOKEN_INVALID),
        ({"exp": None}, Reason.TOKEN_INVALID),
        ({"iat": None}, Reason.TOKEN_INVALID),
        ({"sub": None}, Reason.TOKEN_INVALID),
        ({"role": None}, Reason.TOKEN_INVALID),
        ({"role": "owner"}, Reason.TOKEN_INVALID),
        ({"role": ["player"]}, Reason.TOKEN_INVALID),
        ({"sub": "an na"}, Reason.TOKEN_INVALID),
        ({"exp": "soon"}, Reason.TOKEN_INVALID),
        ({"iat": int(NOW) + 3600}, Reason.TOKEN_NOT_YET_VALID),
        ({"nbf": int(NOW) + 3600}, Reason.TOKEN_NOT_YET_VALID),
    ],
    ids=str,
)
def test_a_token_with_other_claims_is_refused(
    gate: Gate, key: TokenKey, claims: dict[str, Any], expected: Reason
) -> None:
    assert reason(gate.verify(signed(key), NOW)) is None
    assert reason(gate.verify(signed(key, **claims), NOW)) is expected


def test_a_token_under_another_key_is_refused(gate: Gate, tmp_path: Path) -> None:
    other = make_token_key(tmp_path / "other.key", bytes(32))
    assert reason(gate.verify(player_token(other), NOW)) is Reason.TOKEN_INVALID


def test_another_algorithm_is_refused(gate: Gate, key: TokenKey) -> None:
    """Also "none", and an HMAC under the public key's bytes, as a forger would try."""
    claims = jwt.decode(player_token(key), options={"verify_signature": False})
    raw = key.public.public_bytes_raw()
    tokens = [
        jwt.encode(claims, "", algorithm="none"),
        jwt.encode(claims, raw, algorithm="HS256"),
        jwt.encode(claims, ec.generate_private_key(ec.SECP256R1()), algorithm="ES256"),
    ]
    assert {reason(gate.verify(token, NOW)) for token in tokens} == {Reason.TOKEN_INVALID}


@pytest.mark.parametrize(
    "token",
    ["x", "a.b.c", "..", "\u2014.\u2014.\u2014", "A" * 5000, base64.b64encode(b"{}").decode()],
    ids=range(6),
)
def test_what_is_no_token_is_refused(gate: Gate, token: str) -> None:
    assert reason(gate.verify(token, NOW)) is Reason.TOKEN_INVALID


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer ", "Basic abc", "abc"])
def test_a_call_without_a_bearer_token_is_refused(gate: Gate, authorization: str | None) -> None:
    assert reason(gate.admit(ACT, authorization, NOW)) is Reason.TOKEN_MISSING


def test_a_call_with_a_token_is_let_in(gate: Gate, key: TokenKey) -> None:
    caller = gate.admit(ACT, f"bearer {player_token(key)}", NOW)
    assert caller == Caller("anna", Role.PLAYER)


def test_a_refusal_holds_nothing_of_the_token(gate: Gate, key: TokenKey) -> None:
    token = signed(key, aud="poker")
    refusal = gate.verify(token, NOW)
    assert token.split(".")[2] not in repr(refusal)
    assert json.dumps(token) not in repr(refusal)


@pytest.mark.parametrize(("subject", "ttl"), [("", 1), ("a b", 1), ("x" * 65, 1), ("a", 0)])
def test_no_token_is_made_that_would_be_refused(key: TokenKey, subject: str, ttl: int) -> None:
    with pytest.raises(AccessError):
        issue(key, subject, Role.PLAYER, ttl=ttl, now=NOW, origin=ORIGIN)


def test_a_key_file_is_its_owners_alone_and_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    made = make_token_key(path, bytes(range(32)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = load_token_key(path)
    assert again.public.public_bytes_raw() == made.public.public_bytes_raw()
    assert [entry.name for entry in tmp_path.iterdir()] == ["token.key"]


def test_a_key_file_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "token.key"
    make_token_key(path, bytes(32))
    before = path.read_bytes()
    with pytest.raises(AccessError, match="never written over"):
        make_token_key(path, bytes(range(32)))
    assert path.read_bytes() == before


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token.key"
    make_token_key(path, bytes(32))
    path.chmod(mode)
    with pytest.raises(AccessError, match="0600"):
        load_token_key(path)


@pytest.mark.parametrize("content", [b"", b"secret", b"-----BEGIN PRIVATE KEY-----\n"])
def test_a_file_that_holds_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(AccessError, match="does not hold"):
        load_token_key(path)


def test_the_key_is_in_no_repr(key: TokenKey) -> None:
    assert repr(key) == "TokenKey()"
