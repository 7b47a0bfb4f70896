"""Generates the gRPC stubs beside their .proto files, for every wheel and editable install.

The generator runs in the interpreter of `<environment>/tools` where there is one, because the
pinned generator asks for an older protobuf than the one that the service runs on; in an isolated
build it runs in the build's own interpreter. Files are replaced only when their bytes change, one
rename each, so a build never disturbs a process that is importing them. Stubs whose .proto file
is gone are removed.

`python hatch_build.py` does the same by hand.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IMPORT_ROOT = "proto"
PACKAGE = "cutcard"
STUB_PATTERNS = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


class StubsHook(BuildHookInterface[Any]):
    """Generates the stubs before hatchling collects the wheel's files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Generate into the source tree that is being built."""
        generate_stubs(Path(self.root))


def generate_stubs(root: Path) -> list[Path]:
    """Generate the stubs of every .proto file under `root`/proto/cutcard, and return their paths.

    Raises FileNotFoundError when the generator's type plugin is not installed, and
    subprocess.CalledProcessError when the generator refuses a .proto file (its reason is on
    standard error).
    """
    import_root = root / IMPORT_ROOT
    sources = sorted(path.relative_to(import_root) for path in _find(import_root, ("*.proto",)))
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch)
        if sources:
            _run_generator(import_root, sources, fresh)
        stubs = [path.relative_to(fresh) for path in _find(fresh, STUB_PATTERNS)]
        for stub in stubs:
            _replace(import_root / stub, (fresh / stub).read_bytes())
    for old in _find(import_root, STUB_PATTERNS):
        if old.relative_to(import_root) not in stubs:
            old.unlink()
    return [import_root / stub for stub in stubs]


def _find(import_root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted(path for each in patterns for path in (import_root / PACKAGE).rglob(each))


def _run_generator(import_root: Path, sources: list[Path], output: Path) -> None:
    python = _choose_interpreter()
    subprocess.run(
        [
            str(python),
            "-m",
            "grpc_tools.protoc",
            f"--proto_path={import_root}",
            f"--plugin=protoc-gen-mypy={_find_plugin(python, 'protoc-gen-mypy')}",
            f"--plugin=protoc-gen-mypy_grpc={_find_plugin(python, 'protoc-gen-mypy_grpc')}",
            f"--python_out={output}",
            f"--grpc_python_out={output}",
            f"--mypy_out=quiet:{output}",
            f"--mypy_grpc_out=quiet,only_async:{output}",
            *(source.as_posix() for source in sources),
        ],
        check=True,
    )


def _choose_interpreter() -> Path:
    tools = Path(sys.prefix) / "tools" / "bin" / "python"
    return tools if tools.exists() else Path(sys.executable)


def _find_plugin(python: Path, name: str) -> str:
    search = os.pathsep.join([str(python.parent), os.environ.get("PATH", os.defpath)])
    found = shutil.which(name, path=search)
    if found is None:
        message = (
            f"{name} is not installed beside {python}: run `make stubs`, or install mypy-protobuf"
        )
        raise FileNotFoundError(message)
    return found


def _replace(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(path)


if __name__ == "__main__":
    try:
        generate_stubs(Path(__file__).resolve().parent)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        reason = error if isinstance(error, FileNotFoundError) else "see above"
        sys.exit(f"no stubs were generated: {reason}")
