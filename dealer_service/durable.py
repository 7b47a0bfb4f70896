"""Files whose names are on disk too: a crash leaves a file whole or not there at all.

Below every part of the dealer, for keys, the store and its journal, and finished games alike.
"""

import os
import tempfile
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Make names that were made or moved in a folder durable; OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of it, in as many pieces as that takes; OSError, and some of it may be written."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def make_private(path: Path, content: bytes) -> bool:
    """Make a file of mode 0600; False, and it stays as it is, where there is one. OSError."""
    # mkstemp's files are their owner's alone.
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        # A link, and not a rename: whoever made a file there first keeps it.
        os.link(beside, path)
    except FileExistsError:
        return False
    finally:
        Path(beside).unlink()
    sync_folder(path.parent)
    return True
