"""What the bills of materials list: the software that runs, and the cryptography that it uses."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from cryptography.hazmat.backends.openssl import backend

from audit_cli.rng.certify.installed import check_records, reachable, read_installed

if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT: Final = "cutcard"
PYTHON: Final = "python"
OPENSSL: Final = "openssl"


@dataclass(frozen=True, slots=True)
class Component:
    """One piece of software: `needs` are the names of those that it rests on.

    `record` is the SHA-256 of its RECORD, "" for what has none; `distribution` tells whether it
    is a Python distribution.
    """

    name: str
    version: str
    licence: str
    summary: str
    needs: tuple[str, ...]
    record: str = ""
    listed: int = 0
    wrong: tuple[str, ...] = ()
    distribution: bool = True


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One cryptographic algorithm, in the words of CycloneDX 1.6 (`cryptoProperties`).

    `strength` in bits against a classical attacker; `quantum` is NIST's category, 0 for none.
    """

    name: str
    primitive: str
    parameter: str
    functions: tuple[str, ...]
    strength: int
    quantum: int
    use: str
    standard: str
    oid: str = ""
    mode: str = ""
    curve: str = ""


ALGORITHMS: Final = (
    Algorithm(
        "AES-256-CTR",
        "block-cipher",
        "256",
        ("encrypt",),
        256,
        5,
        "the block cipher of the generator, and its key stream",
        "FIPS 197, SP 800-38A",
        oid="2.16.840.1.101.3.4.1",
        mode="ctr",
    ),
    Algorithm(
        "CTR_DRBG-AES-256",
        "drbg",
        "256",
        ("generate",),
        256,
        5,
        "each hand's stream: no derivation function, one Generate",
        "SP 800-90A Rev. 1, 10.2.1",
        mode="ctr",
    ),
    Algorithm(
        "SHA-256",
        "hash",
        "256",
        ("digest",),
        128,
        2,
        "commitments, links, mix, card leaves and Merkle trees",
        "FIPS 180-4",
        oid="2.16.840.1.101.3.4.2.1",
    ),
    Algorithm(
        "HMAC-SHA-256",
        "mac",
        "256",
        ("tag",),
        256,
        5,
        "inside HKDF",
        "FIPS 198-1",
        oid="1.2.840.113549.2.9",
    ),
    Algorithm(
        "HKDF-SHA-256",
        "kdf",
        "256",
        ("keyderive",),
        256,
        5,
        "from a hand's secret and mix to the seeds of its streams",
        "RFC 5869",
        oid="1.2.840.113549.1.9.16.3.28",
    ),
    Algorithm(
        "Ed25519",
        "signature",
        "255",
        ("sign", "verify"),
        128,
        0,
        "checkpoints of games, test plans and this bundle",
        "RFC 8032",
        oid="1.3.101.112",
        curve="Ed25519",
    ),
)


@dataclass(frozen=True, slots=True)
class Inventory:
    """All that is listed: the project first, the others by name."""

    components: tuple[Component, ...]
    algorithms: tuple[Algorithm, ...] = field(default=ALGORITHMS)

    @property
    def project(self) -> Component:
        """The project itself."""
        return self.components[0]


def take_inventory(path: Sequence[str]) -> Inventory:
    """Look at what is installed on a path of folders, and compare it with its RECORDs.

    LookupError where the project itself is not among it.
    """
    installed = read_installed(path)
    if PROJECT not in installed:
        message = f"{PROJECT} is not installed here as a distribution"
        raise LookupError(message)
    found = []
    edges = reachable(installed, PROJECT)
    records = check_records(path, edges)
    for name, needs in edges.items():
        about, record = installed[name], records[name]
        more = (OPENSSL,) if name == "cryptography" else (PYTHON,) if name == PROJECT else ()
        found.append(
            Component(
                name=name,
                version=about.version,
                licence=about.licence,
                summary=about.summary,
                needs=(*needs, *more),
                record=record.sha256,
                listed=record.listed,
                wrong=record.wrong,
            )
        )
    found.append(
        Component(
            PYTHON,
            platform.python_version(),
            "PSF-2.0",
            f"{platform.python_implementation()}, the interpreter",
            (),
            distribution=False,
        )
    )
    found.append(
        Component(
            OPENSSL,
            openssl_version(),
            "Apache-2.0",
            "the cryptographic library inside the package cryptography",
            (),
            distribution=False,
        )
    )
    found.sort(key=lambda each: (each.name != PROJECT, each.name))
    return Inventory(tuple(found))


def openssl_version() -> str:
    """Return the version of the OpenSSL that `cryptography` computes with, such as 3.5.1."""
    words = backend.openssl_version_text().split()
    return words[1] if len(words) > 1 else " ".join(words)
