"""A client believes an honest dealer, and refuses each breach of PROTOCOL.md section 11.

Each breach is an honest game with one thing changed, signed anew by the dealer itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from dealer_service.client.message import CardOpening, CardProof, Message
from dealer_service.client.refusing import Reason, Refused
from dealer_service.client.sent import (
    ActSent,
    AnchorSent,
    LeaveSent,
    LinkSent,
    SeatAsked,
    SitOutSent,
)
from dealer_service.client.verifier import Progress, Verifier
from dealer_service.fairness.mixing import Link, mix
from dealer_service.rules.entry import Act, VoidReason
from dealer_service.transcript.checkpoint import Checkpoint, sign_checkpoint
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.note import note_signer
from tests.support.mutations import count_changes
from tests.support.simulator import (
    LIVELY,
    NAMES,
    ORIGIN,
    RULES,
    START,
    Simulator,
    passive,
    play_chain,
    play_game,
    script,
)
from tests.support.streams import Stream, stream_of

ANN = "ann"
OTHER = "ab" * 32


def honest(player: str = ANN) -> Stream:
    """Tell a player a game of two hands for three, both shown down, closed and revealed."""
    simulator = Simulator(seed=7)
    for name in NAMES[:3]:
        simulator.sit(name)
    for _ in range(2):
        simulator.play_hand(choose=passive)
    simulator.close()
    simulator.reveal()
    return stream_of(simulator, player)


@pytest.fixture
def stream() -> Stream:
    return honest()


def reason(stream: Stream) -> Reason | None:
    refused = stream.judge()
    return refused.reason if refused else None


def forget(stream: Stream, kind: type) -> None:
    """Let the client never have sent what is of this kind."""
    kept = [each for each in stream.sent if not isinstance(each, kind)]
    assert len(kept) < len(stream.sent)
    stream.sent = kept


def own_seat(stream: Stream) -> int:
    seat = stream.transcript.find("seat_taken", where=lambda body: body["player"] == ANN)
    return int(seat.body["seat"])


def catch_up(stream: Stream, verifier: Verifier, kind: str, *, hand: int = 1) -> float:
    """Tell an honest stream up to and with a line, and give its time."""
    until = stream.transcript.find(kind, hand=hand).index
    now = 0.0
    for now, message in stream.messages():
        if message.lines and message.first > until:
            break
        assert isinstance(verifier.receive(message, now), Progress)
    return (stream.transcript.read(until).at - START) / 1000


# An honest dealer.


def test_an_honest_game_is_believed(stream: Stream) -> None:
    verifier = stream.verifier()
    for now, message in stream.messages():
        assert isinstance(verifier.receive(message, now), Progress)
    assert verifier.finished
    assert verifier.size == len(stream.transcript.lines)
    assert verifier.deadline is None


@pytest.mark.parametrize("seed", range(count_changes(5)))
def test_no_lively_game_is_refused_by_anyone(seed: int) -> None:
    """Also with misses, voids, clocks, leaving in mid-hand, shows, pauses and new anchors."""
    simulator = play_game(seed=seed, hands=12, players=5, habits=LIVELY, unanchored=seed % 2)
    for player in (None, *simulator.clients):
        assert stream_of(simulator, player).judge() is None, player


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_of_games_is_believed(seed: int) -> None:
    games = play_chain(seed=seed, games=3, hands=3, habits=LIVELY)
    for before, simulator in zip([None, *games], games, strict=False):
        for player in (None, "ann", "ben"):
            assert stream_of(simulator, player, before=before).judge() is None


def test_a_late_joiner_may_be_told_everything_at_once(stream: Stream) -> None:
    """Lines that were there on joining are of any time; order and proofs hold all the same."""
    verifier = stream.verifier(backlog=len(stream.transcript.lines), joined=1.0)
    for _, message in stream.messages():
        assert isinstance(verifier.receive(message, 1.0), Progress)


def test_after_a_break_lines_may_come_again(stream: Stream) -> None:
    """The stream goes on from the last covered line, so that its checkpoint comes again."""
    often = range(5, len(stream.transcript.lines), 5)
    stream.transcript.checkpoints = sorted({*stream.transcript.checkpoints, *often})
    verifier = stream.verifier()
    told = list(stream.messages())
    opened: list[CardOpening] = []
    for number, (now, message) in enumerate(told):
        first = verifier.receive(message, now)
        assert isinstance(first, Progress)
        opened += first.openings
        if number % 9 == 8:
            verifier.interrupted(now, verifier.size)
            for _, again in stream.messages(verifier.covered):
                if again.lines and again.first >= verifier.size:
                    break
                answer = verifier.receive(again, now)
                assert isinstance(answer, Progress)
                assert not answer.entries
                opened += answer.openings
    assert verifier.finished
    assert sorted(each.position for each in opened if each.hand == 1) == of_ann(stream)


def test_a_hand_that_passed_during_a_break_needs_no_link_and_no_openings(stream: Stream) -> None:
    """The dealer need not show again what was dealt and folded while nobody listened."""
    second = stream.transcript.find("hand_opened", hand=2).index
    for position in of_ann(stream, hand=2):
        del stream.openings[2, position]
    verifier = stream.verifier()
    for now, message in stream.messages():
        if message.lines and message.first == second:
            verifier.interrupted(now, len(stream.transcript.lines))
        assert isinstance(verifier.receive(message, now), Progress)
        assert verifier.size <= second or verifier.link_due is None
    assert verifier.finished


def test_a_link_is_due_under_the_checkpoint_that_ends_with_the_opening(stream: Stream) -> None:
    due = []
    verifier = stream.verifier()
    for now, message in stream.messages():
        verifier.receive(message, now)
        due.append((message.first, verifier.link_due))
    opened = [one.index for one in stream.transcript.all("hand_opened")]
    assert [first for first, link in due if link] == opened
    sent = [each for each in stream.sent if isinstance(each, LinkSent)]
    assert [link.hand for _, link in due if link] == [each.hand for each in sent]


def test_no_link_is_due_while_old_lines_are_told(stream: Stream) -> None:
    verifier = stream.verifier(backlog=len(stream.transcript.lines))
    for now, message in stream.messages():
        verifier.receive(message, now)
        assert verifier.link_due is None


def test_no_link_is_due_before_the_checkpoint(stream: Stream) -> None:
    opened = stream.transcript.find("hand_opened").index
    stream.transcript.checkpoints.remove(opened + 1)
    verifier = stream.verifier()
    catch_up(stream, verifier, "hand_opened")
    assert verifier.link_due is None


def test_a_void_that_calls_a_sent_link_missing_is_told_and_no_refusal() -> None:
    simulator = Simulator(seed=3)
    for name in NAMES[:3]:
        simulator.sit(name)
    simulator.open_hand()
    simulator.give_links(denied=[ANN])
    simulator.void_hand(VoidReason.LINK_MISSING)
    stream = stream_of(simulator, ANN)
    link = simulator.clients[ANN].record[-2]["link"]["link"]
    stream.sent.append(LinkSent(1, link))
    verifier = stream.verifier()
    for now, message in stream.messages():
        assert isinstance(verifier.receive(message, now), Progress)
    assert [(each.hand, each.sent) for each in verifier.missed] == [(1, True)]
    assert verifier.own is not None
    assert verifier.own.anchor is None


def test_a_link_that_was_sent_and_not_logged_is_spent() -> None:
    """After a void for the dealer's own reasons the anchor stands, and its link has left."""
    simulator = Simulator(seed=3)
    for name in NAMES[:3]:
        simulator.sit(name)
    simulator.open_hand()
    simulator.give_links(denied=[ANN])
    simulator.void_hand(VoidReason.OPERATOR)
    stream = stream_of(simulator, ANN)
    stream.sent.append(LinkSent(1, simulator.clients[ANN].record[-1]["link"]["link"]))
    verifier = stream.verifier()
    for now, message in stream.messages():
        assert isinstance(verifier.receive(message, now), Progress)
    assert verifier.own is not None
    assert verifier.own.anchor_spent


