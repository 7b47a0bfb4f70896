"""Faults planted in honest tournaments, everything signed again: each is named by its promise.

A fault changes the files of an event of `tests.support.tournament_houses`, so that one rule is
broken and all hashes and signatures fit. The table says which promise has to be broken, and a word
of the finding; other promises may be broken by the same fault.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from audit_cli.report.finding import Promise, Verdict
from tests.support.audits import tell
from tests.support.event_audits import broken_of_event, judge_event
from tests.support.tournament_files import EventFiles
from tests.support.tournament_houses import event
from tests.support.transcripts import Found, Transcript

Plant = Callable[[EventFiles], object]
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: of which event, what it changes, and what has to be said of it."""

    name: str
    house: str
    plant: Plant
    promise: str
    word: str


def _any(_: Body) -> bool:
    return True


def _find(log: Transcript, kind: str, where: Callable[[Body], bool] = _any) -> Found:
    return log.find(kind, where=where)


def change(
    kind: str,
    where: Callable[[Body], bool] = _any,
    **fields: Any,
) -> Plant:
    """Change fields of the first entry of a kind; a callable is given the body."""

    def plant(files: EventFiles) -> None:
        found = _find(files.tournament, kind, where)
        values = {name: v(found.body) if callable(v) else v for name, v in fields.items()}
        assert any(found.body.get(name) != value for name, value in values.items())
        files.tournament.change(found.index, **values)

    return plant


def delete(kind: str, where: Callable[[Body], bool] = _any) -> Plant:
    """Take the first entry of a kind out."""

    def plant(files: EventFiles) -> None:
        files.tournament.delete(_find(files.tournament, kind, where).index)

    return plant


def repeat(kind: str, where: Callable[[Body], bool] = _any) -> Plant:
    """Write the first entry of a kind twice."""

    def plant(files: EventFiles) -> None:
        found = _find(files.tournament, kind, where)
        files.tournament.insert(found.index + 1, found.at, kind, found.body)

    return plant


def insert(before: str, kind: str, body: Body, where: Callable[[Body], bool] = _any) -> Plant:
    """Put an entry before the first of a kind, at its time."""

    def plant(files: EventFiles) -> None:
        found = _find(files.tournament, before, where)
        files.tournament.insert(found.index, found.at, kind, body)

    return plant


def swap(kind: str, where: Callable[[Body], bool] = _any) -> Plant:
    """Let the first entry of a kind and the one behind it change places."""

    def plant(files: EventFiles) -> None:
        index = _find(files.tournament, kind, where).index
        files.tournament.swap(index, index + 1)

    return plant


def restructure(**fields: Any) -> Plant:
    """Play by another structure than the one that is logged."""

    def plant(files: EventFiles) -> None:
        structure = files.tournament.read(0).body["structure"]
        values = {name: v(structure) if callable(v) else v for name, v in fields.items()}
        files.tournament.change(0, structure=structure | values)

    return plant


def at_table(number: int, kind: str, where: Callable[[Body], bool] = _any, **fields: Any) -> Plant:
    """Change a line of a table's log, and the root of its close."""

    def plant(files: EventFiles) -> None:
        log = files.tables[number]
        found = _find(log, kind, where)
        values = {name: v(found.body) if callable(v) else v for name, v in fields.items()}
        log.change(found.index, **values)
        files.mend()

    return plant


def both(*plants: Plant) -> Plant:
    """Plant several changes that belong together."""

    def plant(files: EventFiles) -> None:
        for one in plants:
            one(files)

    return plant


def _richer(body: Body) -> list[Body]:
    """One chip too many for the last seat."""
    *others, last = body["stacks"]
    return [*others, last | {"stack": last["stack"] + 1}]


def _turned(body: Body) -> list[int]:
    return [*reversed(body["order"])]


def _flipped(name: str) -> Callable[[Body], str]:
    return lambda body: ("1" if body[name][0] == "0" else "0") + body[name][1:]


def _more(name: str, by: int = 1) -> Callable[[Body], int]:
    return lambda body: int(body[name]) + by


def _is(**fields: Any) -> Callable[[Body], bool]:
    return lambda body: all(body.get(name) == value for name, value in fields.items())


def _other_free_seat(files: EventFiles) -> None:
    """Seat the last player that the first draw seats at another seat, in both logs."""
    found = files.tournament.all("seated")[5]
    taken = {
        one.body["seat"]
        for one in files.tournament.all("seated")[:6]
        if one.body["table"] == found.body["table"]
    }
    seat = max(taken) if found.body["seat"] not in taken else min({*range(1, 7)} - taken, default=6)
    files.tournament.change(found.index, seat=seat + 1 if seat == found.body["seat"] else seat)


