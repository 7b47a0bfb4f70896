"""`python -m tests.bench`, which `make bench` runs: every figure beside its yardstick.

Prints a table and writes bench.json, a list of objects with name, value, unit, yardstick,
yardstick_value, ratio, better ("higher" or "lower") and goal (a ratio). Both sides of a figure
are measured in turn for several rounds; value and yardstick are the medians, and the table's
noise is how far the ratio of a single round strayed from theirs. Without PostgreSQL's server
programs, or without a browser, the figures that need them are reported as not measured, and are not
in the file.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench import (
    acts,
    appending,
    decks,
    delay,
    deriving,
    dumping,
    engine,
    paging,
    publishing,
    shared,
    starting,
    takeover,
    verifying,
    watching,
)
from tests.bench.database import NO_POSTGRES, is_there
from tests.bench.figure import Figure, table
from tests.support.browser import missing

Measure = Callable[[bool, frozenset[str]], list[Figure]]
_GROUPS: tuple[tuple[tuple[str, ...], Measure], ...] = (
    ((engine.GOAL.name,), lambda quick, _: [engine.measure(quick=quick)]),
    ((deriving.GOAL.name,), lambda quick, _: [deriving.measure(quick=quick)]),
    (verifying.FIGURES, lambda quick, names: verifying.measure(quick=quick, names=names)),
    ((verifying.HELP.name,), lambda quick, _: [verifying.measure_help(quick=quick)]),
    (decks.NAMES, lambda quick, names: decks.measure(quick=quick, names=names)),
    (dumping.NAMES, lambda quick, names: dumping.measure(quick=quick, names=names)),
    (acts.NAMES, lambda quick, names: acts.measure(quick=quick, names=names)),
    ((delay.DELAY.name,), lambda quick, _: [delay.measure(quick=quick)]),
    ((starting.START.name,), lambda quick, _: [starting.measure(quick=quick)]),
    ((watching.MEMORY.name,), lambda quick, _: [watching.measure(quick=quick)]),
    (publishing.NAMES, lambda quick, names: publishing.measure(quick=quick, names=names)),
    ((appending.SQLITE.name,), lambda quick, _: [appending.measure_sqlite(quick=quick)]),
)
_ON_POSTGRES: tuple[tuple[tuple[str, ...], Measure], ...] = (
    ((appending.POSTGRES.name,), lambda quick, _: [appending.measure_postgres(quick=quick)]),
    (shared.NAMES, lambda quick, names: shared.measure(quick=quick, names=names)),
    (
        (takeover.LINE.name, takeover.HAND.name),
        lambda quick, names: [
            one for one in takeover.measure(quick=quick) if one.goal.name in names
        ],
    ),
)
_IN_A_BROWSER: tuple[tuple[tuple[str, ...], Measure], ...] = (
    ((paging.GOAL.name,), lambda quick, _: [paging.measure(quick=quick)]),
)
_ALL = (*_GROUPS, *_ON_POSTGRES, *_IN_A_BROWSER)
NAMES = tuple(name for names, _ in _ALL for name in names)

# What `--only` takes for several figures at once.
_MANY = {decks.ALL: decks.NAMES}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for, print the table and write the file."""
    options = _parser().parse_args(arguments)
    only = [name for one in options.only or NAMES for name in _MANY.get(one, (one,))]
    asked = frozenset(only)
    figures: list[Figure] = []
    unmeasured: list[str] = []
    for group in _ALL:
        names = [name for name in group[0] if name in asked]
        lacking = why_not(names[0]) if names else None
        if lacking is not None:
            unmeasured += (f"{name}: not measured, {lacking}" for name in names)
        elif names:
            _say(f"measuring {', '.join(names)} …")
            figures += group[1](options.quick, asked)
    content = json.dumps([figure.as_json() for figure in figures], indent=2)
    options.output.write_text(content + "\n", encoding="utf-8")
    told = "\n".join((table(figures), *unmeasured))
    sys.stdout.write(f"{told}\n\nwritten to {options.output}\n")
    return 0


def why_not(name: str) -> str | None:
    """Say what the machine lacks to measure a figure; None where it lacks nothing."""
    if any(name in names for names, _ in _ON_POSTGRES) and not is_there():
        return NO_POSTGRES
    if any(name in names for names, _ in _IN_A_BROWSER):
        return missing()
    return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a few seconds in all: shows that it runs, no more"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=(*NAMES, *_MANY),
        metavar="NAME",
        help=f"of {', '.join((*NAMES, *_MANY))}",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("bench.json"), metavar="FILE", help="default bench.json"
    )
    return parser


def _say(words: str) -> None:
    sys.stderr.write(words + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
