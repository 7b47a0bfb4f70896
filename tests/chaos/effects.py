"""That every call which was acknowledged has its effect in the log exactly once, and so has each
movement of chips."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dealer_service.access.roles import Role
from tests.chaos.judging import Entries, Log, Ruling
from tests.chaos.ledger import Acked, Ledger

_KINDS: Final = {
    "TakeSeat": "seat_taken",
    "AddChips": "chips_added",
    "SitOut": "sat_out",
    "ComeBack": "came_back",
    "Anchor": "anchored",
    "Prefer": "preferred",
    "LeaveSeat": "seat_left",
    "RemovePlayer": "player_removed",
    "PauseGame": "paused",
    "ResumeGame": "resumed",
    "CloseGame": "game_closed",
}
"""Calls that make one line of a kind each; the others name the hand that they are of."""

_IN: Final = {"seat_taken", "chips_added", "carried_in"}
_OUT: Final = {"cashed_out", "carried_out"}
Movement = Mapping[str, Any]


def rule_calls(ledger: Ledger, logs: Mapping[str, Log], answers: Sequence[bytes]) -> Ruling:
    """Each acknowledged call stands once, and is answered the same when it is made again."""
    ruling = Ruling()
    entries = {game: list(_in_hands(log.entries)) for game, log in logs.items()}
    expected: Counter[tuple[str, Effect]] = Counter()
    for one in ledger.acked:
        if one.method == "OpenGame":
            continue
        if one.game in entries:
            expected[one.game, effect_of(one)] += 1
        else:
            ruling.lost.append(f"{one.method} of {one.who} is of a game that is not there")
    for (game, effect), times in expected.items():
        found = sum(effect.is_in(kind, body) for kind, body in entries[game])
        # A paused game goes on as a paused one: its second line is nobody's call.
        carried = "previous" in entries[game][0][1] and entries[game][1][0] == "paused"
        if found - (carried and effect.kinds == {"paused"}) != times:
            ruling.lost.append(
                f"{effect} was acknowledged {times} times in {game}, and stands {found} times"
            )
    for one, again in zip(ledger.acked, answers, strict=False):
        if one.answer != again:
            ruling.lost.append(f"{one.method} of {one.who} is answered otherwise when repeated")
    return ruling


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call makes of a log: an entry of one of these kinds with all these values in it."""

    kinds: frozenset[str]
    values: tuple[tuple[str, object], ...] = ()
    link: str = ""

    def is_in(self, kind: str, body: Mapping[str, Any]) -> bool:
        """Say whether an entry, with hand and player in it, is this effect."""
        if kind not in self.kinds or body.get("by") == "clock":
            return False
        if self.link and all(one["link"] != self.link for one in body.get("links", ())):
            return False
        return all(body.get(name) == value for name, value in self.values)


def effect_of(one: Acked) -> Effect:
    """Give the effect that a call must have."""
    request: Any = one.request
    player = request.player if one.method == "RemovePlayer" else one.who
    mine = () if one.role is Role.OPERATOR and player == one.who else (("player", player),)
    if one.method in _KINDS:
        return Effect(frozenset({_KINDS[one.method]}), mine)
    hand = ("hand", request.hand)
    match one.method:
        case "Act":
            turn = ("turn", request.turn)
            return Effect(frozenset({"acted"}), (hand, turn, ("by", "player"), *mine))
        case "GiveLink":
            kinds = frozenset({"deck_committed", "hand_void"})
            return Effect(kinds, (hand,), request.link.hex())
        case "Show":
            return Effect(frozenset({"opened"}), (hand, *mine))
        case "VoidHand":
            return Effect(frozenset({"hand_void"}), (hand,))
    message = f"nobody knows what {one.method} makes of a log"
    raise ValueError(message)


def _in_hands(entries: Entries) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give entries with the hand in those that do not name it, and the player of each seat."""
    hand, players = 0, {}
    for kind, body in entries:
        if kind == "hand_opened":
            hand, players = body["hand"], {one["seat"]: one["player"] for one in body["seats"]}
        known = {"player": players[body["seat"]]} if body.get("seat") in players else {}
        yield kind, {"hand": hand, **known, **body}


def rule_chips(logs: Mapping[str, Log], movements: Sequence[Movement]) -> Ruling:
    """Each movement is told once, by a line; and what came in went out again, less the rake."""
    ruling = Ruling()
    cursors = [one["cursor"] for one in movements]
    if cursors != sorted(set(cursors)):
        ruling.lost.append(f"the cursors of movements do not rise: {cursors}")
    places = Counter((one["game"], one["index"], one["what"], one["player"]) for one in movements)
    ruling.lost += [
        f"chips were moved {times} times by {place}" for place, times in places.items() if times > 1
    ]
    for game, log in logs.items():
        moved = [one for one in movements if one["game"] == game]
        came = sum(one["amount"] for one in moved if one["what"] in _IN)
        went = sum(one["amount"] for one in moved if one["what"] in _OUT)
        rake = sum(body.get("rake", 0) for kind, body in log.entries if kind == "awarded")
        if came - went != rake:
            ruling.lost.append(f"{came} chips came to {game}, {went} went, and the rake is {rake}")
        told = {
            (index, kind, body["player"], body.get("stack", body.get("amount")))
            for index, (kind, body) in enumerate(log.entries)
            if kind in {"seat_taken", "chips_added"}
        }
        taken = {
            (one["index"], one["what"], one["player"], one["amount"])
            for one in moved
            if one["what"] in {"seat_taken", "chips_added"}
        }
        if told != taken:
            ruling.lost.append(f"chips that came to {game} do not follow its lines")
    return ruling
