"""`python -m tests.bench`, which `make bench` runs: every figure beside its yardstick.

Prints a table and writes bench.json, a list of objects with name, value, unit, yardstick,
yardstick_value, ratio, better ("higher" or "lower") and goal (a ratio). Both sides of a figure
are measured in turn for several rounds; value and yardstick are the medians, and the table's
noise is how far the ratio of a single round strayed from theirs.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench import acts, deriving, engine, verifying
from tests.bench.figure import Figure, table

_SINGLE: dict[str, Callable[[bool], Figure]] = {
    engine.GOAL.name: lambda quick: engine.measure(quick=quick),
    deriving.GOAL.name: lambda quick: deriving.measure(quick=quick),
    verifying.GOAL.name: lambda quick: verifying.measure(quick=quick),
}
_TOGETHER = (acts.ACTS.name, acts.WATCHED.name, acts.P99.name)
NAMES = (*_SINGLE, *_TOGETHER)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for, print the table and write the file."""
    options = _parser().parse_args(arguments)
    names = frozenset(options.only or NAMES)
    figures: list[Figure] = []
    for name, measure in _SINGLE.items():
        if name in names:
            _say(f"measuring {name} …")
            figures.append(measure(options.quick))
    together = names.intersection(_TOGETHER)
    if together:
        _say(f"measuring {', '.join(sorted(together))} …")
        figures += acts.measure(quick=options.quick, names=together)
    content = json.dumps([figure.as_json() for figure in figures], indent=2)
    options.output.write_text(content + "\n", encoding="utf-8")
    sys.stdout.write(f"{table(figures)}\n\nwritten to {options.output}\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a few seconds in all: shows that it runs, no more"
    )
    parser.add_argument(
        "--only", action="append", choices=NAMES, metavar="NAME", help=f"of {', '.join(NAMES)}"
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
