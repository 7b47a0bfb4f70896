"""Cases for the `derive` command, in the shape of `proto/vectors/deal.json`, checked whole.

A case is an object of `origin`, `game`, `hand`, `hand_secret`, `links` and `beacon`, and perhaps
`expect`. The input is plain JSON (spaces and null are allowed), one case or a list of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

from audit_cli.hashing import Beacon, Link
from audit_cli.problem import Problem, printable
from audit_cli.shape import Shape, fields, hex_bytes, integer, list_of, origin, player

MAX_INPUT = 16 * 1024 * 1024

EXPECTED_KEYS = (
    "hand_commitment",
    "mix",
    "deck_seed",
    "after_first_shuffle",
    "cut",
    "after_second_shuffle",
    "thirds",
    "restack",
    "deck",
    "bytes_used",
    "bytes_rejected",
    "salts",
    "leaves",
    "deck_root",
    "proofs",
)

_BYTES32 = hex_bytes(32)
_SEATS = 255


@dataclass(frozen=True, slots=True)
class CaseLink:
    """A player's link, with the anchor that the case says it fits (None: it says none)."""

    link: Link
    anchor: bytes | None


@dataclass(frozen=True, slots=True)
class Case:
    """One hand to derive. `expect` holds what the case wants to come out, None for nothing."""

    origin: str
    game: bytes
    hand: int
    secret: bytes = field(repr=False)
    links: tuple[CaseLink, ...]
    beacon: Beacon | None
    expect: dict[str, Any] | None


def _beacon(value: object) -> str | None:
    return None if value is None else _BEACON(value)


_BEACON = fields({"chain": _BYTES32, "round": integer(), "randomness": _BYTES32})


def _distinct(value: dict[str, object]) -> str | None:
    links: Any = value["links"]
    for name in ("seat", "player"):
        if len({link[name] for link in links}) != len(links):
            return f".links names one {name} twice"
    return None


def _expect(value: object) -> str | None:
    if value is None:
        return None
    if type(value) is not dict:
        return " is no object"
    for name in value:
        if name not in EXPECTED_KEYS:
            return f" has the unknown key {printable(name)!r}; known are {', '.join(EXPECTED_KEYS)}"
    proofs = value.get("proofs", {})
    positions = {str(position) for position in range(52)}
    if type(proofs) is not dict or not proofs.keys() <= positions:
        return ".proofs is no object with positions from 0 to 51 as keys"
    return None


_CASE: Shape = fields(
    {
        "origin": origin,
        "game": hex_bytes(16),
        "hand": integer(1),
        "hand_secret": _BYTES32,
        "links": list_of(
            fields(
                {"seat": integer(1, _SEATS), "player": player, "link": _BYTES32},
                {"anchor": _BYTES32},
            ),
            0,
            _SEATS,
        ),
    },
    {"beacon": Shape(_beacon), "expect": Shape(_expect)},
    also=_distinct,
)


class _TwiceError(ValueError):
    """A key stands twice in one object."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            message = f"the key {printable(key)!r} twice in one object"
            raise _TwiceError(message)
        found[key] = value
    return found


def _no_constant(word: str) -> NoReturn:
    message = f"{word} is no JSON"
    raise _TwiceError(message)


def parse_cases(  # noqa: PLR0911  (one return a kind of refusal)
    data: bytes,
) -> tuple[tuple[Case, ...], bool] | Problem:
    """Return the cases of an input, and whether it is a list; or the first thing that is wrong."""
    if len(data) > MAX_INPUT:
        return Problem(f"more than {MAX_INPUT:,} bytes", "give fewer cases at once")
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant
        )
    except UnicodeDecodeError as error:
        return Problem("not UTF-8", "a case is JSON", error.start)
    except json.JSONDecodeError as error:
        reason = f"no JSON: {error.msg.lower()} at line {error.lineno}, column {error.colno}"
        return Problem(reason, "a case is a JSON object, or a list of them")
    except _TwiceError as error:
        return Problem(str(error), "each key stands once")
    except (ValueError, RecursionError):
        return Problem("no JSON that can be read", "numbers are short and nesting is shallow")
    listed = type(value) is list
    cases = []
    for index, entry in enumerate(value if listed else [value]):
        name = f"case {index + 1}" if listed else "the case"
        wrong = _CASE(entry)
        if wrong is not None:
            hint = "a case has origin, game, hand, hand_secret, links, beacon, and may have expect"
            return Problem(f"{name}{wrong}", hint)
        cases.append(_case(entry))
    return tuple(cases), listed


def _case(value: dict[str, Any]) -> Case:
    beacon = value.get("beacon")
    return Case(
        origin=value["origin"],
        game=bytes.fromhex(value["game"]),
        hand=value["hand"],
        secret=bytes.fromhex(value["hand_secret"]),
        links=tuple(
            CaseLink(
                Link(link["seat"], link["player"], bytes.fromhex(link["link"])),
                bytes.fromhex(link["anchor"]) if "anchor" in link else None,
            )
            for link in value["links"]
        ),
        beacon=beacon
        and Beacon(
            bytes.fromhex(beacon["chain"]), beacon["round"], bytes.fromhex(beacon["randomness"])
        ),
        expect=value.get("expect"),
    )
