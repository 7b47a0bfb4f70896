"""BEACON-MIXED: each deck mixes the round that its opening asks for, and no opening knew it.

The round is the rule's and its randomness the hash of its signature (protocol 2); the signature is
the network's. All that leaves open is when the opening was made: one that is dated back could have
been made for a round that was out. A client links to openings of now alone (protocol 11), so that
its record shows it: the link of a hand, sent under a checkpoint that ends with its opening. So do
witnesses who co-signed the opening's line in the dealer's log before the round was due.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from audit_cli import pairing
from audit_cli.beacon import QUICKNET
from audit_cli.checks.voice import Voice, count
from audit_cli.merkle import EMPTY_ROOT, Frontier
from audit_cli.note import NoteVerdict, verify_note
from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from audit_cli.beacon import Network
    from audit_cli.checks.check import Emit, Request
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Header, Line
    from audit_cli.record import Record

    CosignedAt = Callable[[str, int], int | None]


class BeaconMixed:
    """Judges the rounds of all decks; `records` are those of players, by game."""

    def __init__(
        self, request: Request, emit: Emit, records: Sequence[Mapping[str, Record]]
    ) -> None:
        self._voice = Voice(Promise.BEACON_MIXED, emit)
        self._networks = {one.chain: one for one in (QUICKNET, *request.beacons)}
        self._trusted = request.trusted
        self._records = records
        self._verify = pairing.load
        self._verified: dict[tuple[str, int, str], bool] = {}
        self._named = False
        self._drawn = 0
        self._undated: dict[str, list[tuple[int, int]]] = {}

    def begin(self, table: Table, header: Header) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        self._key = self._trusted or header.key
        self._log_origin = header.log_origin
        self._mine = [games[table.game] for games in self._records if table.game in games]
        self._frontier = Frontier()
        self._opening = EMPTY_ROOT
        self._size = 0
        self._unknown: str | None = None
        self._unverified = 0
        self._unopened = 0

    @property
    def has_record(self) -> bool:
        """Whether there is a player's record of the game: each entry is wanted then."""
        return bool(self._mine)

    def line(self, line: Line) -> None:
        """Every entry's leaf, for the root at each opening."""
        self._frontier.append(line.leaf)

    def game_opened(self, line: Line) -> None:
        """See whether the rules name a beacon."""
        self._named = self._named or "beacon" in line.body["rules"]

    def hand_opened(self, _: Line) -> None:
        """Keep the log's root where the opening ends."""
        if self._mine:
            self._opening, self._size = self._frontier.root(), self._frontier.size

    def deck_committed(self, line: Line) -> None:
        """Judge a deck's round, when the table has taken the entry."""
        rules = self._table.rules
        chain = None if rules is None else rules.beacon
        drawn = line.body.get("beacon")
        if (chain is None) != (drawn is None):
            self._named = True
            text = "a deck and its rules disagree about a beacon"
            wanted, found = (_told(value) for value in (chain, drawn))
            self._voice.broken(text, line, line.body["hand"], wanted, found)
        elif chain is not None and drawn is not None:
            self._drawn += 1
            self._judge(line, chain, drawn)

    def _judge(self, line: Line, chain: str, drawn: dict[str, Any]) -> None:
        number: int = line.body["hand"]
        signature = bytes.fromhex(drawn["signature"])
        randomness = sha256(signature).hexdigest()
        if drawn["randomness"] != randomness:
            text = "the randomness is not the hash of the round's signature"
            self._voice.broken(text, line, number, randomness, drawn["randomness"])
            return
        network = self._networks.get(chain)
        hand = self._table.hand
        if network is None:
            self._unknown = chain
            return
        if hand is None:
            # An opening that is missing or can not be read has no time.
            self._unopened += 1
            return
        due = network.round_of(hand.opened_at)
        if drawn["round"] != due:
            text = "the round is not the one that the opening asks for"
            self._voice.broken(text, line, number, f"round {due}", f"round {drawn['round']}")
            return
        holds = self._holds(network, due, signature)
        if holds is None:
            self._unverified += 1
        elif not holds:
            text = f"the signature of round {due} is not that of {network.name}"
            self._voice.broken(text, line, number, None, drawn["signature"])
        if not any(self._dates(record, number) for record in self._mine):
            undated = self._undated.setdefault(self._table.game, [])
            undated.append((number, network.time_of(due)))

    def _holds(self, network: Network, number: int, signature: bytes) -> bool | None:
        """Say whether a signature is the network's; None where that can not be checked."""
        known = (network.chain, number, signature.hex())
        if known not in self._verified:
            verify = self._verify()
            if verify is None:
                return None
            self._verified[known] = verify(network, number, signature)
        return self._verified[known]

    def _dates(self, record: Record, number: int) -> bool:
        """Say whether a client linked to a hand under a checkpoint that ends with its opening."""
        sent = record.links.get(number)
        if sent is None or record.origin != self._table.origin:
            return False
        checkpoint = sent.kept.checkpoint
        place = (checkpoint.origin, checkpoint.size, checkpoint.root)
        if place != (self._log_origin, self._size, self._opening):
            return False
        return verify_note(sent.kept.note, (self._key,)).verdict is NoteVerdict.OK

    def end(self) -> None:
        """Say what this game leaves open."""
        if self._unknown is not None:
            text = f"nothing is known of the beacon {self._unknown}"
            self._voice.unproved(f"{text}: give its chain information (--beacon)")
        if self._unverified:
            text = f"{count(self._unverified, 'signature')} of rounds can not be checked"
            self._voice.unproved(f"{text}: {pairing.EXTRA}")
        if self._unopened:
            rounds = count(self._unopened, "round")
            self._voice.unproved(f"{rounds} of hands whose opening can not be read")
        self._voice.end()

    def conclude(self, cosigned_at: CosignedAt = lambda _game, _hand: None) -> None:
        """Say what was judged; not applicable where nothing names a beacon.

        `cosigned_at(game, hand)` is when a quorum of trusted witnesses had co-signed a hand's
        opening in the dealer's log, in milliseconds.
        """
        for game, openings in self._undated.items():
            late = 0
            for hand, due in openings:
                at = cosigned_at(game, hand)
                late += at is None or at >= due
            if late:
                self._voice.begin(game)
                self._voice.unproved(
                    f"{count(late, 'opening')} may have been made when the round was out: a "
                    "client's record (--mine) or witnesses of that time show when it was"
                )
        if not self._named:
            self._voice.not_applicable("the rules name no beacon")
        elif self._drawn:
            rounds = count(self._drawn, "round")
            self._voice.holds(f"{rounds} as the openings ask, signed by the beacon, and after them")
        else:
            self._voice.unproved("the rules name a beacon, and no deck was committed")


def _told(value: object) -> str:
    return "no round" if value is None else "a round"
