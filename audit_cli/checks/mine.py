"""PLAYER-MIXED with a player's record: the randomness of that player is in each of its decks.

For each hand that dealt the player in, the logged link is the one that its client sent, and the
checkpoint under which it was sent ends with that hand's opening and is of these lines: so the deck
was committed to before the dealer knew the link (protocol 10 and 12).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audit_cli.checks.voice import Voice, count
from audit_cli.merkle import EMPTY_ROOT, Frontier
from audit_cli.note import NoteVerdict, verify_note
from audit_cli.report.finding import Promise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import Table
    from audit_cli.gamefile import Header, Line
    from audit_cli.note import VerifierKey
    from audit_cli.record import KeptNote, Record


class Mine:
    """Compares one player's records, by game, with the log of each of the games."""

    def __init__(
        self, emit: Emit, player: str, records: Mapping[str, Record], trusted: VerifierKey | None
    ) -> None:
        self._voice = Voice(Promise.PLAYER_MIXED, emit)
        self._player = player
        self._records = records
        self._trusted = trusted
        self._found = 0
        self._seen: set[str] = set()

    def begin(self, table: Table, header: Header) -> None:
        """Begin a game; without a record of it nothing is compared."""
        self._table = table
        self._voice.begin(table.game)
        self._key = self._trusted or header.key
        self._log_origin = header.log_origin
        self._record = self._records.get(table.game)
        self._frontier = Frontier()
        self._roots: dict[int, bytes] = {0: EMPTY_ROOT}
        self._sizes: set[int] = set()
        self._without = 0
        self._unrecorded = 0
        self._seat: int | None = None
        if self._record is not None:
            self._seen.add(table.game)
            self._sizes = {kept.checkpoint.size for kept in self._kept(self._record)}
            for reason in self._record.refused:
                self._voice.notice(f"{self._record.player} left the game: {reason}")

    @staticmethod
    def _kept(record: Record) -> list[KeptNote]:
        return [*record.kept, *(sent.kept for sent in record.links.values())]

    def line(self, line: Line) -> None:
        """Every entry's leaf, for the roots at the record's sizes."""
        if self._record is None:
            return
        self._frontier.append(line.leaf)
        if self._frontier.size in self._sizes:
            self._roots[self._frontier.size] = self._frontier.root()

    def hand_opened(self, line: Line) -> None:
        """Judge where the link's checkpoint ends, when the table has taken the opening."""
        record, hand = self._record, self._table.hand
        assert hand is not None
        self._seat = next(
            (seat for seat, dealt in hand.players.items() if dealt.player == self._player), None
        )
        if record is None:
            return
        sent = record.links.get(hand.number)
        if self._seat is None or sent is None:
            return
        if sent.kept.checkpoint.size != self._frontier.size:
            self._voice.broken(
                "the link was sent under a checkpoint that does not end with the hand's opening",
                line,
                hand.number,
                f"size {self._frontier.size}",
                f"size {sent.kept.checkpoint.size}, line {sent.kept.number} of the record",
            )

    def deck_committed(self, line: Line) -> None:
        """Look for the player's link in the deck."""
        self._compare(line, committed=True)

    def hand_void(self, line: Line) -> None:
        """Look for the player's link in the void, where it came."""
        hand = self._table.hand
        if hand is not None and not hand.committed:
            self._compare(line, committed=False)

    def _compare(self, line: Line, *, committed: bool) -> None:
        record, hand = self._record, self._table.hand
        if hand is None or self._seat is None:
            return
        if record is None:
            self._unrecorded += committed
            return
        logged = {item["seat"]: item["link"] for item in line.body["links"]}.get(self._seat)
        sent = record.links.get(hand.number)
        if logged is None and sent is not None:
            if committed:
                text = f"the link that {record.player} sent is not in the deck"
                self._voice.broken(text, line, hand.number, sent.link, "no link")
            elif self._seat in hand.frozen:
                self._voice.notice(
                    f"hand {hand.number} is void without the link that {record.player} sent; "
                    "who is to blame can not be proved"
                )
        elif logged is not None and (sent is None or logged != sent.link):
            self._voice.broken(
                f"the logged link of {record.player} is not of its record",
                line,
                hand.number,
                "no link" if sent is None else sent.link,
                logged,
            )
        elif logged is not None:
            self._found += committed
        elif committed:
            self._without += 1

    def end(self) -> None:
        """Compare all that the client kept with the roots of these lines."""
        record = self._record
        if record is None:
            if self._unrecorded:
                text = f"{count(self._unrecorded, 'hand')} dealt {self._player} in"
                self._voice.unproved(f"{text}, and there is no record of the game")
            return
        covered = self._frontier.size
        for kept in self._kept(record):
            checkpoint = kept.checkpoint
            where = f"the checkpoint in line {kept.number} of the record"
            opened = verify_note(kept.note, (self._key,))
            if opened.verdict is not NoteVerdict.OK or checkpoint.origin != self._log_origin:
                self._voice.unproved(f"{where} has no good signature of {self._key}")
            elif checkpoint.size > covered:
                text = f"{where} is of size {checkpoint.size:,}; the signed entries end before"
                self._voice.unproved(text)
            elif self._roots[checkpoint.size] != checkpoint.root:
                self._voice.broken(
                    f"{where} is of another history, signed by {self._key}",
                    None,
                    None,
                    f"root {self._roots[checkpoint.size].hex()}, as of these entries",
                    f"root {checkpoint.root.hex()}",
                )
        if self._without:
            text = f"{count(self._without, 'hand')} dealt {record.player} in without its link"
            self._voice.unproved(text)
        self._voice.end()

    def conclude(self) -> None:
        """Say what was found of the player's own."""
        for game in self._records:
            if game not in self._seen:
                self._voice.begin("")
                self._voice.notice(f"the record's game {game} is not in the input")
        if self._found:
            decks = count(self._found, "deck")
            self._voice.holds(
                f"the link that the client of {self._player} sent is in each of {decks}"
            )
        else:
            self._voice.begin("")
            self._voice.unproved(f"no deck with a link of the record of {self._player}")
