"""The memory of requests: what was ever answered is never taken for new."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer_service.store.api import Answer
from dealer_service.tables.refused import Refused
from dealer_service.tables.requests import Filter, Request, Requests, digest_of, reused

TEXTS = st.lists(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=80))


class Stored:
    """A store's answers, and how often they were asked for."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str, str], Answer] = {}
        self.asked = 0

    async def look_up(self, scope: str, caller: str, request_id: str) -> Answer | None:
        self.asked += 1
        return self.answers.get((scope, caller, request_id))


def request(request_id: str = "request-1", content: bytes = b"content") -> Request:
    return Request("player:ann", request_id, digest_of("Act", content))


@given(TEXTS)
def test_the_filter_knows_all_that_was_added(texts: list[str]) -> None:
    known = Filter()
    for count, text in enumerate(texts, 1):
        known.add(text)
        assert all(known.may_hold(one) for one in texts[:count])


def test_the_filter_knows_all_of_very_many() -> None:
    known = Filter()
    for number in range(20_000):
        known.add(f"player:ann request-{number}")
    assert all(known.may_hold(f"player:ann request-{number}") for number in range(20_000))


def test_the_filter_takes_few_others_for_known() -> None:
    known = Filter()
    for number in range(20_000):
        known.add(f"player:ann request-{number}")
    wrong = sum(known.may_hold(f"player:bob request-{number}") for number in range(20_000))
    assert wrong < 200


def test_an_empty_filter_knows_nothing() -> None:
    assert not Filter().may_hold("player:ann request-1")


def test_a_digest_tells_methods_and_contents_apart() -> None:
    digests = {digest_of(*one) for one in [("Act", b"a"), ("Act", b"b"), ("Show", b"a")]}
    assert len(digests) == 3


async def test_a_new_request_asks_the_store_nothing() -> None:
    stored = Stored()
    requests = Requests("game", stored.look_up)
    assert await requests.repeated(request()) is None
    assert stored.asked == 0


async def test_a_request_under_way_is_waited_for() -> None:
    requests = Requests("game", Stored().look_up)
    answer = requests.begin(request())
    waiting = [asyncio.ensure_future(requests.repeated(request())) for _ in range(3)]
    await asyncio.sleep(0)
    assert not any(one.done() for one in waiting)
    requests.answered(request())
    answer.set_result(b"done")
    assert await asyncio.gather(*waiting) == [b"done"] * 3


async def test_one_who_stops_waiting_does_not_stop_the_others() -> None:
    requests = Requests("game", Stored().look_up)
    answer = requests.begin(request())
    gone, stays = (asyncio.ensure_future(requests.repeated(request())) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait({gone})
    answer.set_result(b"done")
    assert await stays == b"done"


async def test_a_refusal_is_told_to_all_that_wait_and_to_nobody_where_none_does() -> None:
    requests = Requests("game", Stored().look_up)
    answer = requests.begin(request())
    waiting = [asyncio.ensure_future(requests.repeated(request())) for _ in range(2)]
    await asyncio.sleep(0)
    answer.set_exception(reused())
    told = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(one, Refused) for one in told)
    unheard = requests.begin(request("request-2"))
    unheard.set_exception(reused())
    assert unheard.done()


async def test_a_refused_request_may_come_again() -> None:
    requests = Requests("game", Stored().look_up)
    requests.begin(request())
    requests.forget(request())
    assert await requests.repeated(request()) is None


async def test_other_content_under_the_same_id_is_refused_at_once() -> None:
    requests = Requests("game", Stored().look_up)
    requests.begin(request())
    with pytest.raises(Refused) as caught:
        await requests.repeated(request(content=b"other"))
    assert caught.value.refusal.reason == "REQUEST_ID_REUSED"


async def test_what_memory_let_go_is_asked_of_the_store() -> None:
    stored = Stored()
    requests = Requests("game", stored.look_up)
    for number in range(1000):
        one = request(f"request-{number}")
        answer = requests.begin(one)
        answer.set_result(b"%d" % number)
        requests.answered(one)
        key = ("game", one.caller, one.request_id)
        stored.answers[key] = Answer(*key, one.digest, b"%d" % number)
    assert len(requests._known) <= 257
    for number in range(1000):
        assert await requests.repeated(request(f"request-{number}")) == b"%d" % number
    with pytest.raises(Refused):
        await requests.repeated(request("request-3", b"other"))


async def test_what_was_answered_before_a_restart_is_asked_of_the_store() -> None:
    stored = Stored()
    one = request()
    stored.answers["game", one.caller, one.request_id] = Answer(
        "game", one.caller, one.request_id, one.digest, b"before"
    )
    requests = Requests("game", stored.look_up)
    requests.note(one.caller, one.request_id)
    assert await requests.repeated(one) == b"before"


async def test_a_request_that_waits_long_is_not_let_go() -> None:
    """However many others are answered meanwhile, its answer is found again."""
    requests = Requests("game", Stored().look_up)
    waits = requests.begin(request("waits-for-the-hand"))
    for number in range(600):
        one = request(f"request-{number}")
        requests.begin(one).set_result(b"")
        requests.answered(one)
    again = asyncio.ensure_future(requests.repeated(request("waits-for-the-hand")))
    waits.set_result(b"at last")
    assert await again == b"at last"
