"""What a watcher of a game that stands still costs the dealer's process."""

from tests.bench.watching import idle_games, memory_of

WATCHERS = 500
MOST_KIB = 80
"""The goal for ten thousand is 64; some room is left for what an allocator rounds up."""


def test_an_idle_watcher_takes_little_memory() -> None:
    """Each has a connection and a token of its own, and has read all that there is."""
    with idle_games(10) as idle:
        kib = memory_of(idle, WATCHERS)
    assert 1 < kib <= MOST_KIB
