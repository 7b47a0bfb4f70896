"""The server's certificate: read whole, judged before it is shown to anybody, and renewed.

A certificate that is taken is the leaf of a chain in order, fits its key, and is valid now; its
key's file is its owner's alone. Files are looked at again at each handshake, which is when a new
certificate matters: when they have changed and are good they are taken; when they are not, the old
ones stay in use, and what is wrong is logged once.
"""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Final

import structlog
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from dealer_service.access.refusal import AccessError
from dealer_service.config import Tls

MAX_FILE_BYTES: Final = 1024 * 1024
SOON: Final = timedelta(days=14)
"""A certificate that has no longer left is told of when it is read."""

_log = structlog.get_logger("access")

Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class Certificates:
    """A chain and its key, and the CA that callers' certificates must be of; all in PEM."""

    chain: bytes
    key: bytes = field(repr=False)
    client_ca: bytes | None
    expires: datetime


def read_certificates(tls: Tls, now: datetime) -> Certificates:
    """Read the files and judge them; AccessError says all that is wrong with them."""
    faults: list[str] = []

    def tried(read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except AccessError as error:
            faults.append(str(error))
            return b""

    chain = tried(lambda: _read(tls.certificate, "certificate"))
    key = tried(lambda: _read(tls.key, "certificate's key", private=True))
    client_ca = None
    if tls.client_ca is not None:
        client_ca = tried(lambda: _read(tls.client_ca or Path(), "client CA"))
    if faults:
        raise AccessError("; ".join(faults))
    leaf = _judge_chain(tls.certificate, chain, now)
    _judge_key(tls, leaf, key)
    if client_ca is not None:
        _load(tls.client_ca or Path(), client_ca)
    return Certificates(chain, key, client_ca, leaf.not_valid_after_utc)


class Renewing:
    """The certificates in use; `look` says when others are to be used from now on."""

    def __init__(self, tls: Tls, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._tls = tls
        self._now = now
        self._seen = _stamp(tls)
        self.current = read_certificates(tls, now())
        self._tell_taken()

    def look(self) -> Certificates | None:
        """Give the certificates of files that have changed and are good; else None."""
        stamp = _stamp(self._tls)
        if stamp == self._seen:
            return None
        self._seen = stamp
        try:
            self.current = read_certificates(self._tls, self._now())
        except AccessError as error:
            _log.error("certificate_not_taken", reason=str(error), keeps_until=self._until())
            return None
        self._tell_taken()
        return self.current

    def _tell_taken(self) -> None:
        _log.info("certificate_taken", valid_until=self._until())
        if self.current.expires - self._now() < SOON:
            _log.warning("certificate_expires_soon", valid_until=self._until())

    def _until(self) -> str:
        return self.current.expires.isoformat()


def _stamp(tls: Tls) -> Stamp:
    return tuple(
        _stamp_of(path) for path in (tls.certificate, tls.key, tls.client_ca) if path is not None
    )


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _read(path: Path, what: str, *, private: bool = False) -> bytes:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if private and mode & 0o077:
                message = (
                    f"the {what} {path} has mode {mode:04o}, and others than its owner may have "
                    f"no right to it: chmod 600 {path}"
                )
                raise AccessError(message)
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        message = f"the {what} {path} can not be read: {error.strerror}"
        raise AccessError(message) from error
    if len(content) > MAX_FILE_BYTES:
        message = f"the {what} {path} is over {MAX_FILE_BYTES} bytes"
        raise AccessError(message)
    return content


def _load(path: Path, content: bytes) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(content)
    except ValueError as error:
        message = f"{path} holds no certificates in PEM"
        raise AccessError(message) from error


def _judge_chain(path: Path, content: bytes, now: datetime) -> x509.Certificate:
    certificates = _load(path, content)
    for below, above in pairwise(certificates):
        try:
            below.verify_directly_issued_by(above)
        except (ValueError, TypeError, InvalidSignature) as error:
            message = (
                f"the certificates in {path} are no chain: the server's own comes first, and each "
                "is issued by the next"
            )
            raise AccessError(message) from error
    for each in certificates:
        if now >= each.not_valid_after_utc:
            message = f"a certificate in {path} expired at {each.not_valid_after_utc.isoformat()}"
            raise AccessError(message)
        if now < each.not_valid_before_utc:
            since = each.not_valid_before_utc.isoformat()
            message = f"a certificate in {path} is not valid before {since}"
            raise AccessError(message)
    return certificates[0]


def _judge_key(tls: Tls, leaf: x509.Certificate, content: bytes) -> None:
    try:
        key = load_pem_private_key(content, password=None)
    except TypeError as error:
        message = f"the certificate's key {tls.key} is behind a password: the dealer needs it bare"
        raise AccessError(message) from error
    except ValueError as error:
        message = f"the certificate's key {tls.key} is no private key in PEM"
        raise AccessError(message) from error
    if not isinstance(key, EllipticCurvePrivateKey | RSAPrivateKey):
        message = f"the certificate's key {tls.key} is neither an EC nor an RSA key"
        raise AccessError(message)
    mine, its = (
        one.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        for one in (key.public_key(), leaf.public_key())
    )
    if mine != its:
        message = f"the key {tls.key} is not the key of the certificate {tls.certificate}"
        raise AccessError(message)
