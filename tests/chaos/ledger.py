"""All that a dealer ever said to anybody: what it is held to afterwards."""

from collections import defaultdict
from dataclasses import dataclass, field

from google.protobuf.message import Message

from cutcard.v1 import play_pb2
from dealer_service.access.roles import Role


@dataclass(frozen=True, slots=True)
class Acked:
    """A call that was answered: by whom, which, and both messages."""

    who: str
    role: Role
    service: str
    method: str
    request: Message
    answer: bytes

    @property
    def game(self) -> str:
        """The game that was asked for; empty for one that asks for a new one."""
        return str(getattr(self.request, "game", ""))


@dataclass
class Ledger:
    """Everything heard: lines by game and index (all that were ever told for one), notes by game,
    openings by game, player, hand and position, and answers in their order.

    `ended` says how many lines each had heard of a game when its stream came to its end, `settled`
    are the movements of chips in the order in which the bank was told of them. `records` are the
    players' own, by game and name, as lines of JSON. `refusals` are what nobody expected, in words.
    """

    lines: dict[str, dict[int, set[bytes]]] = field(default_factory=dict)
    notes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    openings: dict[tuple[str, str, int, int], set[bytes]] = field(
        default_factory=lambda: defaultdict(set)
    )
    ended: dict[tuple[str, str], int] = field(default_factory=dict)
    settled: list[dict[str, object]] = field(default_factory=list)
    acked: list[Acked] = field(default_factory=list)
    records: dict[tuple[str, str], list[dict[str, object]]] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)

    def hear(self, game: str, player: str, message: play_pb2.WatchResponse) -> None:
        """Take down a message of a stream."""
        told = self.lines.setdefault(game, {})
        for index, line in enumerate(message.lines, message.first):
            told.setdefault(index, set()).add(line)
        for one in message.openings:
            key = (game, player, one.hand, one.position)
            self.openings[key].add(one.SerializeToString(deterministic=True))
        if message.checkpoint:
            self.notes[game].add(message.checkpoint)
