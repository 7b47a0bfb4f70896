"""Certificates made for a test: a CA, and what it issues for servers and for callers."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from dealer_service.config import Tls

Key = Any


def pem_of(key: Key) -> bytes:
    """Write a private key in PEM."""
    pem: bytes = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem


def write_private(path: Path, content: bytes) -> Path:
    """Write a file that is its owner's alone."""
    path.write_bytes(content)
    path.chmod(0o600)
    return path


@dataclass(frozen=True)
class Issued:
    """A certificate in PEM, with its key."""

    chain: bytes
    key: bytes

    def write(self, folder: Path, client_ca: Path | None = None) -> Tls:
        """Write both into a folder, over what is there."""
        folder.mkdir(exist_ok=True)
        (folder / "cert.pem").write_bytes(self.chain)
        write_private(folder / "key.pem", self.key)
        return Tls(folder / "cert.pem", folder / "key.pem", client_ca)


class Authority:
    """A CA, with its own certificate in PEM."""

    def __init__(self, name: str = "CA") -> None:
        self.name = name
        self.key: Key = generate_private_key(SECP256R1())
        own = self._build(name, self.key.public_key(), is_ca=True)
        self.pem = own.public_bytes(Encoding.PEM)

    def issue(
        self,
        name: str = "dealer",
        *,
        key: Key | None = None,
        begins: timedelta = timedelta(days=-1),
        ends: timedelta = timedelta(days=90),
    ) -> Issued:
        """Issue a certificate for localhost and 127.0.0.1."""
        key = key or generate_private_key(SECP256R1())
        certificate = self._build(name, key.public_key(), begins=begins, ends=ends)
        return Issued(certificate.public_bytes(Encoding.PEM), pem_of(key))

    def _build(
        self,
        name: str,
        public: Any,
        *,
        is_ca: bool = False,
        begins: timedelta = timedelta(days=-1),
        ends: timedelta = timedelta(days=90),
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        alternative = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, self.name)]))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + begins)
            .not_valid_after(now + ends)
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(alternative), critical=False)
        )
        return builder.sign(self.key, SHA256())
