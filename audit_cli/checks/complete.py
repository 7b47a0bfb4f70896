"""COMPLETE: no hand is missing, twice or thrown away; the game closed and revealed in time.

Each hand ended or is a void that protocol 7 allows: with its secret, not before its time, before
its deck, with the chips as at the opening, and few by the operator's own reasons. Voids that the
rules allow are printed by reason and player, with the decks that would have been.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from audit_cli.checks.table import OWN_REASONS
from audit_cli.checks.voice import Voice, count
from audit_cli.checks.wouldbe import describe_would_be
from audit_cli.report.finding import Promise
from audit_cli.spool import Numbers

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import OpenHand, Table
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Line

ALLOWED_OWN_VOIDS = 2
MAX_PRINTED = 50
_REASONS = OWN_REASONS | {"link_missing", "dealer_fault"}


class _Void(NamedTuple):
    """A void whose deck can not be derived before the missing links are handed in."""

    hand: OpenHand
    secret: str


class Complete:
    """Counts hands and voids."""

    def __init__(self, emit: Emit) -> None:
        self._voice = Voice(Promise.COMPLETE, emit)
        self._hands = 0
        self._voids = 0
        self._games = 0

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._games += 1
        self._table = table
        self._voice.begin(table.game)
        self._seen = Numbers()
        self._reasons: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()
        self._own: list[tuple[int, Line]] = []
        self._last_own = 0
        self._pending: dict[int, _Void] = {}
        self._printed = 0
        self._after_void = 0
        self._moved = False
        self._close: Line | None = None
        self._to_reveal = Numbers()

    def hand_opened(self, line: Line) -> None:
        """Take the next hand, before the table takes the entry."""
        table = self._table
        number = line.body["hand"]
        self._hands += 1
        if table.hand is not None and not table.torn:
            text = "a hand neither ended nor is void when the next one opens"
            self._voice.broken(text, line, table.hand.number)
        if number in self._seen:
            self._voice.broken("a hand's number comes twice", line, number)
        elif number != table.last_hand + 1 and not table.torn:
            self._miss(line, table.last_hand + 1, number)
        self._seen.add(number)
        self._to_reveal.add(number)
        self._compare_stacks(line)
        self._moved = False

    def _miss(self, line: Line, due: int, number: int) -> None:
        """Say that the hand that is due does not come; it is the place to look at."""
        if number > due + 1:
            text = f"the hands from {due} to {number - 1} are missing"
        elif number > due:
            text = f"hand {due} is missing"
        else:
            text = "a hand's number goes back"
        hand = min(due, number)
        self._voice.broken(text, line, hand, f"hand {due}", f"hand {number}")

    def _compare_stacks(self, line: Line) -> None:
        """Behind a void, the chips are those of its opening (and what was added since)."""
        number, self._after_void = self._after_void, 0
        if not number or self._table.torn:
            return
        for logged in line.body["seats"] if line.kind == "hand_opened" else line.body["stacks"]:
            seat = self._table.find(logged)
            if seat is not None and seat.stack != logged["stack"]:
                self._voice.broken(
                    f"behind the void hand {number} the chips of seat {logged['seat']} are not "
                    "those of its opening",
                    line,
                    number,
                    seat.stack,
                    logged["stack"],
                )

    def moved(self, _: Line) -> None:
        """Note that a chip or a card moved in the open hand."""
        self._moved = True

    def hand_void(self, line: Line) -> None:
        """Judge a void, before the table takes the entry."""
        table, body = self._table, line.body
        number, reason = body["hand"], body["reason"]
        self._voids += 1
        self._reasons[reason] += 1
        self._after_void = number
        self._to_reveal.discard(number)
        if reason in OWN_REASONS:
            self._own.append((number, line._replace(body={})))
            self._last_own = number
        for missing in body["missing"]:
            self._missing[missing["player"]] += 1
        self._judge_void(line)
        secret = body.get("secret")
        if not secret:
            self._voice.broken("a void does not show its secret", line, number)
        elif table.hand is not None and table.hand.number == number:
            self._pending[number] = _Void(table.hand, secret)

    def _judge_void(self, line: Line) -> None:
        hand, body = self._table.hand, line.body
        number, reason = body["hand"], body["reason"]
        if reason not in _REASONS:
            wanted = f"one of {', '.join(sorted(_REASONS))}"
            self._voice.broken("a void for a reason that is none", line, number, wanted, reason)
        elif reason == "no_beacon" and (rules := self._table.rules) and rules.beacon is None:
            text = "a hand is void for want of a beacon, and the rules name none"
            self._voice.broken(text, line, number)
        elif reason == "dealer_fault":
            self._voice.broken("a fault of the dealer ended the hand", line, number)
        if hand is None or hand.number != number:
            if not self._table.torn:
                self._voice.broken("a void of a hand that is not open", line, number)
            return
        if hand.committed and reason != "dealer_fault":
            text = "a hand is void after its deck was committed"
            self._voice.broken(text, line, number)
        elif self._moved and not hand.committed:
            text = "a chip or a card moved in a hand that is void before its deck"
            self._voice.broken(text, line, number)
        self._judge_missing(line, hand)

    def _judge_missing(self, line: Line, hand: OpenHand) -> None:
        body = line.body
        number = hand.number
        came = {link["seat"] for link in body["links"]} | hand.links.keys()
        absent = [(seat, hand.players[seat].player) for seat in hand.frozen if seat not in came]
        named = [(item["seat"], item["player"]) for item in body["missing"]]
        if body["reason"] != "link_missing":
            if named:
                text = "a void names missing links, and its reason is another"
                self._voice.broken(text, line, number, "nobody", _names(named))
            return
        if named != absent or not named:
            self._voice.broken(
                "a void does not name the players whose link is missing",
                line,
                number,
                _names(absent) or "no link is missing, so the hand is not void",
                _names(named) or "nobody",
            )
        rules = self._table.rules
        due = hand.opened_at + rules.link_ms if rules is not None else 0
        if line.at < due:
            text = "a hand is void for a missing link before its time"
            self._voice.broken(text, line, number, f"not before {due}", line.at)

    def voided(self, line: Line) -> None:
        """Print a void and its deck, where it is known, when the table has taken its links."""
        body = line.body
        players = [item["player"] for item in body["missing"]]
        by = f", the link of {' and '.join(players)} is missing" if players else ""
        void = self._pending.get(body["hand"])
        words = None if void is None else describe_would_be(self._table, *void)
        if words is not None:
            del self._pending[body["hand"]]
        again = ", after links came" if body["links"] and not players else ""
        self._print(f"hand {body['hand']} is void: {body['reason']}{by}{again}", *(words or []))

    def anchored(self, line: Line) -> None:
        """See whether a missing link completes the links of a void."""
        number, link = line.body.get("missing_hand"), line.body.get("missing_link")
        void = self._pending.get(number) if number is not None else None
        if void is None or link is None:
            return
        player = line.body["player"]
        for seat in void.hand.frozen:
            if void.hand.players[seat].player == player:
                void.hand.links.setdefault(seat, link)
        words = describe_would_be(self._table, *void)
        if words is not None:
            del self._pending[void.hand.number]
            text = f"hand {number} was void, and {player} has given its missing link since"
            self._print(text, *words)

    def _print(self, *words: str) -> None:
        self._printed += 1
        if self._printed <= MAX_PRINTED:
            self._voice.notice(*words)

    def game_closed(self, line: Line) -> None:
        """Take the close, before the table takes the entry."""
        hand = self._table.hand
        if hand is not None and not self._table.torn:
            text = "a hand neither ended nor is void when the game closes"
            self._voice.broken(text, line, hand.number)
        self._compare_stacks(line)
        self._close = line
        self._judge_own_voids(restored=line.body["reason"] == "restored")

    def _judge_own_voids(self, *, restored: bool) -> None:
        allowed = ALLOWED_OWN_VOIDS
        if restored and self._last_own == self._table.last_hand:
            allowed += 1
        for number, line in self._own[allowed:]:
            self._voice.broken(
                "one more hand is void by the operator's own reasons than a game may have",
                line,
                number,
                f"{allowed} at most",
                len(self._own),
            )
        self._own = []

    def secret_revealed(self, line: Line) -> None:
        """Judge the time of a secret."""
        self._to_reveal.discard(line.body["hand"])
        rules, close = self._table.rules, self._close
        if rules is None or close is None:
            return
        latest = close.at + rules.within_ms
        if line.at > latest:
            self._voice.broken(
                "a secret is revealed after its latest time",
                line,
                line.body["hand"],
                f"not after {latest}, {rules.within_ms} ms after the close",
                line.at,
            )

    def end(self, ended: Ended) -> None:
        """End the game: what is not there is not established, what was void is told."""
        # An open game may still turn out to be closed by a restore.
        self._judge_own_voids(restored=True)
        if self._close is None:
            hand = self._table.hand
            where = "" if hand is None else f", in hand {hand.number}"
            self._voice.unproved(f"the signed entries end before the game closed{where}")
        elif self._to_reveal:
            text = f"the game closed, and {count(len(self._to_reveal), 'secret')} not yet there"
            self._voice.unproved(text)
        if ended.first_unsigned is not None:
            unsigned = sum(ended.unsigned.values())
            self._voice.unproved(
                f"{unsigned:,} unsigned entries behind the last checkpoint, from line "
                f"{ended.first_unsigned:,} on, prove nothing"
            )
        self._tell_voids()
        self._voice.end()

    def _tell_voids(self) -> None:
        if self._printed > MAX_PRINTED:
            self._voice.notice(f"and {self._printed - MAX_PRINTED:,} more notes on voids")
        if self._reasons:
            reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(self._reasons.items()))
            self._voice.notice(f"voids by reason: {reasons}")
        if self._missing:
            players = ", ".join(f"{n} by {player}" for player, n in sorted(self._missing.items()))
            self._voice.notice(f"missing links by player: {players}")

    def conclude(self) -> None:
        """Say what was counted."""
        self._voice.holds(
            f"{count(self._hands, 'hand')} of {count(self._games, 'game')}, none missing; "
            f"{count(self._voids, 'void')}"
        )


def _names(pairs: list[tuple[int, str]]) -> str:
    return ", ".join(f"seat {seat} {player}" for seat, player in pairs)
