"""The settings of `cutcard-dealer serve`: each an option, and a variable of the environment."""

import argparse
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from dealer_service.commands.adding import Adder, Gathering
from dealer_service.commands.reading import moment, number, one_of, origin, seconds, truth
from dealer_service.config import (
    DEFAULT_ADDRESS,
    Cluster,
    Limits,
    Network,
    SettingError,
    Settings,
    Tls,
    TokenRules,
)

_LEVELS: Final = ("debug", "info", "warning", "error")
_EXIT: Final = (
    "Each option but --accept-restore and --certify may come from the environment, under its name "
    "in capitals behind CUTCARD_: CUTCARD_LISTEN for --listen; several values stand there with "
    "spaces between. Exit status: 0 stopped by SIGTERM or SIGINT, 1 failed while serving, 2 the "
    "command line is wrong, 3 can not start: keys, store, journal, or an address in use."
)


@dataclass(frozen=True, slots=True)
class _Option:
    """An option with one value, its default as text (None for none), and its words."""

    name: str
    read: Callable[[str], Any]
    default: str | None
    metavar: str
    words: str


_WHERE: Final = (
    _Option(
        "--origin",
        origin,
        None,
        "NAME",
        "the dealer's name in all its logs, for ever; needed at the first start (on loopback, "
        "localhost is taken), afterwards the log key tells it",
    ),
    _Option(
        "--listen",
        str,
        DEFAULT_ADDRESS,
        "HOST:PORT",
        f"where to listen (default {DEFAULT_ADDRESS})",
    ),
)
_ACCESS: Final = (
    _Option("--tls-cert", Path, None, "FILE", "speak TLS with this certificate chain (PEM)"),
    _Option("--tls-key", Path, None, "FILE", "the key of that certificate (PEM)"),
    _Option("--client-ca", Path, None, "FILE", "take calls only with a certificate of this CA"),
    _Option(
        "--jwks",
        str,
        None,
        "FILE|URL",
        "take tokens that a key of this JWK set has signed; it is read again when it changes",
    ),
    _Option("--token-issuer", str, None, "NAME", "who issues them (default: the dealer's name)"),
    _Option("--token-audience", str, "cutcard", "NAME", "whom they are for (default cutcard)"),
    _Option("--calls", number(1), "100", "N", "calls of one caller a second (default 100)"),
    _Option("--streams", number(1), "32", "N", "streams of one caller at a time (default 32)"),
)
_KEYS: Final = (
    _Option(
        "--log-key",
        str,
        None,
        "URI",
        "the key that signs checkpoints: file:PATH, env:NAME or pkcs11:… (default: a file in "
        "--directory)",
    ),
)
_STORE: Final = (
    _Option(
        "--store",
        str,
        None,
        "URL",
        "a store that several dealers share, postgresql://… (default: a file in --directory)",
    ),
    _Option("--node", str, None, "NAME", "this dealer's name among them (default: one is drawn)"),
    _Option(
        "--advertise",
        str,
        None,
        "HOST:PORT",
        "the address at which callers reach this dealer (default: that of --listen)",
    ),
    _Option(
        "--lease",
        seconds,
        "5s",
        "TIME",
        "how long others wait before they take over its games (default 5s)",
    ),
    _Option(
        "--drain",
        seconds,
        "10s",
        "TIME",
        "how long open hands may still play when it is stopped (default 10s)",
    ),
)
_ROUNDS: Final = (
    _Option(
        "--beacon",
        str,
        None,
        "URL|FILE",
        "fetch the rounds of a drand network there, so that rules may name it: "
        "https://api.drand.sh, with a chain hash behind it for another than quicknet, or a file",
    ),
)
_PUBLISHING: Final = (
    _Option(
        "--publication",
        Path,
        None,
        "DIR",
        "publish the dealer's log there, as static files; for ever, once it was begun",
    ),
    _Option(
        "--batch",
        moment,
        "100ms",
        "TIME",
        "how long what is new in it waits for company (default 100ms)",
    ),
    _Option(
        "--publication-listen",
        str,
        None,
        "HOST:PORT",
        "serve that directory over HTTP there, to whoever asks",
    ),
    _Option(
        "--witness-policy",
        Path,
        None,
        "FILE",
        "have each checkpoint of it co-signed by the witnesses of this policy",
    ),
)
_WATCH: Final = (
    _Option("--metrics", str, None, "HOST:PORT", "serve Prometheus metrics over HTTP there"),
    _Option("--trace", str, None, "URL", "send traces to this OTLP/HTTP endpoint"),
    _Option("--archive", Path, None, "DIR", "write the file of every finished game there"),
    _Option(
        "--retain",
        seconds,
        None,
        "TIME",
        "forget finished games so long after their reveal, once they stand in --archive",
    ),
    _Option(
        "--log-format",
        one_of("text", "json"),
        "text",
        "FORMAT",
        "how events are logged on standard error: text or json (default text)",
    ),
    _Option(
        "--log-level",
        one_of(*_LEVELS),
        "info",
        "LEVEL",
        f"which events are logged: {', '.join(_LEVELS)} and worse (default info)",
    ),
)


