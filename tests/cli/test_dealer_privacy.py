"""A dealer that serves leaves no image of its memory, and lets nobody look in."""

import subprocess
import sys
from pathlib import Path

from tests.support.commands import ROOT, serving

LINUX = sys.platform == "linux"


def test_dumps_no_core(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        if LINUX:
            limits = Path(f"/proc/{service.process.pid}/limits").read_text().splitlines()
            (line,) = [one for one in limits if one.startswith("Max core file size")]
            assert line.split()[-3:-1] == ["0", "0"]
        assert service.stop()[0] == 0


def test_is_not_dumpable_for_others_of_its_user() -> None:
    """On Linux, where 0 is what PR_GET_DUMPABLE then says; elsewhere there is no such thing."""
    assert _dumpable_after() == (0 if LINUX else None)


def _dumpable_after() -> int | None:
    code = (
        "import ctypes, sys\n"
        "from dealer_service.commands.privacy import keep_memory_private\n"
        "keep_memory_private()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) if sys.platform == 'linux' else None)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    said = ran.stdout.strip()
    return None if said == "None" else int(said)
