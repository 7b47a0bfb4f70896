"""The browser client as it is shipped: installed and built once, and its table page served.

What was built is kept as long as its sources are the same, so that a second run is quick.
"""

import fcntl
import hashlib
import http.server
import os
import shutil
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.support.commands import ROOT

PACKAGE: Final = ROOT / "browser_client"
_STAMPS: Final = ROOT / "build" / "browser_client"
_INSTALLED_FROM: Final = ("package.json", "package-lock.json", ".npmrc")
_BUILT_FROM: Final = ("src", "table", "scripts", "proto", "tsconfig*.json", "buf.gen.yaml")
SECONDS: Final = 600


def missing() -> str | None:
    """Say what is not on this machine; None where all is."""
    if not (shutil.which("node") and shutil.which("npm")):
        return "Node.js is not installed (nodejs, npm)"
    return None


def npm(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run npm in the client's package and wait for its end."""
    return subprocess.run(
        ["npm", *arguments],
        cwd=PACKAGE,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | {"NO_COLOR": "1"},
    )


def built() -> Path:
    """Install and build what has changed, one process at a time, and give the folder `dist`."""
    _STAMPS.mkdir(parents=True, exist_ok=True)
    with (_STAMPS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        installed = _hash(PACKAGE / name for name in _INSTALLED_FROM)
        _renew("installed", installed, PACKAGE / "node_modules", "ci", "--no-audit", "--no-fund")
        sources = [path for pattern in _BUILT_FROM for path in PACKAGE.glob(pattern)]
        sources.append(ROOT / "proto" / "cutcard")
        renewed = installed + _hash(_files(sources))
        _renew("built", renewed, PACKAGE / "dist", "run", "build")
    return PACKAGE / "dist"


def _renew(name: str, state: str, result: Path, *arguments: str) -> None:
    stamp = _STAMPS / name
    if result.exists() and stamp.exists() and stamp.read_text() == state:
        return
    stamp.unlink(missing_ok=True)
    ended = npm(*arguments)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    stamp.write_text(state)


def _files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and "generated" not in path.parts and "__pycache__" not in path.parts:
                yield path


def _hash(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(ROOT)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Tell nobody: a test's page is asked for by its own browser alone."""


@contextmanager
def page_served(dist: Path) -> Iterator[str]:
    """Serve the table page on loopback, at a place of its own, and give its address."""
    handler = partial(_Quiet, directory=str(dist / "table"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/index.html"
        finally:
            server.shutdown()
            thread.join()
