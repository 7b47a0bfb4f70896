"""Keys that never leave a PKCS#11 token, on SoftHSM2."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from cryptography.exceptions import InvalidTag

from dealer_service.store.hsm import (
    make_token_cipher,
    make_token_signer,
    open_token,
    open_token_cipher,
    open_token_signer,
)
from dealer_service.store.key_uri import KeyInToken, parse_key_uri
from dealer_service.store.keyring import make_log_key, open_log_key, open_sealing_keys
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import key_of
from dealer_service.transcript.ed25519 import verify_key
from dealer_service.transcript.note import open_note, sign_note
from tests.support.tokens import PIN, SoftToken

ORIGIN = "dealer.example.com"
GAME = bytes(range(16))
SECRET = b"a secret of exactly 32 bytes ..."


def place(uri: str) -> KeyInToken:
    found = parse_key_uri(uri)
    assert isinstance(found, KeyInToken)
    return found


@pytest.fixture
def where(token: SoftToken, name: str) -> KeyInToken:
    return place(token.uri(name))


def library() -> Any:
    import pkcs11  # noqa: PLC0415 - an extra

    return pkcs11


class TestSealing:
    def test_what_was_sealed_opens_again(self, where: KeyInToken) -> None:
        made = make_token_cipher(where)
        sealer = open_sealing_keys([where], ORIGIN, os.urandom, first_start=False)
        sealed = sealer.seal(GAME, 1, SECRET)
        assert key_of(sealed) == made.key_id == open_token_cipher(where).key_id
        assert sealer.unseal(GAME, 1, sealed) == SECRET
        assert SECRET not in sealed

    def test_opens_only_where_it_belongs(self, where: KeyInToken) -> None:
        make_token_cipher(where)
        sealer = open_sealing_keys([where], ORIGIN, os.urandom, first_start=False)
        other = open_sealing_keys([where], "other.example", os.urandom, first_start=False)
        sealed = sealer.seal(GAME, 1, SECRET)
        changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
        for by, game, hand, what in (
            (sealer, GAME, 2, sealed),
            (sealer, bytes(16), 1, sealed),
            (other, GAME, 1, sealed),
            (sealer, GAME, 1, changed),
        ):
            with pytest.raises(StoreError) as refused:
                by.unseal(game, hand, what)
            assert refused.value.reason is Reason.SEAL_BROKEN
        assert sealer.unseal(GAME, 1, sealed) == SECRET

    def test_each_key_has_an_id_of_its_own(self, token: SoftToken, name: str) -> None:
        ciphers = [make_token_cipher(place(token.uri(f"{name}-{n}"))) for n in range(3)]
        assert len({one.key_id for one in ciphers}) == 3

    def test_seals_as_the_same_key_in_a_file_does(self, where: KeyInToken) -> None:
        """It is AES-256-GCM, to the byte (NIST SP 800-38D)."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

        pkcs11 = library()
        key = bytes(range(32))

        def bring_in(session: Any) -> None:
            session.create_object(
                {
                    pkcs11.Attribute.CLASS: pkcs11.ObjectClass.SECRET_KEY,
                    pkcs11.Attribute.KEY_TYPE: pkcs11.KeyType.AES,
                    pkcs11.Attribute.VALUE: key,
                    pkcs11.Attribute.LABEL: where.label,
                    pkcs11.Attribute.TOKEN: True,
                    pkcs11.Attribute.SENSITIVE: True,
                    pkcs11.Attribute.EXTRACTABLE: False,
                    pkcs11.Attribute.ENCRYPT: True,
                    pkcs11.Attribute.DECRYPT: True,
                }
            )

        open_token(where.place).make("a key", bring_in)
        cipher = open_token_cipher(where)
        nonce = bytes(range(12))
        sealed = cipher.encrypt(nonce, SECRET, b"bound")
        assert sealed == AESGCM(key).encrypt(nonce, SECRET, b"bound")
        with pytest.raises(InvalidTag):
            cipher.decrypt(nonce, sealed, b"other")

    def test_many_threads_may_seal_at_once(self, where: KeyInToken) -> None:
        make_token_cipher(where)
        sealer = open_sealing_keys([where], ORIGIN, os.urandom, first_start=False)

        def work(hand: int) -> bool:
            return sealer.unseal(GAME, hand, sealer.seal(GAME, hand, SECRET)) == SECRET

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(200)))


