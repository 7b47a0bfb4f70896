"""The plan of a run: what will be tested, on how much and by which rule, fixed before the data.

A plan is canonical JSON; its identity is the SHA-256 of that text, and a laboratory signs the text
as a note (`signing`). It holds no time and names no machine: the same choices are the same plan.
A run of N decks is `blocks` blocks of equal size, a block one or more chunks of equal size; a
chunk is derived and counted by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NoReturn

from audit_cli import canonical
from audit_cli.problem import Problem
from audit_cli.rng.code_hash import hash_code

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMAT: Final = "cutcard-plan/1"

#: All p-values of a run together may alarm with this chance where nothing is wrong.
ALPHA: Final = 0.01
#: At this p a run fails at once, without a confirmation.
CERTAIN: Final = 1e-10
#: A confirmation looks at so many times the decks.
CONFIRMATION_FACTOR: Final = 4

BLOCKS: Final = 100
MAX_CHUNK: Final = 1_000_000
SEQUENCE_BITS: Final = 1_000_000
#: So many streams of 1,024 bytes hold the bits of one sequence; the last one's rest is left.
SEQUENCE_HANDS: Final = -(-SEQUENCE_BITS // (8 * 1024))

#: Decks of each preset, and the sequences of raw bits that are tested beside them.
PRESETS: Final[Mapping[str, tuple[int, int]]] = {
    "quick": (1_000_000, 60),
    "cert": (10_000_000, 60),
    "gli": (70_000_000, 100),
    "deep": (1_000_000_000, 1000),
}
CUSTOM: Final = "custom"

_CORRECTION: Final = "holm"
_RULE: Final = (
    "a p-value at or below `certain` fails the run; any other that Holm's rule rejects at `alpha` "
    "over all p-values of the plan is tested once more, alone, on the confirmation's fresh hands; "
    "the run fails if it is rejected there by the same rule over the tests so repeated"
)


class Kind(StrEnum):
    """Where the hands of a run come from."""

    LAB = "lab"  # derived from a laboratory's secret
    SYSTEM = "system"  # secrets of the operating system, collected before they are counted
    DEALER = "dealer"  # a running dealer's, collected before they are counted
    HANDS = "hands"  # a file of hands that was there before the plan
    DECKS = "decks"  # a file of decks that was there before the plan


class PlanError(Exception):
    """A plan that can not be made, or a text that is none."""


@dataclass(frozen=True, slots=True)
class Run:
    """How many decks, in how many blocks, in chunks of which size."""

    hands: int
    blocks: int
    chunk: int

    @property
    def chunks(self) -> int:
        """How many chunks the run has."""
        return self.hands // self.chunk

    @property
    def chunks_per_block(self) -> int:
        """How many chunks a block has."""
        return self.chunks // self.blocks

    @property
    def block(self) -> int:
        """How many decks a block has."""
        return self.hands // self.blocks

    def first(self, chunk: int) -> int:
        """Return the number of the chunk's first hand."""
        return chunk * self.chunk


