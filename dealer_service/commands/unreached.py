"""What to look at where a dealer was not reached, by the words that gRPC has for it."""

from typing import Final

_TRUST: Final = (
    "its certificate is of a CA that is not trusted here, or of another name: name the CA's by "
    "--ca, and the dealer as its certificate does"
)
_IN_THE_CLEAR: Final = "it speaks in the clear there: leave --tls and --ca out"
_BY_TLS: Final = (
    "does it speak TLS there? Then call it with --tls, or with --ca where the CA is your own"
)
_ELSE: Final = "is `cutcard-dealer serve` running, and --address its address?"

_SIGNS: Final = (
    ("CERTIFICATE_VERIFY_FAILED", _TRUST),
    ("Hostname Verification", _TRUST),
    ("Peer name", _TRUST),
    ("WRONG_VERSION_NUMBER", _IN_THE_CLEAR),
    ("Socket closed", _BY_TLS),
    ("Connection reset", _BY_TLS),
)


def hint_of(words: str) -> str:
    """Give the hint for a call that failed with these words of gRPC's."""
    return next((hint for sign, hint in _SIGNS if sign in words), _ELSE)