# SIGNATURE and ROOT.


def test_a_checkpoint_under_another_key_is_refused(stream: Stream) -> None:
    other = note_signer(ORIGIN, bytes(32))
    stream.notes[5] = stream.transcript.note(other, 5)
    assert reason(stream) is Reason.SIGNATURE


def test_a_checkpoint_with_a_changed_signature_is_refused(stream: Stream) -> None:
    note = stream.transcript.note(stream.signer, 5)
    stream.notes[5] = note[:-6] + ("AAAA" if note[-6:-2] != "AAAA" else "BBBB") + note[-2:]
    assert reason(stream) is Reason.SIGNATURE


def test_a_checkpoint_of_another_game_is_refused(stream: Stream) -> None:
    other = stream.transcript.copy()
    other.game = "00" * 16
    stream.notes[5] = other.note(stream.signer, 5)
    assert reason(stream) is Reason.SIGNATURE


def test_what_is_no_checkpoint_is_refused(stream: Stream) -> None:
    stream.notes[5] = "trust me\n"
    assert reason(stream) is Reason.SIGNATURE


def test_a_checkpoint_of_other_lines_is_refused(stream: Stream) -> None:
    """Two histories: what this player was told is not what was signed."""
    other = stream.transcript.copy()
    other.move_time(3, other.read(3).at + 1)
    stream.notes[5] = other.note(stream.signer, 5)
    assert reason(stream) is Reason.ROOT


