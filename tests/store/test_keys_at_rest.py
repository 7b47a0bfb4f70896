"""Key files and variables, the log key and the sealing of hand secrets."""

import errno
import os
import stat
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from dealer_service.store.key_file import read_secret, wipe
from dealer_service.store.key_uri import KeyFile, KeyVariable
from dealer_service.store.keyring import (
    make_log_key,
    make_sealing_key,
    open_log_key,
    open_sealing_key,
    open_sealing_keys,
    read_log_key,
)
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import Sealer, file_cipher, key_of, keyed_sealer, sealer
from dealer_service.transcript.note import note_signer

ORIGIN = "dealer.example.com"
GAME = bytes(range(16))
SECRET = b"a secret of exactly 32 bytes ..."


def never(_count: int) -> bytes:
    message = "no new key may be drawn here"
    raise AssertionError(message)


def open_sealing(path: Path, fresh: Callable[[int], bytes] = os.urandom, **first: bool) -> object:
    return open_sealing_key(KeyFile(path), fresh, first_start=first.get("first_start", False))


def open_signing(path: Path, fresh: Callable[[int], bytes] = os.urandom, **first: bool) -> object:
    return open_log_key(KeyFile(path), ORIGIN, fresh, first_start=first.get("first_start", False))


OPENERS = {"sealing key": open_sealing, "log key": open_signing}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "key"


@pytest.mark.parametrize("what", OPENERS)
class TestFiles:
    def test_is_made_at_the_first_start_for_its_owner_alone(self, path: Path, what: str) -> None:
        old = os.umask(0)
        try:
            OPENERS[what](path, first_start=True)
        finally:
            os.umask(old)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert list(path.parent.iterdir()) == [path]

    def test_is_never_made_again(self, path: Path, what: str) -> None:
        OPENERS[what](path, first_start=True)
        before = path.read_bytes()
        OPENERS[what](path, never, first_start=True)
        OPENERS[what](path, never)
        assert path.read_bytes() == before

    def test_is_not_made_where_the_dealer_has_dealt_before(self, path: Path, what: str) -> None:
        with pytest.raises(StoreError, match=what) as refused:
            OPENERS[what](path, never)
        assert refused.value.reason is Reason.KEY_FILE_MISSING
        assert not path.exists()

    def test_is_not_called_missing_where_it_can_not_be_looked_at(
        self, path: Path, what: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(looked_at: Path) -> None:
            raise PermissionError(errno.EACCES, "Permission denied", str(looked_at))

        monkeypatch.setattr(os, "lstat", refuse)
        with pytest.raises(StoreError, match="can not be read or made: Permission") as refused:
            OPENERS[what](path, never)
        assert refused.value.reason is Reason.KEY_FILE_UNREACHABLE

    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o610, 0o602, 0o666])
    def test_is_refused_when_others_have_a_right_to_it(
        self, path: Path, what: str, mode: int
    ) -> None:
        OPENERS[what](path, first_start=True)
        path.chmod(mode)
        with pytest.raises(StoreError, match=f"{mode:04o}.*chmod 600") as refused:
            OPENERS[what](path)
        assert refused.value.reason is Reason.KEY_FILE_EXPOSED

    @pytest.mark.parametrize("change", [b"", b"x", None])
    def test_is_refused_when_it_is_shorter_or_longer(
        self, path: Path, what: str, change: bytes | None
    ) -> None:
        OPENERS[what](path, first_start=True)
        content = path.read_bytes()
        spoilt = content[:-1] if change is None else content * bool(change) + change
        path.write_bytes(spoilt)
        with pytest.raises(StoreError) as refused:
            OPENERS[what](path)
        assert refused.value.reason is Reason.KEY_FILE_MALFORMED
        assert content.hex() not in str(refused.value)
        assert path.read_bytes() == spoilt

    def test_a_huge_file_is_refused(self, path: Path, what: str) -> None:
        path.touch(0o600)
        os.truncate(path, 10**12)
        with pytest.raises(StoreError, match="over 4096 bytes"):
            OPENERS[what](path)

    def test_what_is_no_file_is_refused(self, path: Path, what: str) -> None:
        path.mkdir()
        with pytest.raises(StoreError) as refused:
            OPENERS[what](path)
        assert refused.value.reason is Reason.KEY_FILE_UNREACHABLE

    def test_a_missing_folder_is_told(self, path: Path, what: str) -> None:
        with pytest.raises(StoreError, match="No such file") as refused:
            OPENERS[what](path / "key", first_start=True)
        assert refused.value.reason is Reason.KEY_FILE_UNREACHABLE

    def test_shows_no_key_in_its_repr(self, path: Path, what: str) -> None:
        draws = count()
        drawn: list[bytes] = []

        def fresh(size: int) -> bytes:
            drawn.append(bytes((next(draws) + index) % 256 for index in range(size)))
            return drawn[-1]

        text = repr(OPENERS[what](path, fresh, first_start=True))
        assert drawn[0].hex() not in text
        assert repr(drawn[0]) not in text


