"""What stands in the log under the player's own name, held against what its client sent.

PROTOCOL.md section 11: its anchor must stand, unchanged, in every opening (ANCHOR); no link,
anchor, act, choice, agreement, straddle, show, muck, sitting out, coming back, chips or leaving
may stand as its own that it did not send and no rule made, nor any hand open with it sitting out
where it does not (NOT_MINE); and a game that goes on from another, or a tournament's table that it
came to, must have given it time to anchor (NO_TIME_TO_ANCHOR). Seats and chips of a tournament's
table are the tournament's, whose log tells of them.
"""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn, TypeVar

from dealer_service.client.grammar import ASIDES, DEALT_IN
from dealer_service.client.lines import Entry
from dealer_service.client.refusing import ProtocolBreach, Reason
from dealer_service.client.sent import (
    ActSent,
    AnchorSent,
    ChipsSent,
    ComeBackSent,
    LeaveSent,
    LinkSent,
    PreferSent,
    PreSelectSent,
    SeatAsked,
    Sent,
    ShowSent,
    SitOutSent,
)

_Kind = TypeVar("_Kind", bound=Sent)

_AHEAD: Final = {
    "check_fold": frozenset({"check", "fold"}),
    "check": frozenset({"check"}),
    "call": frozenset({"call"}),
    "call_any": frozenset({"check", "call"}),
    "fold": frozenset({"fold"}),
}
"""What may come of an act chosen ahead."""

_AWAY: Final = frozenset({"sitting_out", "absent"})
"""The states of an opening's seats whose player sits out."""


@dataclass(frozen=True, slots=True)
class Missed:
    """A void called the player's link missing; `sent` when the client had sent it.

    `anchor` is the one that the opening froze: the missing link is the value before it.
    """

    hand: int
    anchor: str
    sent: bool


