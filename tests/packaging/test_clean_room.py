"""`.ci/clean-room` runs what the README says, as it stands, where there is nothing else."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = """\
# A project

## Before

    exit 9

## Try it

Two commands:

    test -f README.md && echo "$HOME" "${CUTCARD_TOKEN-none}" && ls -A "$HOME"
    make demo

Then it is there:

    exit 8
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a clone of a small project with the script in it."""
    if shutil.which("git") is None:
        pytest.skip("a clean room is a clone: git is not installed")
    folder = tmp_path / "project"
    (folder / ".ci").mkdir(parents=True)
    shutil.copy(ROOT / ".ci" / "clean-room", folder / ".ci")
    (folder / "Makefile").write_text("demo:\n\t@echo the demo of $(NAME)\n")
    write_readme(folder, README)
    return folder


def write_readme(folder: Path, text: str) -> None:
    (folder / "README.md").write_text(text)
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for order in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "A project"]):
        subprocess.run(["git", *order], cwd=folder, check=True)


def enter(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script in an empty folder; a Debian of its own takes minutes."""
    return subprocess.run(
        [folder / ".ci" / "clean-room", "--here", *arguments],
        env=os.environ | {"CUTCARD_TOKEN": "secret", "TMPDIR": str(folder.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_command_of_the_first_block_runs_in_a_clone_with_nothing_else(project: Path) -> None:
    ran = enter(project)
    assert ran.returncode == 0, ran.stderr
    told = ran.stdout.splitlines()
    assert told[2].endswith("/home none")
    assert not Path(told[2].split()[0]).exists()
    assert re.search(r": exit status 0 after \d+ s$", told[3])
    assert told[4:6] == ["clean-room: make demo", "the demo of"]
    assert [path.name for path in project.parent.iterdir()] == ["project"]


def test_a_fenced_block_is_read_as_well(project: Path) -> None:
    write_readme(project, "## Try it\n\n```sh\nmake demo\n```\n\n```\nexit 8\n```\n")
    ran = enter(project)
    assert ran.returncode == 0
    assert "the demo of" in ran.stdout


def test_a_command_that_fails_fails_the_check_and_the_others_are_run(project: Path) -> None:
    write_readme(project, "## Try it\n\n    false\n    make demo\n")
    ran = enter(project)
    assert ran.returncode == 1
    assert "clean-room: false: exit status 1" in ran.stdout
    assert "the demo of" in ran.stdout


def test_one_command_can_be_chosen_and_added_to(project: Path) -> None:
    ran = enter(project, "--only", "make demo NAME=mine")
    assert ran.returncode == 0, ran.stderr
    assert "the demo of mine" in ran.stdout
    assert "test -f" not in ran.stdout


def test_a_command_that_the_readme_has_not_is_refused(project: Path) -> None:
    ran = enter(project, "--only", "make nothing")
    assert ran.returncode == 2
    assert "README.md has no command that begins `make nothing`" in ran.stderr


def test_a_readme_without_commands_fails(project: Path) -> None:
    write_readme(project, "## Try it\n\nSoon.\n\n## Later\n\n    make demo\n")
    ran = enter(project)
    assert ran.returncode == 1
    assert 'has no commands under "Try it"' in ran.stderr