def test_a_checkpoint_of_more_lines_than_were_sent_is_refused(stream: Stream) -> None:
    stream.notes[5] = stream.transcript.note(stream.signer, 6)
    assert reason(stream) is Reason.ROOT


def test_a_line_that_comes_again_with_other_bytes_is_refused(stream: Stream) -> None:
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "hand_opened")
    stream.transcript.move_time(2, stream.transcript.read(2).at + 1)
    answer = verifier.receive(Message(2, (stream.transcript.lines[2],)), now)
    assert isinstance(answer, Refused)
    assert answer.reason is Reason.ROOT


def test_a_game_that_goes_on_from_another_log_is_refused() -> None:
    before, after = play_chain(games=2, hands=2)
    stream = stream_of(after, ANN, before=before)
    assert stream.before is not None
    stream.before = replace(stream.before, root=OTHER)
    assert reason(stream) is Reason.ROOT


# LINE: the format and the grammar.


def test_a_line_that_is_not_canonical_is_refused(stream: Stream) -> None:
    stream.transcript.lines[4] = stream.transcript.lines[4].replace(b'":', b'": ', 1)
    assert reason(stream) is Reason.LINE


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("hand_opened", {"commitment": OTHER.upper()}),
        ("hand_opened", {"extra": 1}),
        ("hand_opened", {"voids": None}),
        ("hand_opened", {"button": 0}),
        ("seat_taken", {"player": "an na"}),
        ("acted", {"act": "bluff"}),
        ("acted", {"to": -1}),
        ("acted", {"turn": True}),
        ("deck_committed", {"links": []}),
        ("opened", {"seat": 1, "board": 1}),
        ("dealt", {"positions": [{"position": 0, "to": "burn", "seat": 1}]}),
        ("dealt", {"positions": [{"position": 52, "to": "burn"}]}),
        ("hand_ended", {"hand": 2}),
        ("dealt", {"hand": 2}),
        ("game_opened", {"origin": "other.example.com"}),
        ("game_opened", {"suite": "cutcard/v0"}),
        ("secret_revealed", {"hand": 2}),
    ],
    ids=str,
)
def test_a_line_of_another_shape_is_refused(
    stream: Stream, kind: str, fields: dict[str, Any]
) -> None:
    stream.transcript.change(stream.transcript.find(kind).index, **fields)
    expected = Reason.MIX if fields == {"links": []} else Reason.LINE
    assert reason(stream) is expected


def test_an_unknown_kind_is_refused(stream: Stream) -> None:
    one = stream.transcript.read(4)
    stream.transcript.put(4, one.at, "burned", {})
    assert reason(stream) is Reason.LINE


@pytest.mark.parametrize(
    ("after", "kind", "body"),
    [
        ("game_opened", "posted", {"seat": 1, "what": "small_blind", "amount": 50}),
        ("hand_opened", "chips_added", {"seat": 1, "player": "ann", "amount": 50}),
        ("hand_opened", "acted", {"seat": 1, "act": "fold", "to": 0, "by": "player", "turn": 1}),
        ("acted", "posted", {"seat": 1, "what": "small_blind", "amount": 50}),
        ("acted", "anchored", {"seat": 2, "player": "ben", "anchor": OTHER}),
        ("game_closed", "resumed", {}),
    ],
    ids=str,
)
def test_a_line_without_a_place_is_refused(
    stream: Stream, after: str, kind: str, body: dict[str, Any]
) -> None:
    one = stream.transcript.find(after)
    stream.transcript.insert(one.index + 1, one.at, kind, body)
    assert reason(stream) is Reason.LINE


def voided(*, missing: bool) -> Stream:
    simulator = Simulator(seed=3)
    for name in NAMES[:3]:
        simulator.sit(name)
    simulator.open_hand()
    simulator.give_links(missing=["ben"] if missing else [])
    simulator.void_hand(VoidReason.LINK_MISSING if missing else VoidReason.OPERATOR)
    return stream_of(simulator, ANN)


def test_a_void_before_its_time_is_refused() -> None:
    stream = voided(missing=True)
    assert stream.judge() is None
    opened, void = (stream.transcript.find(kind) for kind in ("hand_opened", "hand_void"))
    stream.transcript.move_time(void.index, opened.at + RULES.link_ms - 1)
    assert reason(stream) is Reason.LINE


def test_a_void_that_hides_whose_link_is_missing_is_refused() -> None:
    stream = voided(missing=True)
    void = stream.transcript.find("hand_void")
    links = [*void.body["links"][:1]]
    stream.transcript.change(void.index, links=links)
    assert reason(stream) is Reason.LINE


