"""`python -m release`, which `make dist` runs: the checked-out commit as a release, in dist/.

Beside the wheel and the source archive lie their bill of materials and SHA256SUMS. All four are the
same bytes for the same commit and locks, wherever they are made: dates are the commit's, or
SOURCE_DATE_EPOCH where that is set.
"""

import argparse
import os
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

from packaging.metadata import Metadata

from release.archives import ReleaseError, build, commit_seconds
from release.bill import write_bill
from release.lock import read_lock

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the release; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="the folder to write to")
    options = parser.parse_args(arguments)
    try:
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH") or commit_seconds(ROOT))
        made = make_release(ROOT, seconds, options.output)
    except (ReleaseError, ValueError) as error:
        print(f"no release was made: {error}", file=sys.stderr)  # noqa: T201 - a program
        return 1
    for path in made:
        print(path)  # noqa: T201 - a program
    return 0


def make_release(root: Path, seconds: int, output: Path) -> list[Path]:
    """Make all files of the release of `root`'s commit in `output`, and return their paths.

    ReleaseError where it can not be made, and ExceptionGroup where the wheel's metadata break the
    rules for them.
    """
    archives = build(root, seconds, output)
    wheel, source = archives
    about = read_metadata(wheel)
    bill = output / f"cutcard-{about.version}.cdx.json"
    bill.write_bytes(
        write_bill(
            tomllib.loads(read_source(source, "pyproject.toml"))["project"],
            read_lock(read_source(source, "requirements/runtime.txt")),
            archives=archives,
            version=str(about.version),
            made=datetime.fromtimestamp(seconds, UTC),
        )
    )
    sums = output / "SHA256SUMS"
    listed = sorted([*archives, bill])
    sums.write_text(
        "".join(f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in listed),
        encoding="ascii",
    )
    return [*archives, bill, sums]


def read_metadata(wheel: Path) -> Metadata:
    """Return a wheel's core metadata; ExceptionGroup where they are not whole or not sound."""
    with ZipFile(wheel) as opened:
        (name,) = (each for each in opened.namelist() if each.endswith(".dist-info/METADATA"))
        return Metadata.from_email(opened.read(name), validate=True)


def read_source(source: Path, path: str) -> str:
    """Return the text of one file of a source archive; KeyError where it is not in it."""
    with tarfile.open(source) as opened:
        member = opened.extractfile(f"{source.name.removesuffix('.tar.gz')}/{path}")
        assert member is not None, path
        return member.read().decode()


if __name__ == "__main__":
    sys.exit(main())
