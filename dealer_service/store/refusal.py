"""Why a store, a key file or the signed journal can not be used: one error, a stable reason.

Its text names the file and says what to do. It never holds a key, a secret or a stored value.
"""

from enum import StrEnum, unique


@unique
class Reason(StrEnum):
    """The stable names of everything that stops a dealer over what it keeps on disk."""

    STORE_IN_USE = "STORE_IN_USE"
    STORE_NOT_OURS = "STORE_NOT_OURS"
    STORE_OTHER_VERSION = "STORE_OTHER_VERSION"
    STORE_DAMAGED = "STORE_DAMAGED"
    STORE_UNREACHABLE = "STORE_UNREACHABLE"
    STORE_FULL = "STORE_FULL"
    STORE_FAILED = "STORE_FAILED"
    STORE_CLOSED = "STORE_CLOSED"
    STORE_URL_WRONG = "STORE_URL_WRONG"
    STORE_NOT_DURABLE = "STORE_NOT_DURABLE"
    STORE_WENT_BACK = "STORE_WENT_BACK"
    NODE_REPLACED = "NODE_REPLACED"
    DIRECTORY_IN_USE = "DIRECTORY_IN_USE"
    NODE_NAME_WRONG = "NODE_NAME_WRONG"
    KEY_FILE_MISSING = "KEY_FILE_MISSING"
    KEY_FILE_EXPOSED = "KEY_FILE_EXPOSED"
    KEY_FILE_MALFORMED = "KEY_FILE_MALFORMED"
    KEY_FILE_UNREACHABLE = "KEY_FILE_UNREACHABLE"
    KEY_URI_WRONG = "KEY_URI_WRONG"
    KEY_MISSING = "KEY_MISSING"
    KEY_MALFORMED = "KEY_MALFORMED"
    KEY_EXPOSED = "KEY_EXPOSED"
    KEY_EXISTS = "KEY_EXISTS"
    KEY_UNREACHABLE = "KEY_UNREACHABLE"
    KEY_OF_ANOTHER_ORIGIN = "KEY_OF_ANOTHER_ORIGIN"
    LOG_NOT_PUBLISHED = "LOG_NOT_PUBLISHED"
    SEALED_UNDER_ANOTHER_KEY = "SEALED_UNDER_ANOTHER_KEY"
    SEAL_BROKEN = "SEAL_BROKEN"
    BEACON_UNKNOWN = "BEACON_UNKNOWN"
    JOURNAL_MISSING = "JOURNAL_MISSING"
    JOURNAL_DAMAGED = "JOURNAL_DAMAGED"
    JOURNAL_OF_ANOTHER_ORIGIN = "JOURNAL_OF_ANOTHER_ORIGIN"
    JOURNAL_FAILED = "JOURNAL_FAILED"


class StoreError(Exception):
    """What is kept on disk can not be used; `reason` is for machines, the text for people."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