def test_a_void_behind_the_deck_is_a_fault_of_the_dealer_or_refused(stream: Stream) -> None:
    dealt = stream.transcript.find("dealt")
    body = {"hand": 1, "reason": "operator", "secret": OTHER, "links": [], "missing": []}
    stream.transcript.insert(dealt.index, dealt.at, "hand_void", body)
    assert reason(stream) is Reason.LINE


def test_a_stream_with_a_gap_is_refused(stream: Stream) -> None:
    verifier = stream.verifier()
    answer = verifier.receive(Message(1, (stream.transcript.lines[1],)), 0.0)
    assert isinstance(answer, Refused)
    assert answer.reason is Reason.LINE


# TIME, UNCOVERED, DEALT_EARLY, HAND_NUMBER.


def test_time_that_goes_back_is_refused(stream: Stream) -> None:
    stream.transcript.move_time(5, stream.transcript.read(4).at - 1)
    assert reason(stream) is Reason.TIME


@pytest.mark.parametrize(("ahead", "expected"), [(4.9, None), (5.2, Reason.TIME)])
def test_time_that_runs_ahead_of_the_clients_clock_is_refused(
    stream: Stream, ahead: float, expected: Reason | None
) -> None:
    verifier = stream.verifier()
    answers = [verifier.receive(m, max(0.0, now - ahead)) for now, m in stream.messages()]
    refused = [each for each in answers if isinstance(each, Refused)]
    assert (refused[0].reason if refused else None) is expected


def test_the_sleep_of_the_clients_machine_is_no_time_that_runs_ahead(stream: Stream) -> None:
    """Its monotonic clock stood still meanwhile, and the dealer's time went on."""
    verifier = stream.verifier(slept=1_000.0)
    answers = [
        verifier.receive(message, max(0.0, now - 60), 1_060.0) for now, message in stream.messages()
    ]
    assert not [each for each in answers if isinstance(each, Refused)]
    verifier = stream.verifier(slept=1_060.0)
    answers = [
        verifier.receive(message, max(0.0, now - 60), 1_060.0) for now, message in stream.messages()
    ]
    assert [each.reason for each in answers if isinstance(each, Refused)][:1] == [Reason.TIME]


def test_time_that_lags_is_allowed(stream: Stream) -> None:
    """Lines are sent again after a break, however late."""
    verifier = stream.verifier()
    for now, message in stream.messages():
        assert isinstance(verifier.receive(message, now + 3600), Progress)


def test_a_line_under_no_checkpoint_is_refused_after_five_seconds(stream: Stream) -> None:
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "acted")
    assert verifier.deadline is not None
    oldest = verifier.deadline - 5
    assert oldest <= now
    assert verifier.overdue(oldest + 5) is None
    refused = verifier.overdue(oldest + 5.01)
    assert refused is not None
    assert refused.reason is Reason.UNCOVERED


def test_a_break_gives_five_seconds_more(stream: Stream) -> None:
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "acted")
    verifier.interrupted(now + 60, verifier.size)
    assert verifier.overdue(now + 65) is None
    assert verifier.overdue(now + 65.01) is not None


def note_of(stream: Stream, size: int) -> str:
    """Sign the first lines of a stream."""
    origin = f"{stream.transcript.origin}/games/{stream.transcript.game}"
    root = Tree(map(leaf_hash, stream.transcript.lines[:size])).root(size)
    return sign_checkpoint(Checkpoint(origin, size, root), stream.signer)


def break_off(verifier: Verifier, now: float, *, speaks: bool = True) -> None:
    """Have a stream break, which told something or nothing."""
    if speaks:
        verifier.receive(Message(), now)
    verifier.interrupted(now, verifier.size)


def test_streams_that_break_put_a_checkpoint_off_no_longer_than_the_third(stream: Stream) -> None:
    """Each gives five seconds more; the one that ends after fifteen is the last."""
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "acted")
    assert verifier.deadline is not None
    begun = verifier.deadline - 5
    for seconds in (4.9, 9.8, 14.7):
        break_off(verifier, begun + seconds)
        assert verifier.overdue(begun + seconds) is None
    break_off(verifier, begun + 19.6)
    refused = verifier.overdue(now)
    assert refused is not None
    assert refused.reason is Reason.UNCOVERED
    assert "4 streams in 20 s" in refused.detail
    assert verifier.receive(Message(), now) is refused


def test_an_outage_is_no_fault_of_the_dealers(stream: Stream) -> None:
    """However long it is, and however often nothing at all comes of a stream."""
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "acted")
    break_off(verifier, now + 600)
    for attempt in range(9):
        break_off(verifier, now + 601 + attempt, speaks=False)
    break_off(verifier, now + 620)
    assert verifier.overdue(now + 625) is None
    break_off(verifier, now + 626)
    assert verifier.overdue(now + 626) is not None


