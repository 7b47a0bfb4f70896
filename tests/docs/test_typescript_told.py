"""docs/writing-a-client.md: its TypeScript fits the client for web pages, as tsc has it."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support import browser_client
from tests.support.documents import read_document

MISSING = browser_client.missing()
SCRIPTS = [
    block.text for block in read_document("docs/writing-a-client.md").blocks if block.kind == "ts"
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