class TestSigning:
    def test_signs_notes_that_hold(self, where: KeyInToken) -> None:
        made = make_log_key(where, ORIGIN, os.urandom)
        signer = open_log_key(where, ORIGIN, os.urandom, first_start=False)
        assert str(signer.verifier) == str(made.verifier)
        note = sign_note("text\n", [signer])
        assert open_note(note.encode(), [made.verifier]).verified
        assert sign_note("text\n", [signer]) == note

    def test_is_of_one_origin_for_ever(self, where: KeyInToken) -> None:
        make_log_key(where, ORIGIN, os.urandom)
        with pytest.raises(StoreError, match=rf"{where.label} is of the origin '{ORIGIN}'") as told:
            open_log_key(where, "other.example", os.urandom, first_start=False)
        assert told.value.reason is Reason.KEY_OF_ANOTHER_ORIGIN

    def test_a_key_without_an_origin_is_refused(self, where: KeyInToken) -> None:
        make_token_signer(where, ORIGIN)
        pkcs11 = library()

        def rename(session: Any) -> None:
            key = session.get_key(pkcs11.ObjectClass.PRIVATE_KEY, label=where.label)
            key[pkcs11.Attribute.ID] = b"\xff\xfe"

        open_token(where.place).make("a key", rename)
        with pytest.raises(StoreError, match="CKA_ID") as told:
            open_token_signer(where)
        assert told.value.reason is Reason.KEY_MALFORMED

    def test_a_signature_that_does_not_hold_never_leaves(
        self, where: KeyInToken, token: SoftToken, name: str
    ) -> None:
        signer = make_token_signer(where, ORIGIN)
        other = make_token_signer(place(token.uri(f"{name}-other")), ORIGIN)
        object.__setattr__(signer, "public", verify_key(other.public.raw))
        with pytest.raises(StoreError, match="do not hold") as told:
            signer.sign(b"message")
        assert told.value.reason is Reason.KEY_MALFORMED


class TestKeeping:
    @pytest.mark.parametrize("kind", ["SECRET_KEY", "PRIVATE_KEY"])
    def test_no_made_key_leaves_its_token(self, where: KeyInToken, kind: str) -> None:
        make_token_cipher(where) if kind == "SECRET_KEY" else make_token_signer(where, ORIGIN)
        pkcs11 = library()

        def look(session: Any) -> Any:
            key = session.get_key(pkcs11.ObjectClass[kind], label=where.label)
            assert key[pkcs11.Attribute.SENSITIVE]
            assert not key[pkcs11.Attribute.EXTRACTABLE]
            with pytest.raises(pkcs11.AttributeSensitive):
                _ = key[pkcs11.Attribute.VALUE]

        open_token(where.place).make("a key", look)

    def test_a_key_that_the_token_gives_away_is_refused(self, where: KeyInToken) -> None:
        pkcs11 = library()

        def generate(session: Any) -> None:
            loose = {pkcs11.Attribute.EXTRACTABLE: True}
            session.generate_key(
                pkcs11.KeyType.AES, 256, label=where.label, store=True, template=loose
            )

        open_token(where.place).make("a key", generate)
        with pytest.raises(StoreError, match="not extractable") as told:
            open_token_cipher(where)
        assert told.value.reason is Reason.KEY_EXPOSED

    def test_a_shorter_key_is_refused(self, where: KeyInToken) -> None:
        pkcs11 = library()
        open_token(where.place).make(
            "a key",
            lambda session: session.generate_key(
                pkcs11.KeyType.AES, 128, label=where.label, store=True
            ),
        )
        with pytest.raises(StoreError, match="no AES key of 256 bits") as told:
            open_token_cipher(where)
        assert told.value.reason is Reason.KEY_MALFORMED

    def test_a_key_is_made_once(self, where: KeyInToken) -> None:
        made = make_token_cipher(where)
        for again in (
            lambda: make_token_cipher(where),
            lambda: make_token_signer(where, ORIGIN),
        ):
            with pytest.raises(StoreError, match="there already") as told:
                again()
            assert told.value.reason is Reason.KEY_EXISTS
        assert open_token_cipher(where).key_id == made.key_id


