"""Which keys of a JWK set check tokens, and by which algorithm."""

import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP384R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa

from dealer_service.access.key_set import MAX_KEYS, MAX_SET_BYTES, ReadSet, read_jwks
from dealer_service.access.refusal import AccessError
from tests.support.jwt_keys import (
    ALGORITHMS,
    ED25519,
    P256,
    RSA_2048,
    jwks,
    private_jwk,
    public_jwk,
)


def read(*members: Any) -> ReadSet:
    return read_jwks(jwks(*members), "https://id.example", "cutcard")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_a_key_is_decides_its_algorithm(algorithm: str) -> None:
    (key,) = read(public_jwk(ALGORITHMS[algorithm], kid="a")).keys
    assert (key.kid, key.algorithm, key.issuer, key.audience) == (
        "a",
        algorithm,
        "https://id.example",
        "cutcard",
    )
    same = read(public_jwk(ALGORITHMS[algorithm], kid="a", alg=algorithm, use="sig"))
    assert [one.algorithm for one in same.keys] == [algorithm]


def rsa(bits: int) -> dict[str, Any]:
    return public_jwk(generate_rsa(65537, bits))


PASSED_OVER = {
    "for encryption": (public_jwk(RSA_2048, use="enc"), "use"),
    "not to verify": (public_jwk(RSA_2048, key_ops=["encrypt"]), "key_ops"),
    "key_ops of no list": (public_jwk(P256, key_ops="verify"), "key_ops"),
    "another hash": (public_jwk(RSA_2048, alg="RS512"), "RS256"),
    "PSS": (public_jwk(RSA_2048, alg="PS256"), "RS256"),
    "an HMAC's name on a public key": (public_jwk(P256, alg="HS256"), "ES256"),
    "a secret": ({"kty": "oct", "k": "c2VjcmV0", "alg": "HS256"}, "neither"),
    "another curve": (public_jwk(generate_private_key(SECP384R1())), "neither"),
    "Ed448": (public_jwk(Ed448PrivateKey.generate()), "neither"),
    "no kind": ({"kid": "a"}, "neither"),
    "a kind that is no text": ({"kty": ["RSA"]}, "neither"),
    "its private half": (private_jwk(P256), "private half"),
    "RSA that is too short": (rsa(1024), "1024 bits"),
    "no numbers": ({"kty": "RSA"}, "no key"),
    "numbers that are none": ({"kty": "EC", "crv": "P-256", "x": "!", "y": 7}, "no key"),
    "a point that is on no curve": (public_jwk(P256, x="AA", y="AA"), "no key"),
    "a name that is no text": (public_jwk(P256, kid=7), "kid"),
    "a name without end": (public_jwk(P256, kid="k" * 300), "kid"),
    "no object": ("key", "not a JSON object"),
}


@pytest.mark.parametrize("name", PASSED_OVER)
def test_a_key_that_can_not_be_used_is_passed_over_with_its_reason(name: str) -> None:
    member, why = PASSED_OVER[name]
    found = read(public_jwk(ED25519, kid="good"), member)
    assert [key.kid for key in found.keys] == ["good"]
    (told,) = found.passed_over
    assert told.startswith("key 1: ")
    assert why in told


@pytest.mark.parametrize("name", PASSED_OVER)
def test_a_set_without_a_key_to_use_is_refused_with_the_reason(name: str) -> None:
    member, why = PASSED_OVER[name]
    with pytest.raises(AccessError, match=f"no key that verifies tokens: key 0: .*{why}"):
        read(member)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no JWK set"),
        (b"{}", "no JWK set"),
        (b"[]", "no JWK set"),
        (b'{"keys":{}}', "no JWK set"),
        (b"\xff\xfe", "no JWK set"),
        (b"[" * 100_000, "no JWK set"),
        (b'{"keys":[]}', "it is empty"),
        (b" " * (MAX_SET_BYTES + 1), f"over {MAX_SET_BYTES} bytes"),
        (json.dumps({"keys": [{}] * (MAX_KEYS + 1)}).encode(), f"more than {MAX_KEYS} keys"),
    ],
    ids=range(9),
)
def test_what_is_no_set_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(AccessError, match=why):
        read_jwks(content, "", "")
