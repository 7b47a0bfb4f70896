"""URIs of keys: what each part means, and what is refused without telling a value."""

from pathlib import Path

import pytest

from dealer_service.store.key_uri import (
    KeyFile,
    KeyInToken,
    KeyVariable,
    TokenPlace,
    parse_key_uri,
)
from dealer_service.store.refusal import Reason, StoreError

TOKEN = "pkcs11:token=My%20token;object=a%3Bkey?module-path=/usr/lib/m.so&pin-source=file:/etc/pin"


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:/etc/keys/log.key", "/etc/keys/log.key"),
        ("file:keys/log.key", "keys/log.key"),
        ("file:/a%20b", "/a b"),
    ],
)
def test_a_file_is_named_by_its_path(uri: str, path: str) -> None:
    assert parse_key_uri(uri) == KeyFile(Path(path))


def test_a_variable_is_named_by_its_name() -> None:
    assert parse_key_uri("env:LOG_KEY_1") == KeyVariable("LOG_KEY_1")
    assert str(parse_key_uri("env:LOG_KEY_1")) == "env:LOG_KEY_1"


def test_a_key_in_a_token_is_named_by_rfc_7512() -> None:
    place = TokenPlace(Path("/usr/lib/m.so"), "My token", "", Path("/etc/pin"))
    assert parse_key_uri(TOKEN) == KeyInToken(place, "a;key")


@pytest.mark.parametrize(
    "uri",
    [
        "pkcs11:serial=4f2a;object=k?module-path=/m.so&pin-source=/etc/pin",
        "pkcs11:object=k;type=private;serial=4f2a?pin-source=file:///etc/pin&module-path=/m.so",
    ],
)
def test_parts_may_stand_in_any_order_and_the_pin_be_a_path(uri: str) -> None:
    place = TokenPlace(Path("/m.so"), "", "4f2a", Path("/etc/pin"))
    assert parse_key_uri(uri) == KeyInToken(place, "k")


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("", "none of file:PATH, env:NAME and pkcs11"),
        ("/etc/log.key", "none of file:PATH"),
        ("file:", "none of file:PATH"),
        ("file://host/path", "none of file:PATH"),
        ("env:", "env:NAME"),
        ("env:1A", "env:NAME"),
        ("env:A=secret", "env:NAME"),
        ("https://example.com", "none of file:PATH"),
        ("pkcs11:object=k?module-path=/m&pin-source=/p", "names no token"),
        ("pkcs11:token=t?module-path=/m&pin-source=/p", "names no key"),
        ("pkcs11:token=t;object=k?pin-source=/p", "names no module"),
        ("pkcs11:token=t;object=k?module-path=/m", "names no file that holds the PIN"),
        ("pkcs11:token=t;object=k?module-path=/m&pin-source=|cat", "names no file"),
        ("pkcs11:token=t;object=k?module-path=/m&pin-source=file:pin", "names no file"),
        ("pkcs11:token=t;object=k;type=cert?module-path=/m&pin-source=/p", "its type is neither"),
        ("pkcs11:token=t;object=k;object=l?module-path=/m&pin-source=/p", "comes twice"),
        ("pkcs11:token=t;object=k;id=%01?module-path=/m&pin-source=/p", "none of object, serial"),
        ("pkcs11:token=t;object=k?module-name=m&pin-source=/p", "module-path="),
    ],
)
def test_what_names_no_key_is_refused(uri: str, words: str) -> None:
    with pytest.raises(StoreError, match=words.replace("|", r"\|")) as told:
        parse_key_uri(uri)
    assert told.value.reason is Reason.KEY_URI_WRONG


def test_a_pin_in_the_uri_is_refused_with_what_to_do_and_not_told() -> None:
    uri = "pkcs11:token=t;object=k?module-path=/m&pin-value=83120457"
    with pytest.raises(StoreError, match="pin-source=file:PATH") as told:
        parse_key_uri(uri)
    assert "83120457" not in str(told.value)


def test_what_is_shown_of_a_key_in_a_token_is_no_more_than_its_name() -> None:
    found = parse_key_uri(TOKEN)
    assert str(found) == "pkcs11:token=My token;object=a;key"
    assert "/etc/pin" not in repr(found)