class TestTrouble:
    def test_a_token_that_was_gone_is_used_again(self, token: SoftToken, where: KeyInToken) -> None:
        cipher = make_token_cipher(where)
        signer = make_token_signer(place(token.uri(f"{where.label}-log")), ORIGIN)
        sealed = cipher.encrypt(bytes(12), SECRET, b"")
        token.take_away()
        try:
            for use, given in (
                (cipher.encrypt, (bytes(12), SECRET, b"")),
                (cipher.decrypt, (bytes(12), sealed, b"")),
                (signer.sign, (b"message",)),
            ):
                with pytest.raises(StoreError, match=where.label) as told:
                    cast("Any", use)(*given)
                assert told.value.reason is Reason.KEY_UNREACHABLE
                assert PIN not in str(told.value)
                assert told.value.__cause__ is None
        finally:
            token.bring_back()
        assert cipher.decrypt(bytes(12), sealed, b"") == SECRET
        assert signer.public.verifies(signer.sign(b"message"), b"message")

    def test_a_session_that_was_closed_is_opened_again(self, where: KeyInToken) -> None:
        """As after the token's own machine was started again, without anybody noticing."""
        cipher = make_token_cipher(where)
        sealed = cipher.encrypt(bytes(12), SECRET, b"")
        library().lib(str(where.place.module)).reinitialize()
        assert cipher.decrypt(bytes(12), sealed, b"") == SECRET

    def test_a_key_that_is_not_there_is_named(self, where: KeyInToken) -> None:
        for look in (open_token_cipher, open_token_signer):
            with pytest.raises(StoreError, match=rf"{where.label}.*keys make") as told:
                look(where)
            assert told.value.reason is Reason.KEY_MISSING

    def test_a_token_that_is_not_there_is_named(self, token: SoftToken, name: str) -> None:
        with pytest.raises(StoreError, match=r"token=elsewhere.*NoSuchToken") as told:
            open_token_cipher(place(token.uri(name, token="elsewhere")))
        assert told.value.reason is Reason.KEY_UNREACHABLE

    def test_a_module_that_is_not_there_is_told(self, token: SoftToken, name: str) -> None:
        with pytest.raises(StoreError) as told:
            open_token_cipher(place(token.uri(name, module="/nowhere/module.so")))
        assert told.value.reason is Reason.KEY_UNREACHABLE

    def test_a_wrong_pin_is_tried_once_and_not_told(
        self, token: SoftToken, name: str, tmp_path: Path
    ) -> None:
        """A token locks itself after a few."""
        wrong = tmp_path / "pin"
        wrong.touch(0o600)
        wrong.write_text("99990000\n")
        where = place(token.uri(name, pin=str(wrong)))
        open_token(place(token.uri(name)).place).close()
        for _ in range(2):
            with pytest.raises(StoreError, match="PinIncorrect") as told:
                open_token_cipher(where)
            assert "99990000" not in str(told.value)

    def test_a_pin_that_others_may_read_is_refused(
        self, token: SoftToken, name: str, tmp_path: Path
    ) -> None:
        loose = tmp_path / "pin"
        loose.write_text(PIN)
        loose.chmod(0o644)
        with pytest.raises(StoreError, match=r"PIN file.*0644") as told:
            open_token_cipher(place(token.uri(name, pin=str(loose))))
        assert told.value.reason is Reason.KEY_FILE_EXPOSED

    def test_without_the_library_the_extra_is_named(
        self, token: SoftToken, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setitem(sys.modules, "pkcs11", None)
        pin = tmp_path / "unused"
        with pytest.raises(StoreError, match=r"pip install 'cutcard\[hsm\]'"):
            open_token_cipher(place(token.uri(name, pin=str(pin))))

    def test_nothing_shows_the_pin(self, where: KeyInToken) -> None:
        cipher = make_token_cipher(where)
        cipher.encrypt(bytes(12), SECRET, b"")
        shown = repr(cipher) + repr(where) + str(where) + repr(vars(open_token(where.place)))
        assert PIN not in shown
