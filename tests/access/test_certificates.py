"""Which certificate a server takes, and what it says of one that it does not take."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)
from structlog.testing import capture_logs

from dealer_service.access.certificates import Certificates, Renewing, read_certificates
from dealer_service.access.refusal import AccessError
from dealer_service.config import Tls
from tests.support.certificates import Authority, Issued, write_private

CA = Authority()
GOOD = CA.issue()


def read(tls: Tls) -> Certificates:
    return read_certificates(tls, datetime.now(UTC))


def test_a_chain_in_order_with_its_key_is_taken(tmp_path: Path) -> None:
    tls = Issued(GOOD.chain + CA.pem, GOOD.key).write(tmp_path)
    taken = read(tls)
    assert (taken.chain, taken.key, taken.client_ca) == (GOOD.chain + CA.pem, GOOD.key, None)
    assert GOOD.key.decode() not in repr(taken)


def encrypted() -> Issued:
    key = generate_private_key(SECP256R1())
    hidden = BestAvailableEncryption(b"password")
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, hidden)
    return Issued(CA.issue(key=key).chain, pem)


DAY = timedelta(days=1)
FAULTS = {
    "another key": (Issued(GOOD.chain, CA.issue().key), "is not the key of the certificate"),
    "no key": (Issued(GOOD.chain, b"key"), "no private key in PEM"),
    "a key behind a password": (encrypted(), "behind a password"),
    "a key of another kind": (CA.issue(key=Ed25519PrivateKey.generate()), "neither an EC nor"),
    "no certificate": (Issued(b"certificate", GOOD.key), "no certificates in PEM"),
    "nothing": (Issued(b"", GOOD.key), "no certificates in PEM"),
    "a chain the wrong way round": (Issued(CA.pem + GOOD.chain, GOOD.key), "are no chain"),
    "a stranger in the chain": (Issued(GOOD.chain + Authority().pem, GOOD.key), "are no chain"),
    "expired": (CA.issue(begins=-9 * DAY, ends=-DAY), "expired at 2"),
    "not valid yet": (CA.issue(begins=DAY), "is not valid before 2"),
    "too large": (Issued(b" " * 2_000_000, GOOD.key), "is over 1048576 bytes"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_can_not_be_shown_is_refused_in_words(tmp_path: Path, name: str) -> None:
    issued, words = FAULTS[name]
    with pytest.raises(AccessError, match=words):
        read(issued.write(tmp_path))


def test_all_files_that_can_not_be_read_are_named_at_once(tmp_path: Path) -> None:
    tls = Tls(tmp_path / "cert.pem", tmp_path / "key.pem", tmp_path / "ca.pem")
    with pytest.raises(AccessError) as caught:
        read(tls)
    for name in ("cert.pem", "key.pem", "ca.pem"):
        assert f"{tmp_path / name} can not be read: No such file" in str(caught.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    tls = GOOD.write(tmp_path)
    tls.key.chmod(mode)
    with pytest.raises(AccessError, match=f"mode 0{mode:o}.*chmod 600"):
        read(tls)


def test_a_client_ca_that_holds_no_certificate_is_refused(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_bytes(b"nothing")
    with pytest.raises(AccessError, match=r"ca\.pem holds no certificates"):
        read(GOOD.write(tmp_path, ca))


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    renewing = Renewing(GOOD.write(tmp_path))
    assert renewing.look() is None
    assert renewing.current.chain == GOOD.chain


def test_what_has_changed_is_taken(tmp_path: Path) -> None:
    renewing, other = Renewing(GOOD.write(tmp_path)), CA.issue()
    other.write(tmp_path)
    taken = renewing.look()
    assert taken is not None
    assert taken is renewing.current
    assert taken.chain == other.chain
    assert renewing.look() is None


@pytest.mark.parametrize("name", FAULTS)
def test_new_files_that_are_no_use_leave_the_old_ones_in_use_and_are_told_of_once(
    tmp_path: Path, name: str
) -> None:
    renewing = Renewing(GOOD.write(tmp_path))
    FAULTS[name][0].write(tmp_path)
    with capture_logs() as told:
        assert renewing.look() is None
        assert renewing.look() is None
    assert [each["event"] for each in told] == ["certificate_not_taken"]
    assert renewing.current.chain == GOOD.chain
    # A good one after that is taken all the same.
    CA.issue().write(tmp_path)
    assert renewing.look() is not None


def test_files_that_come_one_after_the_other_are_taken_when_they_fit(tmp_path: Path) -> None:
    tls = GOOD.write(tmp_path)
    renewing, other = Renewing(tls), CA.issue()
    tls.certificate.write_bytes(other.chain)
    assert renewing.look() is None
    write_private(tls.key, other.key)
    taken = renewing.look()
    assert taken is not None
    assert taken.chain == other.chain


def test_a_file_that_is_gone_leaves_the_old_certificate_in_use(tmp_path: Path) -> None:
    tls = GOOD.write(tmp_path)
    renewing = Renewing(tls)
    tls.key.unlink()
    with capture_logs() as told:
        assert renewing.look() is None
    assert "can not be read" in told[0]["reason"]


def test_a_certificate_that_expires_soon_is_told_of(tmp_path: Path) -> None:
    with capture_logs() as told:
        Renewing(CA.issue(ends=10 * DAY).write(tmp_path))
    assert [each["event"] for each in told] == ["certificate_taken", "certificate_expires_soon"]
