"""Why a call is not let in: one value with a stable reason, and nothing of the token in it."""

from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class Reason(StrEnum):
    """The stable names of everything that `access` refuses."""

    TOKEN_MISSING = "TOKEN_MISSING"  # noqa: S105 - a reason, not a token
    TOKEN_INVALID = "TOKEN_INVALID"  # noqa: S105 - a reason, not a token
    TOKEN_EXPIRED = "TOKEN_EXPIRED"  # noqa: S105 - a reason, not a token
    TOKEN_NOT_YET_VALID = "TOKEN_NOT_YET_VALID"  # noqa: S105 - a reason, not a token
    TOKEN_KEYS_UNREAD = "TOKEN_KEYS_UNREAD"  # noqa: S105 - a reason, not a token
    WRONG_AUDIENCE = "WRONG_AUDIENCE"
    WRONG_ISSUER = "WRONG_ISSUER"
    ROLE_NOT_ALLOWED = "ROLE_NOT_ALLOWED"
    TABLE_NOT_ALLOWED = "TABLE_NOT_ALLOWED"
    RATE_LIMITED = "RATE_LIMITED"
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"


@dataclass(frozen=True, slots=True)
class AccessRefusal:
    """A call that is not let in; `metadata` repeats what the message names.

    `unknown_key`: the token is signed by a key that is not known, or not yet.
    """

    reason: Reason
    message: str
    metadata: tuple[tuple[str, str], ...] = ()
    unknown_key: bool = False


class AccessError(ValueError):
    """A key, a certificate or a token request that can not be used; the text is for people."""
