"""Makes what compose.yaml mounts as secrets, for trying it out: keys, passwords, certificates.

    python setup.py FOLDER --origin dealer.example.com [--keep-owner]

What is there stays, so that it can be run again: remove FOLDER/tls for new certificates, and never
FOLDER/keys, which is the dealer's identity. Each secret is of mode 0600 and of the user whose
service reads it, which root alone can hand it to; with --keep-owner all stay with whoever runs
this. The key of the CA is kept nowhere: new certificates come with a new CA.
"""
# ruff: noqa: INP001, T201 - a script beside its configuration, in no package

import argparse
import os
import secrets
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DEALER: Final = 65532
POSTGRES: Final = 999
GRAFANA: Final = 472

NAMES: Final = {
    "dealer-a": ("dealer-a", DEALER),
    "dealer-b": ("dealer-b", DEALER),
    "postgres": ("postgres", POSTGRES),
    "envoy": ("envoy", DEALER),
}
"""Certificates: by whose file, the name besides localhost, and the user who reads the key."""

KEYS: Final = ("log.key", "sealing.key", "token.key")
DAYS: Final = 90


def main(arguments: list[str]) -> int:
    """Make what is missing, and say what was made."""
    parser = argparse.ArgumentParser(
        description="make keys, passwords and certificates to try with"
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--origin", default="localhost", help="the dealer's name, for ever")
    parser.add_argument("--keep-owner", action="store_true", help="hand nothing to other users")
    options = parser.parse_args(arguments)
    os.umask(0o077)
    made = Folder(options.folder, hand_over=not options.keep_owner)
    made.keys(options.origin)
    made.passwords()
    made.certificates()
    print(f"{options.folder}: for trying out; what was there already is as it was")
    return 0


class Folder:
    """The folder of secrets."""

    def __init__(self, path: Path, *, hand_over: bool) -> None:
        self._path = path
        self._hand_over = hand_over
        for each in (path, path / "keys", path / "tls"):
            each.mkdir(mode=0o755, parents=True, exist_ok=True)
            each.chmod(0o755)

    def keys(self, origin: str) -> None:
        """Have the dealer make its own keys, and those that are missing alone."""
        folder = self._path / "keys"
        command = [str(Path(sys.executable).with_name("cutcard-dealer")), "keys", "make"]
        if not (folder / "log.key").exists():
            command += ["--origin", origin]
        environ = {"PATH": os.environ.get("PATH", "")}
        subprocess.run(  # noqa: S603 - a command of our own
            [*command, "--directory", str(folder)], check=True, env=environ
        )
        for name in KEYS:
            self._give(folder / name, DEALER)

    def passwords(self) -> None:
        """Draw each password that is missing; for clients of PostgreSQL as a password file, too."""
        self._password("postgres", POSTGRES)
        self._password("grafana", GRAFANA)
        for name, role in (("owner", "cutcard_owner"), ("dealing", "dealing")):
            password = self._password(name, POSTGRES)
            self._write(
                self._path / f"{name}.pgpass", f"postgres:5432:cutcard:{role}:{password}\n", DEALER
            )

    def certificates(self) -> None:
        """Issue all certificates by a new CA, where one is missing."""
        folder = self._path / "tls"
        wanted = [folder / "ca.crt", *(folder / f"{name}.key" for name in NAMES)]
        if all(path.exists() for path in wanted):
            return
        ca_key = generate_private_key(SECP256R1())
        ca = _certificate("Cutcard, to try with", ca_key, ca_key, None)
        for name, (host, user) in NAMES.items():
            key = generate_private_key(SECP256R1())
            issued = _certificate(host, key, ca_key, ca)
            pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            self._write(folder / f"{name}.key", pem.decode(), user)
            self._write(folder / f"{name}.crt", _pem(issued) + _pem(ca), user, mode=0o644)
        self._write(folder / "ca.crt", _pem(ca), 0, mode=0o644)

    def _password(self, name: str, user: int) -> str:
        path = self._path / f"{name}.password"
        if not path.exists():
            self._write(path, secrets.token_urlsafe(24), user)
        return path.read_text("ascii").strip()

    def _write(self, path: Path, text: str, user: int, *, mode: int = 0o600) -> None:
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="ascii")
        path.chmod(mode)
        self._give(path, user)

    def _give(self, path: Path, user: int) -> None:
        if self._hand_over:
            os.chown(path, user, user)


def _certificate(
    name: str,
    key: EllipticCurvePrivateKey,
    by: EllipticCurvePrivateKey,
    issuer: x509.Certificate | None,
) -> x509.Certificate:
    """Issue one for a host by a CA, or without an issuer the CA's own."""
    now = datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    is_ca = issuer is None
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=DAYS))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=0 if is_ca else None), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), False)
        .add_extension(_usage(is_ca=is_ca), True)
    )
    if not is_ca:
        names = [
            x509.DNSName(name),
            x509.DNSName("localhost"),
            x509.IPAddress(ip_address("127.0.0.1")),
        ]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), False).add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False
        )
    return builder.sign(by, SHA256())


def _usage(*, is_ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_ca,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=is_ca,
        crl_sign=is_ca,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode("ascii")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
