"""A call that is still to come, for clocks that tests move."""

from collections.abc import Callable


class ManualTimer:
    """A call that comes at most once."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    @property
    def is_wanted(self) -> bool:
        """Whether it is still to come."""
        return self._call is not None

    def cancel(self) -> None:
        self._call = None

    def run(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()