def _early(kind: str, by: int, where: Callable[[Body], bool] = _any) -> Plant:
    """Write the first entry of a kind so many ms before its time."""

    def plant(files: EventFiles) -> None:
        found = _find(files.tournament, kind, where)
        files.tournament.move_time(found.index, found.at - by)

    return plant


def _break_behind_the_next_hand(files: EventFiles) -> None:
    """Begin the break before the last hand in front of it."""
    log = files.tournament
    found = log.find("break_begun")
    index = max(one.index for one in log.all("hand_started") if one.index < found.index)
    before = log.read(index)
    log.delete(found.index)
    log.insert(index, before.at, "break_begun", found.body)


def _stopped_around_a_hand(files: EventFiles) -> None:
    found = files.tournament.all("hand_started")[3]
    files.tournament.insert(found.index + 1, found.at, "resumed", {})
    files.tournament.insert(found.index, found.at, "stopped", {})


def _hand_of_no_tournament(files: EventFiles) -> None:
    """Leave the last hand of a table out of the tournament's log."""
    log = files.tournament
    for kind in ("hand_finished", "hand_started"):
        log.delete(log.all(kind)[-1].index)


def _unmoved(files: EventFiles) -> None:
    """Leave a balancing move out of all three logs."""
    log = files.tournament
    found = log.find("moved", where=_is(why="balance"))
    body = found.body
    log.delete(found.index)
    old, new = files.tables[body["from_table"]], files.tables[body["table"]]
    old.delete(old.find("seat_left", where=_is(player=body["player"])).index)
    new.delete(new.find("seat_taken", where=_is(player=body["player"])).index)
    files.mend()


def _swap_winners(files: EventFiles) -> None:
    """Give the first two places to each other's players."""
    log = files.tournament
    second, first = [one for one in log.all("placed") if one.body["tied"] == 1][-2:]
    log.change(first.index, player=second.body["player"])
    log.change(second.index, player=first.body["player"])


def _second_secret(files: EventFiles) -> None:
    """Show the secret of the first draw once more at the end."""
    log = files.tournament
    secret = log.find("drawn").body["secret"]
    log.change(log.find("tournament_closed").index, secret=secret)


def _stranger(files: EventFiles) -> None:
    """Seat somebody at a table of whom the tournament knows nothing."""
    log = files.tables[1]
    found = log.all("seat_taken")[-1]
    seats = {one.body["seat"] for one in log.all("seat_taken")}
    seat = next(iter({*range(1, 7)} - seats), 6)
    body = {"player": "stranger", "seat": seat, "stack": 1_500}
    log.insert(found.index + 1, found.at, "seat_taken", body)
    files.mend()


def _waits_for_nobody(files: EventFiles) -> None:
    """Say of players without an anchor at their first hand that they will give links."""
    log, table = files.tournament, files.tables[1]
    opening = table.find("hand_opened")
    bare = {seat["player"] for seat in opening.body["seats"] if "anchor" not in seat}
    for one in log.all("registered"):
        if one.body["player"] in bare:
            log.change(one.index, anchors=True)


def _two_hands_in_a_round(files: EventFiles) -> None:
    """Begin hand for hand, and never say so."""
    log = files.tournament
    for kind in ("hand_for_hand_ended", "hand_for_hand_begun"):
        log.delete(log.find(kind).index)


def _behind_the_end(files: EventFiles) -> None:
    log = files.tournament
    last = log.read(-1)
    log.lines.append(log.lines[-1].replace(b"tournament_closed", b"tournament_closed"))
    log.put(len(log.lines) - 1, last.at, "resumed", {})
    log.checkpoints.append(len(log.lines))


def _late_rebuy(files: EventFiles) -> None:
    """Write a rebuy behind the next hand of its table, in both logs."""
    log = files.tournament
    found = log.find("rebought")
    table = found.body["table"]
    started = next(
        one
        for one in log.all("hand_started")
        if one.index > found.index and one.body["table"] == table
    )
    log.delete(found.index)
    log.insert(started.index, started.at, "rebought", found.body)


def _level_terms(**terms: int) -> Callable[[Body], Body]:
    return lambda body: body["level"] | terms


