"""A client that is started again holds the dealer to the last checkpoint of its own record."""

from dataclasses import replace

import pytest

from dealer_service.client.refusing import Reason, Refused
from dealer_service.client.signed_lines import Signed
from dealer_service.client.verifier import Progress, Verifier, Watched
from tests.support.simulator import NAMES, Simulator, passive
from tests.support.streams import Stream, stream_of


def told(seed: int) -> Stream:
    simulator = Simulator(seed=seed)
    for name in NAMES[:3]:
        simulator.sit(name)
    simulator.play_hand(choose=passive)
    return stream_of(simulator, "ann")


def signed_by(stream: Stream) -> tuple[Signed, Verifier]:
    """Give what a client had kept at its link for the first hand."""
    verifier = stream.verifier()
    for now, message in stream.messages():
        verifier.receive(message, now)
        if (due := verifier.link_due) is not None:
            size = int(due.checkpoint.split("\n")[1])
            return Signed(size, verifier.root(size), due.checkpoint), verifier
    raise AssertionError


def again(stream: Stream, signed: Signed) -> Verifier:
    watched = Watched(stream.transcript.game, stream.signer.verifier, "ann", 0.0)
    return Verifier(replace(watched, signed=signed), stream.sent)


def hear(stream: Stream, verifier: Verifier) -> tuple[Refused | None, bool]:
    """Tell it all, and say whether a link was ever due."""
    was_due = False
    for now, message in stream.messages():
        step = verifier.receive(message, now)
        if isinstance(step, Refused):
            return step, was_due
        was_due |= verifier.link_due is not None
    return None, was_due


def test_the_same_log_goes_on_in_mid_hand_and_the_link_is_due_again() -> None:
    stream = told(7)
    signed, _ = signed_by(stream)
    assert hear(stream, again(stream, signed)) == (None, True)


def test_a_fork_is_refused_and_gets_no_link() -> None:
    """The first hand was opened under another commitment before."""
    stream = told(7)
    signed, _ = signed_by(told(8))
    refused, was_due = hear(stream, again(stream, signed))
    assert refused is not None
    assert (refused.reason, was_due) == (Reason.ROOT, False)
    assert refused.evidence.kept == signed.note
    assert refused.evidence.checkpoints


def test_a_log_that_the_dealer_says_is_shorter_is_refused() -> None:
    stream = told(7)
    signed, _ = signed_by(stream)
    verifier = again(stream, signed)
    verifier.began(signed.size - 1)
    refused, was_due = hear(stream, verifier)
    assert refused is not None
    assert (refused.reason, was_due) == (Reason.ROOT, False)
    assert refused.evidence.kept == signed.note


def test_a_log_that_is_over_is_refused_where_it_is_shorter_whatever_the_dealer_says() -> None:
    simulator = Simulator(seed=7)
    simulator.sit("ann")
    simulator.close()
    simulator.reveal()
    stream = stream_of(simulator, "ann")
    signed, _ = signed_by(told(7))
    assert signed.size > len(stream.transcript.lines)
    verifier = again(stream, signed)
    verifier.began(signed.size)
    refused, _ = hear(stream, verifier)
    assert refused is not None
    assert refused.reason is Reason.ROOT
    assert "were signed before" in refused.detail


@pytest.mark.parametrize("more", [0, 1])
def test_a_log_that_is_still_being_read_is_not_shorter(more: int) -> None:
    stream = told(7)
    signed, _ = signed_by(stream)
    verifier = again(stream, signed)
    verifier.began(signed.size + more)
    now, message = next(iter(stream.messages()))
    assert isinstance(verifier.receive(message, now), Progress)
    assert not verifier.is_held
