"""What a client makes of a tournament's log: it reads honest ones, and refuses what can not be."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor

from cutcard.v1 import tournament_entry_pb2
from dealer_service.client.message import Message
from dealer_service.client.refusing import ProtocolBreach, Reason, Refused
from dealer_service.client.tournament_lines import read_tournament_line
from dealer_service.client.tournament_verifier import TournamentVerifier, WatchedTournament
from dealer_service.client.tournament_view import Phase
from dealer_service.rules.entry import Resumed
from dealer_service.rules.tournament.entry import HandFinished, TournamentEntry, Withdrawn
from dealer_service.rules.tournament.state import Standing, TournamentState
from dealer_service.tables.tournament.lines import encode
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import note_signer
from tests.support.simulator import KEY_SEED
from tests.support.tournament_houses import HOUSES
from tests.support.tournament_play import ORIGIN, START, TournamentPlay
from tests.support.transcripts import dump

ENTRY = tournament_entry_pb2.TournamentEntry.DESCRIPTOR
KINDS: dict[str, Any] = {f.name: f.message_type for f in ENTRY.oneofs_by_name["kind"].fields}
OPTIONAL_LISTS = {("PayoutRule", "tables"), ("PayoutRule", "points")}
SIGNER = note_signer(ORIGIN, KEY_SEED)


@cache
def played(name: str) -> TournamentPlay:
    """Play an event without cards' secrets: the tournament's own log is as real as any."""
    house = HOUSES[name]
    waiting = list(house.visitors)

    def let_in(play: TournamentPlay, entries: Any) -> None:
        one_ended = any(isinstance(entry, HandFinished) for entry in entries)
        if one_ended and waiting and play.register(waiting[0]):
            del waiting[0]

    return TournamentPlay(house.structure, seed=house.seed, habits=house.habits, after=let_in).run()


def lines_of(name: str) -> list[bytes]:
    return [encode(at, entry) for at, entry in played(name).log]


@cache
def lines_by_kind() -> dict[str, list[bytes]]:
    # The operator of these events resumes none, and nobody withdraws.
    found = {
        "withdrawn": [encode(START, Withdrawn("ann"))],
        "resumed": [encode(START, Resumed())],
    }
    for name in HOUSES:
        for line in lines_of(name):
            (kind,) = json.loads(line).keys() - {"at"}
            found.setdefault(kind, []).append(line)
    return found


def note_of(
    tournament: str, lines: list[bytes], origin: str = ORIGIN, seed: bytes = KEY_SEED
) -> str:
    tree = Tree(map(leaf_hash, lines))
    of = Checkpoint(f"{origin}/games/{tournament}", len(lines), tree.root(len(lines)))
    return sign_checkpoint(of, note_signer(ORIGIN, seed))


def verifier_of(tournament: str, *, backlog: int = 0) -> TournamentVerifier:
    return TournamentVerifier(WatchedTournament(tournament, SIGNER.verifier, 0.0, backlog))


def judge(tournament: str, lines: list[bytes]) -> Refused | None:
    """Tell lines one by one, each when its time has come, signed at the end; give the refusal."""
    verifier = verifier_of(tournament)
    for index, line in enumerate(lines):
        now = (json.loads(line)["at"] - START) / 1000
        told = verifier.receive(Message(index, (line,)), now)
        if isinstance(told, Refused):
            return told
    told = verifier.receive(Message(len(lines), checkpoint=note_of(tournament, lines)), now)
    return told if isinstance(told, Refused) else None


def changed(
    name: str, kind: str, change: Callable[[dict[str, Any]], object], number: int = 0
) -> Refused | None:
    """Change a line of an event, the `number`th of its kind, and judge what comes out."""
    lines = lines_of(name)
    places = [n for n, line in enumerate(lines) if kind in json.loads(line)]
    value = json.loads(lines[places[number]])
    change(value[kind])
    lines[places[number]] = dump(value)
    return judge(played(name).tournament, lines)


@pytest.mark.parametrize("name", HOUSES)
def test_an_honest_event_is_followed_to_its_end(name: str) -> None:
    play = played(name)
    lines = lines_of(name)
    verifier = verifier_of(play.tournament, backlog=len(lines))
    note = note_of(play.tournament, lines)
    told = verifier.receive(Message(0, tuple(lines), checkpoint=note), 0.0)
    assert not isinstance(told, Refused), told
    assert len(told.entries) == len(lines)
    assert verifier.finished
    view, state = verifier.view, play.state
    assert view.phase is Phase.CLOSED
    assert (view.prizes, view.level, view.size) == (state.prizes, state.level, len(lines))
    seen = {name: (one.entrant, one.place, one.prize) for name, one in view.players.items()}
    assert seen == {
        name: (one.entrant, one.place, one.prize) for name, one in state.entrants.items()
    }


def same_players(view: Any, state: TournamentState) -> None:
    """Hold what a client knows of every player to what the dealer does."""
    for name, one in state.entrants.items():
        seen = view.players[name]
        if one.place:
            # Who is placed in the end keeps its seat until its table closes.
            assert seen.place == one.place
            continue
        assert seen.sits == (one.standing is Standing.PLAYING)
        if seen.sits:
            assert (seen.table, seen.seat) == (one.table, one.seat)
            assert seen.stack == state.tables[one.table].seats[one.seat].stack
            assert view.game_of(name) == state.tables[one.table].game


def test_all_along_a_client_knows_where_everybody_sits_and_with_what() -> None:
    house = HOUSES["late"]
    verifiers: list[TournamentVerifier] = []
    sent = 0

    def follow(play: TournamentPlay, _entries: Sequence[TournamentEntry]) -> None:
        nonlocal sent
        if not verifiers:
            verifiers.append(verifier_of(play.tournament, backlog=10**6))
        fresh = tuple(encode(at, entry) for at, entry in play.log[sent:])
        assert not isinstance(verifiers[0].receive(Message(sent, fresh), 0.0), Refused)
        sent = len(play.log)
        if play.state.all_between_hands:
            same_players(verifiers[0].view, play.state)

    TournamentPlay(house.structure, seed=house.seed, habits=house.habits, after=follow).run()
    assert sent > 100


def test_every_kind_is_played() -> None:
    assert lines_by_kind().keys() == KINDS.keys()


def objects(value: dict[str, Any], shape: Any) -> list[tuple[dict[str, Any], Any]]:
    """Give every object of a body with its message type."""
    found = [(value, shape)]
    for name, member in value.items():
        field = shape.fields_by_name[name]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for each in member if isinstance(member, list) else [member]:
                found += objects(each, field.message_type)
    return found


def refuse(value: object) -> None:
    with pytest.raises(ProtocolBreach) as caught:
        read_tournament_line(0, dump(value))
    assert caught.value.reason is Reason.LINE


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_more_or_less_is_refused(kind: str) -> None:
    line = lines_by_kind()[kind][0]
    count = len(objects(json.loads(line)[kind], KINDS[kind]))
    for number in range(count):
        value = json.loads(line)
        body, shape = objects(value[kind], KINDS[kind])[number]
        body["zzz"] = 0
        refuse(value)
        for name in list(shape.fields_by_name):
            presence = shape.fields_by_name[name].has_presence
            optional = presence or (shape.name, name) in OPTIONAL_LISTS
            if not optional or name in {"structure", "rules", "start", "payout"}:
                value = json.loads(line)
                body, _ = objects(value[kind], KINDS[kind])[number]
                del body[name]
                refuse(value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", [None, -1, 1.5, "", "\u00e9", {}, [None], 2**53])
def test_a_value_of_another_type_is_refused(kind: str, wrong: object) -> None:
    line = lines_by_kind()[kind][0]
    for name in json.loads(line)[kind]:
        value = json.loads(line)
        value[kind][name] = wrong
        refuse(value)


# What no honest dealer tells. Each is a line of the right shape, signed as it stands.
IMPOSSIBLE: dict[str, tuple[str, str, Callable[[dict[str, Any]], object]]] = {
    "another tournament": ("sit_and_go", "tournament_opened", lambda b: b.update(
        tournament="0" * 32)),
    "another dealer": ("sit_and_go", "tournament_opened", lambda b: b.update(origin="x.example")),
    "an entrant's number": ("sit_and_go", "registered", lambda b: b.update(entrant=2)),
    "who is in": ("sit_and_go", "started", lambda b: b.update(players=5)),
    "a table's number": ("sit_and_go", "table_opened", lambda b: b.update(table=2)),
    "a stack at the start": ("sit_and_go", "seated", lambda b: b.update(stack=1_000)),
    "a seat that is not there": ("sit_and_go", "seated", lambda b: b.update(seat=9)),
    "a level left out": ("sit_and_go", "level_begun", lambda b: b.update(level=2)),
    "a hand of another level": ("sit_and_go", "hand_started", lambda b: b.update(level=2)),
    "a hand's number": ("sit_and_go", "hand_started", lambda b: b.update(hand=2)),
    "a chip too many": ("sit_and_go", "hand_finished", lambda b: b["stacks"][0].update(
        stack=b["stacks"][0]["stack"] + 5)),
    "who has chips is out": ("sit_and_go", "busted", lambda b: b.update(
        player="p00001" if b["player"] != "p00001" else "p00002")),
    "a place twice": ("sit_and_go", "placed", lambda b: b.update(player="nobody")),
    "a move with other chips": ("tables", "moved", lambda b: b.update(stack=b["stack"] + 5)),
    "a move from elsewhere": ("tables", "moved", lambda b: b.update(from_seat=10)),
    "a deal of some": ("deal", "deal_agreed", lambda b: b["shares"].pop()),
    "a person's seat": ("take_over", "taken_over", lambda b: b.update(removed=1)),
    "another game closes": ("sit_and_go", "table_closed", lambda b: b.update(game="0" * 32)),
}  # fmt: skip


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_what_can_not_follow_is_refused(what: str) -> None:
    refused = changed(*IMPOSSIBLE[what])
    assert refused is not None
    assert refused.reason is Reason.LINE
    assert len(refused.evidence.lines) < len(lines_of(IMPOSSIBLE[what][0]))


UNFAIR: dict[str, tuple[str, Callable[[dict[str, Any]], object]]] = {
    "another secret": ("drawn", lambda b: b.update(secret="5e" * 32)),
    "another order": ("drawn", lambda b: b["order"].reverse()),
    "somebody left out": ("drawn", lambda b: b["order"].pop()),
    "another number": ("drawn", lambda b: b.update(draw=2)),
    "another secret at the end": ("tournament_closed", lambda b: b.update(secret="5e" * 32)),
    "another commitment": ("tournament_opened", lambda b: b.update(draw_commitment="5e" * 32)),
}


@pytest.mark.parametrize("what", UNFAIR)
def test_a_draw_that_does_not_follow_is_refused(what: str) -> None:
    kind, change = UNFAIR[what]
    refused = changed("sit_and_go", kind, change)
    assert refused is not None
    assert refused.reason is Reason.MIX


class TestTheStream:
    name = "sit_and_go"

    @property
    def tournament(self) -> str:
        return played(self.name).tournament

    def receive(self, *messages: Message, now: float = 0.0) -> Any:
        verifier = verifier_of(self.tournament)
        for message in messages:
            told = verifier.receive(message, now)
        return told

    def test_a_line_that_is_left_out(self) -> None:
        lines = lines_of(self.name)
        assert self.receive(Message(1, (lines[1],))).reason is Reason.LINE

    def test_a_line_that_comes_again_is_the_same(self) -> None:
        lines = lines_of(self.name)
        again = Message(0, tuple(lines[:2]))
        assert not isinstance(self.receive(again, again), Refused)
        other = Message(0, (lines[1],))
        assert self.receive(again, other).reason is Reason.ROOT

    def test_a_checkpoint_of_other_lines(self) -> None:
        lines = lines_of(self.name)
        note = note_of(self.tournament, [lines[0], lines[2]])
        assert self.receive(Message(0, tuple(lines[:2]), checkpoint=note)).reason is Reason.ROOT
        early = note_of(self.tournament, lines[:3])
        assert self.receive(Message(0, tuple(lines[:2]), checkpoint=early)).reason is Reason.ROOT

    def test_a_checkpoint_that_is_not_the_dealers_or_of_another_log(self) -> None:
        lines = lines_of(self.name)
        for note in (
            note_of(self.tournament, lines[:1], seed=bytes(32)),
            note_of("0" * 32, lines[:1]),
            "no note",
        ):
            told = self.receive(Message(0, (lines[0],), checkpoint=note))
            assert told.reason is Reason.SIGNATURE

    def test_a_time_that_falls_or_runs_ahead(self) -> None:
        lines = lines_of(self.name)
        back = json.loads(lines[1])
        back["at"] -= 1
        assert self.receive(Message(0, (lines[0], dump(back)))).reason is Reason.TIME
        ahead = json.loads(lines[1])
        ahead["at"] = START + 5_001
        assert self.receive(Message(0, (lines[0], dump(ahead)))).reason is Reason.TIME
        told = self.receive(Message(0, (lines[0], dump(ahead))), now=0.001)
        assert not isinstance(told, Refused)

    def test_a_line_that_stays_uncovered(self) -> None:
        lines = lines_of(self.name)
        verifier = verifier_of(self.tournament)
        verifier.receive(Message(0, (lines[0],)), 0.0)
        assert verifier.deadline == 5.0
        assert verifier.overdue(5.0) is None
        refused = verifier.overdue(5.1)
        assert refused is not None
        assert refused.reason is Reason.UNCOVERED
        # A refusal is final.
        note = note_of(self.tournament, lines[:1])
        assert verifier.receive(Message(1, checkpoint=note), 6.0) is refused

    def test_after_a_break_what_is_due_is_due_again(self) -> None:
        lines = lines_of(self.name)
        verifier = verifier_of(self.tournament)
        verifier.receive(Message(0, (lines[0],)), 0.0)
        verifier.interrupted(4.0, 3)
        assert not verifier.caught_up
        assert verifier.overdue(8.9) is None
        assert verifier.overdue(9.1) is not None

    def test_streams_that_break_put_a_checkpoint_off_no_longer_than_the_third(self) -> None:
        line = lines_of(self.name)[0]
        verifier = verifier_of(self.tournament)
        verifier.receive(Message(0, (line,)), 0.0)
        for now in (4.9, 9.8, 14.7):
            verifier.receive(Message(0, (line,)), now)
            verifier.interrupted(now, 1)
            assert verifier.overdue(now) is None
        verifier.receive(Message(0, (line,)), 15.0)
        verifier.interrupted(19.6, 1)
        refused = verifier.overdue(19.6)
        assert refused is not None
        assert refused.reason is Reason.UNCOVERED
