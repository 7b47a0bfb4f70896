"""What publishing asks of witnesses, whoever talks to them.

A checkpoint that is signed is given to `Cosigning.gather` before it is published, and what that
gives is published: the same note, with the co-signatures that came in time. A dealer that has no
policy publishes its checkpoints as `Unwitnessed` gives them.
"""

from collections.abc import Callable
from typing import Protocol

Prove = Callable[[int], tuple[bytes, ...]]
"""Gives the proof that the checkpoint's tree extends that of a smaller size, 1 or more; blocks."""


class SeenLater(Exception):  # noqa: N818 - what a witness has seen
    """A witness has seen more of the log than this dealer has: nothing of it may be signed."""


class Cosigning(Protocol):
    """The witnesses of the dealer's policy."""

    async def question(self, size: int) -> None:
        """Ask what the witnesses saw, before this dealer signs a log of `size` lines, 0 or more.

        SeenLater where one of them saw more. A witness that does not answer says nothing.
        """
        ...

    async def gather(self, note: str, size: int, prove: Prove) -> str:
        """Give a signed checkpoint of `size` lines with the co-signatures that came in time.

        It ends by a deadline of its own, with what there is, and raises nothing but SeenLater.
        """
        ...

    def add_late(self, note: str) -> str:
        """Give the note that `gather` gave last with the co-signatures that came since; SeenLater.

        It waits for nobody.
        """
        ...

    def rest(self) -> None:
        """Ask nothing more about the checkpoint of `gather`: another dealer goes on with the log.

        What witnesses then know of the log is its doing.
        """
        ...

    def is_satisfied(self, note: str) -> bool:
        """Say whether a published note has the co-signatures that the policy asks for."""
        ...


class Unwitnessed:
    """A dealer without a policy: each checkpoint is published as it was signed."""

    async def question(self, size: int) -> None:
        """Ask nobody."""

    async def gather(self, note: str, size: int, prove: Prove) -> str:  # noqa: ARG002 - nobody is asked
        """Give the note as it is."""
        return note

    def add_late(self, note: str) -> str:
        """Give the note as it is."""
        return note

    def rest(self) -> None:
        """Ask nobody."""

    def is_satisfied(self, note: str) -> bool:  # noqa: ARG002 - nothing is asked for
        """Say that nothing more is needed."""
        return True
