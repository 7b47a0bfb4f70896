"""Answers of a session: put together of bytes as the contract's own serialiser would."""

from hypothesis import given
from hypothesis import strategies as st

from cutcard.v1 import play_pb2
from dealer_service.rpc import outbox as under_test
from dealer_service.rpc.outbox import MESSAGE_BYTES, Outbox, Told, tag_of

WATCH, REFUSED = tag_of("watch"), tag_of("refused")
NUMBERS = st.integers(0, 2**32 - 1)


def taken(outbox: Outbox) -> list[play_pb2.SessionAnswer]:
    """Take one message."""
    return list(play_pb2.SessionResponse.FromString(outbox.take()).answers)


def all_taken(outbox: Outbox) -> list[play_pb2.SessionAnswer]:
    """Take everything."""
    answers: list[play_pb2.SessionAnswer] = []
    while len(outbox):
        answers += taken(outbox)
    assert outbox.held == 0
    return answers


def told(line: str) -> bytes:
    """Serialise what a watcher is told."""
    return play_pb2.WatchResponse(lines=[line.encode()]).SerializeToString()


@given(NUMBERS, st.sampled_from(("act", "refused", "watch", "end")), st.integers(0, 2**63))
def test_an_answer_is_what_the_serialiser_writes(call: int, field: str, size: int) -> None:
    whole = play_pb2.SessionAnswer(calls=[call])
    match field:
        case "refused":
            whole.refused = body = bytes(size % 300)
        case "act":
            whole.act.size = size
            body = whole.act.SerializeToString()
        case "watch":
            whole.watch.first = size
            body = whole.watch.SerializeToString()
        case _:
            whole.end.SetInParent()
            body = b""
    outbox = Outbox()
    outbox.add(call, tag_of(field), body)
    expected = play_pb2.SessionResponse(answers=[whole]).SerializeToString()
    assert outbox.take() == expected


@given(st.lists(NUMBERS, min_size=1, max_size=40, unique=True))
def test_what_several_are_told_is_written_once(calls: list[int]) -> None:
    body, outbox = told("line"), Outbox()
    for call in calls:
        outbox.tell(Told(call), WATCH, body)
    whole = play_pb2.SessionAnswer(calls=calls, watch=play_pb2.WatchResponse.FromString(body))
    expected = play_pb2.SessionResponse(answers=[whole]).SerializeToString()
    assert outbox.take() == expected


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7), st.booleans()), max_size=60))
def test_each_call_is_told_what_it_was_given_in_order(steps: list[tuple[int, int, bool]]) -> None:
    """However what several are told is put together, and whenever a message is taken."""
    bodies = [told(f"line {number}") for number in range(8)]
    watches = [Told(call) for call in range(6)]
    given_to: list[list[bytes]] = [[] for _ in watches]
    came: list[list[bytes]] = [[] for _ in watches]
    outbox = Outbox()
    answers: list[play_pb2.SessionAnswer] = []
    for call, body, takes in steps:
        outbox.tell(watches[call], WATCH, bodies[body])
        given_to[call].append(bodies[body])
        if takes:
            answers += taken(outbox)
    for answer in answers + all_taken(outbox):
        for call in answer.calls:
            came[call].append(answer.watch.SerializeToString())
    assert came == given_to


def test_the_same_words_made_twice_are_two_answers() -> None:
    outbox = Outbox()
    for call in (1, 2):
        outbox.tell(Told(call), WATCH, bytes(bytearray(told("own cards"))))
    assert [list(one.calls) for one in taken(outbox)] == [[1], [2]]


def test_what_joins_another_never_comes_before_what_its_call_was_told_first() -> None:
    outbox, first, second = Outbox(), Told(1), Told(2)
    line, own = told("line"), told("own cards")
    outbox.tell(first, WATCH, line)
    outbox.tell(second, WATCH, own)
    outbox.tell(second, WATCH, line)
    assert [list(one.calls) for one in taken(outbox)] == [[1], [2], [2]]


def test_a_message_is_of_bounded_size() -> None:
    outbox, body = Outbox(), bytes(MESSAGE_BYTES // 3)
    for call in range(7):
        outbox.add(call, REFUSED, body)
    sizes = []
    while len(outbox):
        sizes.append(len(outbox.take()))
    assert len(sizes) == 4
    assert max(sizes) <= MESSAGE_BYTES


def test_an_answer_that_alone_is_larger_has_a_message_of_its_own() -> None:
    outbox = Outbox()
    for size in (1, MESSAGE_BYTES * 2, 1):
        outbox.add(size, REFUSED, bytes(size))
    counts = []
    while len(outbox):
        counts.append(len(taken(outbox)))
    assert counts == [1, 1, 1]


def test_it_holds_the_bytes_of_what_several_are_told_once() -> None:
    outbox, body = Outbox(), told("x" * 1_000_000)
    outbox.add(1, REFUSED, body)
    for call in (2, 3):
        outbox.tell(Told(call), WATCH, body)
    assert 2_000_000 < outbox.held < 2_001_000
    all_taken(outbox)


def test_it_holds_the_more_the_more_are_told_however_little() -> None:
    """Many that watch one game, and are not read, wait long before all numbers fill a memory."""
    outbox, body = Outbox(), told("line")
    for call in range(10_000):
        outbox.tell(Told(call), WATCH, body)
    assert outbox.held > 50_000
    all_taken(outbox)


def test_every_answer_has_its_tag() -> None:
    fields = play_pb2.SessionAnswer.DESCRIPTOR.oneofs_by_name["answer"].fields
    assert len({under_test.tag_of(field.name) for field in fields}) == len(fields)