class Own:
    """One player in one game: its seat, its anchor, its misses, and what it sent.

    `anchors` says that it registered with the tournament of its table as one that gives links.
    """

    __slots__ = (
        "_absent",
        "_anchor_from",
        "_anchors",
        "_bank_ms",
        "_choices_at_once",
        "_clock_acted",
        "_counting",
        "_is_tournament",
        "_link_ms",
        "_links",
        "_moved_at",
        "_sent",
        "_sitting_out",
        "_turn_ms",
        "anchor",
        "anchor_spent",
        "choices",
        "hand_of_mine",
        "leaving",
        "missed",
        "player",
        "seat",
    )

    def __init__(self, player: str, *, anchors: bool = False) -> None:
        self.player = player
        self.seat: int | None = None
        self.anchor: str | None = None
        self.anchor_spent = False
        self.hand_of_mine: int | None = None
        self.leaving = False
        self.missed: tuple[Missed, ...] = ()
        self.choices: tuple[str, ...] = ()
        self._sent: list[Sent] = []
        self._links: dict[int, str] = {}
        self._absent = False
        self._anchor_from: int | None = None
        self._anchors = anchors
        self._bank_ms = 0
        self._choices_at_once = True
        self._clock_acted = False
        self._counting: tuple[str, ...] = ()
        self._is_tournament = False
        self._moved_at = 0
        self._sitting_out = False
        self._turn_ms = 0
        self._link_ms = 0

    def note(self, sent: Sent) -> None:
        """Remember what is about to be sent."""
        if isinstance(sent, LinkSent):
            self._links[sent.hand] = sent.link
        else:
            self._sent.append(sent)

    def accept(self, entry: Entry) -> None:
        """Judge one entry that follows the grammar; ProtocolBreach for what is not the player's."""
        match entry.kind:
            case "game_opened":
                self._take_over(entry)
            case "hand_opened":
                self._check_opening(entry)
            case "deck_committed":
                self._check_links(entry)
            case "hand_void":
                self._check_links(entry)
                self._check_missing(entry)
                self._end_hand()
            case "hand_ended":
                self._end_hand()
            case "runs_agreed" | "blinds_chopped" if self.hand_seat in entry.body["seats"]:
                self._check_agreement(entry)
            case _ if entry.body.get("player") == self.player:
                self._check_named(entry)
            case _ if self.hand_seat is not None and entry.body.get("seat") == self.hand_seat:
                self._check_play(entry)
        if entry.kind not in ASIDES:
            self._moved_at = entry.at

    @property
    def hand_seat(self) -> int | None:
        """The player's seat in the open hand; None when it was not dealt in."""
        return self.seat if self.hand_of_mine is not None else None

    @property
    def is_away(self) -> bool:
        """Whether the player sits out, at a tournament's table as absent, until it comes back."""
        return self._sitting_out

    def _take_over(self, entry: Entry) -> None:
        rules = entry.body["rules"]
        self._turn_ms, self._link_ms = rules["turn_ms"], rules["link_ms"]
        self._choices_at_once = rules.get("choices") != "before_links"
        self._is_tournament = "tournament" in rules
        for each in entry.body.get("previous", {"seats": ()})["seats"]:
            if each["player"] == self.player:
                self.seat, self._sitting_out = each["seat"], each["sitting_out"]
                self._anchor_from = entry.at if each["anchored"] else None

    def _check_opening(self, entry: Entry) -> None:
        body = entry.body
        mine = next((s for s in body["seats"] if s["player"] == self.player), None)
        stands = (mine or {}).get("anchor")
        if (mine is None) != (self.seat is None) or not _same(stands, self.anchor):
            detail = (
                f"line {entry.index}: hand {body['hand']} opens with "
                f"{_anchor(stands)} for {self.player}, whose last logged one is "
                f"{_anchor(self.anchor)}"
            )
            raise ProtocolBreach(Reason.ANCHOR, detail)
        self._check_time_to_anchor(entry)
        state = mine["state"] if mine else ""
        if mine and (state in _AWAY) != self._sitting_out:
            _refuse(entry, f"its seat is {state}, which is not what it last chose")
        self.hand_of_mine = body["hand"] if state in DEALT_IN else None
        self._absent = state == "absent"
        self._check_choices(entry, mine or {})
        self._bank_ms = (mine or {}).get("bank_ms", 0)

    def _check_time_to_anchor(self, opened: Entry) -> None:
        """Refuse a hand that opens before a player that gives links could log its first anchor."""
        begun, self._anchor_from = self._anchor_from, None
        if begun is None or self.seat is None or self.anchor is not None:
            return
        if opened.at < begun + self._link_ms:
            since = "it took its seat" if self._is_tournament else "the game"
            detail = (
                f"line {opened.index}: hand {opened.body['hand']} opened {opened.at - begun} ms "
                f"after {since}, before the {self._link_ms} ms for a new anchor had passed"
            )
            raise ProtocolBreach(Reason.NO_TIME_TO_ANCHOR, detail)

    def _check_choices(self, entry: Entry, mine: Mapping[str, Any]) -> None:
        if tuple(mine.get("choices", ())) != self.choices:
            _refuse(entry, "it repeats other choices than the client sent")
        straddles = self.hand_seat is not None and entry.body.get("straddle_seat") == self.seat
        if straddles and "straddle" not in self.choices:
            _refuse(entry, "it straddles, and did not choose to")
        self._counting = self.choices

    def _counts(self, choice: str) -> bool:
        """Say whether a choice of the player's counts in the open hand (9.8)."""
        return choice in (self.choices if self._choices_at_once else self._counting)

    def _check_agreement(self, entry: Entry) -> None:
        choice = "runs" if entry.kind == "runs_agreed" else "chop"
        if not self._counts(choice):
            _refuse(entry, "it agrees, and did not choose to")

    def _check_links(self, entry: Entry) -> None:
        hand, seat = entry.body["hand"], self.hand_seat
        given = self._links.get(hand)
        for each in entry.body["links"]:
            if each["seat"] == seat:
                if given is None or not hmac.compare_digest(each["link"], given):
                    _refuse(entry, "the link logged for it is none that it sent")
                self.anchor = given
                return
        # A link that left the client is spent, logged or not (section 2).
        if given is not None and entry.kind == "hand_void" and not self._logged(given):
            self.anchor_spent = self.anchor is not None

    def _logged(self, link: str) -> bool:
        return self.anchor is not None and hmac.compare_digest(self.anchor, link)

    def _check_missing(self, entry: Entry) -> None:
        hand = entry.body["hand"]
        if any(each["player"] == self.player for each in entry.body["missing"]):
            self.missed = (*self.missed, Missed(hand, self.anchor or "", hand in self._links))
            self.anchor = None
            self.anchor_spent = False

    def _end_hand(self) -> None:
        self.hand_of_mine = None
        if self.leaving:
            self._leave()

    def _leave(self) -> None:
        self.seat = None
        self.anchor = None
        self.anchor_spent = False
        self.leaving = False
        self.choices = ()
        self._sitting_out = False
        self._anchor_from = None

    def _check_named(self, entry: Entry) -> None:
        body = entry.body
        match entry.kind:
            case "seat_taken":
                self._take_seat(entry)
            case "anchored":
                self._spend(entry, AnchorSent, lambda sent: _is_anchor(sent, body))
                self.anchor, self.anchor_spent = body["anchor"], False
            case "chips_added" if not self._is_tournament:
                self._spend(entry, ChipsSent, lambda sent: sent.amount == body["amount"])
            case "sat_out":
                self._check_sitting_out(entry)
            case "preferred":
                told = " ".join(body["choices"])
                self._spend(entry, PreferSent, lambda sent: sent.choices == told)
                self.choices = tuple(body["choices"])
            case "came_back":
                self._spend(entry, ComeBackSent, lambda _: True)
                self._sitting_out = False
            case "seat_left" | "player_removed":
                if entry.kind == "seat_left" and not self._is_tournament:
                    self._spend(entry, LeaveSent, lambda _: True)
                self._go(body)
        self._clock_acted = False

    def _take_seat(self, entry: Entry) -> None:
        body = entry.body
        if not self._is_tournament:
            self._spend(entry, SeatAsked, lambda asked: _is_asked(asked, body))
        elif "anchor" in body:
            _refuse(entry, "a seat of a tournament's table is taken without an anchor")
        elif self._anchors:
            self._anchor_from = entry.at
        self.seat, self.anchor, self.choices = body["seat"], body.get("anchor"), ()
        self._sitting_out = False

    def _check_sitting_out(self, entry: Entry) -> None:
        if entry.body["by"] != "clock":
            self._spend(entry, SitOutSent, lambda _: True)
        elif not self._clock_acted:
            _refuse(entry, "it sits out by the clock, which did not act for it")
        self._sitting_out = True

    def _go(self, body: Mapping[str, object]) -> None:
        if "stack" in body:
            self._leave()
        else:
            self.leaving = True

    def _check_play(self, entry: Entry) -> None:
        body = entry.body
        if entry.kind == "acted":
            self._check_act(entry)
        elif entry.kind == "mucked" and body["by"] == "player":
            _refuse(entry, "the client mucks no hand")
        elif entry.kind == "opened" and body["by"] == "player" and not self._counts("show"):
            self._spend(entry, ShowSent, lambda show: show.hand == body["hand"])

    def _check_act(self, entry: Entry) -> None:
        body = entry.body
        self._clock_acted = False
        match body["by"]:
            case "player":
                hand = self.hand_of_mine
                self._spend(entry, ActSent, lambda sent: sent.hand == hand and _is_act(sent, body))
                over = entry.at - self._moved_at - self._turn_ms
                self._bank_ms -= min(self._bank_ms, max(0, over))
            case "clock" | "absent" if body["act"] not in {"fold", "check"}:
                _refuse(entry, "no rule but its own makes it do more than check or fold")
            case "clock":
                if entry.at < self._moved_at + self._turn_ms + self._bank_ms:
                    _refuse(entry, "the clock acted for it before its time was over")
                self._clock_acted, self._bank_ms = True, 0
            case "absent":
                if not (self.leaving or self._absent):
                    _refuse(entry, "it acts as absent, and has neither left nor been removed")
            case _:
                hand = self.hand_of_mine
                self._spend(
                    entry,
                    PreSelectSent,
                    lambda sent: sent.hand == hand and body["act"] in _AHEAD.get(sent.act, ()),
                )

    def _spend(self, entry: Entry, kind: type[_Kind], fits: Callable[[_Kind], bool]) -> None:
        for index, sent in enumerate(self._sent):
            if isinstance(sent, kind) and fits(sent):
                del self._sent[index]
                return
        _refuse(entry, "it is none that the client sent")


def _is_asked(asked: SeatAsked, body: Mapping[str, object]) -> bool:
    seat = asked.seat in {0, body["seat"]}
    return seat and asked.stack == body["stack"] and asked.anchor == body.get("anchor", "")


def _is_anchor(sent: AnchorSent, body: Mapping[str, object]) -> bool:
    missing = (body.get("missing_hand", 0), body.get("missing_link", ""))
    return sent.anchor == body["anchor"] and missing == (sent.missing_hand, sent.missing_link)


def _is_act(sent: ActSent, body: Mapping[str, object]) -> bool:
    sized = sent.act in {"bet", "raise"}
    same = sent.turn == body["turn"] and sent.act == body["act"]
    return same and (not sized or sent.to == body["to"])


def _same(one: str | None, other: str | None) -> bool:
    return hmac.compare_digest(one or "", other or "")


def _anchor(value: str | None) -> str:
    return f"the anchor {value}" if value else "no anchor"


def _refuse(entry: Entry, why: str) -> NoReturn:
    raise ProtocolBreach(Reason.NOT_MINE, f"line {entry.index} ({entry.kind}): {why}")
