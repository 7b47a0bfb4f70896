"""Drawings of evidence as SVG text: observed against expected, drawn to be read on paper, too.

Each function gives one `<svg>` with a title and a description for who can not see it. Colours are
the page's own (CSS variables), told apart without colour by shape: observed is filled, expected is
a line or a hollow mark. Coordinates are rounded to a tenth, so that equal figures give equal bytes.
"""

from __future__ import annotations

from html import escape
from math import ceil, log10, sqrt
from typing import TYPE_CHECKING, Final

from audit_cli.derive import CARDS, DECK_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from audit_cli.rng.outcome import Cell

_KS_95: Final = 1.358
# Standardised residuals are drawn in steps of one, and all beyond four alike.
_STEPS: Final = 4
_CELL: Final = 8
_LETTER: Final = 6


def heat_map(residuals: Sequence[Sequence[float]], title: str, words: str) -> str:
    """Draw 52 positions by 52 cards: residuals[position][card] in standard deviations."""
    left, top = 34, 16
    paths: dict[int, list[str]] = {}
    for position, row in enumerate(residuals):
        for card, z in enumerate(row):
            step = max(-_STEPS, min(_STEPS, round(z)))
            if step:
                paths.setdefault(step, []).append(
                    f"M{left + position * _CELL} {top + card * _CELL}h{_CELL}v{_CELL}h-{_CELL}z"
                )
    side = DECK_SIZE * _CELL
    parts = [_rectangle("calm", left, top, side, side)]
    parts += [
        f'<path class="{_shade(step)}" d="{"".join(path)}"/>'
        for step, path in sorted(paths.items())
    ]
    for rank in range(0, DECK_SIZE, 4):
        y = top + rank * _CELL
        parts.append(_text(left - 6, y + 2.2 * _CELL, _card(rank)[0], "end"))
        if rank:
            parts.append(f'<path class="grid" d="M{left} {y}h{side}"/>')
    for position in range(0, DECK_SIZE, 10):
        parts.append(_text(left + (position + 0.5) * _CELL, top - 4, str(position), "middle"))
    parts.append(_text(left + side / 2, top + side + 14, "position, 0 dealt first", "middle"))
    parts += _legend(left + side + 14, top)
    return _svg(left + side + 74, top + side + 20, title, words, parts)


def _card(number: int) -> str:
    return CARDS[number]


def _shade(step: int) -> str:
    return f"over{step}" if step > 0 else f"under{-step}"


def _legend(x: float, top: float) -> list[str]:
    parts = []
    for row, step in enumerate(range(_STEPS, -_STEPS - 1, -1)):
        y = top + row * 16
        name = _shade(step) if step else "calm"
        sign = {_STEPS: "≥ ", -_STEPS: "≤ "}.get(step, "")
        parts.append(_rectangle(f"{name} edge", x, y, 12, 12))
        parts.append(_text(x + 17, y + 10, f"{sign}{step:+d} sd" if step else "0", "start"))
    return parts


def uniformity(values: Sequence[float], title: str, words: str, *, side: int = 260) -> str:
    """Draw the sorted p-values against the straight line that they should follow.

    The band is that of Kolmogorov and Smirnov at 95 %: nineteen pictures of twenty stay within.
    """
    left, bottom = 34, side + 10
    ordered = sorted(values)
    count = len(ordered)
    reach = _KS_95 / sqrt(count) if count else 0

    def at(x: float, y: float) -> str:
        return f"{_n(left + x * side)} {_n(bottom - max(0, min(1, y)) * side)}"

    steps = 40
    upper = [at(i / steps, i / steps + reach) for i in range(steps + 1)]
    lower = [at(i / steps, i / steps - reach) for i in range(steps, -1, -1)]
    parts = [f'<path class="band" d="M{"L".join(upper + lower)}z"/>']
    parts.append(_rectangle("frame", left, bottom - side, side, side))
    parts.append(f'<path class="expected" d="M{at(0, 0)}L{at(1, 1)}"/>')
    stairs = [at(0, 0)]
    for place, p in enumerate(ordered):
        stairs += [at(p, place / count), at(p, (place + 1) / count)]
    stairs.append(at(1, 1))
    parts.append(f'<path class="observed" d="M{"L".join(stairs)}"/>')
    parts += _unit_axes(left, bottom, side)
    parts.append(_text(left + side / 2, bottom + 28, "p-value", "middle"))
    return _svg(left + side + 12, bottom + 34, title, words, parts)


def small_uniformity(values: Sequence[float], title: str, words: str) -> str:
    """Draw `uniformity` small, without figures at its axes, for many side by side."""
    side = 84
    ordered = sorted(values)
    count = len(ordered)
    points = ["2 86"]
    for place, p in enumerate(ordered):
        x = _n(2 + p * side)
        points += [
            f"{x} {_n(86 - place / count * side)}",
            f"{x} {_n(86 - (place + 1) / count * side)}",
        ]
    points.append("86 2")
    parts = [
        _rectangle("frame", 2, 2, side, side),
        '<path class="expected" d="M2 86L86 2"/>',
        f'<path class="observed" d="M{"L".join(points)}"/>',
    ]
    return _svg(88, 88, title, words, parts)


