"""Secure by default: what a dealer must have before anybody but its own machine can reach it.

On loopback a dealer makes its own keys and speaks in the clear: that is for development, and it
says so at each start. On any other address it starts only with TLS, or where its operator says
that the network is their own, and only with keys that are there already: a key that a public
dealer made by itself is one that nobody has kept, nor handed to its other nodes. Where dealers
share a store, log key and sealing keys are the same for all, so that none makes them there either.

A dealer in certification mode tells secrets, so that nothing of a game may be near it: it starts
with no setting of a dealer of games, and in no directory that one has. Nor does a dealer of games
start in a directory of certification: their keys would be the same, and with them their tokens.
"""

import ipaddress
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dealer_service.access.key_sources import JwkUrl
from dealer_service.access.refusal import AccessError
from dealer_service.config import (
    CERTIFY_SUFFIX,
    MAX_ORIGIN,
    SettingError,
    Settings,
    is_loopback,
    split_address,
)
from dealer_service.store.directory import is_node_name
from dealer_service.store.key_uri import KeyFile, KeyVariable, parse_key_uri
from dealer_service.store.refusal import StoreError


@dataclass(frozen=True, slots=True)
class Faults:
    """All that keeps a dealer from starting: what can not be set so, and keys that are missing."""

    settings: tuple[str, ...]
    keys: tuple[str, ...]

    def __str__(self) -> str:
        return "; ".join((*self.settings, *self.keys))


def find_faults(settings: Settings, environ: Mapping[str, str]) -> Faults:
    """Find all that is wrong or missing for where a dealer is reached, all at once."""
    return Faults(tuple(_find_setting_faults(settings)), tuple(_find_missing(settings, environ)))


def require_safe(settings: Settings, environ: Mapping[str, str]) -> None:
    """Raise SettingError with all that is wrong or missing."""
    faults = find_faults(settings, environ)
    if faults.settings or faults.keys:
        raise SettingError(str(faults))


def is_development(settings: Settings) -> bool:
    """Say whether a dealer is one for development: in the clear on loopback, by its own keys."""
    return not settings.is_public and settings.tls is None and not settings.tokens.jwks


def is_elsewhere(address: str) -> bool:
    """Say whether an address is one, and not on loopback."""
    try:
        return bool(address) and not is_loopback(split_address(address)[0])
    except SettingError:
        return False


def find_unprotected(settings: Settings) -> tuple[str, ...]:
    """Name exactly what is not protected; nothing for a dealer that keeps to the rule."""
    found = []
    if settings.tls is None:
        where = "the network" if settings.is_public else "this machine"
        found.append(
            f"calls, tokens and private cards go in the clear: whoever listens in on {where} has "
            "them (--tls-cert, --tls-key)"
        )
    if is_development(settings):
        found.append(
            f"the dealer makes its own keys and keeps them in files in {settings.directory}: "
            "whoever reads these signs as the dealer, opens its secrets, and issues tokens of "
            "every role (`cutcard-dealer keys`, --jwks)"
        )
    if settings.metrics and not is_loopback(split_address(settings.metrics)[0]):
        found.append("metrics are served in the clear, to whoever asks (--metrics)")
    return tuple(found)


def _is_public(settings: Settings) -> bool:
    """Say what `Settings.is_public` says, also of addresses that are none."""
    return is_elsewhere(settings.address) or is_elsewhere(settings.cluster.advertise)


def _find_setting_faults(settings: Settings) -> Iterator[str]:
    yield from _find_games(settings) if settings.certify else _find_certifying(settings)
    for name, address in (
        ("--listen", settings.address),
        ("--metrics", settings.metrics),
        ("--publication-listen", settings.publication_listen),
    ):
        if address and (fault := _fault_of(name, address)):
            yield fault
    yield from _find_node_faults(settings.cluster.node)
    advertised = settings.cluster.advertise
    if advertised:
        yield from _find_advertised_faults(advertised)
    elif settings.store_url and _is_everywhere(settings.address):
        yield (
            f"--advertise is missing: {settings.address} is every address of this machine, and "
            "the other dealers must send callers to one"
        )
    if _is_public(settings) and settings.tls is None and not settings.allow_plaintext:
        address = advertised if is_elsewhere(advertised) else settings.address
        yield (
            f"{address} is not on loopback, and the dealer has no TLS: give --tls-cert and "
            "--tls-key, or say --allow-plaintext where the network is your own or a proxy with "
            "TLS stands before it"
        )
    if is_elsewhere(settings.metrics) and not settings.allow_plaintext:
        yield (
            f"--metrics {settings.metrics} is not on loopback, and metrics are served in the "
            "clear: say --allow-plaintext where the network is your own"
        )
    if "://" in settings.tokens.jwks:
        try:
            JwkUrl(settings.tokens.jwks)
        except AccessError as error:
            yield str(error)


