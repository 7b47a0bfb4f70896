"""The report's sections on the battery: p-values, decks, each test, and what it would have seen."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, Final

from audit_cli.derive import DECK_SIZE
from audit_cli.rng.outcome import Cell
from audit_cli.rng.report import markup, plots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LEVELS: Final = {
    "B0": "Code: known answers and exact counts",
    "B1": "Raw bits of the generator",
    "B2": "Scaled draws",
    "B3": "Decks",
    "B4": "What a game sees",
}
_SMALLEST: Final = 12
_SHARE: Final = ".share"
# So many bars can be told apart in the width of a page.
_MOST_BARS: Final = 60


def p_values(battery: Mapping[str, Any], alpha: float) -> str:
    """Show all p-values against the straight line, and the smallest on a scale."""
    first = [
        one["two_sided"]
        for one in battery["tests"]
        if one["two_sided"] is not None and not one["test"].endswith(_SHARE)
    ]
    second = [(f"{one['test']}, blocks", one["p"]) for one in battery["second_level"]]
    named = [
        (one["test"], one["two_sided"]) for one in battery["tests"] if one["two_sided"] is not None
    ] + second
    smallest = sorted(named, key=lambda pair: pair[1])[:_SMALLEST]
    limit = alpha / max(1, len(named))
    words = (
        "Where nothing is wrong, a p-value is equally likely anywhere between 0 and 1, so that "
        "the steps follow the line. The band holds 19 of 20 such pictures. These are the "
        f"{len(first)} p-values of the whole run; some of the tests look at the same cards, so "
        "that they lean on each other a little. (How many of a few raw sequences fell below 0.01 "
        "is left out: a number so small can not be spread evenly.)"
    )
    family = (
        f"With {len(named)} p-values judged together, one below {limit:.2g} (the dashed line) "
        f"would be suspect at {alpha:g} for the whole family."
    )
    return (
        '<section class="keep">'
        + markup.tag("h2", "p-values")
        + '<div class="row">'
        + markup.figure(
            plots.uniformity(first, "p-values of the run, sorted", words),
            "Sorted p-values (steps) and what they should follow (line)",
        )
        + markup.figure(
            plots.ladder(smallest, limit, "The smallest p-values", family),
            f"The {len(smallest)} smallest of {len(named)}, on a scale of powers of ten",
        )
        + "</div></section>"
        + markup.tag("p", markup.text(words))
        + markup.tag("p", markup.text(family))
    )


def second_level(battery: Mapping[str, Any]) -> str:
    """Show the p-values of the blocks of each test, small and side by side."""
    blocks = battery["blocks"]
    drawn = "".join(
        markup.figure(
            plots.small_uniformity(
                one["values"],
                f"{one['test']}: p-values of {len(one['values'])} blocks",
                f"Kolmogorov-Smirnov p = {markup.chance(one['p'])}",
            ),
            f"{one['test']} · {markup.chance(one['p'])}",
        )
        for one in battery["second_level"]
    )
    each = battery["hands"] // blocks
    words = (
        f"The run is cut into {blocks} blocks of {each:,} decks, and each test is made on each "
        f"block. Its {blocks} p-values should be spread evenly, too; the figure below each "
        "picture is the p-value of Kolmogorov and Smirnov's test for that."
    )
    return (
        markup.tag("h2", "Second level: the blocks")
        + markup.tag("p", markup.text(words))
        + markup.tag("div", drawn, of="many")
    )


def decks(counts: Mapping[str, Any], hands: int) -> str:
    """Show how often each card lay at each position, as a map of residuals."""
    cells = counts["tables"]["card_position"]["cells"]
    table = [cells[at : at + DECK_SIZE] for at in range(0, len(cells), DECK_SIZE)]
    expected = hands / DECK_SIZE
    spread = sqrt(hands * (DECK_SIZE - 1)) / DECK_SIZE
    residuals = [[(int(cell) - expected) / spread for cell in row] for row in table]
    flat = [z for row in residuals for z in row]
    beyond = sum(abs(z) > 3 for z in flat)
    largest = max(flat, key=abs)
    words = (
        f"Each of the {len(flat):,} fields is how often one card lay at one position of the deck, "
        f"against the {expected:,.1f} to be expected. The colour is the distance in standard "
        f"deviations (one is {spread:,.1f}). Of so many fields about 7 lie beyond three by chance; "
        f"here it is {beyond}, and the farthest lies at {largest:+.2f}. A good picture has no "
        "shape: no line, no diagonal, no corner."
    )
    return (
        markup.tag("h2", "Every card at every position")
        + markup.figure(
            plots.heat_map(residuals, "Cards by position", words),
            "Cards (four suits to a rank, c d h s) by position",
        )
        + markup.tag("p", markup.text(words))
    )


def tests(battery: Mapping[str, Any]) -> str:
    """Show every test of every level with its null, its figure and its p-values."""
    second = {one["test"]: one for one in battery["second_level"]}
    shown = [markup.tag("h2", "Every test")]
    columns = [
        ("test", "k"),
        ("what it looks at, and its exact null", ""),
        ("samples", "n"),
        ("statistic", "n"),
        ("df", "n"),
        ("p", "n"),
        ("after Holm", "n"),
        ("blocks", "n"),
    ]
    for level, title in _LEVELS.items():
        members = [one for one in battery["tests"] if one["level"] == level]
        if not members:
            continue
        shown.append(markup.tag("h3", markup.text(f"{level} · {title}")))
        shown.append(markup.table(columns, [_row(one, second) for one in members]))
    return "".join(shown)


def _row(one: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    exact = one["tail"] == "exact"
    blocks = second.get(one["test"])
    held = (
        markup.tag("span", "holds", of="good")
        if one["p"]
        else markup.tag("span", "fails", of="bad")
    )
    return [
        markup.text(one["test"]),
        f"{markup.text(one['title'])}<br>{markup.tag('span', markup.text(one['null']), of='soft')}",
        markup.number(one["samples"]),
        markup.number(one["statistic"]),
        markup.number(one["df"]),
        held if exact else markup.chance(one["p"]),
        markup.chance(one["holm"]),
        markup.chance(blocks["p"]) if blocks else "-",
    ]


def distributions(battery: Mapping[str, Any]) -> str:
    """Show each statistic's counts against its exact null, where it has a distribution to show."""
    shown = [
        markup.tag("h2", "Observed against expected"),
        markup.tag(
            "p",
            "Bars are what was counted, the marks across them what the exact null gives. Below "
            "each is the distance in standard deviations; the shaded band is two of them.",
        ),
    ]
    for one in sorted(battery["tests"], key=lambda one: one["level"] == "B1"):
        cells = [Cell(str(label), seen, due) for label, seen, due in one["cells"]]
        if len(cells) < 2:
            continue
        title = f"{one['test']} · {one['title']}"
        told = f"{one['null']}; p = {markup.chance(one['p'])}"
        cells, merged = _fit(cells)
        shown.append(
            '<section class="keep">'
            + markup.tag("h3", markup.text(title))
            + markup.tag("p", markup.text(told + merged), of="soft")
            + plots.bars(cells, title, told)
            + plots.residual_bars(cells, f"{title}: residuals", told)
            + "</section>"
        )
    return "".join((*shown[:2], '<div class="pairs">', *shown[2:], "</div>"))


