"""The dealer's keys: opened at a start from where the settings say, made before one, never shown.

Files stand in the dealer's directory unless a URI says otherwise. Beside `sealing.key`, which
seals, `sealing-<key ID>.key` are older ones that only open. A dealer with a store of its own makes
its files at the first start; dealers that share one share their keys too, so that theirs are made
once, by `make_keys`, and given to each.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from dealer_service.access.tokens import TokenKey, open_token_key
from dealer_service.config import Settings
from dealer_service.durable import sync_folder
from dealer_service.fairness.randomness import Entropy
from dealer_service.store.key_uri import KeyFile, KeyPlace, parse_key_uri
from dealer_service.store.keyring import (
    make_log_key,
    make_sealing_key,
    open_log_key,
    open_sealing_key,
    open_sealing_keys,
)
from dealer_service.store.refusal import Reason, StoreError
from dealer_service.store.sealing import Cipher, Sealer
from dealer_service.transcript.note import NoteSigner

_OLDER: Final = "sealing-*.key"


@dataclass(frozen=True, slots=True)
class Keys:
    """The dealer's three keys: for checkpoints, for secrets at rest, for tokens.

    `token_key` is None where tokens are signed elsewhere alone.
    """

    signer: NoteSigner = field(repr=False)
    sealer: Sealer = field(repr=False)
    token_key: TokenKey | None = field(repr=False)

    @property
    def token(self) -> TokenKey:
        """The token key of a dealer that has one; LookupError."""
        if self.token_key is None:
            message = "this dealer has no token key: its tokens are signed elsewhere"
            raise LookupError(message)
        return self.token_key


def log_key_place(settings: Settings) -> KeyPlace:
    """Say where the log key is kept; StoreError KEY_URI_WRONG."""
    uri = settings.log_key_uri
    return parse_key_uri(uri) if uri else KeyFile(settings.log_key)


def sealing_key_places(settings: Settings) -> tuple[KeyPlace, ...]:
    """Say where the sealing keys are kept, the one that seals first; StoreError KEY_URI_WRONG."""
    if settings.sealing_key_uris:
        return tuple(parse_key_uri(uri) for uri in settings.sealing_key_uris)
    older = sorted(settings.directory.glob(_OLDER))
    return (KeyFile(settings.sealing_key), *(KeyFile(path) for path in older))


def open_keys(settings: Settings, entropy: Entropy) -> Keys:
    """Open the keys; files of a dealer with its own store are made at its first start.

    StoreError where one is missing, exposed, malformed or out of reach.
    """
    settings.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    first = not settings.store_url and not settings.store.exists()
    sealing = sealing_key_places(settings)
    log = log_key_place(settings)
    return Keys(
        signer=open_log_key(log, settings.origin, entropy, first_start=first),
        sealer=open_sealing_keys(sealing, settings.origin, entropy, first_start=first),
        token_key=_open_token_key(settings, entropy),
    )


@dataclass(frozen=True, slots=True)
class CertifyingKeys:
    """The keys of a dealer in certification mode, which has no secrets at rest."""

    signer: NoteSigner = field(repr=False)
    token_key: TokenKey | None = field(repr=False)


def open_certifying_keys(settings: Settings, entropy: Entropy) -> CertifyingKeys:
    """Open the keys that certification needs; files are made as at a first start. StoreError."""
    settings.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    first = not settings.is_public
    signer = open_log_key(log_key_place(settings), settings.origin, entropy, first_start=first)
    return CertifyingKeys(signer, _open_token_key(settings, entropy))


def make_keys(settings: Settings, entropy: Entropy) -> Keys:
    """Make what is missing of log key, sealing key and token key; StoreError as above.

    A key that is there stays. Where a key is missing that a store needs, none is made.
    """
    settings.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    log, sealing = log_key_place(settings), sealing_key_places(settings)
    if settings.store.exists():
        return open_keys(settings, entropy)
    for make in (
        lambda: make_log_key(log, settings.origin, entropy),
        lambda: make_sealing_key(sealing[0], entropy),
    ):
        try:
            make()
        except StoreError as error:
            if error.reason is not Reason.KEY_EXISTS:
                raise
    return Keys(
        signer=open_log_key(log, settings.origin, entropy, first_start=False),
        sealer=open_sealing_keys(sealing, settings.origin, entropy, first_start=False),
        token_key=open_token_key(settings.token_key, entropy),
    )


def rotate_sealing_key(settings: Settings, entropy: Entropy) -> tuple[Cipher, Sequence[KeyPlace]]:
    """Make a new sealing key that seals from the next start on; the old ones go on opening.

    In the directory the old file is kept as `sealing-<key ID>.key`. Elsewhere the first URI is of
    the key to make, and those behind it of the ones there are. Gives the new key, and all places
    in their order. StoreError.
    """
    places = sealing_key_places(settings)
    if settings.sealing_key_uris:
        for place in places[1:]:
            open_sealing_key(place, entropy, first_start=False, environ=dict(os.environ))
        return make_sealing_key(places[0], entropy), places
    path = settings.sealing_key
    old = open_sealing_key(KeyFile(path), entropy, first_start=False)
    kept = path.with_name(f"sealing-{old.key_id.hex()}.key")
    draft = path.with_name(f"{path.name}.{os.getpid()}.new")
    new = make_sealing_key(KeyFile(draft), entropy)
    # The old key has its second name before the new one takes its first: there is never a
    # moment without it.
    if not kept.exists():
        os.link(path, kept)
    draft.replace(path)
    sync_folder(path.parent)
    return new, sealing_key_places(settings)


def _open_token_key(settings: Settings, entropy: Entropy) -> TokenKey | None:
    """Open the token key, which a dealer that others can reach never makes by itself."""
    if settings.is_public and not settings.token_key.exists():
        return None
    return open_token_key(settings.token_key, entropy)