def test_streams_that_break_at_once_are_no_fault_of_the_dealers(stream: Stream) -> None:
    """Many may within the 200 ms in which a line may be under no checkpoint."""
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "acted")
    for _ in range(9):
        break_off(verifier, now + 0.1)
    assert verifier.overdue(now + 5) is None


def test_what_waits_for_a_checkpoint_is_the_line_and_not_the_log(stream: Stream) -> None:
    """One more checkpoint, of fewer lines than came, gives the later lines no more time."""
    acted = stream.transcript.find("acted").index
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "acted")
    assert verifier.covered < acted
    for seconds in (4.9, 9.8):
        break_off(verifier, now + seconds)
    note = note_of(stream, acted)
    assert isinstance(verifier.receive(Message(acted, checkpoint=note), now + 14), Progress)
    assert verifier.covered == acted
    for seconds in (14.7, 19.6):
        break_off(verifier, now + seconds)
    refused = verifier.overdue(now)
    assert refused is not None
    assert (refused.reason, f"line {acted}" in refused.detail) == (Reason.UNCOVERED, True)


def test_cards_dealt_before_a_checkpoint_covers_the_deck_are_refused(stream: Stream) -> None:
    committed = stream.transcript.find("deck_committed").index
    stream.transcript.checkpoints.remove(committed + 1)
    assert reason(stream) is Reason.DEALT_EARLY


def test_a_checkpoint_behind_the_first_card_is_too_late(stream: Stream) -> None:
    committed = stream.transcript.find("deck_committed").index
    dealt = stream.transcript.find("dealt").index
    sizes = set(stream.transcript.checkpoints) - {committed + 1} | {dealt + 1}
    stream.transcript.checkpoints = sorted(sizes)
    assert reason(stream) is Reason.DEALT_EARLY


@pytest.mark.parametrize("number", [1, 3])
def test_a_hand_number_that_is_missing_or_comes_twice_is_refused(
    stream: Stream, number: int
) -> None:
    second = stream.transcript.find("hand_opened", hand=2).index
    stream.transcript.change(second, hand=number)
    assert reason(stream) is Reason.HAND_NUMBER


# ANCHOR, NOT_MINE, NO_TIME_TO_ANCHOR.


def change_seat(stream: Stream, name: str, **fields: object) -> None:
    """Change a player's seat in the opening of the second hand."""
    opened = stream.transcript.find("hand_opened", hand=2)
    seats = []
    for each in opened.body["seats"]:
        changed = each | fields if each["player"] == name else each
        seats.append({name: value for name, value in changed.items() if value is not None})
    stream.transcript.change(opened.index, seats=seats)


@pytest.mark.parametrize("anchor", [None, OTHER])
def test_an_opening_without_the_own_anchor_is_refused(stream: Stream, anchor: str | None) -> None:
    change_seat(stream, ANN, anchor=anchor)
    assert reason(stream) is Reason.ANCHOR


def test_an_opening_without_the_own_seat_is_refused(stream: Stream) -> None:
    change_seat(stream, ANN, player="zoe")
    assert reason(stream) is Reason.ANCHOR


@pytest.mark.parametrize("kind", [SeatAsked, LinkSent, ActSent], ids=["a seat", "a link", "an act"])
def test_what_was_never_sent_is_refused(stream: Stream, kind: type) -> None:
    forget(stream, kind)
    assert reason(stream) is Reason.NOT_MINE


def test_an_anchor_in_place_of_the_one_that_was_sent_is_refused(stream: Stream) -> None:
    taken = stream.transcript.find("seat_taken", where=lambda body: body["player"] == ANN)
    stream.transcript.change(taken.index, anchor=OTHER)
    assert reason(stream) is Reason.NOT_MINE


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("anchored", {"player": ANN, "anchor": OTHER}),
        ("sat_out", {"player": ANN, "by": "player"}),
        ("sat_out", {"player": ANN, "by": "clock"}),
        ("came_back", {"player": ANN}),
        ("chips_added", {"player": ANN, "amount": 5}),
        ("seat_left", {"player": ANN, "stack": 5}),
    ],
    ids=str,
)
def test_nothing_is_done_in_the_players_name(
    stream: Stream, kind: str, body: dict[str, Any]
) -> None:
    opened = stream.transcript.find("hand_opened")
    stream.transcript.insert(opened.index, opened.at, kind, body | {"seat": own_seat(stream)})
    assert reason(stream) is Reason.NOT_MINE


