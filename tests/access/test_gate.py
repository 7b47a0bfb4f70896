"""A token says who calls until it expires, and nothing but a known key makes one."""

import base64
import hashlib
import hmac
import json
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from dealer_service.access.bearer import Bearer
from dealer_service.access.gate import MAX_TOKEN_CHARACTERS, Gate
from dealer_service.access.key_set import KeySet, read_jwks
from dealer_service.access.key_sources import own_key
from dealer_service.access.refusal import AccessRefusal, Reason
from dealer_service.access.roles import Caller, Role
from dealer_service.access.tokens import TokenKey, issue
from dealer_service.config import Limits
from tests.support.jwt_keys import (
    ALGORITHMS,
    ED25519,
    P256,
    RSA_2048,
    claims_of,
    jwks,
    public_jwk,
    sign,
)

ORIGIN = "dealer.example.com"
NOW = 1_767_225_600.5
GAME = "0123456789abcdef0123456789abcdef"
OWN = TokenKey(ED25519)


class Keys:
    """Keys that a test changes."""

    def __init__(self, current: KeySet) -> None:
        self.current = current

    def refresh(self) -> None:
        return


def own_keys() -> Keys:
    return Keys(KeySet((own_key(OWN, ORIGIN),)))


def set_of_all(**names: Any) -> KeySet:
    """Give the keys of a JWK set with one of each kind; each kid is its algorithm."""
    members = [public_jwk(key, kid=name, **names) for name, key in ALGORITHMS.items()]
    return KeySet(read_jwks(jwks(*members), ORIGIN, "cutcard").keys)


def gate_of(keys: Keys | KeySet | None = None, **how: Any) -> Gate:
    keys = own_keys() if keys is None else Keys(keys) if isinstance(keys, KeySet) else keys
    return Gate(keys, how.pop("limits", Limits()), **how)


def admit(gate: Gate, token: str, now: float = NOW, peer: str = "ipv4:10.0.0.1:7") -> Any:
    """Show a token; the caller that it is everywhere, or the refusal."""
    admitted = gate.admit(f"Bearer {token}", now, lambda: peer)
    return admitted if isinstance(admitted, AccessRefusal) else admitted.everywhere


def reason(answer: Any) -> Reason | None:
    return answer.reason if isinstance(answer, AccessRefusal) else None


def player_token(name: str = "ann") -> str:
    return issue(OWN, name, Role.PLAYER, ttl=60, now=NOW, origin=ORIGIN)


def with_claims(**changed: Any) -> str:
    return sign(ED25519, "EdDSA", claims_of(NOW, **changed))


def test_an_issued_token_names_its_caller() -> None:
    assert admit(gate_of(), player_token()) == Caller("ann", Role.PLAYER)


def test_a_token_holds_until_the_second_it_expires() -> None:
    gate, token = gate_of(), player_token()
    assert reason(admit(gate, token, int(NOW) + 59.9)) is None
    assert reason(admit(gate, token, int(NOW) + 60)) is Reason.TOKEN_EXPIRED


def test_a_remembered_token_expires_all_the_same() -> None:
    gate, token = gate_of(), player_token()
    for _ in range(2):
        assert admit(gate, token) == Caller("ann", Role.PLAYER)
    for _ in range(2):
        assert reason(admit(gate, token, NOW + 61)) is Reason.TOKEN_EXPIRED


