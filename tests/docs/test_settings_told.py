"""docs/running.md: the table of settings is what `cutcard-dealer serve` reads, and nothing else."""

import argparse
import re
from collections.abc import Iterator, Mapping

from dealer_service.cli import build_parser
from tests.support.documents import read_document

ROWS = re.findall(
    r"^\| `(--[a-z-]+)` \| (?:`(CUTCARD_[A-Z_]+)`)? ?\| (.+?) \| .+ \|$",
    read_document("docs/running.md").text,
    re.MULTILINE,
)
OF_CALLERS = {"CUTCARD_ADDRESS", "CUTCARD_KEY", "CUTCARD_RECORDS"}
NOT_FROM_THERE = {"--accept-restore", "--certify"}


class Asked(Mapping[str, str]):
    """An environment that has nothing, and keeps which variables it was asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def options() -> dict[str, argparse.Action]:
    (commands,) = (
        action
        for action in build_parser({})._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    serve: argparse.ArgumentParser = commands.choices["serve"]
    return {action.option_strings[-1]: action for action in serve._actions}


def test_each_setting_has_its_row_and_each_row_its_setting() -> None:
    assert sorted(name for name, _, _ in ROWS) == sorted(options().keys() - {"--help"})


def test_each_variable_is_the_one_that_is_read() -> None:
    environ = Asked()
    build_parser(environ)
    told = {variable for _, variable, _ in ROWS if variable}
    assert told == {name for name in environ.names if name.startswith("CUTCARD_")} - OF_CALLERS
    assert {name for name, variable, _ in ROWS if not variable} == NOT_FROM_THERE
    for name, variable, _ in ROWS:
        if variable:
            assert variable == "CUTCARD_" + name.removeprefix("--").replace("-", "_").upper()


def test_each_default_is_the_one_that_is_taken() -> None:
    for name, _, told in ROWS:
        default = options()[name].default
        if told.startswith("`"):
            assert told == f"`{default}`", name
        else:
            assert default in (None, False, []), name