class TestMaking:
    def test_makes_each_key_once(self, path: Path) -> None:
        beside = path.with_name("log")
        made = make_sealing_key(KeyFile(path), os.urandom)
        signer = make_log_key(KeyFile(beside), ORIGIN, os.urandom)
        contents = path.read_bytes(), beside.read_bytes()
        for again in (
            lambda: make_sealing_key(KeyFile(path), never),
            lambda: make_log_key(KeyFile(beside), "other.example", never),
        ):
            with pytest.raises(StoreError, match="there already") as refused:
                again()
            assert refused.value.reason is Reason.KEY_EXISTS
        assert (path.read_bytes(), beside.read_bytes()) == contents
        assert open_sealing_key(KeyFile(path), never, first_start=False) == made
        assert read_log_key(KeyFile(beside)).verifier == signer.verifier

    def test_makes_none_in_a_variable(self) -> None:
        for make in (
            lambda: make_sealing_key(KeyVariable("A"), never),
            lambda: make_log_key(KeyVariable("A"), ORIGIN, never),
        ):
            with pytest.raises(StoreError, match="env:A") as refused:
                make()
            assert refused.value.reason is Reason.KEY_URI_WRONG


class TestLogKey:
    def test_is_the_same_at_every_start(self, path: Path) -> None:
        first = open_log_key(KeyFile(path), ORIGIN, os.urandom, first_start=True)
        again = open_log_key(KeyFile(path), ORIGIN, never, first_start=False)
        assert again == first
        assert again.key.sign(b"one") == first.key.sign(b"one")
        assert first.name == ORIGIN

    def test_of_another_origin_is_refused(self, path: Path) -> None:
        open_log_key(KeyFile(path), ORIGIN, os.urandom, first_start=True)
        with pytest.raises(StoreError, match=r"dealer\.example\.com.*other\.example") as refused:
            open_log_key(KeyFile(path), "other.example", never, first_start=False)
        assert refused.value.reason is Reason.KEY_OF_ANOTHER_ORIGIN

    def test_signs_with_the_seed_that_stands_in_its_line(self, path: Path) -> None:
        """Wiping what was read does not reach the key itself."""
        seed = os.urandom(32)
        path.touch(0o600)
        path.write_text(f"cutcard-log-key/1 {ORIGIN} {seed.hex()}\n")
        signer = read_log_key(KeyFile(path))
        assert signer.key.sign(b"line") == note_signer(ORIGIN, seed).key.sign(b"line")


