"""Keys of a JWK set in a file or at a URL: read again when it changes, kept when that fails."""

import threading
from collections.abc import Callable, Iterator
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from dealer_service.access.key_set import MAX_SET_BYTES, VerifyingKey
from dealer_service.access.key_sources import (
    FETCH_SECONDS,
    JwkFile,
    JwkKeys,
    JwkSource,
    JwkUrl,
    OwnKeys,
    Pace,
    open_token_keys,
    own_key,
)
from dealer_service.access.refusal import AccessError
from dealer_service.access.tokens import TokenKey
from dealer_service.config import TokenRules
from dealer_service.fetching import read_until
from tests.support.certificates import Authority
from tests.support.https import Site, serving_https
from tests.support.jwt_keys import ED25519, P256, RSA_2048, jwks, public_jwk

SECONDS = 30
ORIGIN = "dealer.example.com"
OWN: VerifyingKey = own_key(TokenKey(ED25519), ORIGIN)
ONE = jwks(public_jwk(P256, kid="one"))
TWO = jwks(public_jwk(P256, kid="one"), public_jwk(RSA_2048, kid="two"))
ONLY_TWO = jwks(public_jwk(RSA_2048, kid="two"))
AT_ONCE = Pace(every=3600, least=0, after_failure=3600)
"""Reads when it is asked to, and never by itself."""
CA = Authority()


class Told:
    """Lets a test wait for what the reading thread has done."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.readings = 0

    def __call__(self) -> None:
        with self._changed:
            self.readings += 1
            self._changed.notify_all()

    def until(self, holds: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(holds, SECONDS)


def keys_of(
    source: JwkSource, pace: Pace = AT_ONCE, told: Callable[[], None] = lambda: None
) -> JwkKeys:
    return JwkKeys(source, (OWN,), issuer=ORIGIN, audience="cutcard", pace=pace, told=told)


def names(keys: JwkKeys | OwnKeys) -> list[str]:
    """Give the names of the keys besides the dealer's own."""
    return [key.kid for key in keys.current.keys if key != OWN]


