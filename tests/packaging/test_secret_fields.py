"""Every dataclass of the dealer hides its secrets, whoever prints it."""

import ast
import dataclasses
import importlib
import json
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

import dealer_service

ROOT = Path(dealer_service.__file__).parent
MARK = b"\xf3SECRET-OF-THE-TEST\xf3"
SHOWN = (MARK, MARK.hex().encode(), b"SECRET-OF-THE-TEST")

SECRET_NAMES = re.compile(
    r"secret|sealed|seed|salt|private|passw|(^|_)pin$|(^|_)keys?$|token|cipher|aead|entropy|fresh"
)
PUBLIC = {
    ("TokenPlace", "token"): "a token's label",
    ("NoteKey", "key"): "a verifier key",
    ("WitnessKey", "key"): "a verifier key",
    ("PolicyLog", "key"): "a verifier key",
    ("Witness", "key"): "a verifier key",
    ("Network", "public_key"): "a beacon's key that verifies",
    ("Watched", "key"): "a verifier key",
    ("WatchedTournament", "key"): "a verifier key",
    ("Played", "key"): "a verifier key as text",
    ("KeySet", "keys"): "keys that verify",
    ("ReadSet", "keys"): "keys that verify",
    ("Settings", "tokens"): "rules for tokens",
    ("Limits", "bad_tokens"): "a number",
    ("Faults", "keys"): "what is missing",
    ("Tls", "key"): "a file's path",
    ("AccessRefusal", "unknown_key"): "whether a key is unknown",
    ("Surroundings", "entropy"): "a function of a player's own client",
    ("LogAppend", "secrets"): "sealed secrets, which hide themselves",
    ("Unit", "secrets"): "sealed secrets, which hide themselves",
    ("_Log", "secrets"): "sealed secrets, which hide themselves",
    ("Known", "secrets"): "game and number of hands",
    ("State", "reseed_counter"): "a number",
}


def dataclasses_of_the_dealer() -> Iterator[type]:
    for module in pkgutil.walk_packages(dealer_service.__path__, "dealer_service."):
        if module.name == "dealer_service.__main__":
            continue
        for thing in vars(importlib.import_module(module.name)).values():
            if (
                isinstance(thing, type)
                and dataclasses.is_dataclass(thing)
                and thing.__module__ == module.name
            ):
                yield thing


ALL = sorted(dataclasses_of_the_dealer(), key=lambda one: (one.__module__, one.__name__))
HIDING = [one for one in ALL if any(not each.repr for each in dataclasses.fields(one))]


def name_of(kind: type) -> str:
    return f"{kind.__module__.removeprefix('dealer_service.')}.{kind.__name__}"


def test_the_search_finds_them() -> None:
    assert len(ALL) > 100
    assert {"Custody", "SealedDeck", "KeyedSealer", "Keys", "NoteSigner", "SigningKey"} <= {
        one.__name__ for one in HIDING
    }


@pytest.mark.parametrize("kind", ALL, ids=name_of)
def test_a_field_named_like_a_secret_is_in_no_repr(kind: Any) -> None:
    shown = {
        each.name
        for each in dataclasses.fields(kind)
        if each.repr and SECRET_NAMES.search(each.name) and (kind.__name__, each.name) not in PUBLIC
    }
    assert shown == set()


def test_every_exception_is_one() -> None:
    fields = {(one.__name__, each.name) for one in ALL for each in dataclasses.fields(one)}
    assert PUBLIC.keys() <= fields


@pytest.mark.parametrize("kind", HIDING, ids=name_of)
def test_what_is_hidden_shows_in_no_way_of_writing(kind: Any) -> None:
    """By repr, str, format, JSON and either form of the log."""
    made = kind.__new__(kind)
    for each in dataclasses.fields(kind):
        object.__setattr__(made, each.name, None if each.repr else MARK)
    event = {"event": "test", "level": "info", "thing": made, "things": [made], "by": {"one": made}}
    written = (
        repr(made),
        str(made),
        f"{made} {made!r} {[made]} { ({1: made}) }",
        json.dumps(made, default=repr),
        str(structlog.processors.JSONRenderer()(None, "info", dict(event))),
        structlog.dev.ConsoleRenderer(colors=False)(None, "info", dict(event)),
    )
    for text in written:
        for form in SHOWN:
            assert form not in text.encode("utf-8", "surrogateescape")


def test_nothing_of_the_dealer_is_pickled() -> None:
    """Hidden fields are in a pickle, so that no module may make one, nor start workers that do."""
    barred = {"pickle", "shelve", "marshal", "copyreg", "multiprocessing", "dill"}
    found = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            found |= {one for one in names if one.split(".")[0] in barred}
    assert found == set()
