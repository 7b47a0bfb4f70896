"""What a dealer's directory says of it: whose it is, its verifier key, and tokens of its key."""

import time
from collections.abc import Mapping
from pathlib import Path

from dealer_service.access.refusal import AccessError
from dealer_service.access.roles import Role
from dealer_service.access.tokens import issue, load_token_key
from dealer_service.commands.failure import Exit, Failure
from dealer_service.config import Settings
from dealer_service.keys import log_key_place
from dealer_service.store.key_uri import KeyFile
from dealer_service.store.keyring import read_log_key
from dealer_service.store.refusal import StoreError
from dealer_service.transcript.note import NoteSigner


def find_log_key(directory: Path, uri: str = "") -> NoteSigner | None:
    """Give the log key of a URI, else the directory's; None where its file is not made yet.

    A variable stays in the environment. Failure.
    """
    try:
        place = log_key_place(Settings(directory, log_key_uri=uri))
        if isinstance(place, KeyFile) and not place.path.exists():
            return None
        return read_log_key(place)
    except StoreError as error:
        raise Failure(str(error)) from None


def verifier_key(directory: Path, uri: str = "") -> str:
    """Give the verifier key that checkpoints are signed for; Failure before the first start."""
    return str(_need_log_key(directory, uri).verifier)


class TokenOffice:
    """Issues tokens of one dealer's own key.

    A dealer that lacks one takes tokens that are signed elsewhere: a key made here would be good
    for nothing there until its next start, and for every role from then on.
    """

    def __init__(self, directory: Path, uri: str = "") -> None:
        self._origin = _need_log_key(directory, uri).name
        try:
            self._key = load_token_key(Settings(directory).token_key)
        except FileNotFoundError:
            message = f"the dealer in {directory} has no token key of its own"
            hint = (
                "get tokens from whoever signs for its --jwks; or make it a key with "
                "`cutcard-dealer keys make`, and start it again"
            )
            raise Failure(message, hint) from None
        except (AccessError, OSError) as error:
            raise Failure(str(error)) from None

    def issue(
        self, name: str, role: Role | None, seconds: int, tables: Mapping[str, Role] | None = None
    ) -> str:
        """Issue a token that is good from now on for so many seconds; Failure.

        `role` counts everywhere but at the games that `tables` names.
        """
        now = time.time()
        try:
            return issue(
                self._key, name, role, ttl=seconds, now=now, origin=self._origin, tables=tables
            )
        except AccessError as error:
            raise Failure(str(error), status=Exit.USAGE) from None


def _need_log_key(directory: Path, uri: str) -> NoteSigner:
    key = find_log_key(directory, uri)
    if key is None:
        message = f"no dealer has started in {directory} yet: it has no log key"
        hint = "name the dealer's own directory by --directory, or start `cutcard-dealer serve`"
        raise Failure(message, hint)
    return key
