"""Keys that sign plans: their file, their notes, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from audit_cli.rng.signing import (
    SigningError,
    make_key,
    open_signed,
    parse_key,
    read_key,
    read_text,
    sign,
    write_key,
)

if TYPE_CHECKING:
    from pathlib import Path

# The example of Go's golang.org/x/mod/sumdb/note documentation.
GO_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
)
GO_NOTE = GO_TEXT + (
    "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdng"
    "otpRZb6KE6RyyBwJnAM=\n"
)

KEY = make_key("lab.example", bytes(range(32)))


def test_a_key_of_gos_tools_is_read_and_signs_as_they_do() -> None:
    key = parse_key(GO_KEY + "\n")
    assert key.verifier.text == GO_VKEY
    assert key.text == GO_KEY
    assert sign(GO_TEXT, key) == GO_NOTE


def test_what_is_signed_is_opened_by_its_key_alone() -> None:
    note = sign("a plan\n", KEY)
    assert open_signed(note, KEY.verifier.text) == "a plan\n"
    assert read_text(note.encode()) == "a plan\n"
    with pytest.raises(SigningError, match=r"not signed by PeterNeumann\+c74f20a3"):
        open_signed(note, GO_VKEY)


def test_a_changed_text_is_not_opened() -> None:
    with pytest.raises(SigningError, match="does not hold"):
        open_signed(sign("a plan\n", KEY).replace("plan", "plot"), KEY.verifier.text)


@pytest.mark.parametrize("note", ["", "text\n", "text\n\n", "text\n\n— lab.example\n"])
def test_what_is_no_note_is_not_opened(note: str) -> None:
    with pytest.raises(SigningError, match="not a signed note"):
        open_signed(note, KEY.verifier.text)
    with pytest.raises(SigningError, match="not a signed note"):
        read_text(note)


def test_a_verifier_key_that_is_none_is_told() -> None:
    with pytest.raises(SigningError, match="not a verifier key"):
        open_signed(sign("a plan\n", KEY), "lab.example")


@pytest.mark.parametrize("text", ["no newline", "", "a\tb\n"])
def test_what_a_note_can_not_hold_is_not_signed(text: str) -> None:
    with pytest.raises(SigningError, match="can not hold"):
        sign(text, KEY)


@pytest.mark.parametrize("name", ["", "two words", "a+b"])
def test_a_name_that_notes_do_not_allow_names_no_key(name: str) -> None:
    with pytest.raises(SigningError, match="can not name a key"):
        make_key(name, bytes(32))


def test_a_private_key_has_32_bytes() -> None:
    with pytest.raises(SigningError, match="31 bytes"):
        make_key("lab", bytes(31))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a signing key"),
        (GO_VKEY, "not a signing key"),
        ("PRIVATE+KEY+PeterNeumann", "not a signing key"),
        (GO_KEY.replace("AYEK", "AoEK"), "not an Ed25519"),
        (GO_KEY[:-4], "not an Ed25519"),
        (GO_KEY + "=", "not an Ed25519"),
        (GO_KEY.replace("c74f20a3", "c74f20a4"), "not of its name and key"),
        (GO_KEY.replace("Peter", "Paula"), "not of its name and key"),
    ],
)
def test_a_text_that_is_no_key_is_refused_without_its_bytes(text: str, why: str) -> None:
    with pytest.raises(SigningError, match=why) as refused:
        parse_key(text)
    assert "AYEK" not in f"{refused.value} {refused.value.hint}"


def test_a_key_is_not_shown_with_its_secret() -> None:
    assert KEY.seed.hex() not in repr(KEY)
    assert repr(KEY.seed) not in repr(KEY)


def test_a_key_file_is_its_owners_alone_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "lab.key"
    write_key(path, KEY)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_key(path) == KEY
    with pytest.raises(SigningError, match="file exists"):
        write_key(path, make_key("other", bytes(32)))
    assert read_key(path) == KEY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "lab.key"
    write_key(path, KEY)
    path.chmod(mode)
    with pytest.raises(SigningError, match="others can read") as refused:
        read_key(path)
    assert "chmod 600" in refused.value.hint


def test_a_file_that_is_no_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lab.key"
    for data in (b"", b"hello\n", b"\xff\xfe"):
        path.write_bytes(data)
        path.chmod(0o600)
        with pytest.raises(SigningError, match=r"lab\.key"):
            read_key(path)
    with pytest.raises(SigningError, match="no such file"):
        read_key(tmp_path / "none.key")
