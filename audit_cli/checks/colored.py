"""PLAYED, between hands of a tournament's table: odd chips are raced away (protocol 14.8).

Every seat listed had chips below the new unit. It keeps its whole units, and has at most one more:
by the draw, or because it would have nothing. Who drew is for the tournament's log to show; how
many chips there were to draw follows from the stacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Wrong(NamedTuple):
    """What a color-up breaks, with what was expected and what was found."""

    text: str
    expected: object = None
    found: object = None


def judge_colors(body: dict[str, Any], stacks: Mapping[int, int]) -> Iterator[Wrong]:
    """Give what is wrong with a `colored_up`; `stacks` are those before it, by seat."""
    unit, raced = body["unit"], body["stacks"]
    seats = [one["seat"] for one in raced]
    if seats != sorted(set(seats)):
        text = "colored_up does not list seats in rising order, each once"
        yield Wrong(text, _list(sorted(set(seats))), _list(seats))
        return
    fits = True
    for one in raced:
        seat, stack = one["seat"], one["stack"]
        had = stacks.get(seat)
        whole = 0 if had is None else had // unit * unit
        if had is None:
            yield Wrong("colored_up of a seat that nobody holds", "a taken seat", f"seat {seat}")
        elif had == stack:
            text = "colored_up of a seat whose stack does not change"
            yield Wrong(text, found=f"seat {seat} {stack}")
        elif had == whole or stack not in {whole, whole + unit}:
            text = "colored_up gives a seat another stack than its race can"
            yield Wrong(text, f"{whole} or {whole + unit}", f"seat {seat} {stack}")
        else:
            continue
        fits = False
    if fits:
        yield from _judge_chips(unit, [(stacks[one["seat"]], one["stack"]) for one in raced])


def _judge_chips(unit: int, raced: list[tuple[int, int]]) -> Iterator[Wrong]:
    """Judge how many chips were dealt out, by the stacks before and after."""
    rest = sum(had % unit for had, _ in raced)
    drawn = rest // unit + (2 * (rest % unit) >= unit)
    # Each of these has one chip, whether it drew one or not.
    bare = sum(1 for had, _ in raced if had < unit)
    least = drawn + bare - min(bare, drawn)
    most = drawn + bare - max(0, drawn - (len(raced) - bare))
    given = sum(1 for had, has in raced if has > had)
    if not least <= given <= most or any(not has for _, has in raced):
        span = f"{least}" if least == most else f"{least} to {most}"
        text = "colored_up gives more or fewer chips than the race has"
        yield Wrong(text, f"{span} chips of {unit}", given)


def _list(seats: list[int]) -> str:
    return ", ".join(map(str, seats))
