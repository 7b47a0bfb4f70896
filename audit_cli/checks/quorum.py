"""Whether a policy's witnesses co-signed a checkpoint of the dealer's log, and when.

A policy that lists logs trusts those alone. A signature under the name and ID of a known witness
that does not hold refuses the whole note (protocol 5, C2SP `signed-note`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.log.cosignature import read_cosignatures
from audit_cli.log.policy import NONE
from audit_cli.problem import printable

if TYPE_CHECKING:
    from audit_cli.log.policy import Policy
    from audit_cli.note import Note, VerifierKey

_LATEST_SHOWN = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


class Quorum(NamedTuple):
    """The witnesses, by their names in the policy, that co-signed, with their times in seconds.

    `reached` is the time of the last that the quorum needed, the earliest ones first.
    """

    times: dict[str, int]
    reached: int

    def __str__(self) -> str:
        """Name the witnesses with their times."""
        return ", ".join(
            f"{printable(name)} ({_date(time)})" for name, time in sorted(self.times.items())
        )


def find_quorum(policy: Policy, key: VerifierKey, note: Note) -> Quorum | str:
    """Return who co-signed a note of the log's `key`, or why that is not what the policy asks."""
    if policy.quorum == NONE:
        return "the policy asks for no witness"
    if policy.logs and all(log.key != key for log in policy.logs):
        return f"the policy does not list {key} among its logs"
    cosigned = read_cosignatures(note, (witness.key for witness in policy.witnesses))
    if cosigned.failed:
        return f"a co-signature of {printable(str(cosigned.failed[0]))} does not hold"
    times = {
        witness.name: cosigned.times[witness.key]
        for witness in policy.witnesses
        if witness.key in cosigned.times
    }
    early: set[str] = set()
    for time, name in sorted((time, name) for name, time in times.items()):
        early.add(name)
        if policy.is_satisfied(early):
            return Quorum(times, time)
    named = ", ".join(map(printable, sorted(times))) or "none"
    return f"the quorum {printable(policy.quorum)} is not reached; co-signed: {named}"


def _date(time: int) -> str:
    if time > _LATEST_SHOWN:
        return f"{time} s"
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