def _find_node_faults(node: str) -> Iterator[str]:
    if node and not is_node_name(node):
        yield f"--node {node!r} is no name of a node: give 1 to 64 of a-z 0-9 . -"


def _find_certifying(settings: Settings) -> Iterator[str]:
    if settings.origin.endswith(CERTIFY_SUFFIX):
        yield f"--origin {settings.origin} ends in {CERTIFY_SUFFIX}, as those of certification do"
    if os.path.lexists(settings.certified):
        yield (
            f"{settings.directory} is of a dealer in certification mode, whose tokens a laboratory "
            "has: name a --directory of its own"
        )


def _find_games(settings: Settings) -> Iterator[str]:
    """Name what a dealer of games has and one that is certified must not."""
    most = MAX_ORIGIN - len(CERTIFY_SUFFIX)
    if len(settings.origin) > most:
        yield f"--origin is longer than {most} characters, which is all that certification has"
    cluster = settings.cluster
    named = (
        ("--store", settings.store_url),
        ("--node", cluster.node),
        ("--advertise", cluster.advertise),
        ("--journal", cluster.journals),
        ("--accept-restore", settings.accept_restore),
        ("--archive", settings.archive),
        ("--publication", settings.publication),
        ("--publication-listen", settings.publication_listen),
        ("--witness-policy", settings.witness_policy),
        ("--beacon", settings.beacon),
        ("--sealing-key", settings.sealing_key_uris),
    )
    given = [name for name, value in named if value]
    if given:
        yield (
            f"--certify deals no games and tells the secrets of its hands: leave out "
            f"{', '.join(given)}, which a dealer of games has"
        )
    of_games = (settings.store, settings.signed_journal, settings.node_name, settings.last_seen)
    found = next((path for path in of_games if os.path.lexists(path)), None)
    if found is not None:
        yield (
            f"--certify deals no games, and {found} is of a dealer that does: name a --directory "
            "of its own"
        )


def _find_advertised_faults(advertised: str) -> Iterator[str]:
    fault = _fault_of("--advertise", advertised)
    if fault:
        yield fault
    elif _is_everywhere(advertised) or split_address(advertised)[1] == 0:
        yield f"--advertise {advertised} is no address that anybody can call"


def _find_missing(settings: Settings, environ: Mapping[str, str]) -> Iterator[str]:
    if not _is_public(settings) and not settings.store_url:
        return
    for what, uri, path in (
        ("the log key", settings.log_key_uri, settings.log_key),
        *(
            ("a sealing key", uri, settings.sealing_key)
            for uri in settings.sealing_key_uris or ("",)
            if not settings.certify
        ),
    ):
        fault = _fault_of_key(uri, path, environ)
        if fault:
            yield f"{what} is missing: {fault}"
    if not _is_public(settings):
        return
    if not settings.tokens.jwks and not settings.token_key.exists():
        yield f"a key for tokens is missing: there is neither {settings.token_key} nor --jwks"


def _fault_of_key(uri: str, path: Path, environ: Mapping[str, str]) -> str:
    try:
        place = parse_key_uri(uri) if uri else KeyFile(path)
    except StoreError as error:
        return str(error)
    if isinstance(place, KeyFile) and not place.path.exists():
        return f"there is no {place.path}"
    if isinstance(place, KeyVariable) and not environ.get(place.name):
        return f"the environment has no {place.name}"
    # What stands in a security module is found out when it is opened.
    return ""


def _fault_of(name: str, address: str) -> str:
    try:
        split_address(address)
    except SettingError as error:
        return f"{name}: {error}"
    return ""


def _is_everywhere(address: str) -> bool:
    try:
        return ipaddress.ip_address(split_address(address)[0]).is_unspecified
    except ValueError:
        return False