def test_a_remembered_token_costs_no_second_check(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, token = gate_of(), player_token()
    admit(gate, token)
    monkeypatch.setattr(jwt, "decode", lambda *_, **__: pytest.fail("the token was checked again"))
    assert admit(gate, token) == Caller("ann", Role.PLAYER)


def test_no_more_tokens_are_remembered_than_the_bound() -> None:
    gate = gate_of(remembered=2)
    for name in ("a", "b", "c"):
        admit(gate, player_token(name))
    assert [bearer.first.name for bearer in gate._remembered.values()] == ["b", "c"]


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
        ({"role": 1}, Reason.TOKEN_INVALID),
        ({"sub": "an na"}, Reason.TOKEN_INVALID),
        ({"sub": ["ann"]}, Reason.TOKEN_INVALID),
        ({"exp": "soon"}, Reason.TOKEN_INVALID),
        ({"exp": int(NOW) + 0.5}, Reason.TOKEN_INVALID),
        ({"exp": True}, Reason.TOKEN_INVALID),
        ({"exp": 2**53}, Reason.TOKEN_INVALID),
        ({"iat": -1}, Reason.TOKEN_INVALID),
        ({"nbf": "later"}, Reason.TOKEN_INVALID),
        ({"iat": int(NOW) + 3600}, Reason.TOKEN_NOT_YET_VALID),
        ({"nbf": int(NOW) + 3600}, Reason.TOKEN_NOT_YET_VALID),
        ({"tables": "all"}, Reason.TOKEN_INVALID),
        ({"tables": [GAME]}, Reason.TOKEN_INVALID),
        ({"tables": {GAME: "owner"}}, Reason.TOKEN_INVALID),
        ({"tables": {GAME: ["player"]}}, Reason.TOKEN_INVALID),
        ({"tables": {GAME.upper(): "player"}}, Reason.TOKEN_INVALID),
        ({"tables": {f"{number:032x}": "player" for number in range(33)}}, Reason.TOKEN_INVALID),
        ({"role": None, "tables": {}}, Reason.TOKEN_INVALID),
    ],
    ids=str,
)
def test_a_token_with_other_claims_is_refused(claims: dict[str, Any], expected: Reason) -> None:
    gate = gate_of()
    assert reason(admit(gate, with_claims())) is None
    assert reason(admit(gate, with_claims(**claims))) is expected


def test_one_of_several_audiences_is_enough() -> None:
    assert reason(admit(gate_of(), with_claims(aud=["poker", "cutcard"]))) is None


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_key_of_each_kind_lets_in(algorithm: str) -> None:
    token = sign(ALGORITHMS[algorithm], algorithm, claims_of(NOW), kid=algorithm)
    assert admit(gate_of(set_of_all()), token) == Caller("ann", Role.PLAYER)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_token_under_another_key_of_the_same_name_is_refused(algorithm: str) -> None:
    key = P256 if algorithm != "ES256" else generate_private_key(SECP256R1())
    token = sign(key, "ES256", claims_of(NOW), kid=algorithm)
    forged = swap_header(token, {"alg": algorithm, "kid": algorithm, "typ": "JWT"})
    assert reason(admit(gate_of(set_of_all()), forged)) is Reason.TOKEN_INVALID


def swap_header(token: str, header: dict[str, Any]) -> str:
    """Put another header before a token's claims and signature."""
    return ".".join([encode(json.dumps(header).encode()), *token.split(".")[1:]])


def encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def forged_hmac(secret: bytes, algorithm: str, kid: str) -> str:
    """Sign honest claims by an HMAC, as a forger would who takes a public key for a secret."""
    header = encode(json.dumps({"alg": algorithm, "typ": "JWT", "kid": kid}).encode())
    body = f"{header}.{encode(json.dumps(claims_of(NOW)).encode())}"
    return f"{body}.{encode(hmac.new(secret, body.encode(), hashlib.sha256).digest())}"


def public_bytes(key: Any) -> list[bytes]:
    """Write a public key in each way that a library might take for a secret."""
    public = key.public_key()
    info = PublicFormat.SubjectPublicKeyInfo
    return [
        public.public_bytes(Encoding.PEM, info),
        public.public_bytes(Encoding.PEM, info).strip(),
        public.public_bytes(Encoding.DER, info),
        json.dumps(public_jwk(key)).encode(),
    ]


@pytest.mark.parametrize("kid", ALGORITHMS)
def test_no_public_key_is_taken_for_an_hmac_secret(kid: str) -> None:
    gate = gate_of(set_of_all())
    for secret in public_bytes(ALGORITHMS[kid]):
        for algorithm in ("HS256", "HS384", "HS512"):
            token = forged_hmac(secret, algorithm, kid)
            assert reason(admit(gate, token)) is Reason.TOKEN_INVALID


