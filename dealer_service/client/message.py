"""What a watch stream sends, as values: one message, and what may stand in it.

The same as `WatchResponse` of play.proto, free of the wire, so that everything that judges it is
a plain function of bytes and numbers.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CardOpening:
    """One of the player's own cards with what proves it: salt (16 bytes), path leaf to root."""

    hand: int
    position: int
    card: str = field(repr=False)
    salt: bytes = field(repr=False)
    proof: tuple[bytes, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class CardProof:
    """The path of a position that a line of the same message opens."""

    hand: int
    position: int
    proof: tuple[bytes, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Span:
    """A range of totals for the street, both ends allowed."""

    low: int
    high: int

    def nearest(self, total: int) -> int:
        """Give the allowed total that is nearest to `total`."""
        return max(self.low, min(self.high, total))


@dataclass(frozen=True, slots=True)
class Preset:
    """A bet or raise by name: the total for the street, and what it costs more."""

    name: str
    to: int
    cost: int


@dataclass(frozen=True, slots=True)
class Decision:
    """A turn: whose it is, what may be done, and when the clock acts (ms since 1970).

    `call` is what a call costs and `call_to` the total for the street that it leads to; `bank_ms`
    is what of the time is the seat's time bank; `presets` rise.
    """

    hand: int
    turn: int
    seat: int
    may_check: bool
    call: int
    bet: Span | None
    raise_to: Span | None
    no_raise_because: str
    deadline: int
    call_to: int = 0
    bank_ms: int = 0
    presets: tuple[Preset, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """Lines from index `first` on, with what belongs to them, or openings for one player."""

    first: int = 0
    lines: tuple[bytes, ...] = ()
    proofs: tuple[CardProof, ...] = ()
    checkpoint: str = ""
    decision: Decision | None = None
    openings: tuple[CardOpening, ...] = ()
