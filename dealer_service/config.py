"""The dealer's settings, as one frozen value."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

DEFAULT_ORIGIN: Final = "localhost"
DEFAULT_ADDRESS: Final = "127.0.0.1:50051"

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+):([0-9]{1,5})")


class SettingError(ValueError):
    """A setting that can not be; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a dealer keeps its things, under which name, and where it listens.

    In `directory` stand the store (`store.sqlite`), the log key, the sealing key, the token key
    and the journal of what was signed.
    """

    directory: Path
    origin: str = DEFAULT_ORIGIN
    address: str = DEFAULT_ADDRESS
    allow_plaintext: bool = False
    accept_restore: bool = False
    grace: float = 5.0

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.directory / "store.sqlite"

    @property
    def log_key(self) -> Path:
        """The file of the key that signs checkpoints."""
        return self.directory / "log.key"

    @property
    def sealing_key(self) -> Path:
        """The file of the key that hand secrets are sealed under."""
        return self.directory / "sealing.key"

    @property
    def token_key(self) -> Path:
        """The file of the key that signs tokens."""
        return self.directory / "token.key"

    @property
    def signed_journal(self) -> Path:
        """The file of what was last signed, beside the log key."""
        return self.directory / "signed.journal"


def check_address(address: str, *, allow_plaintext: bool) -> None:
    """Raise SettingError for an address that is none, or that the world could listen in on."""
    match = _ADDRESS.fullmatch(address)
    if match is None or int(match[2]) > 65_535:
        message = f"{address!r} is no address: give HOST:PORT, such as {DEFAULT_ADDRESS}"
        raise SettingError(message)
    if allow_plaintext or _is_loopback(match[1].strip("[]")):
        return
    message = (
        f"{address} is not on loopback, and the dealer speaks without TLS: put a proxy with TLS "
        "before it and listen on 127.0.0.1, or say --allow-plaintext where the network is "
        "your own"
    )
    raise SettingError(message)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
