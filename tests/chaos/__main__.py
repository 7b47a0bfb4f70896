"""`python -m tests.chaos`, which `make chaos` runs: faults upon faults, and what they cost.

Ends with the line `faults N, lost 0, forked 0`, and with status 0 when nothing was lost or forked,
nothing else was wrong, and every family came to its end. A fault counts when it really came. What
is not clean is told before, with the seed, and with the folder in which everything is kept.
"""

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.chaos.families import FAMILIES, look_around

ROOT: Final = Path(__file__).parents[2]
LEAST: Final = 300


@dataclass
class Tally:
    """What has come so far."""

    faults: int = 0
    lost: int = 0
    forked: int = 0
    wrong: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, family: str, store: str, told: dict[str, Any]) -> None:
        """Add a run."""
        self.faults += len(told["faults"])
        self.lost += len(told["lost"])
        self.forked += len(told["forked"])
        self.wrong += len(told["wrong"])
        self.kinds[f"{family} ({store})"] += len(told["faults"])

    @property
    def is_clean(self) -> bool:
        """Whether nothing is to be told."""
        return not (self.lost or self.forked or self.wrong)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for and give the exit status."""
    options = _parser().parse_args(arguments)
    if options.faults is None:
        part = options.only or options.quick or options.store != "all"
        options.faults = 1 if part else LEAST
    folder = Path(tempfile.mkdtemp(prefix="cutcard-chaos-")).resolve()
    tally = Tally()
    began = time.monotonic()
    chosen = [
        (family, store)
        for store, families in FAMILIES.items()
        if options.store in {"all", store}
        for family in families
        if not options.only or family in options.only
    ]
    for missing in look_around(chosen):
        tally.wrong += 1
        _say(missing.words)
    seed = options.seed
    while tally.is_clean:
        asyncio.run(_run_all(chosen, str(seed), folder / str(seed), options, tally))
        if tally.faults >= options.faults:
            break
        _say(f"{tally.faults} faults so far: on with the next seed")
        seed += 1
    for kind, count in sorted(tally.kinds.items()):
        _say(f"{count:5} faults of {kind}")
    _say(f"{time.monotonic() - began:.0f} seconds, from seed {options.seed}")
    if tally.is_clean:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        _say(f"{tally.wrong} other things were wrong; kept in {folder}")
    sys.stdout.write(f"faults {tally.faults}, lost {tally.lost}, forked {tally.forked}\n")
    return 0 if tally.is_clean and tally.faults >= options.faults else 1


async def _run_all(
    chosen: list[tuple[str, str]],
    seed: str,
    folder: Path,
    options: argparse.Namespace,
    tally: Tally,
) -> None:
    waiting = asyncio.Queue[tuple[str, str]]()
    for one in chosen:
        waiting.put_nowait(one)

    async def take() -> None:
        while not waiting.empty():
            family, store = waiting.get_nowait()
            parts = [family, store, seed, str(folder / store / family)]
            await _run(parts + ["quick"] * options.quick, tally)

    await asyncio.gather(*(take() for _ in range(options.jobs)))


async def _run(parts: list[str], tally: Tally) -> None:
    """Run one family in a process of its own: its name, store, seed and folder are `parts`."""
    family, store, seed, folder = parts[:4]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.chaos.worker", *parts),
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'proto'}", "GRPC_VERBOSITY": "NONE"},
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    assert process.stdout is not None
    async for line in process.stdout:
        told = json.loads(line)
        tally.add(family, store, told)
        words = ", ".join(f"{name} {len(told[name])}" for name in ("faults", "lost", "forked"))
        _say(f"{store:8} {told['name']:36} {told['seconds']:6.1f} s  {words}")
        for kind in ("lost", "forked", "wrong"):
            for one in told[kind]:
                _say(f"    {kind}, seed {seed}, {folder}/{told['name']}: {one[:2000]}")
    status = await process.wait()
    if status:
        tally.wrong += 1
        _say(f"    wrong, seed {seed}: the family {family} on {store} ended with {status}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    names = sorted({family for families in FAMILIES.values() for family in families})
    parser.add_argument(
        "--seed", type=int, default=1, help="of games and faults: the same again (default 1)"
    )
    parser.add_argument(
        "--only", action="append", choices=names, metavar="FAMILY", help=f"of {', '.join(names)}"
    )
    parser.add_argument("--quick", action="store_true", help="a sample of each family")
    parser.add_argument("--store", choices=(*FAMILIES, "all"), default="all")
    parser.add_argument(
        "--faults",
        type=int,
        metavar="N",
        help=f"go on with further seeds until so many came (default {LEAST}, or 1 for a part)",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="how many families at a time (default 2)"
    )
    return parser


def _say(words: str) -> None:
    sys.stderr.write(words + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