def _fit(cells: Sequence[Cell]) -> tuple[list[Cell], str]:
    """Put neighbours together where there are more bars than can be told apart."""
    per = -(-len(cells) // _MOST_BARS)
    if per == 1:
        return list(cells), ""
    fitted = [
        Cell(
            group[0].label,
            sum(cell.observed for cell in group),
            sum(cell.expected for cell in group),
        )
        for group in (cells[at : at + per] for at in range(0, len(cells), per))
    ]
    return fitted, f"; drawn {per} values to a bar"


def power(battery: Mapping[str, Any]) -> str:
    """Say for each test which deviation this amount of data would have shown."""
    rows = [
        [markup.text(one["test"]), markup.text(one["title"]), markup.text(one["detectable"])]
        for one in battery["tests"]
        if one["detectable"] and one["level"] != "B0"
    ]
    columns = [("test", "k"), ("what it looks at", ""), ("would have been seen", "")]
    words = (
        f"What bias would have been seen. Had the generator had one of these deviations, this run "
        f"of {battery['hands']:,} decks would have shown it with probability 0.99, at a limit of "
        "one in 10,000 for the test alone. Smaller ones are not excluded by that test."
    )
    return (
        markup.tag("h2", "Power")
        + markup.tag("p", markup.text(words))
        + markup.table(columns, rows)
    )


def confirmation(battery: Mapping[str, Any]) -> str:
    """Say what the declared confirmation run gave, where there was one."""
    found = battery["confirmation"]
    if found is None:
        return ""
    rows = [
        [
            markup.text(one["test"]),
            one["level"],
            markup.chance(one["p"]),
            markup.chance(one["holm"]),
        ]
        for one in found["judged"]
    ]
    words = (
        "Some p-values of the run were rejected at first. The plan allows one confirmation, on "
        f"{found['hands']:,} fresh decks of a secret that it had committed to, for these alone:"
    )
    columns = [("test", "k"), ("level", ""), ("p", "n"), ("after Holm", "n")]
    return (
        markup.tag("h2", "Confirmation")
        + markup.tag("p", markup.text(words))
        + markup.table(columns, rows)
    )
