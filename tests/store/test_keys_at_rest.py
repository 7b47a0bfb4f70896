"""Key files, the log key and the sealing of hand secrets."""

import os
import stat
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from dealer_service.store.keyring import open_log_key
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import Sealer, open_sealing_key, sealer

ORIGIN = "dealer.example.com"
GAME = bytes(range(16))
SECRET = b"a secret of exactly 32 bytes ..."


def never(_count: int) -> bytes:
    message = "no new key may be drawn here"
    raise AssertionError(message)


def open_sealing(path: Path, fresh: Callable[[int], bytes] = os.urandom, **first: bool) -> object:
    return open_sealing_key(path, ORIGIN, fresh, first_start=first.get("first_start", False))


def open_signing(path: Path, fresh: Callable[[int], bytes] = os.urandom, **first: bool) -> object:
    return open_log_key(path, ORIGIN, fresh, first_start=first.get("first_start", False))


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


class TestLogKey:
    def test_is_the_same_at_every_start(self, path: Path) -> None:
        first = open_log_key(path, ORIGIN, os.urandom, first_start=True)
        assert open_log_key(path, ORIGIN, never, first_start=False) == first
        assert (first.origin, len(first.seed)) == (ORIGIN, 32)

    def test_of_another_origin_is_refused(self, path: Path) -> None:
        open_log_key(path, ORIGIN, os.urandom, first_start=True)
        with pytest.raises(StoreError, match=r"dealer\.example\.com.*other\.example") as refused:
            open_log_key(path, "other.example", never, first_start=False)
        assert refused.value.reason is Reason.KEY_OF_ANOTHER_ORIGIN


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
