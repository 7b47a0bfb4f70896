"""`cutcard-dealer token` and `key`: one line each on standard output, and nothing else."""

import time
from pathlib import Path

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealer_service.access.bearer import Bearer
from dealer_service.access.gate import Gate
from dealer_service.access.key_sources import OwnKeys, own_key
from dealer_service.access.roles import Caller, Role
from dealer_service.access.tokens import load_token_key, make_token_key
from dealer_service.commands.failure import Exit
from dealer_service.config import Limits
from dealer_service.transcript.note import note_signer
from tests.support.commands import dealer, only_line

ORIGIN = "dealer.example.com"
SEED = bytes(range(32))
GAME, OTHER = "0123456789abcdef0123456789abcdef", "f" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder in which a dealer has started before, as far as its keys tell."""
    directory = tmp_path / "cutcard-dealer"
    directory.mkdir()
    key = directory / "log.key"
    key.write_text(f"cutcard-log-key/1 {ORIGIN} {SEED.hex()}\n")
    key.chmod(0o600)
    make_token_key(directory / "token.key", SEED)
    return tmp_path


@pytest.mark.parametrize("role", list(Role))
def test_a_token_is_alone_on_standard_output_and_lets_its_bearer_in(
    folder: Path, role: Role
) -> None:
    printed = dealer("token", "ann", "--role", role, folder=folder)
    assert (printed.returncode, printed.stderr) == (0, "")
    token = only_line(printed.stdout)
    assert bearer_of(folder, token).everywhere == Caller("ann", role)


def bearer_of(folder: Path, token: str) -> Bearer:
    """Show a token to a gate with the folder's token key."""
    key = load_token_key(folder / "cutcard-dealer" / "token.key")
    gate = Gate(OwnKeys(own_key(key, ORIGIN)), Limits())
    bearer = gate.verify(token, time.time())
    assert isinstance(bearer, Bearer)
    return bearer


def test_a_token_for_games_is_for_nothing_else(folder: Path) -> None:
    tables = ["--table", f"{GAME}=watcher", "--table", f"{OTHER}=player"]
    printed = dealer("token", "ann", *tables, folder=folder)
    bearer = bearer_of(folder, only_line(printed.stdout))
    assert bearer.everywhere is None
    assert (bearer.at(GAME), bearer.at(OTHER)) == (
        Caller("ann", Role.WATCHER),
        Caller("ann", Role.PLAYER),
    )


def test_a_token_may_be_for_a_role_everywhere_and_another_at_a_game(folder: Path) -> None:
    options = ["--role", "watcher", "--table", f"{GAME}=player"]
    printed = dealer("token", "ann", *options, folder=folder)
    bearer = bearer_of(folder, only_line(printed.stdout))
    assert bearer.everywhere == Caller("ann", Role.WATCHER)
    assert bearer.at(GAME) == Caller("ann", Role.PLAYER)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("90s", 90), ("30m", 1800), ("12h", 43_200), ("7d", 604_800), (None, 43_200)],
)
def test_a_token_is_good_for_the_time_given(folder: Path, given: str | None, seconds: int) -> None:
    options = [] if given is None else ["--ttl", given]
    printed = dealer("token", "ann", "--role", "player", *options, folder=folder)
    claims = jwt.decode(printed.stdout.strip(), options={"verify_signature": False})
    assert claims["exp"] - claims["iat"] == seconds


def test_a_dealer_without_a_token_key_is_given_none(folder: Path) -> None:
    """One that takes the tokens of a JWK set alone would take those of its own from then on."""
    key = folder / "cutcard-dealer" / "token.key"
    key.unlink()
    refused = dealer("token", "ann", "--role", "operator", folder=folder)
    assert (refused.returncode, refused.stdout) == (Exit.CANNOT_START, "")
    assert "has no token key of its own" in refused.stderr
    assert "`cutcard-dealer keys make`" in refused.stderr
    assert not key.exists()


def test_tokens_are_of_one_key(folder: Path) -> None:
    first = dealer("token", "ann", "--role", "player", folder=folder).stdout.strip()
    dealer("token", "ben", "--role", "player", folder=folder)
    assert bearer_of(folder, first).everywhere == Caller("ann", Role.PLAYER)


@pytest.mark.parametrize(
    "options",
    [
        ["token", "ann"],
        ["token", "ann", "--role", "king"],
        ["token", "ann", "--table", GAME],
        ["token", "ann", "--table", f"{GAME}=king"],
        ["token", "ann", "--table", "7=player"],
        ["token", "ann", *(f"--table={number:032x}=player" for number in range(33))],
        ["token", "an nie", "--role", "player"],
        ["token", "a" * 65, "--role", "player"],
        ["token", "ann", "--role", "player", "--ttl", "soon"],
        ["token", "ann", "--role", "player", "--ttl", "0s"],
        ["token", "ann", "--role", "player", "--ttl", "9999d"],
        ["token", "--role", "player"],
    ],
)
def test_a_token_that_can_not_be_is_status_2(folder: Path, options: list[str]) -> None:
    refused = dealer(*options, folder=folder)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("cutcard-dealer: error: ")


@pytest.mark.parametrize("command", [["key"], ["token", "ann", "--role", "player"]])
def test_nothing_is_made_where_no_dealer_has_started(tmp_path: Path, command: list[str]) -> None:
    refused = dealer(*command, folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "no dealer has started in cutcard-dealer yet" in refused.stderr
    assert "hint: " in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_key_is_alone_on_standard_output_and_is_that_of_the_log_key(folder: Path) -> None:
    printed = dealer("key", folder=folder)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert only_line(printed.stdout) == str(note_signer(ORIGIN, SEED).verifier)


def test_no_secret_half_of_a_key_is_printed(folder: Path) -> None:
    printed = [
        dealer("key", folder=folder),
        dealer("token", "ann", "--role", "operator", folder=folder),
        dealer("serve", "--origin", "other.example.com", folder=folder),
    ]
    key = load_token_key(folder / "cutcard-dealer" / "token.key").private
    assert isinstance(key, Ed25519PrivateKey)
    for each in printed:
        text = each.stdout + each.stderr
        assert SEED.hex() not in text
        assert key.private_bytes_raw().hex() not in text


def test_a_damaged_log_key_is_status_3(folder: Path) -> None:
    (folder / "cutcard-dealer" / "log.key").write_text("no key\n")
    refused = dealer("key", folder=folder)
    assert refused.returncode == 3
    assert "is not one line of cutcard-log-key/1" in refused.stderr
