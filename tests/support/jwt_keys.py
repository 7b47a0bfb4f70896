"""Keys of every kind that tokens are signed by, JWK sets of them, and tokens with any claims."""

import json
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

Private = Any

ED25519: Private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
P256: Private = generate_private_key(SECP256R1())
RSA_2048: Private = generate_rsa(65537, 2048)

ALGORITHMS: dict[str, Private] = {"EdDSA": ED25519, "ES256": P256, "RS256": RSA_2048}
"""Each algorithm that is taken, with a key for it."""


def public_jwk(key: Private, **members: Any) -> dict[str, Any]:
    """Write the public half of a key as a JWK, with other members beside."""
    return private_jwk(key.public_key(), **members)


def private_jwk(key: Private, **members: Any) -> dict[str, Any]:
    """Write a key as it is as a JWK."""
    for algorithm in (OKPAlgorithm, ECAlgorithm, RSAAlgorithm):
        try:
            return dict(algorithm.to_jwk(key, as_dict=True)) | members
        except (jwt.InvalidKeyError, AttributeError):
            continue
    raise AssertionError(key)


def jwks(*members: dict[str, Any]) -> bytes:
    """Write a JWK set."""
    return json.dumps({"keys": list(members)}).encode()


def sign(key: Private, algorithm: str, claims: dict[str, Any], **headers: Any) -> str:
    """Sign claims; headers are added to the usual ones."""
    return jwt.encode(claims, key, algorithm=algorithm, headers=headers)


def claims_of(now: float, **changed: Any) -> dict[str, Any]:
    """Give an honest player's claims with some changed, or taken away where None."""
    honest = {
        "iss": "dealer.example.com",
        "aud": "cutcard",
        "sub": "ann",
        "role": "player",
        "iat": int(now),
        "exp": int(now) + 60,
    }
    return {name: value for name, value in (honest | changed).items() if value is not None}