def test_the_same_is_allowed_when_the_client_sent_it(stream: Stream) -> None:
    """An anchor, sitting out and leaving of another's making are told from its own by value."""
    seat, ended = own_seat(stream), stream.transcript.find("game_closed")
    stream.sent += [
        SitOutSent("request-1"),
        AnchorSent("request-2", OTHER),
        LeaveSent("request-3"),
    ]
    for kind, body in (
        ("sat_out", {"by": "player"}),
        ("anchored", {"anchor": OTHER}),
        ("seat_left", {"stack": 1}),
    ):
        whole = {"player": ANN, "seat": seat} | body
        stream.transcript.insert(stream.transcript.find("game_closed").index, ended.at, kind, whole)
    assert stream.judge() is None


def test_an_operator_may_remove_the_player(stream: Stream) -> None:
    closed = stream.transcript.find("game_closed")
    body = {"player": ANN, "seat": own_seat(stream), "stack": 1}
    stream.transcript.insert(closed.index, closed.at, "player_removed", body)
    assert stream.judge() is None


@pytest.mark.parametrize(
    "fields",
    [
        {"act": "fold"},
        {"turn": 99},
        {"by": "clock"},
        {"by": "clock", "act": "call"},
        {"by": "absent", "act": "fold"},
        {"by": "pre_action"},
    ],
    ids=str,
)
def test_another_act_than_the_clients_is_refused(stream: Stream, fields: dict[str, Any]) -> None:
    seat = own_seat(stream)
    acted = stream.transcript.find("acted", where=lambda body: body["seat"] == seat)
    stream.transcript.change(acted.index, **fields)
    assert reason(stream) is Reason.NOT_MINE


def timed_out() -> Stream:
    simulator = Simulator(seed=7)
    for name in NAMES[:2]:
        simulator.sit(name, seat=NAMES.index(name) + 1)
    simulator.play_hand(choose=script(None))
    return stream_of(simulator, ANN)


def test_the_clock_may_act_in_its_time_and_sit_the_player_out() -> None:
    stream = timed_out()
    assert stream.transcript.find("sat_out").body["player"] == ANN
    assert stream.judge() is None


def test_a_clock_that_acts_early_is_refused() -> None:
    stream = timed_out()
    acted = stream.transcript.find("acted")
    stream.transcript.move_time(acted.index, acted.at - 1)
    assert reason(stream) is Reason.NOT_MINE


def test_a_show_that_was_never_sent_is_refused(stream: Stream) -> None:
    shown = stream.transcript.find("opened", where=lambda body: "seat" in body)
    opened = stream.transcript.find("hand_opened", hand=shown.body["hand"])
    (name,) = (s["player"] for s in opened.body["seats"] if s["seat"] == shown.body["seat"])
    stream = honest(name)
    stream.transcript.change(shown.index, by="player")
    assert reason(stream) is Reason.NOT_MINE


def test_a_muck_by_the_player_is_refused(stream: Stream) -> None:
    awarded = stream.transcript.find("awarded")
    body = {"hand": 1, "seat": own_seat(stream), "by": "player"}
    stream.transcript.insert(awarded.index, awarded.at, "mucked", body)
    assert reason(stream) is Reason.NOT_MINE


def successor(wait_ms: int) -> Stream:
    """Tell ann the game that goes on from another, whose first hand opens without her anchor."""
    before = Simulator(seed=5)
    for name in NAMES[:3]:
        before.sit(name)
    before.play_hand()
    after = before.succeed(anchored=False)
    for name in NAMES[1:3]:
        after.anchor(name)
    after.now += RULES.link_ms
    after.open_hand()
    stream = stream_of(after, ANN, before=before)
    opened = stream.transcript.find("hand_opened")
    at = stream.transcript.read(0).at + wait_ms
    for one in stream.transcript.all()[: opened.index]:
        stream.transcript.move_time(one.index, stream.transcript.read(0).at)
    stream.transcript.move_time(opened.index, at)
    return stream


@pytest.mark.parametrize(
    ("wait_ms", "expected"),
    [(RULES.link_ms - 1, Reason.NO_TIME_TO_ANCHOR), (RULES.link_ms, None)],
)
def test_a_game_that_goes_on_gives_time_to_anchor(wait_ms: int, expected: Reason | None) -> None:
    assert reason(successor(wait_ms)) is expected


# MIX, SECOND_DECK.


def test_another_mix_is_refused(stream: Stream) -> None:
    committed = stream.transcript.find("deck_committed").index
    stream.transcript.change(committed, mix=OTHER)
    assert reason(stream) is Reason.MIX


def remix(stream: Stream, links: list[dict[str, Any]]) -> None:
    """Log other links, with the mix that they give."""
    opened = stream.transcript.find("hand_opened")
    committed = stream.transcript.find("deck_committed")
    players = {each["seat"]: each["player"] for each in opened.body["seats"]}
    given = [Link(e["seat"], players[e["seat"]], bytes.fromhex(e["link"])) for e in links]
    game, commitment = bytes.fromhex(stream.transcript.game), opened.body["commitment"]
    mixed = mix(ORIGIN, game, 1, bytes.fromhex(commitment), given).hex()
    stream.transcript.change(committed.index, links=links, mix=mixed)