class TestVariables:
    """A key in the environment has the file's form; the sealing key's is hex."""

    def test_a_log_key_is_its_files_line(self) -> None:
        seed = os.urandom(32)
        line = f"cutcard-log-key/1 {ORIGIN} {seed.hex()}"
        for content in (line, line + "\n"):
            environ = {"LOG": content}
            signer = open_log_key(
                KeyVariable("LOG"), ORIGIN, never, first_start=False, environ=environ
            )
            assert signer.verifier == note_signer(ORIGIN, seed).verifier

    def test_a_sealing_key_is_64_hex_digits(self) -> None:
        key = os.urandom(32)
        environ = {"SEAL": key.hex()}
        cipher = open_sealing_key(KeyVariable("SEAL"), never, first_start=False, environ=environ)
        assert cipher.key_id == file_cipher(key).key_id
        sealed = cipher.encrypt(bytes(12), SECRET, b"")
        assert file_cipher(key).decrypt(bytes(12), sealed, b"") == SECRET

    def test_is_gone_from_the_environment_once_it_is_open(self) -> None:
        environ = {
            "LOG": f"cutcard-log-key/1 {ORIGIN} {'ab' * 32}",
            "SEAL": "cd" * 32,
            "OTHER": "stays",
        }
        read_log_key(KeyVariable("LOG"), environ)
        assert "LOG" in environ
        open_log_key(KeyVariable("LOG"), ORIGIN, never, first_start=False, environ=environ)
        open_sealing_keys([KeyVariable("SEAL")], ORIGIN, never, first_start=False, environ=environ)
        assert environ == {"OTHER": "stays"}

    def test_the_processes_own_environment_loses_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CUTCARD_TEST_SEAL", "cd" * 32)
        open_sealing_key(KeyVariable("CUTCARD_TEST_SEAL"), never, first_start=False)
        assert os.getenv("CUTCARD_TEST_SEAL") is None

    def test_of_another_origin_is_refused(self) -> None:
        environ = {"LOG": f"cutcard-log-key/1 other.example {'ab' * 32}"}
        with pytest.raises(StoreError, match=r"env:LOG is of the origin 'other\.example'") as told:
            open_log_key(KeyVariable("LOG"), ORIGIN, never, first_start=False, environ=environ)
        assert told.value.reason is Reason.KEY_OF_ANOTHER_ORIGIN

    @pytest.mark.parametrize(
        "content", ["", "ab", "ab" * 31 + "zz", "AB" * 32, "ab" * 33, "é" * 64]
    )
    def test_what_is_no_key_is_refused_and_not_told(self, content: str) -> None:
        environ = {"KEY": content}
        for open_it in (
            lambda: open_sealing_key(KeyVariable("KEY"), never, first_start=True, environ=environ),
            lambda: open_log_key(
                KeyVariable("KEY"), ORIGIN, never, first_start=True, environ=environ
            ),
        ):
            with pytest.raises(StoreError, match="env:KEY is not") as refused:
                open_it()
            assert refused.value.reason is Reason.KEY_MALFORMED
            assert len(content) < 3 or content not in str(refused.value)

    def test_a_missing_one_is_refused_and_never_made(self) -> None:
        for open_it in (
            lambda: open_sealing_key(KeyVariable("KEY"), never, first_start=True, environ={}),
            lambda: open_log_key(KeyVariable("KEY"), ORIGIN, never, first_start=True, environ={}),
        ):
            with pytest.raises(StoreError, match="env:KEY is missing") as refused:
                open_it()
            assert refused.value.reason is Reason.KEY_MISSING


def test_what_was_read_of_a_secret_can_be_wiped(path: Path) -> None:
    path.touch(0o600)
    path.write_bytes(SECRET)
    content = read_secret(path, "PIN file")
    assert content == SECRET
    wipe(content)
    assert content == bytes(32)


@pytest.fixture
def seal() -> Sealer:
    return sealer(ORIGIN, bytes(32), os.urandom)


