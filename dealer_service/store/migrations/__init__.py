"""The stores' tables, as numbered steps: a new store takes all of them, an older one the rest.

A step is never changed once a store has taken it; what comes later is a step of its own. A store
records the number of the last step it has taken as its version.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dealer_service.store.refusal import Reason, StoreError


@dataclass(frozen=True, slots=True)
class Step:
    """The statements that lead to `version` from the one before, and what they are for."""

    version: int
    words: str
    statements: tuple[str, ...]


def newest(steps: Sequence[Step]) -> int:
    """Give the version that all steps lead to."""
    return steps[-1].version


def steps_after(steps: Sequence[Step], version: int) -> tuple[Step, ...]:
    """Give the steps that a store of that version lacks."""
    return tuple(step for step in steps if step.version > version)


def other_version(shown: object, version: int, needed: int) -> StoreError:
    """Say what is to be done about a store of a version that this dealer does not serve."""
    what = (
        "back it up and run `cutcard-dealer migrate`"
        if 0 < version < needed
        else "use the dealer that made it"
    )
    message = (
        f"the store {shown} is of version {version}, and this dealer needs version {needed}; "
        f"nothing was changed: {what}"
    )
    return StoreError(Reason.STORE_OTHER_VERSION, message)