@pytest.mark.parametrize(
    "algorithm", ["none", "None", "NONE", "", None, "HS256", "RS512", "PS256", "ES384", ["EdDSA"]]
)
@pytest.mark.parametrize("kid", ["EdDSA", "ES256", "RS256", None])
def test_another_algorithm_is_refused(algorithm: Any, kid: str | None) -> None:
    honest = sign(RSA_2048, "RS256", claims_of(NOW), kid="RS256")
    header = {"alg": algorithm, "typ": "JWT", "kid": kid}
    forged = swap_header(honest, {name: value for name, value in header.items() if value})
    for token in (forged, forged.rpartition(".")[0] + "."):
        assert reason(admit(gate_of(set_of_all()), token)) is Reason.TOKEN_INVALID


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kid", ALGORITHMS)
def test_a_key_is_for_its_own_algorithm_alone(algorithm: str, kid: str) -> None:
    token = sign(ALGORITHMS[algorithm], algorithm, claims_of(NOW), kid=kid)
    expected = None if algorithm == kid else Reason.TOKEN_INVALID
    assert reason(admit(gate_of(set_of_all()), token)) is expected


@pytest.mark.parametrize(
    "header",
    [
        {"crit": ["exp"]},
        {"crit": ["b64"], "b64": False},
        {"crit": []},
        {"b64": True},
        {"crit": ["urn:example:new"], "urn:example:new": 1},
    ],
    ids=str,
)
def test_an_extension_that_is_critical_is_refused(header: dict[str, Any]) -> None:
    """RFC 7515 4.1.11, also where what is asked for is well known elsewhere."""
    body = [
        encode(json.dumps({"alg": "EdDSA", "typ": "JWT"} | header).encode()),
        encode(json.dumps(claims_of(NOW)).encode()),
    ]
    signature = ED25519.sign(".".join(body).encode())
    token = ".".join([*body, encode(signature)])
    assert reason(admit(gate_of(), token)) is Reason.TOKEN_INVALID


def test_a_key_that_a_token_brings_along_is_not_asked() -> None:
    """Neither `jwk`, nor `jku`, nor `x5u` of a header (RFC 8725 3.10)."""
    mine = generate_private_key(SECP256R1())
    for header in ({"jwk": public_jwk(mine)}, {"jku": "https://eve.example"}, {"x5u": "https://e"}):
        token = sign(mine, "ES256", claims_of(NOW), kid="ES256", **header)
        assert reason(admit(gate_of(set_of_all()), token)) is Reason.TOKEN_INVALID


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "a.b.c",
        "..",
        "\u2014.\u2014.\u2014",
        "A" * 5000,
        base64.b64encode(b"{}").decode(),
        encode(b"[" * 3000) + ".e30.",
        encode(b'{"alg":' + b"[" * 2900) + ".e30.",
        encode(b'{"alg":"EdDSA","kid":7}') + ".e30.",
        encode(b'["EdDSA"]') + ".e30.",
        encode(b'{"alg":"EdDSA"}') + "." + encode(b"[" * 2900) + ".",
    ],
    ids=range(11),
)
def test_what_is_no_token_is_refused(token: str) -> None:
    assert reason(admit(gate_of(), token)) is Reason.TOKEN_INVALID


def test_a_signed_body_that_is_no_object_is_refused() -> None:
    for content in (b"[" * 2000, b"[]", b"7", b"{", b"\xff"):
        body = f"{encode(json.dumps({'alg': 'EdDSA'}).encode())}.{encode(content)}"
        token = f"{body}.{encode(ED25519.sign(body.encode()))}"
        assert reason(admit(gate_of(), token)) is Reason.TOKEN_INVALID


def test_a_token_that_is_too_long_is_refused_unread() -> None:
    token = with_claims(jti="x" * MAX_TOKEN_CHARACTERS)
    refused = admit(gate_of(), token)
    assert reason(refused) is Reason.TOKEN_INVALID
    assert dict(refused.metadata) == {"max_characters": str(MAX_TOKEN_CHARACTERS)}


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer ", "Basic abc", "abc"])
def test_a_call_without_a_bearer_token_is_refused(authorization: str | None) -> None:
    refused = gate_of().admit(authorization, NOW, lambda: "ipv4:10.0.0.1:7")
    assert reason(refused) is Reason.TOKEN_MISSING


def test_a_header_may_be_written_in_any_way_and_is_remembered_once() -> None:
    gate, token = gate_of(), player_token()
    for header in (f"bearer {token}", f"BEARER   {token} ", f"Bearer {token}"):
        assert isinstance(gate.admit(header, NOW, lambda: ""), Bearer)
    assert len(gate._remembered) == 1


