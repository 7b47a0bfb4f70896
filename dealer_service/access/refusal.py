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
    WRONG_AUDIENCE = "WRONG_AUDIENCE"
    WRONG_ISSUER = "WRONG_ISSUER"
    ROLE_NOT_ALLOWED = "ROLE_NOT_ALLOWED"

    @property
    def permission(self) -> bool:
        """True for PERMISSION_DENIED: who calls is known. False for UNAUTHENTICATED."""
        return self is Reason.ROLE_NOT_ALLOWED


@dataclass(frozen=True, slots=True)
class AccessRefusal:
    """A call that is not let in; `metadata` repeats what the message names."""

    reason: Reason
    message: str
    metadata: tuple[tuple[str, str], ...] = ()


class AccessError(ValueError):
    """A key file or a token request that can not be used; the text is for people."""
