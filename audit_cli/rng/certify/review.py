"""What the dealer's core is seen to be by reading its sources as a tree, without running them.

Which modules each file imports, which constants it fixes, what `derive` takes, how many lines are
code: figures for requirements that are about the source and not about its output.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from audit_cli.rng.certify.sources import normalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

#: The files between a hand's secret and its sealed deck; the others are the gate before them.
PATH: Final = ("cards.py", "commitment.py", "deck.py", "drbg.py", "mixing.py", "shuffle.py")
#: The one file that may reach the operating system.
DOOR: Final = "randomness.py"
#: What a core that is a function of its arguments has no use for: chance, time, place, settings.
BARRED: Final = frozenset(
    {
        "argparse",
        "asyncio",
        "configparser",
        "ctypes",
        "datetime",
        "getpass",
        "importlib",
        "io",
        "json",
        "locale",
        "multiprocessing",
        "os",
        "pathlib",
        "platform",
        "random",
        "resource",
        "secrets",
        "signal",
        "socket",
        "ssl",
        "subprocess",
        "sys",
        "tempfile",
        "threading",
        "time",
        "uuid",
    }
)
_CONSTANTS: Final = (
    ("commitment.py", "SECRET_BYTES"),
    ("drbg.py", "SEED_BYTES"),
    ("drbg.py", "MAX_REQUEST_BYTES"),
    ("drbg.py", "RESEED_INTERVAL"),
    ("health.py", "ALPHA_LOG2"),
    ("health.py", "ENTROPY_BITS"),
    ("health.py", "REPETITION_CUTOFF"),
    ("health.py", "WINDOW"),
    ("health.py", "PROPORTION_CUTOFF"),
    ("health.py", "STARTUP_SAMPLES"),
    ("shuffle.py", "STREAM_BYTES"),
)


@dataclass(frozen=True, slots=True)
class Review:
    """What was read.

    `lines` are those with code in each file, without comments and docstrings. `barred` are uses of
    what a pure core does not use, `FILE: NAME`; `sources` the calls by which the door reaches the
    system; `derive` the arguments of `deck.derive`; `constants` the numbers that the core fixes.
    """

    lines: Mapping[str, int]
    imports: Mapping[str, tuple[str, ...]]
    barred: tuple[str, ...]
    sources: tuple[str, ...]
    derive: tuple[str, ...]
    constants: Mapping[str, int]

    def told(self) -> dict[str, Any]:
        """Return the review as JSON holds it."""
        return {
            "barred": list(self.barred),
            "constants": dict(self.constants),
            "derive": list(self.derive),
            "imports": {name: list(found) for name, found in self.imports.items()},
            "lines": dict(self.lines),
            "sources": list(self.sources),
        }


def review_core(folder: Path) -> Review:
    """Read every source of the core. SyntaxError where one is none; OSError as reading raises."""
    trees = {
        path.name: ast.parse(normalised(path.read_bytes())) for path in sorted(folder.glob("*.py"))
    }
    barred: list[str] = []
    sources: list[str] = []
    for name, tree in trees.items():
        used = sorted({each for each in _system_names(tree) if each.partition(".")[0] in BARRED})
        if name == DOOR:
            sources = [each for each in used if "." in each]
            barred += [f"{name}: {each}" for each in used if each.partition(".")[0] != "os"]
        else:
            barred += [f"{name}: {each}" for each in used]
        barred += [f"{name}: {each}" for each in _doors_in_builtins(tree)]
    return Review(
        lines={name: len(_code_lines(tree)) for name, tree in trees.items()},
        imports={name: tuple(sorted(_imports(tree))) for name, tree in trees.items()},
        barred=tuple(barred),
        sources=tuple(sources),
        derive=_arguments(trees.get("deck.py"), "derive"),
        constants=_constants(trees),
    )


def read_versions(module: Path) -> dict[str, int]:
    """Return the fingerprints that a dealer's `rng_core.py` names, each with its version's number.

    Empty where there is no such module, or it names none.
    """
    try:
        tree = ast.parse(normalised(module.read_bytes()))
    except (OSError, SyntaxError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            given = [each.value for each in node.args if isinstance(each, ast.Constant)]
            if node.func.id == "CoreVersion" and len(given) == 2:
                number, fingerprint = given
                if type(number) is int and isinstance(fingerprint, str):
                    found[fingerprint] = number
    return found


def _imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." * node.level + (node.module or ""))
    return found


def _system_names(tree: ast.Module) -> set[str]:
    """Return modules that are imported, and `module.name` for what is used of them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
    return found


def _doors_in_builtins(tree: ast.Module) -> list[str]:
    doors = {"__import__", "compile", "eval", "exec", "input", "open"}
    return sorted({n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in doors})


def _code_lines(tree: ast.Module) -> set[int]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    words: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            words |= set(_lines([node.body[0]]))
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            words |= set(_lines([node]))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr | ast.stmt | ast.arg)]
    starts = {node.lineno for node in nodes}
    ends = {node.end_lineno for node in nodes if node.end_lineno is not None}
    return (starts | ends) - words


def _lines(nodes: Iterable[ast.stmt]) -> Iterable[int]:
    for node in nodes:
        yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _arguments(tree: ast.Module | None, function: str) -> tuple[str, ...]:
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == function:
            given = node.args
            named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            more = [each for each in (given.vararg, given.kwarg) if each is not None]
            return tuple(each.arg for each in [*named, *more])
    return ()


def _constants(trees: Mapping[str, ast.Module]) -> dict[str, int]:
    """Return the whole numbers that the core fixes by name, products and powers worked out."""
    known: dict[str, int] = {}
    for tree in trees.values():
        for node in tree.body:
            target, value = _assigned(node)
            if target is not None and value is not None:
                number = _number(value, known)
                if number is not None:
                    known[target] = number
    return {name: known[name] for file, name in _CONSTANTS if file in trees and name in known}


def _assigned(node: ast.stmt) -> tuple[str | None, ast.expr | None]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    return None, None


def _number(node: ast.expr, known: Mapping[str, int]) -> int | None:
    found: int | None = None
    if isinstance(node, ast.Constant) and type(node.value) is int:
        found = node.value
    elif isinstance(node, ast.Name):
        found = known.get(node.id)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand, known)
        found = None if inner is None else -inner
    elif isinstance(node, ast.BinOp):
        left, right = _number(node.left, known), _number(node.right, known)
        if left is not None and right is not None:
            found = _combined(node.op, left, right)
    return found


def _combined(sign: ast.operator, left: int, right: int) -> int | None:
    if isinstance(sign, ast.Add):
        return left + right
    if isinstance(sign, ast.Mult):
        return left * right
    if isinstance(sign, ast.Pow) and 0 <= right <= 64:
        return int(left**right)
    return None