def others(stream: Stream) -> list[dict[str, Any]]:
    links = stream.transcript.find("deck_committed").body["links"]
    return [each for each in links if each["seat"] != own_seat(stream)]


def test_a_deck_without_the_own_link_is_refused(stream: Stream) -> None:
    remix(stream, others(stream))
    assert reason(stream) is Reason.MIX


def test_a_link_of_another_that_does_not_lead_to_its_anchor_is_refused(stream: Stream) -> None:
    links = stream.transcript.find("deck_committed").body["links"]
    wrong = others(stream)[0]["seat"]
    remix(stream, [e | {"link": OTHER} if e["seat"] == wrong else e for e in links])
    assert reason(stream) is Reason.MIX


def test_a_beacon_that_no_rule_names_is_refused(stream: Stream) -> None:
    committed = stream.transcript.find("deck_committed").index
    beacon = {"round": 1, "randomness": OTHER, "signature": "ab"}
    stream.transcript.change(committed, beacon=beacon)
    assert reason(stream) is Reason.MIX


def test_a_second_deck_is_refused(stream: Stream) -> None:
    committed = stream.transcript.find("deck_committed")
    stream.transcript.insert(
        committed.index + 1, committed.at, "deck_committed", committed.body | {"deck_root": OTHER}
    )
    assert reason(stream) is Reason.SECOND_DECK


# POSITION and OPENING.


def skip_second(positions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each | {"position": each["position"] + (each["position"] > 0)} for each in positions]


def swap_first_two(positions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first, second, *rest = positions
    swapped = [first | {"seat": second["seat"]}, second | {"seat": first["seat"]}]
    return [*swapped, *rest]


def leave_one_out(positions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return positions[:-1]


@pytest.mark.parametrize("change", [skip_second, swap_first_two, leave_one_out])
def test_positions_that_go_out_in_another_order_are_refused(
    stream: Stream, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
) -> None:
    dealt = stream.transcript.find("dealt")
    stream.transcript.change(dealt.index, positions=change(dealt.body["positions"]))
    assert reason(stream) is Reason.POSITION


def test_a_board_without_its_burn_is_refused(stream: Stream) -> None:
    flop = [one for one in stream.transcript.all("dealt") if one.body["hand"] == 1][1]
    first = flop.body["positions"][0]["position"]
    positions = [{"position": first + i, "to": "board", "board": 1} for i in range(4)]
    stream.transcript.change(flop.index, positions=positions)
    assert reason(stream) is Reason.POSITION


def of_ann(stream: Stream, *, hand: int = 1) -> list[int]:
    seat = own_seat(stream)
    dealt = stream.transcript.find("dealt", hand=hand)
    return [each["position"] for each in dealt.body["positions"] if each.get("seat") == seat]


def told_openings(stream: Stream) -> Iterator[tuple[float, Message]]:
    return ((now, message) for now, message in stream.messages() if message.openings)


def test_a_card_that_was_dealt_to_another_is_refused(stream: Stream) -> None:
    mine = of_ann(stream)
    other = next(position for position in range(6) if position not in mine)
    stream.openings[1, mine[0]] = stream.openings[1, other]
    assert reason(stream) is Reason.POSITION


def test_a_burn_that_is_opened_is_refused(stream: Stream) -> None:
    flop = stream.transcript.find("opened", where=lambda body: "board" in body)
    first = flop.body["cards"][0]
    burn = stream.openings[1, first["position"] - 1]
    card = {"position": burn.position, "card": burn.card, "salt": burn.salt.hex()}
    stream.transcript.change(flop.index, cards=[card, *flop.body["cards"]])
    assert reason(stream) is Reason.POSITION


@pytest.mark.parametrize(
    "change",
    [
        {"card": "Zz"},
        {"salt": bytes(16)},
        {"salt": bytes(15)},
        {"proof": ()},
        {"hand": 1, "proof": "longer"},
    ],
    ids=str,
)
def test_an_own_card_that_is_not_proved_is_refused(stream: Stream, change: dict[str, Any]) -> None:
    position = of_ann(stream)[0]
    honest_one = stream.openings[1, position]
    if change.get("proof") == "longer":
        change = {"proof": (*honest_one.proof, bytes(32))}
    stream.openings[1, position] = replace(honest_one, **change)
    assert reason(stream) is Reason.OPENING


def test_another_card_under_an_honest_salt_and_proof_is_refused(stream: Stream) -> None:
    position = of_ann(stream)[0]
    card = stream.openings[1, position].card
    other = "As" if card != "As" else "Ks"
    stream.openings[1, position] = replace(stream.openings[1, position], card=other)
    assert reason(stream) is Reason.OPENING


def test_own_cards_that_do_not_come_are_refused_at_the_hands_end(stream: Stream) -> None:
    del stream.openings[1, of_ann(stream)[0]]
    assert reason(stream) is Reason.OPENING


def test_own_cards_that_do_not_come_are_refused_after_five_seconds(stream: Stream) -> None:
    for position in of_ann(stream):
        del stream.openings[1, position]
    dealt = stream.transcript.find("dealt").index
    stream.transcript.checkpoints = sorted({*stream.transcript.checkpoints, dealt + 1})
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "dealt")
    assert verifier.deadline == now + 5
    assert verifier.overdue(now + 5) is None
    refused = verifier.overdue(now + 5.01)
    assert refused is not None
    assert refused.reason is Reason.OPENING


def test_streams_that_break_put_own_cards_off_no_longer_than_the_third(stream: Stream) -> None:
    for position in of_ann(stream):
        del stream.openings[1, position]
    dealt = stream.transcript.find("dealt").index
    stream.transcript.checkpoints = sorted({*stream.transcript.checkpoints, dealt + 1})
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "dealt")
    for seconds in (4.9, 9.8, 14.7):
        break_off(verifier, now + seconds)
        assert verifier.overdue(now + seconds) is None
    break_off(verifier, now + 19.6)
    refused = verifier.overdue(now)
    assert refused is not None
    assert refused.reason is Reason.OPENING


