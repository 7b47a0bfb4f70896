"""Reads what the suites print: each named statistic, its p-value, and what was said of it.

Nothing is judged here. `remark` is the suite's own word (`PASSED`, `WEAK`, `unusual`), or empty.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Reading:
    """One line of a suite's report. `p` is None where none is printed."""

    name: str
    p: float | None
    remark: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {"name": self.name, "p": self.p, "remark": self.remark}


_ENT_VALUES: Final = (
    ("entropy, bits per byte", re.compile(r"(?m)^Entropy = ([\d.]+)")),
    (
        "arithmetic mean",
        re.compile(r"(?m)^Arithmetic mean value of data bytes is ([\d.]+)"),
    ),
    ("Monte Carlo pi", re.compile(r"(?m)^Monte Carlo value for Pi is ([\d.]+)")),
    (
        "serial correlation",
        re.compile(r"(?m)^Serial correlation coefficient is (-?[\d.]+)"),
    ),
)
_ENT_CHI: Final = re.compile(
    r"(?m)^Chi square distribution for \d+ samples is [\d.]+, and randomly\s+"
    r"would exceed this value (?:(less|more) than )?([\d.]+) percent",
)
_RNGTEST: Final = re.compile(r"(?m)^rngtest: FIPS 140-2(?:\(\S+\))? ([A-Za-z ]+): (\d+)$")
_DIEHARDER: Final = re.compile(
    r"(?m)^\s*(\w+)\|\s*(\d+)\|\s*(\d+)\|\s*(\d+)\|\s*([\d.]+)\|\s*(\w+)\s*$"
)
_PRACTRAND_LENGTH: Final = re.compile(r"(?m)^length= (.+?) \(2\^(?P<power>[\d.]+) bytes\)")
_PRACTRAND_ODD: Final = re.compile(r"(?m)^  (\S+)\s+R= *\S+\s+p\s*(?:=|~=)\s*(\S+)\s+(.*?)\s*$")
_PRACTRAND_REST: Final = re.compile(r"(?m)^  (?:no anomalies in (\d+)|\.\.\.and (\d+)) test result")
_TESTU01_SUMMARY: Final = re.compile(r"=+ Summary results of (\w+) =+(.*)", re.DOTALL)
_TESTU01_NUMBER: Final = re.compile(r"Number of statistics:\s*(\d+)")
_TESTU01_ODD: Final = re.compile(r"(?m)^\s*\d+\s+(\S.*?)\s{2,}(eps1?|1 - eps1?|[\d.e -]+)\s*$")
_STS: Final = re.compile(
    r"(?m)^(?:\s*\d+){10}\s+(?P<p>[\d.]+|-+)\s*(?P<star>\*?)\s+"
    r"(?:(?P<passed>\d+)/(?P<of>\d+)|-+)\s*(?P<low>\*?)\s+(?P<name>\w+)\s*$",
)

_MOST_NEARLY: Final = {"eps": 1e-300, "eps1": 1e-15, "1 - eps": 1.0, "1 - eps1": 1.0}


def read_ent(text: str) -> tuple[Reading, ...]:
    """Read ent's report: the chance of its chi-square, and four figures."""
    found = []
    chi = _ENT_CHI.search(text)
    if chi:
        remark = f"{chi[1]} than" if chi[1] else ""
        found.append(Reading("chi-square of bytes", float(chi[2]) / 100, remark))
    for name, pattern in _ENT_VALUES:
        value = pattern.search(text)
        if value:
            found.append(Reading(name, None, value[1]))
    return tuple(found)


def read_rngtest(text: str) -> tuple[Reading, ...]:
    """Read rngtest's counts of blocks: the remark is the count."""
    return tuple(Reading(name, None, count) for name, count in _RNGTEST.findall(text))


def read_dieharder(text: str) -> tuple[Reading, ...]:
    """Read dieharder's table, one reading for each line."""
    return tuple(
        Reading(f"{name} {size}", float(p), word)
        for name, size, _, _, p, word in _DIEHARDER.findall(text)
    )


def read_practrand(text: str) -> tuple[Reading, ...]:
    """Read the last length that PractRand judged: what it remarked on, and how many it did not."""
    lengths = list(_PRACTRAND_LENGTH.finditer(text))
    if not lengths:
        return ()
    last = text[lengths[-1].start() :]
    odd = tuple(
        Reading(name, _number(p), remark) for name, p, remark in _PRACTRAND_ODD.findall(last)
    )
    rest = _PRACTRAND_REST.search(last)
    count = (rest[1] or rest[2]) if rest else "0"
    length = lengths[-1]
    return (*odd, Reading(f"other results of {length[1]}", None, f"{count} without anomalies"))


def read_testu01(text: str) -> tuple[Reading, ...]:
    """Read the summary of a TestU01 battery: its statistics outside [0.001, 0.999]."""
    summary = _TESTU01_SUMMARY.search(text)
    if not summary:
        return ()
    number = _TESTU01_NUMBER.search(summary[2])
    count = f"{number[1]} statistics" if number else ""
    odd = tuple(
        Reading(name, _testu01_p(p), "outside [0.001, 0.999]")
        for name, p in _TESTU01_ODD.findall(summary[2])
    )
    return (*odd, Reading(summary[1], None, count))


def read_sts(text: str) -> tuple[Reading, ...]:
    """Read NIST's final analysis report: P_T of each line, and the share that passed."""
    return tuple(
        Reading(
            line["name"],
            _number(line["p"]),
            f"{line['passed'] or 0}/{line['of'] or 0} passed"
            + (", marked by NIST" if line["star"] or line["low"] else ""),
        )
        for line in _STS.finditer(text)
    )


def _number(text: str) -> float | None:
    """Read a p-value, also one told from its other end: `1-1.4e-3`, `1 - 5.0e-6`."""
    plain = text.replace(" ", "")
    other = plain.removeprefix("1-")
    try:
        return float(plain) if other == plain else 1 - float(other)
    except ValueError:
        return None


def _testu01_p(text: str) -> float | None:
    return _MOST_NEARLY[text] if text in _MOST_NEARLY else _number(text)
