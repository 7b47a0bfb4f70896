"""The suites of others that are known here, and how each is run once.

TestU01 is a library without a program. What is looked for is a program `testu01-stdin` that takes
the name of a battery, `SmallCrush`, reads 32-bit little-endian words from standard input, and
prints what `bbattery_SmallCrush` does. NIST's suite asks its questions one by one, and wants the
folders of its distribution around it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from audit_cli.rng.external.reading import (
    Reading,
    read_dieharder,
    read_ent,
    read_practrand,
    read_rngtest,
    read_sts,
    read_testu01,
)

if TYPE_CHECKING:
    from collections.abc import Callable

MEGABYTE: Final = 1_000_000
STS_BITS: Final = 1_000_000
STS_FILE: Final = "sequences.bin"
_STS_TESTS: Final = (
    "Frequency",
    "BlockFrequency",
    "CumulativeSums",
    "Runs",
    "LongestRun",
    "Rank",
    "FFT",
    "NonOverlappingTemplate",
    "OverlappingTemplate",
    "Universal",
    "ApproximateEntropy",
    "RandomExcursions",
    "RandomExcursionsVariant",
    "Serial",
    "LinearComplexity",
)


@dataclass(frozen=True, slots=True)
class Files:
    """What a program that reads no pipe wants around it, in a folder of its own.

    `data` is the file that holds the bytes, `answers` what it asks on standard input, `folders`
    are made before, `beside` are links to what stands beside the program, `report` is what it
    writes.
    """

    data: str
    answers: Callable[[int], str]
    folders: tuple[str, ...]
    beside: tuple[str, ...]
    report: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A program by the names that it may have on the path.

    `size` is what its usual run reads in bytes, None for as much as it likes; `unit` is what it
    takes as one piece, and `least` what it needs. `arguments` are made of the bytes that it may
    read (None: no end). `version` is found in what it prints, or in what `ask` makes it print.
    `fine` are the exit statuses of a whole run, `cut` is what it prints where the bytes ended
    before it did.
    """

    name: str
    programs: tuple[str, ...]
    size: int | None
    unit: int
    least: int
    arguments: Callable[[int | None], tuple[str, ...]]
    read: Callable[[str], tuple[Reading, ...]]
    version: re.Pattern[str]
    ask: tuple[str, ...] = ()
    fine: tuple[int, ...] = (0,)
    cut: str = ""
    files: Files | None = field(default=None)


def _none(_: int | None) -> tuple[str, ...]:
    return ()


def _rngtest(size: int | None) -> tuple[str, ...]:
    # Its continuous test takes 32 bits before the first block.
    return () if size is None else ("-c", str((size - 4) // 2500))


def _practrand(size: int | None) -> tuple[str, ...]:
    # It stops at a power of two.
    power = 40 if size is None else size.bit_length() - 1
    unit, scale = next((one for one in (("TB", 40), ("GB", 30)) if power >= one[1]), ("MB", 20))
    last = f"{1 << (power - scale)}{unit}"
    return ("stdin32", "-multithreaded", "-tlmin", "1MB", "-tlmax", last)


def _assess(_: int | None) -> tuple[str, ...]:
    return (str(STS_BITS),)


def _answers(size: int) -> str:
    # An input file, by this name; all tests; no parameter changed; so many sequences; binary.
    return f"0\n{STS_FILE}\n1\n0\n{size * 8 // STS_BITS}\n1\n"


SUITES: Final = (
    Suite(
        name="dieharder",
        programs=("dieharder",),
        size=None,
        unit=4,
        least=4,
        arguments=lambda _: ("-a", "-g", "200"),
        read=read_dieharder,
        version=re.compile(r"dieharder version (\S+)"),
        ask=("-l",),
        cut="stdin_input_raw(): Error: EOF",
    ),
    Suite(
        name="ent",
        programs=("ent",),
        size=100 * MEGABYTE,
        unit=1,
        least=10_000,
        arguments=_none,
        read=read_ent,
        version=re.compile(r"(?m)^ent (\d\S*)"),
        ask=("-u",),
    ),
    Suite(
        name="rngtest",
        programs=("rngtest",),
        size=100 * MEGABYTE,
        unit=1,
        least=2504,
        arguments=_rngtest,
        read=read_rngtest,
        version=re.compile(r"(?m)^rngtest (\S+)"),
        ask=("--version",),
        fine=(0, 1),  # 1 where any block failed, as one of 1,250 should
    ),
    Suite(
        name="practrand",
        programs=("RNG_test",),
        size=1 << 32,
        unit=4,
        least=1 << 20,
        arguments=_practrand,
        read=read_practrand,
        version=re.compile(r"PractRand version (\S+)"),
    ),
    Suite(
        name="testu01",
        programs=("testu01-stdin",),
        size=None,
        unit=4,
        least=4,
        arguments=lambda _: ("SmallCrush",),
        read=read_testu01,
        version=re.compile(r"TestU01 (\d\S*)"),
    ),
    Suite(
        name="sts",
        programs=("assess",),
        size=100 * STS_BITS // 8,
        unit=STS_BITS // 8,
        least=STS_BITS // 8,
        arguments=_assess,
        read=read_sts,
        version=re.compile(r"sts-(\d\S*)"),
        files=Files(
            data=STS_FILE,
            answers=_answers,
            folders=tuple(f"experiments/AlgorithmTesting/{test}" for test in _STS_TESTS),
            beside=("templates",),
            report="experiments/AlgorithmTesting/finalAnalysisReport.txt",
        ),
    ),
)
NAMES: Final = tuple(suite.name for suite in SUITES)
