"""A log that can not be written is lost, and what it would have told of goes on."""

import errno
import io
from collections.abc import Iterator

import pytest
import structlog

from dealer_service.observe import logs


class FullDisk(io.StringIO):
    def write(self, _text: str, /) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    logs.configure("text")
    structlog.reset_defaults()


@pytest.mark.parametrize("form", logs.FORMATS)
def test_a_full_disk_under_the_log_fails_nobody(form: str) -> None:
    logs.configure(form, stream=FullDisk())
    log = structlog.get_logger("dealer").bind()
    log.info("serving")
    log.critical("store_failed", exc_info=OSError(errno.ENOSPC, "full"))


def test_an_event_is_a_whole_line_at_once() -> None:
    stream = io.StringIO()
    logs.configure("json", stream=stream)
    structlog.get_logger("dealer").info("serving", port=1)
    assert stream.getvalue().count("\n") == 1
    assert stream.getvalue().endswith("}\n")
