"""Builds the wheel and the source archive of a commit, twice, and holds both to the same bytes.

Everything comes from the commit: what is not committed is in no archive, and its date is that of
every file. The first wheel is built as pip would build it, from the source archive; the second
straight from the commit, in another folder and under another umask. So whoever has the commit can
make the archives again and compare.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_UMASKS: Final = (0o022, 0o077)


class ReleaseError(Exception):
    """What keeps a release from being made, in words for who makes it."""


def commit_seconds(root: Path) -> int:
    """Return when the checked-out commit of `root` was made, in seconds of Unix time.

    ReleaseError where `root` is no clone.
    """
    done = subprocess.run(
        ["git", "-C", root, "log", "-1", "--format=%ct"],  # noqa: S607 - the git that is there
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        message = f"archives are made of a commit, and {root} is no clone: {done.stderr.strip()}"
        raise ReleaseError(message)
    return int(done.stdout)


def build(root: Path, seconds: int, output: Path) -> list[Path]:
    """Build the wheel and the source archive of `root`'s commit into `output`, dated `seconds`.

    ReleaseError where a build fails, or where the two builds differ.
    """
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first"), Path(folder, "second", "and deeper")
        umask, other = _UMASKS
        source = _build("sdist", _export(root, first / "tree", umask), first, seconds, umask)
        unpacked = _unpack(source.read_bytes(), first / "unpacked", umask)
        wheel = _build(
            "wheel", unpacked / source.name.removesuffix(".tar.gz"), first, seconds, umask
        )
        again = _export(root, second / "tree", other)
        for one in (wheel, source):
            target = "wheel" if one == wheel else "sdist"
            if _build(target, again, second, seconds, other).read_bytes() != one.read_bytes():
                message = f"two builds of one commit differ: {one.name}"
                raise ReleaseError(message)
        output.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copyfile(path, output / path.name)) for path in (wheel, source)]


def _export(root: Path, folder: Path, umask: int) -> Path:
    done = subprocess.run(
        ["git", "-C", root, "archive", "--format=tar", "HEAD"],  # noqa: S607 - the git that is there
        stdout=subprocess.PIPE,
        check=True,
    )
    return _unpack(done.stdout, folder, umask)


def _unpack(archive: bytes, folder: Path, umask: int) -> Path:
    """Unpack a tar archive, compressed or not, as a person with that umask would."""
    folder.mkdir(parents=True)
    how = "-xzf" if archive.startswith(b"\x1f\x8b") else "-xf"
    subprocess.run(
        ["tar", how, "-", "--no-same-permissions", "-C", folder],  # noqa: S607 - any tar
        input=archive,
        umask=umask,
        check=True,
    )
    return folder


def _build(target: str, tree: Path, output: Path, seconds: int, umask: int) -> Path:
    before = set(output.iterdir())
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", output],
        cwd=tree,
        env=os.environ | {"SOURCE_DATE_EPOCH": str(seconds)},
        umask=umask,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        message = f"the {target} was not built:\n{done.stdout}{done.stderr}"
        raise ReleaseError(message)
    (made,) = set(output.iterdir()) - before
    return made
