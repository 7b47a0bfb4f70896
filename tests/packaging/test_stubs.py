"""The stubs follow the .proto files: all of them, nothing else, and no needless write."""

import subprocess
from pathlib import Path

import pytest

from hatch_build import generate_stubs

PLAY = """\
syntax = "proto3";
package cutcard.v1;
service PlayService { rpc Act(ActRequest) returns (ActResponse); }
message ActRequest { int32 seat = 1; }
message ActResponse {}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a source tree with one .proto file."""
    folder = tmp_path / "proto" / "cutcard" / "v1"
    folder.mkdir(parents=True)
    (folder / "play.proto").write_text(PLAY)
    return tmp_path


def test_each_proto_file_gets_messages_calls_and_types_beside_it(tree: Path) -> None:
    folder = tree / "proto" / "cutcard" / "v1"
    expected = {"play_pb2.py", "play_pb2.pyi", "play_pb2_grpc.py", "play_pb2_grpc.pyi"}

    assert {path.relative_to(folder).as_posix() for path in generate_stubs(tree)} == expected
    assert {path.name for path in folder.iterdir()} == expected | {"play.proto"}


def test_calls_are_typed_for_asyncio(tree: Path) -> None:
    generate_stubs(tree)
    types = (tree / "proto" / "cutcard" / "v1" / "play_pb2_grpc.pyi").read_text()
    assert "Act: _aio.UnaryUnaryMultiCallable[_play_pb2.ActRequest, _play_pb2.ActResponse]" in types


def test_an_unchanged_stub_is_not_written_again(tree: Path) -> None:
    before = [path.stat() for path in generate_stubs(tree)]
    after = [path.stat() for path in generate_stubs(tree)]
    assert [(each.st_ino, each.st_mtime_ns) for each in after] == [
        (each.st_ino, each.st_mtime_ns) for each in before
    ]


def test_the_stubs_of_a_removed_proto_file_are_removed(tree: Path) -> None:
    stubs = generate_stubs(tree)
    (tree / "proto" / "cutcard" / "v1" / "play.proto").unlink()

    assert generate_stubs(tree) == []
    assert not [path for path in stubs if path.exists()]


def test_a_broken_proto_file_is_an_error_that_keeps_the_old_stubs(tree: Path) -> None:
    stubs = generate_stubs(tree)
    (tree / "proto" / "cutcard" / "v1" / "play.proto").write_text("syntax = nonsense")

    with pytest.raises(subprocess.CalledProcessError):
        generate_stubs(tree)
    assert all(path.exists() for path in stubs)
