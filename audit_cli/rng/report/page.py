"""`report.html`: a bundle's evidence as one page that needs nothing beside itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify.evidence import (
    BATTERY,
    COUNTS,
    ENVIRONMENT,
    EXTERNAL,
    MATRIX,
    SENSITIVITY,
    read_object,
)
from audit_cli.rng.plan import ALPHA
from audit_cli.rng.report import battery, evidence, markup
from audit_cli.rng.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LIMITS: Final = "rng/limits.md"

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def write_report(bundle: Path, facts: Iterable[tuple[str, object]] = ()) -> str:
    """Return the page about the bundle in a folder; `facts` are names and values to head it.

    The same files give the same text; all but the battery may be absent. OSError and ValueError
    where one can not be read.
    """
    found = read_object(bundle, BATTERY)
    if found is None:
        message = f"{BATTERY} is not in the bundle"
        raise ValueError(message)
    parts = [
        markup.tag("h1", "Evidence on a card dealer's random number generator"),
        markup.tag("p", "Cutcard: shuffle, cut, shuffle, cut in thirds, shuffle.", of="soft"),
        evidence.verdict(found),
        evidence.identity((*facts, *_own_facts(found))),
    ]
    limits = _text(bundle, LIMITS)
    if limits is not None:
        parts.append(evidence.limits(limits))
    matrix = read_object(bundle, MATRIX)
    if matrix is not None:
        parts.append(evidence.requirements(matrix))
    parts.append(battery.p_values(found, ALPHA))
    counts = read_object(bundle, COUNTS)
    if counts is not None:
        parts.append(battery.decks(counts, found["hands"]))
    parts += [
        battery.distributions(found),
        battery.power(found),
        battery.tests(found),
        battery.second_level(found),
        battery.confirmation(found),
    ]
    sensitivity = read_object(bundle, SENSITIVITY)
    if sensitivity is not None:
        parts.append(evidence.flaws(sensitivity))
    external = read_object(bundle, EXTERNAL)
    if external is not None:
        parts.append(evidence.suites(external))
    parts.append(_again(read_object(bundle, ENVIRONMENT)))
    return _page("".join(parts))


def _own_facts(found: dict[str, Any]) -> list[tuple[str, object]]:
    told: list[tuple[str, object]] = [
        ("decks", f"{found['hands']:,} in {found['blocks']} blocks (preset {found['preset']})"),
        ("plan, SHA-256", found["plan"]),
        ("counting code, SHA-256", found["code"]),
    ]
    told += [(f"laboratory's secret {n}", one) for n, one in enumerate(found["secrets"], 1)]
    return told


def _again(environment: dict[str, Any] | None) -> str:
    """Say how everything here is repeated, and where it was made."""
    commands = (
        "cutcard-audit bundle verify BUNDLE --key THE-LABORATORY'S-KEY\n"
        "cutcard-audit bundle reproduce BUNDLE\n"
        "cutcard-audit fingerprint --bundle BUNDLE"
    )
    parts = [
        markup.tag("h2", "How to repeat it"),
        markup.tag(
            "p",
            "The first command checks every file of the bundle and its signature, without a "
            "network. The second derives the decks again and works all results out anew: they are "
            "the same bytes on any machine. The third tells whether a dealer that is installed "
            "somewhere is the one of this bundle.",
        ),
        f"<pre><code>{markup.text(commands)}</code></pre>",
    ]
    if environment is not None:
        flat = [
            (name.replace("_", " "), markup.text(told))
            for name, told in environment.items()
            if isinstance(told, str | int)
        ]
        versions = ", ".join(
            f"{name} {told}" for name, told in (environment.get("versions") or {}).items()
        )
        if versions:
            flat.append(("libraries", markup.text(versions)))
        parts += [markup.tag("h2", "Where it was made"), markup.facts(flat)]
    return "".join(parts)


def _page(body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Evidence on a card dealer's generator</title><style>{STYLE}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def _text(bundle: Path, name: str) -> str | None:
    try:
        return (bundle / name).read_text("utf-8")
    except FileNotFoundError:
        return None