@dataclass(frozen=True, slots=True)
class Source:
    """Where the hands come from, as far as it may be told before the run.

    `commitment` and `confirmation` are `commit_lab` of the laboratory's two secrets, in hex (empty
    for other kinds). `sha256` is that of a file that was there before the plan (empty otherwise):
    such data are known to who made the plan, and the results say so.
    """

    kind: Kind
    commitment: str = ""
    confirmation: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run will do. `tests` and `second` name every p-value that will be judged.

    `sequences` is the number of raw sequences of `SEQUENCE_BITS` bits (0: none). `code` is the
    SHA-256 of the programs that count and judge.
    """

    preset: str
    run: Run
    source: Source
    sequences: int
    tests: tuple[str, ...]
    second: tuple[str, ...]
    code: str
    alpha: float = ALPHA
    certain: float = CERTAIN

    @property
    def text(self) -> str:
        """The plan as one line of canonical JSON with a newline: what is signed."""
        return canonical.write(_to_json(self)) + "\n"

    @property
    def id(self) -> str:
        """SHA-256 of the text, in hex."""
        return sha256(self.text.encode("ascii")).hexdigest()

    @property
    def confirmation(self) -> Run:
        """The one further run that the plan allows: as many blocks, each four times as large."""
        return replace(self.run, hands=CONFIRMATION_FACTOR * self.run.hands)


def shape_run(hands: int) -> Run:
    """Return the run of `hands` decks, rounded down so that all blocks and chunks are equal.

    PlanError for fewer than 10,000 decks.
    """
    if hands < BLOCKS * 100:
        message = f"a run of {hands:,} decks is too small: 10,000 are the least"
        raise PlanError(message)
    per_block = -(-(hands // BLOCKS) // MAX_CHUNK)
    chunk = hands // (BLOCKS * per_block)
    return Run(chunk * per_block * BLOCKS, BLOCKS, chunk)


def preset_run(preset: str) -> Run:
    """Return the run of a preset. KeyError where there is none of the name."""
    return shape_run(PRESETS[preset][0])


def make_plan(  # noqa: PLR0913  (each is a choice that the plan fixes)
    source: Source,
    *,
    preset: str = "quick",
    hands: int | None = None,
    raw: tuple[str, ...] = (),
    draws: bool = True,
    code: str | None = None,
) -> Plan:
    """Return the plan of a preset, or of another number of decks.

    `raw` names the tests on raw bits (none: there are no streams to test). `draws` says whether the
    draws behind the decks are known. `code` is for tests alone; else the installed code is hashed.
    PlanError for too few decks.
    """
    from audit_cli.rng.battery import duplicates  # noqa: PLC0415  (as below)
    from audit_cli.rng.battery.judge import planned  # noqa: PLC0415  (scipy is needed only here)

    run = preset_run(preset) if hands is None else shape_run(hands)
    sequences = PRESETS[preset][1] if hands is None else 60
    if run.chunk < SEQUENCE_HANDS or not raw:
        sequences, raw = 0, ()
    tests = planned(run.hands, run.chunk, with_draws=draws)
    second = planned(run.block, run.chunk, with_draws=draws)
    return Plan(
        preset=preset if hands is None else CUSTOM,
        run=run,
        source=source,
        sequences=sequences,
        tests=(*tests, *duplicates.NAMES, *raw),
        second=second,
        code=hash_code() if code is None else code,
    )


def read_plan(text: str) -> Plan:
    """Return the plan of a text that `Plan.text` gave. PlanError where it is another text."""
    value = canonical.read_file_line(text.removesuffix("\n").encode())
    if isinstance(value, Problem):
        message = f"not a plan: {value}"
        raise PlanError(message)
    try:
        plan = _from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        message = f"not a plan: {error}"
        raise PlanError(message) from None
    if plan.text != text:
        _refuse("it says more or less than a plan does")
    return plan


def _refuse(reason: str) -> NoReturn:
    message = f"not a plan: {reason}"
    raise PlanError(message)


def _to_json(plan: Plan) -> dict[str, object]:
    run, source = plan.run, plan.source
    return {
        "alpha": repr(plan.alpha),
        "certain": repr(plan.certain),
        "code": plan.code,
        "confirmation": {"factor": CONFIRMATION_FACTOR, "tests": "suspects"},
        "correction": _CORRECTION,
        "format": FORMAT,
        "preset": plan.preset,
        "rule": _RULE,
        "run": {"blocks": run.blocks, "chunk": run.chunk, "hands": run.hands},
        "second": list(plan.second),
        "sequences": {
            "bits": SEQUENCE_BITS,
            "hands": SEQUENCE_HANDS,
            "number": plan.sequences,
        },
        "source": {
            "commitment": source.commitment,
            "confirmation": source.confirmation,
            "kind": source.kind.value,
            "sha256": source.sha256,
        },
        "tests": list(plan.tests),
    }


def _from_json(value: object) -> Plan:
    """Read what `_to_json` wrote; that nothing else is in it, the caller sees by writing again."""
    if not isinstance(value, dict):
        _refuse("it is no object")
    if value.get("format") != FORMAT:
        _refuse(f"its format is {value.get('format')!r}, and {FORMAT!r} is read")
    run = Run(*(_whole(value["run"][name]) for name in ("hands", "blocks", "chunk")))
    if run.chunks % run.blocks or run.chunk * run.chunks != run.hands:
        _refuse("its chunks do not fill its blocks")
    source = value["source"]
    return Plan(
        preset=_word(value["preset"]),
        run=run,
        source=Source(
            Kind(source["kind"]),
            *(_word(source[name]) for name in ("commitment", "confirmation", "sha256")),
        ),
        sequences=_whole(value["sequences"]["number"]),
        tests=tuple(map(_word, value["tests"])),
        second=tuple(map(_word, value["second"])),
        code=_word(value["code"]),
        alpha=float(_word(value["alpha"])),
        certain=float(_word(value["certain"])),
    )


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        _refuse(f"{value!r} stands where a number should")
    return value


def _word(value: object) -> str:
    if not isinstance(value, str):
        _refuse(f"{value!r} stands where a word should")
    return value
