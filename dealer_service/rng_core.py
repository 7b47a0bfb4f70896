"""Which version of the part that makes decks this is: its sources, hashed, and their history.

The core is `fairness/`: randomness and its tests, commitment, mix, generator, shuffle, seal, and a
tournament's draws. A laboratory certifies exactly that. So each version of it has a number and a
fingerprint, a new line in `VERSIONS` for every change, and a dealer tells at each start which one
it runs, or that its sources are those of none.

The fingerprint is the SHA-256 of the lines `<sha256>  <path>` LF by rising path, such as
`dealer_service/fairness/deck.py`, each file with its line ends made LF: what `sha256sum
dealer_service/fairness/*.py | sha256sum` prints in the C locale.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import structlog

import dealer_service

_PACKAGE: Final = Path(dealer_service.__file__).parent
_CORE: Final = "fairness"

_log = structlog.get_logger("dealer")


@dataclass(frozen=True, slots=True)
class CoreVersion:
    """A version of the core: its number, and the fingerprint of its sources."""

    number: int
    fingerprint: str


VERSIONS: Final = (
    CoreVersion(1, "fb4ccc178b94451cc5574a8d5f21fb2adc444d3797bd09437cf135f23d6ee253"),
    CoreVersion(2, "4bcf3866fcd5a75656a9c121a920d9a0da26e5850a94a6776179a00968b1f136"),
)
"""Every version that there was. A line is never changed: a changed core is a new version."""


def hash_core(package: Path = _PACKAGE) -> str:
    """Give the fingerprint of a package's core, 64 hex digits.

    FileNotFoundError where its sources are not there.
    """
    lines = [
        f"{_hash(path)}  {path.relative_to(package.parent).as_posix()}\n"
        for path in sorted((package / _CORE).rglob("*.py"), key=Path.as_posix)
    ]
    if not lines:
        message = f"there are no sources in {package / _CORE}"
        raise FileNotFoundError(message)
    return sha256("".join(lines).encode()).hexdigest()


def find_version(fingerprint: str) -> int:
    """Give the number of the version that has a fingerprint; 0 for a core that is none."""
    return next((one.number for one in VERSIONS if one.fingerprint == fingerprint), 0)


def find_core() -> CoreVersion:
    """Hash the core that runs and give which one it is; warn of one that is no version.

    What can not be hashed has no fingerprint and is no version, either.
    """
    try:
        fingerprint = hash_core()
    except OSError as error:
        _log.warning("rng_core_unread", why=str(error))
        return CoreVersion(0, "")
    running = CoreVersion(find_version(fingerprint), fingerprint)
    if not running.number:
        _log.warning("rng_core_unknown", fingerprint=fingerprint)
    return running


def _hash(path: Path) -> str:
    source = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return sha256(source).hexdigest()