def test_a_card_of_a_hand_that_was_not_dealt_is_refused(stream: Stream) -> None:
    verifier = stream.verifier()
    now = catch_up(stream, verifier, "hand_opened")
    answer = verifier.receive(Message(openings=(stream.openings[1, 0],)), now)
    assert isinstance(answer, Refused)
    assert answer.reason is Reason.POSITION


def test_a_logged_card_without_its_proof_is_refused(stream: Stream) -> None:
    flop = stream.transcript.find("opened", where=lambda body: "board" in body)
    del stream.proofs[1, flop.body["cards"][1]["position"]]
    assert reason(stream) is Reason.OPENING


def test_a_logged_card_under_another_proof_is_refused(stream: Stream) -> None:
    flop = stream.transcript.find("opened", where=lambda body: "board" in body)
    one, other = (card["position"] for card in flop.body["cards"][:2])
    stream.proofs[1, one] = stream.proofs[1, other]
    assert reason(stream) is Reason.OPENING


def test_an_inner_node_is_no_card(stream: Stream) -> None:
    """A proof that begins one level up leads to the root from an inner node, not from a leaf."""
    flop = stream.transcript.find("opened", where=lambda body: "board" in body)
    position = flop.body["cards"][0]["position"]
    stream.proofs[1, position] = stream.proofs[1, position][1:]
    assert reason(stream) is Reason.OPENING


# A refusal.


def test_a_refusal_is_final_and_holds_the_evidence(stream: Stream) -> None:
    committed = stream.transcript.find("deck_committed").index
    stream.transcript.change(committed, mix=OTHER)
    verifier = stream.verifier()
    answers = [verifier.receive(message, now) for now, message in stream.messages()]
    refused = answers[-1]
    assert isinstance(refused, Refused)
    assert all(each is refused for each in answers[committed:])
    assert verifier.link_due is None
    assert refused.evidence.lines == tuple(stream.transcript.lines[:committed])
    sizes = [size for size, _ in refused.evidence.checkpoints]
    assert committed in sizes
    received = refused.evidence.received
    assert received is not None
    assert received.lines == (stream.transcript.lines[committed],)


def test_proofs_of_other_positions_do_no_harm(stream: Stream) -> None:
    verifier = stream.verifier()
    for now, message in stream.messages():
        extra = CardProof(1, 51, (bytes(32),))
        told = replace(message, proofs=(*message.proofs, extra))
        assert isinstance(verifier.receive(told, now), Progress)


def test_an_act_may_be_sized_only_as_it_was_sent() -> None:
    simulator = Simulator(seed=7)
    for name in NAMES[:2]:
        simulator.sit(name, seat=NAMES.index(name) + 1)
    simulator.play_hand(choose=script((Act.RAISE, 300), (Act.FOLD, 0)))
    stream = stream_of(simulator, ANN)
    assert stream.judge() is None
    raised = stream.transcript.find("acted", where=lambda body: body["act"] == "raise")
    assert raised.body["seat"] == own_seat(stream)
    stream.transcript.change(raised.index, to=400)
    assert reason(stream) is Reason.NOT_MINE
