"""The dealer's core as it is installed: which one, by its files, and what reading it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify.installed import find_package, read_installed
from audit_cli.rng.certify.review import read_versions, review_core
from audit_cli.rng.certify.sources import CORE, DEALER, Sources, hash_sources, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from audit_cli.rng.certify.review import Review

FORMAT: Final = "cutcard-core/1"
_VERSIONS: Final = "rng_core.py"
_PROJECT: Final = "cutcard"


@dataclass(frozen=True, slots=True)
class InstalledCore:
    """The core: its sources, what reading them shows, its version's number (0 for none).

    `release` is the version of the distribution that it came with, "" where there is none.
    """

    sources: Sources
    review: Review
    version: int
    release: str

    def told(self) -> dict[str, Any]:
        """Return it as `source/rng-core.json` holds it."""
        return {
            "format": FORMAT,
            "hashes": listed(self.sources),
            "release": self.release,
            "review": self.review.told(),
            "version": self.version,
        }


def read_core(path: Sequence[str]) -> InstalledCore | None:
    """Read the core of the dealer on a path of folders; None where no dealer is installed.

    OSError where its sources can not be read, SyntaxError where one is no Python.
    """
    package = find_package(DEALER, path)
    if package is None:
        return None
    sources = hash_sources(package, CORE)
    about = read_installed(path).get(_PROJECT)
    return InstalledCore(
        sources=sources,
        review=review_core(package / CORE),
        version=read_versions(package / _VERSIONS).get(sources.fingerprint, 0),
        release=about.version if about is not None else "",
    )
