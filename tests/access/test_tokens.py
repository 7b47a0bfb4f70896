"""The dealer's own token key and the tokens that it signs."""

import stat
from pathlib import Path
from typing import Any

import jwt
import pytest

from dealer_service.access.refusal import AccessError
from dealer_service.access.roles import Role
from dealer_service.access.tokens import (
    MAX_TABLES,
    TokenKey,
    issue,
    key_id,
    load_token_key,
    make_token_key,
)

ORIGIN = "dealer.example.com"
NOW = 1_767_225_600.5
GAME = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def key(tmp_path: Path) -> TokenKey:
    return make_token_key(tmp_path / "token.key", bytes(range(32)))


def claims_of(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, options={"verify_signature": False})
    return claims


def test_a_token_names_whom_it_is_for_and_what_that_is(key: TokenKey) -> None:
    token = issue(key, "ann", Role.PLAYER, ttl=60, now=NOW, origin=ORIGIN)
    assert claims_of(token) == {
        "iss": ORIGIN,
        "aud": "cutcard",
        "sub": "ann",
        "role": "player",
        "iat": int(NOW),
        "exp": int(NOW) + 60,
    }
    assert jwt.get_unverified_header(token) == {
        "alg": "EdDSA",
        "typ": "JWT",
        "kid": key_id(key.public),
    }


def test_a_token_may_be_for_games_alone(key: TokenKey) -> None:
    tables = {GAME: Role.WATCHER}
    token = issue(key, "ann", None, ttl=60, now=NOW, origin=ORIGIN, tables=tables)
    claims = claims_of(token)
    assert claims["tables"] == {GAME: "watcher"}
    assert "role" not in claims


def test_a_key_is_named_by_its_thumbprint() -> None:
    """The example of RFC 8037, appendix A.3."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - of this test
        Ed25519PublicKey,
    )

    raw = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    named = key_id(Ed25519PublicKey.from_public_bytes(raw))
    assert named == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


@pytest.mark.parametrize(("subject", "ttl"), [("", 1), ("a b", 1), ("x" * 65, 1), ("a", 0)])
def test_no_token_is_made_that_would_be_refused(key: TokenKey, subject: str, ttl: int) -> None:
    with pytest.raises(AccessError):
        issue(key, subject, Role.PLAYER, ttl=ttl, now=NOW, origin=ORIGIN)


@pytest.mark.parametrize(
    ("role", "tables"),
    [
        (None, {}),
        (None, {GAME.upper(): Role.PLAYER}),
        (Role.PLAYER, {"": Role.WATCHER}),
        (None, {f"{number:032x}": Role.PLAYER for number in range(MAX_TABLES + 1)}),
    ],
    ids=["nothing", "no game", "no name", "too many"],
)
def test_no_token_is_made_for_games_that_would_be_refused(
    key: TokenKey, role: Role | None, tables: dict[str, Role]
) -> None:
    with pytest.raises(AccessError):
        issue(key, "ann", role, ttl=60, now=NOW, origin=ORIGIN, tables=tables)


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
