"""`cutcard-dealer keys`: makes, shows and changes keys, and prints no secret."""

import os
from pathlib import Path

import pytest

from tests.support.commands import dealer, only_line, serving
from tests.support.tokens import SoftToken

ORIGIN = "dealer.example.com"


def keys(folder: Path, *arguments: str) -> list[list[str]]:
    """Run it, and give the words of each line that it prints."""
    done = dealer("keys", *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    for path in (folder / "cutcard-dealer").glob("*.key"):
        content = path.read_bytes()
        secret = content.split()[-1].decode() if path.name == "log.key" else content.hex()
        assert secret not in done.stdout + done.stderr
    return [line.split() for line in done.stdout.splitlines()]


class TestMake:
    def test_makes_what_a_first_start_needs(self, tmp_path: Path) -> None:
        made = keys(tmp_path, "make", "--origin", ORIGIN)
        assert [line[:2] for line in made] == [["log", "key"], ["sealing", "key"], ["token", "key"]]
        folder = tmp_path / "cutcard-dealer"
        assert folder.stat().st_mode & 0o077 == 0
        modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
        assert modes == {"log.key": 0o600, "sealing.key": 0o600, "token.key": 0o600}
        key = only_line(dealer("key", folder=tmp_path).stdout)
        assert made[0][-1] == key
        with serving(tmp_path) as service:
            assert (service.first_event["key"], service.first_event["origin"]) == (key, ORIGIN)

    def test_again_it_leaves_what_is_there(self, tmp_path: Path) -> None:
        first = keys(tmp_path, "make", "--origin", ORIGIN)
        folder = tmp_path / "cutcard-dealer"
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert keys(tmp_path, "make") == first
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

    def test_without_a_name_it_is_status_2(self, tmp_path: Path) -> None:
        refused = dealer("keys", "make", folder=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "hint: such as --origin dealer.example.com" in refused.stderr

    def test_another_name_than_the_log_keys_is_status_3(self, tmp_path: Path) -> None:
        keys(tmp_path, "make", "--origin", ORIGIN)
        refused = dealer("keys", "make", "--origin", "other.example", folder=tmp_path)
        assert refused.returncode == 3
        assert f"is of the origin '{ORIGIN}' and not of 'other.example'" in refused.stderr

    def test_makes_no_key_that_a_store_has_used_and_lost(self, tmp_path: Path) -> None:
        with serving(tmp_path) as service:
            service.stop()
        key = tmp_path / "cutcard-dealer" / "sealing.key"
        key.unlink()
        refused = dealer("keys", "make", folder=tmp_path)
        assert refused.returncode == 3
        assert "sealing.key is missing; bring it back from a backup" in refused.stderr
        assert not key.exists()

    def test_makes_no_key_in_a_variable(self, tmp_path: Path) -> None:
        refused = dealer(
            "keys", "make", "--origin", ORIGIN, "--sealing-key", "env:SEAL", folder=tmp_path
        )
        assert refused.returncode == 3
        assert "no key can be made in a variable" in refused.stderr


class TestShow:
    def test_in_a_wrong_directory_says_how_to_name_the_right_one(self, tmp_path: Path) -> None:
        refused = dealer("keys", "show", "--directory", "elsewhere", folder=tmp_path)
        assert refused.returncode == 3
        assert "elsewhere/log.key is missing" in refused.stderr
        assert "hint: name the dealer's own directory by --directory" in refused.stderr

    def test_names_keys_and_ids(self, tmp_path: Path) -> None:
        made = keys(tmp_path, "make", "--origin", ORIGIN)
        assert keys(tmp_path, "show") == made
        assert made[1][-1] == "seals"
        assert len(bytes.fromhex(made[1][-2])) == 4

    def test_of_nothing_it_is_status_3(self, tmp_path: Path) -> None:
        refused = dealer("keys", "show", folder=tmp_path)
        assert refused.returncode == 3
        assert "log.key is missing" in refused.stderr

    def test_shows_keys_of_the_environment(self, tmp_path: Path) -> None:
        keys(tmp_path, "make", "--origin", ORIGIN)
        folder = tmp_path / "cutcard-dealer"
        environ = {
            "LOG": (folder / "log.key").read_text(),
            "SEAL": (folder / "sealing.key").read_bytes().hex(),
            "CUTCARD_LOG_KEY": "env:LOG",
            "CUTCARD_SEALING_KEY": "env:SEAL",
        }
        shown = dealer("keys", "show", folder=tmp_path, environ=environ)
        assert shown.returncode == 0, shown.stderr
        assert "log key      env:LOG  dealer.example.com+" in shown.stdout
        assert "sealing key  env:SEAL  " in shown.stdout
        for name in ("LOG", "SEAL"):
            assert environ[name].split()[-1] not in shown.stdout + shown.stderr
        key = dealer("key", folder=tmp_path, environ=environ)
        assert only_line(key.stdout) in shown.stdout


class TestRotateSealing:
    def test_makes_a_key_that_seals_and_keeps_the_old_one(self, tmp_path: Path) -> None:
        old = keys(tmp_path, "make", "--origin", ORIGIN)[1][-2]
        rotated = keys(tmp_path, "rotate-sealing")
        assert [line[-1] for line in rotated] == ["seals", "opens"]
        assert rotated[1][-2] == old != rotated[0][-2]
        assert rotated[1][2].endswith(f"/sealing-{old}.key")
        assert keys(tmp_path, "show")[1:3] == rotated
        kept = tmp_path / "cutcard-dealer" / f"sealing-{old}.key"
        assert kept.stat().st_mode & 0o777 == 0o600
        with serving(tmp_path) as service:
            status, _ = service.stop()
        assert status == 0

    def test_as_often_as_wanted(self, tmp_path: Path) -> None:
        keys(tmp_path, "make", "--origin", ORIGIN)
        for _ in range(3):
            keys(tmp_path, "rotate-sealing")
        assert [line[-1] for line in keys(tmp_path, "show")[1:-1]] == ["seals"] + ["opens"] * 3

    def test_without_a_key_it_is_status_3(self, tmp_path: Path) -> None:
        refused = dealer("keys", "rotate-sealing", folder=tmp_path)
        assert refused.returncode == 3
        assert "sealing.key is missing" in refused.stderr

    def test_elsewhere_makes_the_first_uri(self, tmp_path: Path) -> None:
        keys(tmp_path, "make", "--origin", ORIGIN)
        new, old = f"file:{tmp_path}/new.key", "file:cutcard-dealer/sealing.key"
        both = ("--sealing-key", new, "--sealing-key", old)
        rotated = keys(tmp_path, "rotate-sealing", *both)
        assert [(line[2], line[-1]) for line in rotated] == [(new, "seals"), (old, "opens")]
        again = dealer("keys", "rotate-sealing", *both, folder=tmp_path)
        assert again.returncode == 3
        assert "there already" in again.stderr


def test_makes_and_shows_keys_in_a_token(tmp_path: Path) -> None:
    token = SoftToken(tmp_path, "dealer")
    options = (
        "--origin",
        ORIGIN,
        "--log-key",
        token.uri("log"),
        "--sealing-key",
        token.uri("seal"),
    )
    made = dealer("keys", "make", *options, folder=tmp_path, environ=token.environ)
    assert made.returncode == 0, made.stderr
    shown = dealer("keys", "show", *options[2:], folder=tmp_path, environ=token.environ)
    assert shown.stdout == made.stdout
    assert "log key      pkcs11:token=dealer;object=log  dealer.example.com+" in shown.stdout
    assert sorted(os.listdir(tmp_path / "cutcard-dealer")) == ["token.key"]  # noqa: PTH208
    key = dealer("key", *options[2:4], folder=tmp_path, environ=token.environ)
    assert only_line(key.stdout) in shown.stdout
    issued = dealer(
        "token", "ann", "--role", "player", *options[2:4], folder=tmp_path, environ=token.environ
    )
    assert issued.returncode == 0, issued.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "the following arguments are required: action"),
        (["lose"], "invalid choice"),
        (["make", "--origin", "Upper"], "--origin"),
    ],
)
def test_a_wrong_command_line_is_status_2(tmp_path: Path, arguments: list[str], words: str) -> None:
    refused = dealer("keys", *arguments, folder=tmp_path)
    assert refused.returncode == 2
    assert words in refused.stderr


def test_a_uri_that_can_not_be_is_status_3_and_its_pin_is_not_told(tmp_path: Path) -> None:
    uri = "pkcs11:token=t;object=k?module-path=/m.so&pin-value=83120457"
    refused = dealer("keys", "show", "--log-key", uri, folder=tmp_path)
    assert refused.returncode == 3
    assert "pin-source=file:PATH" in refused.stderr
    assert "83120457" not in refused.stderr
