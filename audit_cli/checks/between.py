"""PLAYED, between hands: who sits with what, and who is dealt in (protocol 6.2, 6.3 and 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.canonical import MAX_INTEGER
from audit_cli.checks.colored import judge_colors
from audit_cli.checks.openings import (
    Told,
    find_straddler,
    is_plain,
    place,
    tell_seats,
)
from audit_cli.checks.table import read_places
from audit_cli.poker.rules import DEALT_IN

if TYPE_CHECKING:
    from audit_cli.checks.ruleset import Rules
    from audit_cli.checks.table import Seat, Table
    from audit_cli.checks.voice import Voice
    from audit_cli.gamefile import Line


_CLOSES_TOURNAMENT = frozenset({"tournament", "restored"})


class Between:
    """Judges the entries that change seats and the openings that repeat them.

    Each is called before the table takes the entry.
    """

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        # Carried players for whose anchors the first hand of a game waits.
        self._awaited: set[str] = set()

    def _broken(self, text: str, line: Line, expected: object = None, found: object = None) -> None:
        hand = self._table.hand
        number = line.body.get("hand", None if hand is None else hand.number)
        self._voice.broken(text, line, number, expected, found)

    def _named(self, line: Line) -> Seat | None:
        """Return the seat that an entry names; says so where its player does not hold it."""
        seat = self._table.find(line.body)
        if seat is None or seat.leaving:
            if not self._table.torn:
                name = f"seat {line.body['seat']}, {line.body['player']}"
                held = self._table.seats.get(line.body["seat"])
                found = "nobody" if held is None else f"{held.player}" + " (left)" * held.leaving
                text = f"{line.kind} of a player who does not hold the seat"
                self._broken(text, line, name, found)
            return None
        return seat

    def game_opened(self, line: Line) -> None:
        """Whose anchors the first hand has to wait for."""
        previous = line.body.get("previous")
        if previous is not None:
            self._awaited = {seat["player"] for seat in previous["seats"] if seat["anchored"]}
            if "tournament" in line.body["rules"]:
                self._broken("a tournament's table goes on from another game", line)

    def seat_taken(self, line: Line) -> None:
        """Judge a free seat, a player who sits nowhere else, and a stack within the buy-in."""
        table, body, rules = self._table, line.body, self._table.rules
        if rules is None:
            return
        if body["seat"] > rules.seats:
            self._broken("a seat that the table does not have", line, rules.seats, body["seat"])
        if table.torn:
            return
        if rules.tournament is None:
            self._check_buy_in(line, rules)
        elif "anchor" in body:
            text = "a seat of a tournament's table is taken with an anchor"
            self._broken(text, line, "no anchor", body["player"])
        self._check_sum(line, body["stack"])
        held = table.seats.get(body["seat"])
        if held is not None:
            self._broken("a taken seat is taken", line, "a free seat", f"seat of {held.player}")
        if any(seat.player == body["player"] for seat in table.seats.values()):
            self._broken("a player takes a second seat", line, "one seat", body["player"])
        if "anchor" in body and body["player"] in table.misses:
            text = "a player who has missed a link sits with an anchor"
            self._broken(text, line, "no anchor", body["player"])

    def _check_buy_in(self, line: Line, rules: Rules) -> None:
        """Judge the stack of who sits down; who left a short while ago brings it all back."""
        stack = line.body["stack"]
        least, most = rules.buy_in_min, rules.buy_in_max
        text = "a seat is taken with another stack"
        gone = self._table.departed.get(line.body["player"])
        if (
            gone is not None
            and rules.return_ms is not None
            and gone.stack >= least
            and line.at <= gone.at + rules.return_ms
        ):
            least, most = gone.stack, max(most, gone.stack)
            text = "a player comes back with another stack than it may"
        if not least <= stack <= most:
            self._broken(text, line, f"{least} to {most}", stack)

    def _check_sum(self, line: Line, more: int) -> None:
        chips = sum(seat.stack for seat in self._table.seats.values()) + more
        if chips > MAX_INTEGER:
            self._broken("a table has more chips than a log can tell", line, MAX_INTEGER, chips)

    def left(self, line: Line) -> None:
        """Judge a leave: the chips go with the player, or stay until the hand has ended."""
        body = line.body
        seat = self._named(line)
        self._awaited.discard(body["player"])
        if seat is None or self._table.torn:
            return
        stack = body.get("stack")
        if self._table.is_dealt_in(body["seat"], body["player"]):
            if stack is not None:
                text = f"{line.kind} of a seat dealt into the open hand gives a stack"
                self._broken(text, line, "no stack before the hand has ended", stack)
        elif stack != seat.stack:
            text = f"{line.kind} with another stack than the seat has"
            self._broken(text, line, seat.stack, "none" if stack is None else stack)

    def chips_added(self, line: Line) -> None:
        """Not above the largest buy-in, unless a tournament adds them."""
        seat, rules = self._named(line), self._table.rules
        if seat is None or rules is None or self._table.torn:
            return
        stack = seat.stack + line.body["amount"]
        if stack > rules.buy_in_max and rules.tournament is None:
            text = "chips are added above the largest buy-in"
            self._broken(text, line, f"{rules.buy_in_max} at most", stack)
        self._check_sum(line, line.body["amount"])

    def colored_up(self, line: Line) -> None:
        """Judge that stacks are rounded to the new unit, and the odd chips raced (14.8)."""
        table, rules = self._table, self._table.rules
        if rules is None or table.torn:
            return
        if rules.tournament is None:
            self._broken("chips are colored up at a table that is no tournament's", line)
            return
        stacks = {number: seat.stack for number, seat in table.seats.items()}
        for wrong in judge_colors(line.body, stacks):
            self._broken(*wrong[:1], line, *wrong[1:])

    def named(self, line: Line) -> None:
        """Judge an entry of a player who has to hold the seat."""
        self._named(line)

    def preferred(self, line: Line) -> None:
        """Judge that a list of choices has each once, in rising order."""
        self._named(line)
        told = line.body["choices"]
        if told != sorted(set(told)):
            text = "standing choices do not stand in rising order, each once"
            self._broken(text, line, " ".join(sorted(set(told))), " ".join(told))

    def anchored(self, line: Line) -> None:
        """Take an anchor: a carried player has one again."""
        self._named(line)
        self._awaited.discard(line.body["player"])

    def hand_opened(self, line: Line) -> None:
        """Judge an opening: it may come, repeats the state, and gives button and blinds by rule."""
        table, rules = self._table, self._table.rules
        if rules is None:
            return
        self._may_open(line, rules)
        if ("level" in line.body) != (rules.tournament is not None):
            text = "an opening gives a level, which is there exactly at a tournament's table"
            self._broken(text, line)
        if not table.torn:
            self._compare_seats(line, rules)
            self._compare_counts(line, rules)
            self._compare_positions(line, rules)
        self._awaited.clear()

    def _may_open(self, line: Line, rules: Rules) -> None:
        table, number = self._table, line.body["hand"]
        if table.paused and not table.torn:
            self._broken("a hand opens while the game is paused", line)
        if number > rules.max_hands:
            text = "a hand opens behind the last of the longest game"
            self._broken(text, line, f"hand {rules.max_hands} at most", number)
        if line.at > table.opened_at + rules.max_ms:
            text = "a hand opens after the longest game's time"
            self._broken(text, line, f"not after {table.opened_at + rules.max_ms}", line.at)
        if self._awaited and not table.damaged and line.at < table.opened_at + rules.link_ms:
            names = ", ".join(sorted(self._awaited))
            text = "the first hand does not wait for the anchors of carried players"
            self._broken(text, line, f"an anchor of {names}, or {rules.link_ms} ms", line.at)

    def _compare_seats(self, line: Line, rules: Rules) -> None:
        table = self._table
        if table.is_repeated_by(line.body):
            return
        logged = {seat["seat"]: seat for seat in line.body["seats"]}
        if list(logged) != sorted(table.seats) or len(logged) != len(line.body["seats"]):
            wanted = ", ".join(map(str, sorted(table.seats)))
            found = ", ".join(str(seat["seat"]) for seat in line.body["seats"])
            self._broken("an opening lists other seats than are taken", line, wanted, found)
        if rules.plain and all(
            number in logged and is_plain(logged[number], seat, rules)
            for number, seat in table.seats.items()
        ):
            return
        for number, known in tell_seats(table, rules, line.body["button"]).items():
            told = None if number not in logged else read_told(logged[number])
            if told is not None and told != known:
                self._broken(
                    f"an opening tells seat {number} otherwise than the log before it",
                    line,
                    known,
                    told,
                )

    def _compare_counts(self, line: Line, rules: Rules) -> None:
        table, body = self._table, line.body
        misses = [(player, table.misses[player]) for player in sorted(table.misses)]
        told = [(miss["player"], miss["hands"]) for miss in body["misses"]]
        if told != misses:
            self._broken("an opening tells other misses", line, _misses(misses), _misses(told))
        if body["voids"] != table.own_voids:
            text = "an opening tells another number of voids"
            self._broken(text, line, table.own_voids, body["voids"])

        if rules.return_ms is not None or "departed" in body:
            self._compare_departed(line, rules)
        if rules.missed_blinds or "last_small_blind_seat" in body or "last_big_blind_seat" in body:
            self._compare_last(line, rules)

    def _compare_departed(self, line: Line, rules: Rules) -> None:
        """Judge who may not yet come back with less."""
        departed = self._table.departed
        wanted = [
            (player, departed[player].stack, departed[player].at)
            for player in sorted(departed)
            if rules.return_ms is not None
            and departed[player].stack >= rules.buy_in_min
            and line.at <= departed[player].at + rules.return_ms
        ]
        found = [(one["player"], one["stack"], one["at"]) for one in line.body.get("departed", ())]
        if found != wanted:
            text = "an opening tells otherwise who may not come back with less"
            self._broken(text, line, _departed(wanted), _departed(found))
        if ("departed" in line.body) != (rules.return_ms is not None):
            text = "an opening tells of who left, which is there exactly where the rules ask for it"
            self._broken(text, line)

    def _compare_last(self, line: Line, rules: Rules) -> None:
        """Judge where the blinds of the last hand that was not void stood."""
        played, body = self._table.played, line.body
        wanted = None
        if rules.missed_blinds and played is not None:
            wanted = (played.small, played.big)
        found = (body.get("last_small_blind_seat"), body.get("last_big_blind_seat"))
        if found != (wanted or (None, None)):
            text = "an opening tells the last blinds otherwise than the log before it"
            self._broken(text, line, _last(wanted), _last(found))

    def _compare_positions(self, line: Line, rules: Rules) -> None:
        table, body = self._table, line.body
        if table.is_repeated_by(body):
            dealt_in = set(table.seats)
        else:
            dealt_in = {seat["seat"] for seat in body["seats"] if seat["state"] in DEALT_IN}
        if len(dealt_in) < 2:
            self._broken("a hand opens with fewer than two seats dealt in", line)
            return
        found = read_places(body)
        wanted = place(dealt_in, table, rules, found.button)
        if found.button != wanted.button:
            self._broken("the button is at another seat", line, wanted, found)
        elif found != wanted:
            self._broken("the blinds are at other seats", line, wanted, found)
        if not dealt_in <= table.seats.keys():
            return
        told = body.get("straddle_seat")
        if told is None and rules.hand.straddle is None:
            return
        straddle = find_straddler(dealt_in, wanted, table, rules)
        if told != straddle:
            text = "another seat straddles than by its choice"
            self._broken(text, line, _seat(straddle), _seat(told))

    def game_closed(self, line: Line) -> None:
        """Every seat goes out with what it has; a tournament closes its tables itself."""
        table = self._table
        if table.rules is not None:
            self._check_reason(line, table.rules)
        if table.torn:
            return
        told = [(seat["seat"], seat["player"], seat["stack"]) for seat in line.body["stacks"]]
        wanted = [(n, table.seats[n].player, table.seats[n].stack) for n in sorted(table.seats)]
        if told != wanted:
            text = "the game closes with other seats or stacks"
            self._broken(text, line, _stacks(wanted), _stacks(told))

    def _check_reason(self, line: Line, rules: Rules) -> None:
        reason = line.body["reason"]
        if rules.tournament is None:
            if reason == "tournament":
                self._broken("a game that is no tournament's table closes by tournament", line)
            return
        if reason not in _CLOSES_TOURNAMENT:
            text = "a tournament's table closes by another than its tournament"
            self._broken(text, line, "tournament", reason)
        if "next" in line.body:
            self._broken("a tournament's table goes on in another game", line)


def read_told(seat: dict[str, Any]) -> Told:
    """Return what an opening tells of a seat."""
    owes = seat.get("owes")
    return Told(
        seat["player"],
        seat["stack"],
        seat["state"],
        tuple(seat.get("choices", ())),
        None if owes is None else (owes["live"], owes["dead"]),
        seat.get("waits", False),
        seat.get("bank_ms"),
        seat.get("house", False),
    )


def _misses(misses: list[tuple[str, list[int]]]) -> str:
    return (
        "; ".join(f"{player}: {', '.join(map(str, hands))}" for player, hands in misses) or "none"
    )


def _departed(departed: list[tuple[str, int, int]]) -> str:
    return "; ".join(f"{player} with {stack} at {at}" for player, stack, at in departed) or "nobody"


def _last(seats: tuple[int | None, int | None] | None) -> str:
    if seats is None or seats == (None, None):
        return "none"
    return f"small blind {seats[0]}, big blind {seats[1]}"


def _seat(seat: int | None) -> str:
    return "nobody" if seat is None else f"seat {seat}"


def _stacks(stacks: list[tuple[int, str, int]]) -> str:
    return ", ".join(f"seat {seat} {player} {stack}" for seat, player, stack in stacks) or "none"
