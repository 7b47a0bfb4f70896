"""PLAYER-MIXED: the players' randomness is in every deck, as the log has it.

Every logged link fits its anchor, each opening freezes the anchors that the log gives, each deck
has the link of every frozen anchor, and no value comes twice (protocol 2). The strength of the
claim is k of n players for the weakest hand. With a player's record the verdict is that player's
alone (`mine`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit_cli.checks.voice import Voice, count
from audit_cli.hashing import next_link
from audit_cli.report.finding import Promise
from audit_cli.spool import Values

if TYPE_CHECKING:
    from audit_cli.checks.check import Emit
    from audit_cli.checks.table import OpenHand, Table
    from audit_cli.gamefile import Line

MAX_REROLLS = 50


class Mixed:
    """Follows anchors and links. `alone`: no record was given, so that k of n is the verdict."""

    def __init__(self, emit: Emit, *, alone: bool) -> None:
        self._voice = Voice(Promise.PLAYER_MIXED, emit)
        self._alone = alone
        self._links = 0
        self._weakest: tuple[int, int] | None = None
        self._weakest_hand = 0
        self._weakest_game = ""

    def begin(self, table: Table) -> None:
        """Begin a game."""
        self._table = table
        self._voice.begin(table.game)
        self._used = Values()
        # The anchors that missed links have to fit, by player and hand.
        self._missed: dict[tuple[str, int], str] = {}
        self._rerolls: list[int] = []

    def seat_taken(self, line: Line) -> None:
        """Take the anchor with which a player sits, if it has one."""
        anchor = line.body.get("anchor")
        if anchor is not None:
            self._use(anchor, bytes.fromhex(anchor), line, None)

    def anchored(self, line: Line) -> None:
        """Judge a new anchor, before the table takes the entry."""
        body, table = line.body, self._table
        player, number = body["player"], body.get("missing_hand")
        missed = table.misses.get(player, [])
        self._use(body["anchor"], bytes.fromhex(body["anchor"]), line, None)
        if len(missed) > 1:
            text = "an anchor after the second missing link"
            self._voice.broken(text, line, None, "no anchor in this game", player)
        last = missed[-1] if missed else None
        if number is None:
            if last is not None and not table.torn:
                text = f"an anchor of {player} without the link that was missing"
                self._voice.broken(text, line, last, f"the link of hand {last}", "no link")
            return
        link = body["missing_link"]
        if self._used.put(bytes.fromhex(link)) is not None:
            text = f"{player} has no missing link to give: it was logged before"
            self._voice.broken(text, line, number, "no further anchor in this game", link)
            return
        anchor = self._missed.get((player, number))
        if anchor is None or number != last:
            if not table.damaged:
                text = f"a missing link of a hand that {player} did not miss last"
                wanted = "none is missing" if last is None else f"hand {last}"
                self._voice.broken(text, line, number, wanted, f"hand {number}")
        else:
            self._fit(player, bytes.fromhex(link), anchor, line, number)

    def _use(self, told: str, value: bytes, line: Line, hand: int | None) -> None:
        if self._used.put(value) is not None:
            self._used_before(told, line, hand)

    def _used_before(self, told: str, line: Line, hand: int | None) -> None:
        text = "a value that was logged before stands as a new anchor or link"
        self._voice.broken(text, line, hand, "a new value", told)

    def _fit(self, player: str, link: bytes, anchor: str, line: Line, hand: int) -> None:
        self._links += 1
        table = self._table
        reached = next_link(table.origin, table.game_bytes, player, link).hex()
        if reached != anchor:
            self._unfit(player, reached, anchor, line, hand)

    def _unfit(self, player: str, reached: str, anchor: str, line: Line, hand: int) -> None:
        self._voice.broken(
            f"the link of {player} does not fit its anchor",
            line,
            hand,
            f"a link whose next is {anchor}",
            f"the next of the logged link is {reached}",
        )

    def hand_opened(self, line: Line) -> None:
        """Anchors are frozen; called before the table takes the entry."""
        table = self._table
        if table.torn or table.is_repeated_by(line.body):
            return
        for logged in line.body["seats"]:
            seat = table.find(logged)
            if seat is not None and seat.anchor != logged.get("anchor"):
                self._voice.broken(
                    f"the opening gives seat {logged['seat']} another anchor than the log",
                    line,
                    line.body["hand"],
                    seat.anchor or "no anchor",
                    logged.get("anchor", "no anchor"),
                )

    def deck_committed(self, line: Line) -> None:
        """All links of a hand; called before the table takes the entry."""
        hand = self._table.hand
        if hand is None:
            return
        links = line.body["links"]
        seats = [link["seat"] for link in links]
        frozen = hand.frozen
        if seats != list(frozen):
            self._voice.broken(
                "a deck has other links than those of the frozen anchors, by rising seat",
                line,
                hand.number,
                f"links of seats {_list(list(frozen))}",
                f"links of seats {_list(seats)}",
            )
        self._check_links(links, frozen, hand, line)
        self._count(len(links), len(hand.players), hand.number, line)

    def _check_links(
        self, links: list[dict[str, Any]], frozen: dict[int, str], hand: OpenHand, line: Line
    ) -> None:
        put, table, players = self._used.put, self._table, hand.players
        origin, game = table.origin, table.game_bytes
        for item in links:
            seat, link = item["seat"], item["link"]
            value = bytes.fromhex(link)
            if put(value) is not None:
                self._used_before(link, line, hand.number)
            anchor = frozen.get(seat)
            if anchor is not None:
                self._links += 1
                player = players[seat].player
                reached = next_link(origin, game, player, value).hex()
                if reached != anchor:
                    self._unfit(player, reached, anchor, line, hand.number)

    def _count(self, k: int, n: int, hand: int, line: Line) -> None:
        weakest = self._weakest
        if weakest is None or k * weakest[1] < weakest[0] * n:
            self._weakest, self._weakest_hand = (k, n), hand
            self._weakest_game = self._table.game
        rules = self._table.rules
        if rules is not None and rules.links_required and k < n:
            text = "a deck lacks a player's link, and links are required"
            self._voice.broken(text, line, hand, f"{n} links", f"{k} links")

    def hand_void(self, line: Line) -> None:
        """Links that came before a void; called before the table takes the entry."""
        hand, body = self._table.hand, line.body
        if hand is None:
            return
        links, frozen = body["links"], hand.frozen
        seats = [link["seat"] for link in links]
        rest = [seat for seat in frozen if seat not in hand.links]
        if seats != [seat for seat in rest if seat in seats]:
            self._voice.broken(
                "a void shows links of seats without a frozen anchor, twice or out of order",
                line,
                hand.number,
                f"links of seats among {_list(rest)}",
                f"links of seats {_list(seats)}",
            )
        self._check_links(links, frozen, hand, line)
        for missing in body["missing"]:
            anchor = frozen.get(missing["seat"])
            if anchor is not None:
                self._missed[missing["player"], hand.number] = anchor
        if links:
            self._rerolls.append(hand.number)

    def end(self) -> None:
        """Tell the voids behind which links were spent."""
        if self._rerolls:
            shown = ", ".join(map(str, self._rerolls[:MAX_REROLLS]))
            more = len(self._rerolls) - MAX_REROLLS
            tail = f" and {more:,} more" if more > 0 else ""
            hands = "hand was" if len(self._rerolls) == 1 else "hands were"
            text = f"re-rolls: {len(self._rerolls):,} {hands} void after links came"
            self._voice.notice(f"{text} ({shown}{tail})")
        self._voice.end()

    def conclude(self) -> None:
        """Say how strong the claim is, where no record decides."""
        if not self._alone:
            return
        self._voice.begin(self._weakest_game)
        if self._weakest is None:
            self._voice.unproved("no deck was committed")
            return
        k, n = self._weakest
        text = (
            f"{k} of {n} players in the weakest deck, of hand {self._weakest_hand}; "
            f"{count(self._links, 'link')} fit, as logged by the dealer"
        )
        if k:
            self._voice.holds(text)
        else:
            text = f"hand {self._weakest_hand} has no player's link, of {n} players"
            self._voice.unproved(text)


def _list(seats: list[int]) -> str:
    return ", ".join(map(str, seats)) or "none"
