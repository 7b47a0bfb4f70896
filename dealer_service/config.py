"""The dealer's settings, as one frozen value."""

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

DEFAULT_ORIGIN: Final = "localhost"
DEFAULT_ADDRESS: Final = "127.0.0.1:50051"
MAX_ORIGIN: Final = 128
CERTIFY_SUFFIX: Final = "/certify"
"""What stands behind the dealer's origin in that of certified hands: no game has such an origin."""

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+):([0-9]{1,5})")


class SettingError(ValueError):
    """A setting that can not be; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The server's certificate chain and its key, in PEM, and the CA that callers must show."""

    certificate: Path
    key: Path
    client_ca: Path | None = None


@dataclass(frozen=True, slots=True)
class TokenRules:
    """Which tokens are let in besides those of the dealer's own token key.

    `jwks` is a file or an https URL; an empty issuer means the dealer's origin.
    """

    jwks: str = field(default="", repr=False)
    issuer: str = ""
    audience: str = "cutcard"


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Limits:
    """What one caller may ask for: calls and bytes a second, in bursts of two, and streams.

    `bad_tokens` are those that one address may send a second. What comes from `proxies` is of the
    address that they name.
    """

    calls: int = 100
    bytes: int = 256 * 1024
    streams: int = 32
    bad_tokens: int = 20
    proxies: tuple[Network, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A dealer among those that share a store.

    An empty `node` is a name that is drawn at the first start and kept; an empty `advertise` is
    the address that it listens on. `journals` are the signed journals of other nodes, for
    a restore.
    """

    node: str = ""
    advertise: str = ""
    lease: float = 5.0
    journals: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """Where a dealer keeps its things, under which name, and where it listens.

    In `directory` stand the store (`store.sqlite`, unless `store_url` names a shared one), the log
    key, the sealing key, the token key and the journal of what was signed. Key settings are URIs
    (file:PATH, env:NAME, pkcs11:…); empty ones mean the files in the directory. The first sealing
    key seals, the others only open. `beacon` is the URL or file of the rounds that rules may name.
    Times are in seconds. `certify` deals no games, but hands for
    a laboratory, whose secrets it tells. `publication` is the folder in which the dealer's log is
    published, None where none is, a batch of it every `batch` seconds; `publication_listen` is
    where it is served, and `witness_policy` the file of who co-signs it.
    """

    directory: Path
    origin: str = DEFAULT_ORIGIN
    address: str = DEFAULT_ADDRESS
    allow_plaintext: bool = False
    accept_restore: bool = False
    grace: float = 5.0
    drain: float = 10.0
    store_url: str = field(default="", repr=False)
    cluster: Cluster = field(default_factory=Cluster)
    tls: Tls | None = None
    tokens: TokenRules = field(default_factory=TokenRules)
    limits: Limits = field(default_factory=Limits)
    log_key_uri: str = field(default="", repr=False)
    sealing_key_uris: tuple[str, ...] = field(default=(), repr=False)
    metrics: str = ""
    trace: str = field(default="", repr=False)
    archive: Path | None = None
    publication: Path | None = None
    batch: float = 0.1
    publication_listen: str = ""
    witness_policy: Path | None = None
    retain: float | None = None
    certify: bool = False
    beacon: str = field(default="", repr=False)

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

    @property
    def publication_index(self) -> Path:
        """The file of where in the dealer's log what stands; it can be made anew."""
        return self.directory / "publication.index"

    @property
    def node_name(self) -> Path:
        """The file of the name that was drawn for this dealer among those that share its store."""
        return self.directory / "node.name"

    @property
    def last_seen(self) -> Path:
        """The file of what this dealer last saw of a shared store."""
        return self.directory / "last.seen"

    @property
    def certified(self) -> Path:
        """The file that certification leaves in its directory, so that no game is dealt there."""
        return self.directory / "certification"

    @property
    def is_public(self) -> bool:
        """Whether others than this machine are to reach it: it listens, or is called, elsewhere."""
        addresses = (self.address, self.cluster.advertise or self.address)
        return not all(is_loopback(split_address(each)[0]) for each in addresses)


def split_address(address: str) -> tuple[str, int]:
    """Give host and port of "HOST:PORT"; SettingError for an address that is none."""
    match = _ADDRESS.fullmatch(address)
    if match is None or int(match[2]) > 65_535:
        message = f"{address!r} is no address: give HOST:PORT, such as {DEFAULT_ADDRESS}"
        raise SettingError(message)
    return match[1].strip("[]"), int(match[2])


def check_address(address: str, *, allow_plaintext: bool) -> None:
    """Raise SettingError for an address that is none, or that the world could listen in on."""
    host, _ = split_address(address)
    if allow_plaintext or is_loopback(host):
        return
    message = (
        f"{address} is not on loopback, and the dealer has no TLS: give --tls-cert and --tls-key, "
        "or say --allow-plaintext where the network is your own"
    )
    raise SettingError(message)


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
