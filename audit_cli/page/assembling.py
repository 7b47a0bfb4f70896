"""Puts the page together: styles and two bundles of modules in one HTML file that asks for nothing.

The modules of `web/` are ECMAScript modules with named exports and relative imports. For one entry
all that it needs is put into one script: each module a function of its own, behind those that it
imports, which gives what it exports. So imports never go round, and what is imported is exported:
anything else, and any form of `import` and `export` besides, is an `AssemblyError`.

The file's content security policy allows its own script and styles by their hashes, workers made
from its own text, and nothing else: no connection, no image, font or frame from anywhere (CSP
Level 3).
"""

from __future__ import annotations

import json
import posixpath
import re
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

TEMPLATE: Final = "index.html"
MAIN: Final = "main.js"
WORKER: Final = "worker.js"

_IMPORT = re.compile(r'^import \{([^{}]*)\} from "(\.{1,2}/[\w./-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function\b|const\b|class\b|let\b)", re.MULTILINE)
_EXPORTED = re.compile(
    r"^export (?:(?:async )?function\*? |const |let |class )([\w$]+)", re.MULTILINE
)
_STRAY = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_ENDS_A_SCRIPT = re.compile(r"</?script|<!--", re.IGNORECASE)
_ENDS_A_STYLE = re.compile(r"</style", re.IGNORECASE)


class AssemblyError(Exception):
    """A source of the page that can not be put together: which, and why."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """A game that the page shows at once: the file's name and bytes, and a key to judge it by."""

    name: str
    data: bytes = field(repr=False)
    key: str | None = None


def read_sources() -> dict[str, str]:
    """Read the page's sources as they were installed: path within `web/` to text."""
    found: dict[str, str] = {}

    def enter(folder: Traversable, prefix: str) -> None:
        for one in folder.iterdir():
            if one.is_dir():
                enter(one, f"{prefix}{one.name}/")
            elif one.name.endswith((".js", ".css", ".html")):
                found[f"{prefix}{one.name}"] = one.read_text(encoding="utf-8")

    enter(files("audit_cli.page") / "web", "")
    return found


def assemble(sources: Mapping[str, str], embedded: Embedded | None = None) -> str:
    """Return the page as HTML, with a game in it or none; AssemblyError where sources are wrong."""
    main = bundle(sources, MAIN)
    styles = "".join(sources[path] for path in sorted(sources) if path.endswith(".css"))
    if _ENDS_A_STYLE.search(styles):
        message = "a style sheet holds the end of a style element"
        raise AssemblyError(message)
    given = None
    if embedded is not None:
        data = b64encode(embedded.data).decode()
        given = {"name": embedded.name, "data": data, "key": embedded.key}
    parts = {
        "policy": policy_of(main, styles),
        "styles": styles,
        "main": main,
        "worker": bundle(sources, WORKER),
        "embedded": _inert(json.dumps(given)),
    }
    return _SLOT.sub(lambda slot: _part(parts, slot[1]), sources[TEMPLATE])


def policy_of(script: str, styles: str) -> str:
    """Return the content security policy for one script and one style element of these texts."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash_of(script)}",
            "worker-src blob:",
            f"style-src {_hash_of(styles)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def bundle(sources: Mapping[str, str], entry: str) -> str:
    """Put a module and all that it imports into one script of its own scope."""
    order: list[str] = []
    _visit(sources, entry, (), order)
    names = {path: f"module{number}" for number, path in enumerate(order)}
    script = '"use strict";\n(() => {\n'
    for path in order:
        script += (
            f"// {path}\nconst {names[path]} = (() => {{\n{_body(sources, path, names)}}})();\n"
        )
    script += "})();\n"
    if _ENDS_A_SCRIPT.search(script):
        message = f"{entry}: what it needs holds the tag of a script or a comment of HTML"
        raise AssemblyError(message)
    return script


def _body(sources: Mapping[str, str], path: str, names: Mapping[str, str]) -> str:
    """Give what a module is inside its function: imports first, at its end what it exports."""
    text = sources[path]
    taken = [
        f"const {{{', '.join(_listed(wanted))}}} = {names[_target(path, relative)]};\n"
        for wanted, relative in _IMPORT.findall(text)
    ]
    body = _EXPORT.sub("", _IMPORT.sub("", text))
    stray = _STRAY.search(body)
    if stray:
        message = f"{path}: not to be put together: {stray[0]}"
        raise AssemblyError(message)
    exports = ", ".join(_EXPORTED.findall(text))
    return f"{''.join(taken)}{body.strip()}\nreturn Object.freeze({{{exports}}});\n"


def _target(path: str, relative: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))


def _listed(names: str) -> list[str]:
    return [name for name in map(str.strip, names.split(",")) if name]


def _visit(sources: Mapping[str, str], path: str, above: tuple[str, ...], order: list[str]) -> None:
    """Append a module to the order, behind those that it imports."""
    if path in order:
        return
    if path in above:
        message = f"{path} imports itself, by way of {', '.join(above[above.index(path) + 1 :])}"
        raise AssemblyError(message)
    if path not in sources:
        message = f"{above[-1] if above else path}: imports {path}, which is not there"
        raise AssemblyError(message)
    for names, relative in _IMPORT.findall(sources[path]):
        target = _target(path, relative)
        _visit(sources, target, (*above, path), order)
        exported = _EXPORTED.findall(sources[target])
        for name in _listed(names):
            if name not in exported:
                message = f"{path}: imports {name}, which {target} does not export"
                raise AssemblyError(message)
    order.append(path)


def _part(parts: Mapping[str, str], name: str) -> str:
    if name not in parts:
        message = f"{TEMPLATE}: {{{{{name}}}}} is no part of the page"
        raise AssemblyError(message)
    return parts[name]


def _inert(text: str) -> str:
    """Return JSON that can not end the element that it stands in."""
    return text.replace("<", "\\u003c")


def _hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
