import io

import pytest

from audit_cli.rng.running.bar import Bar, duration, short


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bar_tells_how_far_how_fast_and_how_long_still() -> None:
    clock = Clock()
    screen = io.StringIO()
    with Bar("counting", 10_000_000, screen=screen, clock=clock) as bar:
        clock.now = 10.0
        bar.add(2_500_000)
    assert screen.getvalue() == (
        f"\r\x1b[Kcounting [{'#' * 7}{' ' * 23}]  25%, 2.5 M decks, 250.0 k/s, 30 s left\r\x1b[K"
    )


def test_what_an_earlier_process_did_counts_for_how_far_and_not_for_how_fast() -> None:
    clock = Clock()
    with Bar("counting", 1000, already=500, clock=clock) as bar:
        bar.add(100)
        assert "60%" in bar.line(10.0)
        assert "10/s, 40 s left" in bar.line(10.0)


def test_without_an_end_only_amount_and_rate_are_told() -> None:
    with Bar("collecting", None, "hands", clock=Clock()) as bar:
        bar.add(2000)
        assert bar.line(2.0) == "collecting 2.0 k hands, 1.0 k/s"


def test_it_is_not_drawn_more_often_than_an_eye_sees() -> None:
    clock = Clock()
    screen = io.StringIO()
    with Bar("counting", 100, screen=screen, clock=clock) as bar:
        for _ in range(50):
            clock.now += 0.01
            bar.add(1)
    assert screen.getvalue().count("counting") == 5


def test_nothing_is_drawn_where_nobody_watches() -> None:
    with Bar("counting", 100, clock=Clock()) as bar:
        bar.add(50)
    assert bar.done == 50


@pytest.mark.parametrize(
    ("amount", "words"), [(7, "7"), (1000, "1.0 k"), (36_240, "36.2 k"), (10**7, "10.0 M")]
)
def test_amounts_are_short(amount: int, words: str) -> None:
    assert short(amount) == words


@pytest.mark.parametrize(("seconds", "words"), [(8, "8 s"), (125, "2:05"), (3725, "1:02:05")])
def test_times_are_told_as_a_person_does(seconds: float, words: str) -> None:
    assert duration(seconds) == words