def read_again(keys: JwkKeys) -> None:
    reading = keys.refresh()
    assert reading is not None
    reading.result(SECONDS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "keys.json"
    path.write_bytes(ONE)
    return path


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Return an https site whose CA the machine trusts."""
    ca = tmp_path / "ca.pem"
    ca.write_bytes(CA.pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(ca))
    with serving_https(CA.issue(), tmp_path / "site") as running:
        running.content = ONE
        yield running


@pytest.fixture(params=["file", "https"])
def publish(request: Any, tmp_path: Path) -> Iterator[tuple[JwkSource, Callable[[bytes], None]]]:
    """Return a source, and a function that publishes what stands there from now on."""
    if request.param == "file":
        path = tmp_path / "keys.json"
        path.write_bytes(ONE)
        yield JwkFile(path), lambda content: _replace(path, content)
    else:
        running: Site = request.getfixturevalue("site")
        yield JwkUrl(running.url), lambda content: setattr(running, "content", content)


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_suffix(".new")
    draft.write_bytes(content)
    draft.replace(path)


Published = tuple[JwkSource, Callable[[bytes], None]]


def test_keys_come_and_go_as_the_set_has_them(publish: Published) -> None:
    source, put = publish
    keys = keys_of(source)
    keys.start(must_be_there=True)
    assert names(keys) == ["one"]
    put(TWO)
    read_again(keys)
    assert names(keys) == ["one", "two"]
    put(ONLY_TWO)
    read_again(keys)
    assert names(keys) == ["two"]
    assert OWN in keys.current.keys
    keys.close()


@pytest.mark.parametrize("content", [b"", b"{}", jwks(), b"{" * 1000, b" " * (MAX_SET_BYTES + 9)])
def test_a_set_that_can_not_be_read_leaves_the_last_good_one(
    publish: Published, content: bytes
) -> None:
    source, put = publish
    keys = keys_of(source)
    keys.start(must_be_there=True)
    put(content)
    with capture_logs() as told:
        read_again(keys)
    assert names(keys) == ["one"]
    assert [(each["event"], each["keeps"]) for each in told] == [("token_keys_unread", 1)]
    put(TWO)
    read_again(keys)
    assert names(keys) == ["one", "two"]
    keys.close()


def test_a_set_is_read_on_schedule_without_being_asked_to(publish: Published) -> None:
    source, put = publish
    told = Told()
    keys = keys_of(source, Pace(every=0.01, least=0, after_failure=0.01), told)
    keys.start(must_be_there=True)
    put(TWO)
    told.until(lambda: names(keys) == ["one", "two"])
    put(ONLY_TWO)
    told.until(lambda: names(keys) == ["two"])
    keys.close()


def test_after_a_failure_it_is_tried_again_by_itself(publish: Published) -> None:
    source, put = publish
    put(b"")
    told = Told()
    keys = keys_of(source, Pace(every=3600, least=0, after_failure=0.01), told)
    keys.start(must_be_there=False)
    assert not keys.current.is_whole
    told.until(lambda: told.readings >= 3)
    put(ONE)
    told.until(lambda: names(keys) == ["one"])
    assert keys.current.is_whole
    keys.close()


def test_after_failures_the_pause_doubles_up_to_the_schedule(file: Path) -> None:
    keys = keys_of(JwkFile(file), Pace(every=300, least=10, after_failure=5))
    pauses = []
    for failures in range(9):
        keys._failures = failures
        pauses.append(keys._pause())
    assert pauses == [300, 5, 10, 20, 40, 80, 160, 300, 300]


def test_it_is_not_read_more_often_than_the_least_interval(file: Path) -> None:
    keys = keys_of(JwkFile(file), Pace(every=3600, least=3600, after_failure=3600))
    keys.start(must_be_there=True)
    assert keys.refresh() is None
    keys.close()


def test_all_who_ask_while_it_is_read_wait_for_the_same_reading(site: Site) -> None:
    keys = keys_of(JwkUrl(site.url))
    keys.start(must_be_there=True)
    site.release.clear()
    readings = [keys.refresh() for _ in range(100)]
    assert readings[0] is not None
    assert all(one is readings[0] for one in readings)
    site.release.set()
    readings[0].result(SECONDS)
    assert site.asked == 2
    keys.close()


def test_who_waits_when_it_is_closed_is_let_go(site: Site) -> None:
    keys = keys_of(JwkUrl(site.url))
    keys.start(must_be_there=True)
    site.release.clear()
    reading = keys.refresh()
    assert reading is not None
    keys.close()
    site.release.set()
    reading.result(SECONDS)
    assert keys.refresh() is None


def test_what_is_passed_over_is_told(file: Path) -> None:
    file.write_bytes(jwks(public_jwk(P256, kid="one"), {"kty": "oct", "k": "c2VjcmV0"}))
    keys = keys_of(JwkFile(file))
    with capture_logs() as told:
        keys.start(must_be_there=True)
    keys.close()
    assert [each["event"] for each in told] == ["token_key_passed_over", "token_keys_read"]
    assert "c2VjcmV0" not in str(told)


def test_a_file_that_is_not_there_is_refused_at_the_start(tmp_path: Path) -> None:
    rules = TokenRules(jwks=str(tmp_path / "none.json"))
    with pytest.raises(AccessError, match=r"none\.json can not be read: No such file"):
        open_token_keys(rules, TokenKey(ED25519), ORIGIN)


def test_a_url_that_does_not_answer_does_not_stop_the_start() -> None:
    keys = open_token_keys(TokenRules(jwks="http://127.0.0.1:9/jwks"), TokenKey(ED25519), ORIGIN)
    assert (names(keys), keys.current.is_whole) == ([], False)
    assert OWN in keys.current.keys
    keys.close()


def test_without_a_set_the_dealers_own_key_is_all() -> None:
    keys = open_token_keys(TokenRules(), TokenKey(ED25519), ORIGIN)
    assert (keys.current.keys, keys.current.is_whole) == ((OWN,), True)
    assert keys.refresh() is None


def test_keys_of_a_set_are_for_the_issuer_and_audience_of_the_settings(file: Path) -> None:
    for rules, expected in (
        (TokenRules(jwks=str(file)), (ORIGIN, "cutcard")),
        (TokenRules(str(file), "https://id.example", "poker"), ("https://id.example", "poker")),
    ):
        keys = open_token_keys(rules, None, ORIGIN)
        assert [(key.issuer, key.audience) for key in keys.current.keys] == [expected]
        keys.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://id.example/jwks",
        "http://10.0.0.1/jwks",
        "ftp://id.example/jwks",
        "file:///etc/passwd",
        "https:///jwks",
        "https://ann:secret@id.example/jwks",
        "https://[::1",
        "https://id.example:port/jwks",
    ],
)
def test_a_url_that_no_keys_may_come_from_is_refused(url: str) -> None:
    with pytest.raises(AccessError, match="https") as caught:
        JwkUrl(url)
    assert "secret" not in str(caught.value)


def test_plain_http_is_for_loopback_alone(tmp_path: Path) -> None:
    with serving_https(None, tmp_path) as site:
        site.content = ONE
        assert JwkUrl(f"http://127.0.0.1:{site.port}/jwks").read() == ONE


def test_a_site_whose_certificate_is_not_trusted_is_not_read(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    other.write_bytes(Authority("other").pem)
    monkeypatch.setenv("SSL_CERT_FILE", str(other))
    with pytest.raises(AccessError, match="CERTIFICATE_VERIFY_FAILED"):
        JwkUrl(site.url).read()
    assert site.asked == 0


@pytest.mark.parametrize("status", [301, 302, 307, 308, 403, 404, 500])
def test_neither_redirects_nor_errors_are_followed(site: Site, status: int) -> None:
    site.status = status
    site.headers = {"Location": site.url}
    with pytest.raises(AccessError, match=f"localhost can not be read: status {status}"):
        JwkUrl(f"{site.url}?key=hidden").read()
    assert site.asked == 1


def test_a_host_that_can_be_no_name_is_told_as_any_other_failure() -> None:
    with pytest.raises(AccessError, match=r"id\.\.example can not be read"):
        JwkUrl("https://id..example/jwks").read()


def test_a_site_that_gives_a_byte_at_a_time_is_not_waited_for() -> None:
    given = []

    class Dribbling(RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            given.append(b"{")
            buffer[:1] = b"{"
            return 1

    with pytest.raises(TimeoutError, match="not whole"):
        read_until(BufferedReader(Dribbling()), MAX_SET_BYTES, float("-inf"), FETCH_SECONDS)
    assert len(given) == 1


def test_what_a_url_says_beside_its_host_is_not_told(site: Site) -> None:
    site.status = 404
    with pytest.raises(AccessError) as caught:
        JwkUrl(f"{site.url}?key=hidden").read()
    assert "hidden" not in str(caught.value)
