"""The dealer's keys: opened at a start from where the settings say, and never shown."""

from dataclasses import dataclass, field

from dealer_service.access.tokens import TokenKey, open_token_key
from dealer_service.config import Settings
from dealer_service.fairness.randomness import Entropy
from dealer_service.store.keyring import open_log_key
from dealer_service.store.sealing import Sealer, open_sealing_key
from dealer_service.transcript.note import NoteSigner, note_signer


@dataclass(frozen=True, slots=True)
class Keys:
    """The dealer's three keys: for checkpoints, for secrets at rest, for tokens."""

    signer: NoteSigner = field(repr=False)
    sealer: Sealer = field(repr=False)
    token: TokenKey = field(repr=False)


def open_keys(settings: Settings, entropy: Entropy) -> Keys:
    """Open the keys in the settings' directory, which are made at the first start."""
    settings.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    first = not settings.store.exists()
    log_key = open_log_key(settings.log_key, settings.origin, entropy, first_start=first)
    sealer = open_sealing_key(settings.sealing_key, settings.origin, entropy, first_start=first)
    return Keys(
        signer=note_signer(log_key.origin, log_key.seed),
        sealer=sealer,
        token=open_token_key(settings.token_key, entropy),
    )
