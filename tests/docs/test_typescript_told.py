"""What the documents show in TypeScript fits the client for web pages, as tsc has it."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support import browser_client
from tests.support.documents import read_document

MISSING = browser_client.missing()
PAGE = """
import type { SavedFile } from "cutcard-client";
declare const game: string;
declare function show(what: string | readonly string[]): void;
declare function save(file: SavedFile | undefined): void;
"""
"""What the example of the package's own text takes for given: a page."""


def scripts_of(document: str, before: str = "") -> list[str]:
    """Give the examples of a document, each behind what it takes for given."""
    return [before + block.text for block in read_document(document).blocks if block.kind == "ts"]


SCRIPTS = [
    *scripts_of("docs/writing-a-client.md"),
    *scripts_of("browser_client/README.md", PAGE),
]


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
def test_every_example_compiles_against_what_is_shipped(tmp_path: Path) -> None:
    """Strictly, by the settings of the client's own sources."""
    dist = browser_client.built()
    names = [f"example_{number}.ts" for number, _ in enumerate(SCRIPTS)]
    for name, text in zip(names, SCRIPTS, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    settings = {
        "extends": str(browser_client.PACKAGE / "tsconfig.json"),
        "compilerOptions": {
            "types": [],
            "paths": {"cutcard-client": [str(dist / "index.d.ts")]},
        },
        "include": names,
    }
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    compiler = browser_client.PACKAGE / "node_modules" / "typescript" / "bin" / "tsc"
    told = subprocess.run(
        ["node", str(compiler), "--project", str(tmp_path / "tsconfig.json")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert names
    assert told.returncode == 0, told.stdout
