"""A PKCS#11 token of SoftHSM2 in a test's own folder."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

PIN = "83120457"
MODULES = (
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
    "/opt/homebrew/lib/softhsm/libsofthsm2.so",
)


def softhsm() -> str:
    """Give SoftHSM's module; the test is skipped where it is not installed."""
    found = next((path for path in MODULES if Path(path).exists()), "")
    if not found or shutil.which("softhsm2-util") is None:
        pytest.skip("SoftHSM2 is not installed (Debian: softhsm2)")
    return found


class SoftToken:
    """A token whose content stands in a folder, which can be taken away and brought back.

    SoftHSM reads where its tokens are when the module is begun, so that a process uses one folder
    for all of them: the first one's.
    """

    def __init__(self, folder: Path, label: str) -> None:
        self.module = softhsm()
        self.label = label
        self.tokens = folder / "tokens"
        self.pin = folder / f"{label}.pin"
        self.config = folder / "softhsm2.conf"
        self.tokens.mkdir(exist_ok=True)
        self.pin.touch(0o600)
        self.pin.write_text(PIN + "\n")
        self.config.write_text(
            f"directories.tokendir = {self.tokens}\nobjectstore.backend = file\nlog.level = ERROR\n"
        )
        self.environ = {"SOFTHSM2_CONF": str(self.config)}
        self.run("--init-token", "--free", "--label", label, "--so-pin", "0000", "--pin", PIN)

    def run(self, *options: str) -> None:
        subprocess.run(
            ["softhsm2-util", *options],
            env=os.environ | self.environ,
            check=True,
            capture_output=True,
        )

    def uri(self, name: str, **changes: str) -> str:
        """Give the URI of a key of the token."""
        parts = {"token": self.label, "pin": str(self.pin), "module": self.module} | changes
        return (
            f"pkcs11:token={parts['token']};object={name}"
            f"?module-path={parts['module']}&pin-source=file:{parts['pin']}"
        )

    def take_away(self) -> None:
        """Make the token vanish, as one that is pulled out."""
        self.tokens.rename(self.tokens.with_name("away"))

    def bring_back(self) -> None:
        self.tokens.with_name("away").rename(self.tokens)
