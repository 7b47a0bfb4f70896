"""Which cases of the flaw bank a command line names, by `--flaws` and `--quick`."""

from __future__ import annotations

from typing import Final

from audit_cli.inputs import UsageError, shown
from audit_cli.rng.flaws.bank import BANK, number_cases

_ALL: Final = "all"
_NONE: Final = "none"


def read_flaws(words: str | None, *, quick: bool) -> tuple[int, ...]:
    """Return the numbers of the cases that `--flaws` names: all of them where it is left out.

    UsageError for a name that is none, and where `quick` leaves nothing of what is named.
    """
    if words == _NONE:
        return ()
    known = {case.name for case in BANK}
    names = known if words in {None, _ALL} else set(str(words).split(","))
    for name in sorted(names - known):
        message = f"--flaws {shown(name)}: no such flaw"
        raise UsageError(message, f"the flaws are {', '.join(sorted(known))}; or {_NONE}")
    numbers = number_cases(names, quick=quick)
    if not numbers:
        message = "every flaw that is named takes more than 100,000 decks"
        raise UsageError(message, "leave --quick out")
    return numbers
