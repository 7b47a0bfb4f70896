"""What a client has sent in one game, as values: what it will know again as its own in the log.

Each is written to the client's own journal before the call that it tells of is made, with the
call's request id, so that a client that was killed asks again for the very same and never takes
its own earlier act for a forgery.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from types import MappingProxyType
from typing import Final, TypeAlias

from dealer_service.transcript.canonical import Value


@dataclass(frozen=True, slots=True)
class SeatAsked:
    """A seat asked for, 0 for the lowest free one; the anchor in hex, empty for none."""

    request_id: str
    seat: int
    stack: int
    anchor: str
    reference: str = ""


@dataclass(frozen=True, slots=True)
class AnchorSent:
    """A new anchor; after a miss with the hand and the link that was missing, else 0 and empty."""

    request_id: str
    anchor: str
    missing_hand: int = 0
    missing_link: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class LinkSent:
    """The link given for a hand; it makes the call repeatable by itself."""

    hand: int
    link: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ActSent:
    """An act in one turn of one hand; `to` counts for a bet or a raise."""

    request_id: str
    hand: int
    turn: int
    act: str
    to: int = 0


@dataclass(frozen=True, slots=True)
class ShowSent:
    """Both hole cards shown after a hand."""

    request_id: str
    hand: int


@dataclass(frozen=True, slots=True)
class SitOutSent:
    """Asked not to be dealt in."""

    request_id: str


@dataclass(frozen=True, slots=True)
class ComeBackSent:
    """Asked to be dealt in again."""

    request_id: str


@dataclass(frozen=True, slots=True)
class PreferSent:
    """All standing choices, in rising order with a blank between them."""

    request_id: str
    choices: str


@dataclass(frozen=True, slots=True)
class PreSelectSent:
    """An act chosen before its turn comes; nothing else makes the call repeatable."""

    hand: int
    act: str


@dataclass(frozen=True, slots=True)
class ChipsSent:
    """Chips added between hands."""

    request_id: str
    amount: int
    reference: str = ""


@dataclass(frozen=True, slots=True)
class LeaveSent:
    """The seat given up."""

    request_id: str
    reference: str = ""


Sent: TypeAlias = (
    SeatAsked
    | AnchorSent
    | LinkSent
    | ActSent
    | ShowSent
    | SitOutSent
    | ComeBackSent
    | PreferSent
    | PreSelectSent
    | ChipsSent
    | LeaveSent
)

_NAMES: Final[Mapping[type[Sent], str]] = MappingProxyType(
    {
        SeatAsked: "seat_asked",
        AnchorSent: "anchor",
        LinkSent: "link",
        ActSent: "act",
        ShowSent: "show",
        SitOutSent: "sit_out",
        ComeBackSent: "come_back",
        PreferSent: "prefer",
        PreSelectSent: "pre_select",
        ChipsSent: "chips",
        LeaveSent: "leave",
    }
)
_KINDS: Final = {name: kind for kind, name in _NAMES.items()}


def to_line(sent: Sent) -> dict[str, Value]:
    """Write as an object of one key."""
    return {_NAMES[type(sent)]: asdict(sent)}


def from_line(line: Mapping[str, Value]) -> Sent:
    """Read what `to_line` wrote; ValueError for anything else."""
    ((name, body),) = line.items()
    kind = _KINDS.get(name)
    if kind is None or not isinstance(body, dict):
        message = f"a client sends no {name[:40]!r}"
        raise ValueError(message)
    types = {"int": int, "str": str}
    if {each.name for each in fields(kind)} != body.keys() or any(
        type(body[each.name]) is not types[str(getattr(each.type, "__name__", each.type))]
        for each in fields(kind)
    ):
        message = f"{name} does not have the fields of one"
        raise ValueError(message)
    return kind(**body)  # type: ignore[arg-type]
