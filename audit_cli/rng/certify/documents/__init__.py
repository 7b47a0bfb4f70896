"""The texts of a bundle about the generator, as files beside this one."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

#: Where each text stands in a bundle.
PLACES: Final = {
    "rng/description.md": "description.md",
    "rng/seeding.md": "seeding.md",
    "rng/scaling-proof.md": "scaling-proof.md",
    "rng/construction-90c.md": "construction-90c.md",
    "rng/entropy-90b.md": "entropy-90b.md",
    "rng/limits.md": "limits.md",
    "rng/change-control.md": "change-control.md",
    "source/build.md": "build.md",
}


def read_documents() -> dict[str, bytes]:
    """Return each text by its place in a bundle, with LF line ends."""
    here = files(__name__)
    return {
        place: (here / name).read_bytes().replace(b"\r\n", b"\n") for place, name in PLACES.items()
    }