def bars(cells: Sequence[Cell], title: str, words: str, *, width: int = 520) -> str:
    """Draw what was counted as bars, and what was to be expected as marks across them."""
    left, top, height = 56, 8, 130
    highest = max((max(cell.observed, cell.expected) for cell in cells), default=1) or 1
    step = (width - left) / max(1, len(cells))
    parts = []
    for tenth in range(0, 11, 5):
        y = top + height * (1 - tenth / 10)
        parts.append(f'<path class="grid" d="M{left} {_n(y)}H{width}"/>')
        parts.append(_text(left - 5, y + 4, _short(highest * tenth / 10), "end"))
    longest = max((len(cell.label) for cell in cells), default=1)
    every = max(1, ceil((longest * _LETTER + 6) / step))
    for place, cell in enumerate(cells):
        x = left + place * step
        tall = cell.observed / highest * height
        parts.append(_rectangle("bar", x + step * 0.12, top + height - tall, step * 0.76, tall))
        mark = _n(top + height * (1 - cell.expected / highest))
        parts.append(f'<path class="mark" d="M{_n(x + step * 0.04)} {mark}h{_n(step * 0.92)}"/>')
        # A label that would run out of the picture at its end is left out.
        if place % every == 0 and (place + every <= len(cells) or every == 1):
            parts.append(_text(x + step / 2, top + height + 14, cell.label, "middle"))
    return _svg(width, top + height + 20, title, words, parts)


def residual_bars(cells: Sequence[Cell], title: str, words: str, *, width: int = 520) -> str:
    """Draw how far each count lies from what was to be expected, in standard deviations."""
    left, top, height = 56, 6, 60
    step = (width - left) / max(1, len(cells))
    middle = top + height / 2
    band = (left, middle - height / 4, width - left, height / 2)
    parts = [_rectangle("band", *band)]
    for sd in (-4, -2, 0, 2, 4):
        y = middle - sd * height / 8
        parts.append(f'<path class="grid" d="M{left} {_n(y)}H{width}"/>')
        if sd in {-4, 0, 4}:
            parts.append(_text(left - 5, y + 4, f"{sd:+d} sd" if sd else "0", "end"))
    for place, cell in enumerate(cells):
        if cell.expected <= 0:
            continue
        z = max(-4, min(4, (cell.observed - cell.expected) / sqrt(cell.expected)))
        y = middle - z * height / 8
        x = _n(left + (place + 0.5) * step)
        parts.append(f'<path class="stem" d="M{x} {_n(middle)}V{_n(y)}"/>')
        parts.append(f'<circle class="dot" cx="{x}" cy="{_n(y)}" r="2"/>')
    return _svg(width, top + height + 6, title, words, parts)


def ladder(smallest: Iterable[tuple[str, float]], limit: float, title: str, words: str) -> str:
    """Draw the smallest p-values on a scale of powers of ten, with the limit of the family."""
    rows = list(smallest)
    left, width, top, row_height = 170, 520, 18, 18
    decades = 12

    def x(p: float) -> float:
        return left + (width - left) * (1 - min(decades, -log10(max(p, 1e-300))) / decades)

    bottom = top + row_height * len(rows)
    parts = []
    for decade in range(0, decades + 1, 2):
        at = x(10.0**-decade)
        parts.append(f'<path class="grid" d="M{_n(at)} {top}V{bottom}"/>')
        parts.append(_text(at, top - 5, f"1e-{decade}" if decade else "1", "middle"))
    parts.append(f'<path class="limit" d="M{_n(x(limit))} {top - 2}V{bottom + 2}"/>')
    for place, (name, p) in enumerate(rows):
        y = top + (place + 0.5) * row_height
        parts.append(_text(left - 8, y + 4, name, "end"))
        parts.append(f'<circle class="dot" cx="{_n(x(p))}" cy="{_n(y)}" r="4"/>')
    return _svg(width + 10, bottom + 8, title, words, parts)


def _rectangle(name: str, x: float, y: float, width: float, height: float) -> str:
    place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
    return f'<rect class="{name}" {place}/>'


def _unit_axes(left: float, bottom: float, side: float) -> list[str]:
    parts = []
    for fifth in range(6):
        share = fifth / 5
        label = f"{share:.1f}"
        parts.append(_text(left + share * side, bottom + 14, label, "middle"))
        parts.append(_text(left - 6, bottom - share * side + 4, label, "end"))
    return parts


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(width: float, height: float, title: str, words: str, parts: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(words)}</desc>{''.join(parts)}</svg>"
    )


def _n(number: float) -> str:
    text = f"{number:.1f}"
    return text.removesuffix(".0")


def _short(number: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"