def add_serve(add: Adder) -> None:
    """Add the sub-command and its settings."""
    parser = add.command("serve", help="run the service", epilog=_EXIT)
    add.directory(parser)
    _add(add, parser, _WHERE)
    parser.add_argument(
        "--allow-plaintext",
        type=truth,
        nargs="?",
        const=True,
        default=add.from_environment("CUTCARD_ALLOW_PLAINTEXT", "0"),
        metavar="1|0",
        help="listen without TLS on an address that is not on loopback",
    )
    access = parser.add_argument_group("who may call")
    _add(add, access, _ACCESS)
    words = (
        "calls from this network come through a proxy, which says by x-forwarded-for whose each "
        "is: bad tokens then count for that address"
    )
    _add_list(add, access, "--proxy", "CIDR", words)
    keys = parser.add_argument_group("keys")
    add_log_key(add, keys)
    add_sealing_keys(add, keys)
    store = parser.add_argument_group("the store")
    _add(add, store, _STORE)
    words = "take a store back that lacks signed lines: void open hands, close whole games"
    store.add_argument("--accept-restore", action="store_true", help=words)
    words = "with --accept-restore on a shared store: the signed journal of another node"
    _add_list(add, store, "--journal", "FILE", words)
    _add(add, parser.add_argument_group("randomness from elsewhere"), _ROUNDS)
    _add(add, parser.add_argument_group("the dealer's log"), _PUBLISHING)
    _add(add, parser.add_argument_group("what is seen from outside"), _WATCH)
    words = "deal no games, but hands for a laboratory, whose secrets are told"
    parser.add_argument("--certify", action="store_true", help=words)


def add_log_key(add: Adder, parser: argparse._ActionsContainer) -> None:
    """Add where the log key is kept."""
    _add(add, parser, _KEYS)


def add_sealing_keys(add: Adder, parser: argparse._ActionsContainer) -> None:
    """Add where the sealing keys are kept."""
    words = (
        "the key that hand secrets are sealed under, likewise; given again, one that only opens "
        "what was sealed before"
    )
    _add_list(add, parser, "--sealing-key", "URI", words)


def read_settings(options: argparse.Namespace, origin_name: str) -> Settings:
    """Make settings of what was given; SettingError where two options do not go together."""
    if options.lease < 1:
        message = "--lease must be at least 1s: others take over what is not renewed in that time"
        raise SettingError(message)
    if options.journal and not options.accept_restore:
        message = (
            "--journal is for a restore alone: say --accept-restore too, or leave --journal out"
        )
        raise SettingError(message)
    return Settings(
        directory=options.directory,
        origin=origin_name,
        address=options.listen,
        allow_plaintext=options.allow_plaintext,
        accept_restore=options.accept_restore,
        drain=options.drain,
        store_url=options.store or "",
        cluster=Cluster(
            options.node or "",
            options.advertise or "",
            options.lease,
            tuple(Path(path) for path in options.journal),
        ),
        tls=_tls(options),
        tokens=TokenRules(options.jwks or "", options.token_issuer or "", options.token_audience),
        limits=Limits(
            calls=options.calls, streams=options.streams, proxies=_networks(options.proxy)
        ),
        log_key_uri=options.log_key or "",
        sealing_key_uris=tuple(options.sealing_key),
        metrics=options.metrics or "",
        trace=options.trace or "",
        archive=options.archive,
        publication=options.publication,
        batch=options.batch,
        publication_listen=_of_publication(options, "publication_listen") or "",
        witness_policy=_of_publication(options, "witness_policy"),
        retain=_retain(options),
        certify=options.certify,
        beacon=options.beacon or "",
    )


def _networks(given: list[str]) -> tuple[Network, ...]:
    try:
        return tuple(ipaddress.ip_network(one) for one in given)
    except ValueError as error:
        message = f"--proxy: give a network, such as 10.0.0.0/24 or fd00::/64: {error}"
        raise SettingError(message) from None


def _tls(options: argparse.Namespace) -> Tls | None:
    if (options.tls_cert is None) != (options.tls_key is None):
        message = "--tls-cert and --tls-key go together"
        raise SettingError(message)
    if options.tls_cert is None:
        if options.client_ca is not None:
            message = "--client-ca needs --tls-cert and --tls-key"
            raise SettingError(message)
        return None
    return Tls(options.tls_cert, options.tls_key, options.client_ca)


def _retain(options: argparse.Namespace) -> float | None:
    if options.retain is not None and options.archive is None:
        message = "--retain needs --archive: no game is forgotten that stands nowhere else"
        raise SettingError(message)
    retain: float | None = options.retain
    return retain


def _of_publication(options: argparse.Namespace, name: str) -> Any:  # noqa: ANN401 - as given
    given = getattr(options, name)
    if given is not None and options.publication is None:
        message = f"--{name.replace('_', '-')} needs --publication: there is nothing to show else"
        raise SettingError(message)
    return given


def _add(add: Adder, parser: argparse._ActionsContainer, options: tuple[_Option, ...]) -> None:
    for one in options:
        default = add.from_environment(_variable(one.name), one.default)
        add.option(parser, one.name, one.read, default, one.words, metavar=one.metavar)


def _add_list(
    add: Adder, parser: argparse._ActionsContainer, name: str, metavar: str, words: str
) -> None:
    given = (add.from_environment(_variable(name), None) or "").split()
    parser.add_argument(name, action=Gathering, default=given, metavar=metavar, help=words)


def _variable(name: str) -> str:
    return "CUTCARD_" + name.removeprefix("--").replace("-", "_").upper()