FAULTS = (
    # Draws.
    Fault(
        "an order that does not derive", "tables", change("drawn", order=_turned), "DRAWN", "derive"
    ),
    Fault("another secret", "tables", change("drawn", secret=_flipped("secret")), "DRAWN", "open"),
    Fault(
        "another next commitment",
        "tables",
        change("drawn", next_commitment=_flipped("next_commitment")),
        "DRAWN",
        "does not open",
    ),
    Fault(
        "a draw of fewer players",
        "tables",
        change("drawn", order=lambda body: body["order"][:-1]),
        "DRAWN",
        "another list",
    ),
    Fault("a draw's number skipped", "tables", change("drawn", draw=2), "DRAWN", "number"),
    Fault("a secret twice", "tables", _second_secret, "DRAWN", "twice"),
    Fault(
        "a last secret that was not committed to",
        "tables",
        change("tournament_closed", secret=_flipped("secret")),
        "DRAWN",
        "open",
    ),
    Fault(
        "no draw for the first button",
        "tables",
        delete("drawn", _is(what="button")),
        "DRAWN",
        "button",
    ),
    Fault(
        "another first button",
        "tables",
        change("hand_started", button=lambda body: body["button"] % 6 + 1),
        "DRAWN",
        "button",
    ),
    Fault(
        "a button drawn twice", "tables", repeat("drawn", _is(what="button")), "DRAWN", "which has"
    ),
    Fault(
        "a seat that was not drawn",
        "sit_and_go",
        change("seated", seat=lambda body: body["seat"] % 6 + 1),
        "DRAWN",
        "another seat",
    ),
    Fault(
        "a player of a broken table at another seat",
        "tables",
        change("moved", _is(why="break"), seat=lambda body: body["seat"] % 6 + 1),
        "DRAWN",
        "another seat",
    ),
    Fault("a race without a draw", "tables", delete("drawn", _is(what="race")), "DRAWN", "race"),
    # Seats.
    Fault("a start with players missing", "sit_and_go", delete("registered"), "SEATED", "started"),
    Fault("a late name at the start", "sit_and_go", repeat("registered"), "SEATED", "registers"),
    Fault("a number skipped", "sit_and_go", change("registered", entrant=2), "SEATED", "number"),
    Fault(
        "withdrawn after the start",
        "sit_and_go",
        insert("hand_started", "withdrawn", {"player": "p00001"}),
        "SEATED",
        "withdraws",
    ),
    Fault(
        "registered when all is closed",
        "sit_and_go",
        insert("hand_started", "registered", {"player": "x", "entrant": 7, "anchors": True}),
        "SEATED",
        "closed",
    ),
    Fault(
        "another player balances",
        "late",
        change("moved", _is(why="balance"), player="p00001"),
        "SEATED",
        "another player",
    ),
    Fault(
        "a balancing move to another seat",
        "late",
        change("moved", _is(why="balance"), seat=lambda body: body["seat"] % 6 + 1),
        "SEATED",
        "another seat",
    ),
    Fault("no balancing", "late", _unmoved, "SEATED", "moved is due"),
    Fault("no redraw", "late", restructure(redraw=[1]), "SEATED", "is not due"),
    Fault("a redraw against the structure", "tables", restructure(redraw=[]), "SEATED", "not due"),
    Fault("a table that is not broken", "tables", delete("table_broken"), "SEATED", "table_broken"),
    Fault("a bust left out", "tables", delete("busted"), "SEATED", "busted is missing"),
    Fault("a late seat left out", "late", delete("seated", _is(table=5)), "SEATED", "seated"),
    Fault(
        "a rebuy that the structure has not",
        "late",
        restructure(rebuy=lambda s: s["rebuy"] | {"max_stack": 0, "most": 1}),
        "SEATED",
        "may not buy",
    ),
    Fault("a hand while one decides", "late", _late_rebuy, "SEATED", "may still buy chips"),
    Fault(
        "a re-entry too many",
        "late",
        restructure(late=lambda s: s["late"] | {"reentries": 0}),
        "SEATED",
        "once more",
    ),
    Fault(
        "an add-on in the hands",
        "late",
        insert(
            "hand_finished",
            "added_on",
            {"player": "p00001", "table": 1, "seat": 1, "chips": 2_000},
        ),
        "SEATED",
        "adds on",
    ),
    Fault(
        "a seat of another house player taken over",
        "take_over",
        change("taken_over", seat=lambda body: body["seat"] % 6 + 1),
        "SEATED",
        "another seat",
    ),
    Fault(
        "a take-over that the structure has not",
        "take_over",
        restructure(take_over=False),
        "SEATED",
        "closed",
    ),
    # Levels.
    Fault(
        "a level skipped", "tables", change("level_begun", _is(level=2), level=3), "LEVELS", "level"
    ),
    Fault("a level early", "tables", _early("level_begun", 1, _is(level=2)), "LEVELS", "not due"),
    Fault("no level begun", "tables", delete("level_begun", _is(level=2)), "LEVELS", "level_begun"),
    Fault(
        "a level by too few orbits", "orbits", delete("level_begun", _is(level=2)), "LEVELS", "due"
    ),
    Fault(
        "a level by too few hands", "hands", delete("level_begun", _is(level=2)), "LEVELS", "due"
    ),
    Fault("a hand in a break", "tables", _break_behind_the_next_hand, "LEVELS", "break"),
    Fault("a break left out", "tables", delete("break_begun"), "LEVELS", "but break_begun"),
    Fault("a hand while stopped", "tables", _stopped_around_a_hand, "LEVELS", "stopped"),
    Fault(
        "a hand of another level",
        "tables",
        both(
            change("hand_started", level=2),
            at_table(1, "hand_opened", level=_level_terms(level=2)),
        ),
        "LEVELS",
        "another level",
    ),
    Fault(
        "other blinds at a table",
        "tables",
        at_table(1, "hand_opened", level=_level_terms(small_blind=20, big_blind=40)),
        "LEVELS",
        "not played by level",
    ),
    Fault("hand for hand left out", "tables", _two_hands_in_a_round, "LEVELS", "hand_for_hand"),
    Fault("a hand that does not wait for anchors", "hands", _waits_for_nobody, "LEVELS", "anchor"),
    # Chips.
    Fault("a chip too many", "tables", change("hand_finished", stacks=_richer), "COUNTED", "chips"),
    Fault(
        "a chip too many in both logs",
        "tables",
        both(
            change("hand_finished", _is(table=1), stacks=_richer),
            at_table(1, "hand_ended", stacks=_richer),
        ),
        "COUNTED",
        "chips come or go",
    ),
    Fault(
        "another stack at the start",
        "tables",
        change("seated", stack=_more("stack")),
        "COUNTED",
        "stack",
    ),
    Fault(
        "a stack moved short",
        "tables",
        change("moved", stack=_more("stack", -1)),
        "COUNTED",
        "stack",
    ),
    Fault("another race", "tables", change("colored_up", stacks=_richer), "COUNTED", "stacks"),
    Fault("a race left out", "orbits", delete("colored_up"), "COUNTED", "colored up"),
    Fault("a rebuy of more", "late", change("rebought", chips=_more("chips")), "COUNTED", "chips"),
    Fault(
        "an add-on of more", "late", change("added_on", chips=_more("chips")), "COUNTED", "chips"
    ),
    Fault(
        "a bust with more", "tables", change("busted", stack=_more("stack")), "COUNTED", "busted"
    ),
    Fault(
        "a disqualified stack",
        "late",
        change("disqualified", stack=_more("stack")),
        "COUNTED",
        "stack",
    ),
    Fault(
        "a house stack",
        "take_over",
        change("taken_over", removed=_more("removed")),
        "COUNTED",
        "removed",
    ),
    # Places and prizes.
    Fault("a wrong prize", "tables", change("placed", prize=_more("prize")), "PLACED", "prize"),
    Fault("a wrong place", "tables", change("placed", place=_more("place")), "PLACED", "place"),
    Fault("a tie that is none", "tables", change("placed", tied=_more("tied")), "PLACED", "tied"),
    Fault("places in another order", "deal", swap("placed"), "PLACED", "placed"),
    Fault("the winners exchanged", "sit_and_go", _swap_winners, "PLACED", "player"),
    Fault(
        "another pool",
        "tables",
        change("registration_closed", pool=_more("pool")),
        "PLACED",
        "pool",
    ),
    Fault(
        "other prizes",
        "tables",
        change("registration_closed", prizes=lambda body: [*body["prizes"][1:], 0]),
        "PLACED",
        "prizes",
    ),
    Fault(
        "more entries",
        "late",
        change("registration_closed", entries=_more("entries")),
        "PLACED",
        "entries",
    ),
    Fault(
        "registration closed twice", "tables", repeat("registration_closed"), "PLACED", "not due"
    ),
    Fault(
        "registration left open",
        "late",
        delete("registration_closed"),
        "PLACED",
        "but registration_closed",
    ),
    Fault("a place left out", "tables", delete("placed"), "PLACED", "placed"),
    Fault(
        "a deal of more than there is",
        "deal",
        change("deal_agreed", left=_more("left")),
        "PLACED",
        "still to be won",
    ),
    Fault("a deal against the structure", "deal", restructure(deals=False), "PLACED", "no deals"),
    Fault(
        "a deal without a player",
        "deal",
        change("deal_agreed", shares=lambda body: body["shares"][1:]),
        "PLACED",
        "every player",
    ),
    Fault(
        "a cancelled share",
        "cancelled",
        change("placed", _is(place=1), prize=_more("prize")),
        "PLACED",
        "prize",
    ),
    Fault(
        "a satellite's prize",
        "satellite",
        change("placed", _is(place=1), prize=_more("prize")),
        "PLACED",
        "prize",
    ),
    # Both logs.
    Fault("a hand without its hand_started", "tables", _hand_of_no_tournament, "LINKED", "has not"),
    Fault("somebody seated at the table alone", "tables", _stranger, "LINKED", "seat_taken"),
    Fault(
        "another root at the close",
        "tables",
        change("table_closed", root=_flipped("root")),
        "LINKED",
        "root",
    ),
    Fault(
        "another size at the close",
        "tables",
        change("table_closed", size=_more("size")),
        "LINKED",
        "size",
    ),
    Fault(
        "another time of a hand's end",
        "tables",
        _early("hand_finished", 1),
        "LINKED",
        "another time",
    ),
    Fault(
        "other rules at a table",
        "tables",
        at_table(1, "game_opened", rules=lambda body: body["rules"] | {"turn_ms": 1}),
        "LINKED",
        "rules",
    ),
    Fault(
        "a table of another number",
        "tables",
        at_table(
            1,
            "game_opened",
            rules=lambda body: (
                body["rules"] | {"tournament": body["rules"]["tournament"] | {"table": 2}}
            ),
        ),
        "LINKED",
        "number",
    ),
    Fault(
        "a table that closes by the operator",
        "tables",
        at_table(1, "game_closed", reason="operator"),
        "LINKED",
        "reason",
    ),
    Fault(
        "a table that closes as restored",
        "tables",
        at_table(1, "game_closed", reason="restored"),
        "LINKED",
        "reason",
    ),
    Fault(
        "a big blind at another seat than at the table",
        "tables",
        change(
            "hand_started", _is(hand=2), big_blind_seat=lambda body: body["big_blind_seat"] % 6 + 1
        ),
        "LINKED",
        "hand_opened",
    ),
    # The whole.
    Fault(
        "a reason that is not borne out",
        "tables",
        change("tournament_closed", reason="cancelled"),
        "COMPLETE",
        "reason",
    ),
    Fault("time goes back", "tables", _early("hand_finished", 10_000_000), "ORDERED", "time"),
    Fault("an entry behind the end", "tables", _behind_the_end, "ORDERED", "behind the end"),
    Fault("a hand twice", "tables", repeat("hand_started"), "ORDERED", "is open"),
    Fault("a hand ended twice", "tables", repeat("hand_finished"), "ORDERED", "not open"),
    Fault(
        "a hand's number skipped",
        "tables",
        change("hand_started", _is(hand=2), hand=3),
        "ORDERED",
        "number",
    ),
    Fault("stopped twice", "late", repeat("stopped"), "ORDERED", "stopped"),
    Fault(
        "a hand before the start",
        "tables",
        insert(
            "started",
            "hand_finished",
            {"table": 1, "hand": 1, "void": True, "stacks": []},
        ),
        "ORDERED",
        "before the start",
    ),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_planted_fault_is_named(fault: Fault) -> None:
    files = event(fault.house)
    fault.plant(files)
    report = judge_event(files.joined(), key=files.key)
    assert not report.damage, tell(report)
    assert fault.promise in broken_of_event(report), tell(report)
    found = report.of(Promise(fault.promise))
    texts = [one.text for one in found if one.verdict is Verdict.BROKEN]
    assert any(fault.word in text for text in texts), "\n".join(texts)


def test_the_table_has_every_promise_of_a_tournament() -> None:
    names = {fault.promise for fault in FAULTS}
    assert names >= {"DRAWN", "SEATED", "LEVELS", "COUNTED", "PLACED", "LINKED", "COMPLETE"}