def test_a_refusal_holds_nothing_of_the_token() -> None:
    token = with_claims(aud="poker")
    refused = admit(gate_of(), token)
    assert token.split(".")[2] not in repr(refused)
    assert json.dumps(token) not in repr(refused)


def test_a_token_that_names_no_key_is_the_dealers_own_or_of_a_key_without_a_name() -> None:
    nameless = read_jwks(jwks(public_jwk(P256)), ORIGIN, "cutcard").keys
    gate = gate_of(KeySet((own_key(OWN, ORIGIN), *nameless, *set_of_all().keys)))
    assert reason(admit(gate, sign(ED25519, "EdDSA", claims_of(NOW)))) is None
    assert reason(admit(gate, sign(P256, "ES256", claims_of(NOW)))) is None
    unnamed = admit(gate, sign(RSA_2048, "RS256", claims_of(NOW)))
    assert reason(unnamed) is Reason.TOKEN_INVALID


def test_a_key_signs_for_its_own_issuer_and_audience_alone() -> None:
    """A key of somebody else's set makes no token of the dealer's name."""
    others = read_jwks(jwks(public_jwk(P256, kid="p")), "https://id.example", "poker").keys
    gate = gate_of(KeySet((own_key(OWN, ORIGIN), *others)))
    theirs = claims_of(NOW, iss="https://id.example", aud="poker")
    assert reason(admit(gate, sign(P256, "ES256", theirs, kid="p"))) is None
    mine = sign(P256, "ES256", claims_of(NOW, aud="poker"), kid="p")
    assert reason(admit(gate, mine)) is Reason.WRONG_ISSUER
    elsewhere = sign(P256, "ES256", theirs | {"aud": "cutcard"}, kid="p")
    assert reason(admit(gate, elsewhere)) is Reason.WRONG_AUDIENCE
    assert reason(admit(gate, sign(ED25519, "EdDSA", theirs))) is Reason.WRONG_ISSUER


def test_a_key_that_is_gone_ends_the_tokens_that_are_remembered() -> None:
    keys = Keys(set_of_all())
    gate = gate_of(keys)
    gone = sign(P256, "ES256", claims_of(NOW), kid="ES256")
    stays = sign(RSA_2048, "RS256", claims_of(NOW), kid="RS256")
    assert {reason(admit(gate, token)) for token in (gone, stays)} == {None}
    keys.current = KeySet(tuple(key for key in keys.current.keys if key.kid != "ES256"))
    refused = admit(gate, gone)
    assert (reason(refused), refused.unknown_key) == (Reason.TOKEN_INVALID, True)
    assert reason(admit(gate, stays)) is None


def test_while_a_set_was_never_read_an_unknown_key_is_no_fault_of_the_tokens() -> None:
    gate = gate_of(KeySet((own_key(OWN, ORIGIN),), is_whole=False))
    assert reason(admit(gate, player_token())) is None
    token = sign(P256, "ES256", claims_of(NOW), kid="ES256")
    assert reason(admit(gate, token)) is Reason.TOKEN_KEYS_UNREAD


class Tick:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_an_address_that_sends_bad_tokens_is_refused_unchecked_until_it_has_waited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tick = Tick()
    gate = gate_of(limits=Limits(bad_tokens=2), tick=tick)
    known, fresh = player_token("ann"), player_token("ben")
    admit(gate, known)
    for _ in range(5):
        assert reason(admit(gate, "a.b.c")) is Reason.TOKEN_INVALID
    with monkeypatch.context() as patched:
        patched.setattr(jwt, "get_unverified_header", lambda _: pytest.fail("it was looked at"))
        refused = admit(gate, fresh)
    assert reason(refused) is Reason.RATE_LIMITED
    assert dict(refused.metadata) == {"retry_after_ms": "500"}
    # Who was let in before is let in, and so is everybody from elsewhere.
    assert reason(admit(gate, known)) is None
    assert reason(admit(gate, fresh, peer="ipv4:10.0.0.2:7")) is None
    tick.now += 0.5
    assert reason(admit(gate, player_token("cat"))) is None