class TestSealing:
    @given(some.binary(min_size=16, max_size=16), some.integers(0, 2**53), some.binary(max_size=64))
    def test_what_was_sealed_opens(self, game: bytes, hand: int, secret: bytes) -> None:
        seal = sealer(ORIGIN, bytes(32), os.urandom)
        sealed = seal.seal(game, hand, secret)
        assert seal.unseal(game, hand, sealed) == secret
        assert secret not in sealed or len(secret) < 4

    def test_two_seals_of_one_secret_differ(self, seal: Sealer) -> None:
        assert seal.seal(GAME, 1, SECRET) != seal.seal(GAME, 1, SECRET)

    @pytest.mark.parametrize(
        ("origin", "game", "hand"),
        [("dealer.example.co", GAME, 1), (ORIGIN, bytes(16), 1), (ORIGIN, GAME, 2)],
    )
    def test_opens_only_where_it_belongs(
        self, seal: Sealer, origin: str, game: bytes, hand: int
    ) -> None:
        sealed = seal.seal(GAME, 1, SECRET)
        with pytest.raises(StoreError) as refused:
            sealer(origin, bytes(32), os.urandom).unseal(game, hand, sealed)
        assert refused.value.reason is Reason.SEAL_BROKEN

    def test_any_changed_bit_is_noticed(self, seal: Sealer) -> None:
        sealed = seal.seal(GAME, 1, SECRET)
        for bit in range(len(sealed) * 8):
            changed = bytearray(sealed)
            changed[bit // 8] ^= 1 << bit % 8
            with pytest.raises(StoreError):
                seal.unseal(GAME, 1, bytes(changed))

    def test_any_missing_byte_is_noticed(self, seal: Sealer) -> None:
        sealed = seal.seal(GAME, 1, SECRET)
        for size in range(len(sealed)):
            with pytest.raises(StoreError):
                seal.unseal(GAME, 1, sealed[:size])

    def test_another_key_is_named_as_such(self, seal: Sealer) -> None:
        sealed = sealer(ORIGIN, bytes([1] * 32), os.urandom).seal(GAME, 1, SECRET)
        with pytest.raises(StoreError, match="sealing key") as refused:
            seal.unseal(GAME, 1, sealed)
        assert refused.value.reason is Reason.SEALED_UNDER_ANOTHER_KEY
        assert SECRET.hex() not in str(refused.value)

    @pytest.mark.parametrize("size", [0, 16, 31, 33])
    def test_a_key_of_another_length_is_refused(self, size: int) -> None:
        with pytest.raises(StoreError, match="must have 32"):
            sealer(ORIGIN, bytes(size), os.urandom)


class TestSeveralKeys:
    """While keys change, the new one seals, and the old ones open."""

    OLD, NEW = bytes([1]) * 32, bytes([2]) * 32

    def both(self) -> Sealer:
        return keyed_sealer(ORIGIN, [file_cipher(self.NEW), file_cipher(self.OLD)], os.urandom)

    def test_the_first_seals(self) -> None:
        sealed = self.both().seal(GAME, 1, SECRET)
        assert key_of(sealed) == file_cipher(self.NEW).key_id == self.both().key_id
        assert sealer(ORIGIN, self.NEW, os.urandom).unseal(GAME, 1, sealed) == SECRET

    def test_all_open(self) -> None:
        for key in (self.OLD, self.NEW):
            sealed = sealer(ORIGIN, key, os.urandom).seal(GAME, 1, SECRET)
            assert self.both().unseal(GAME, 1, sealed) == SECRET

    def test_a_key_that_none_of_them_is_is_named(self) -> None:
        third = sealer(ORIGIN, bytes([3]) * 32, os.urandom)
        with pytest.raises(StoreError) as refused:
            self.both().unseal(GAME, 1, third.seal(GAME, 1, SECRET))
        assert refused.value.reason is Reason.SEALED_UNDER_ANOTHER_KEY
        for key_id in (third.key_id, *self.both().key_ids):
            assert key_id.hex() in str(refused.value)

    def test_the_same_key_twice_is_one(self) -> None:
        ciphers = [file_cipher(self.NEW), file_cipher(self.NEW)]
        assert len(keyed_sealer(ORIGIN, ciphers, os.urandom).key_ids) == 1

    def test_files_are_opened_in_their_order_and_only_the_first_is_made(
        self, tmp_path: Path
    ) -> None:
        new, old = KeyFile(tmp_path / "new"), KeyFile(tmp_path / "old")
        with pytest.raises(StoreError, match="old is missing"):
            open_sealing_keys([new, old], ORIGIN, os.urandom, first_start=True)
        made = make_sealing_key(old, os.urandom)
        opened = open_sealing_keys([new, old], ORIGIN, os.urandom, first_start=False)
        assert opened.key_ids == (opened.key_id, made.key_id)
