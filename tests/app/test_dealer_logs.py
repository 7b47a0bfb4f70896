"""The dealer's own log: events for machines or people, and no value of any variable."""

import io
import json
from collections.abc import Iterator

import pytest
import structlog

from dealer_service.observe import logs


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def fail_with(secret: str) -> None:
    kept = secret
    message = "the fault itself"
    raise RuntimeError(message) if kept else AssertionError


@pytest.mark.parametrize("form", logs.FORMATS)
def test_a_traceback_has_no_values(form: str) -> None:
    written = io.StringIO()
    logs.configure(form, "debug", written)
    try:
        fail_with("the-hand-secret".upper())
    except RuntimeError as fault:
        structlog.get_logger("test").error("call_failed", method="/a/B", exc_info=fault)
    text = written.getvalue()
    assert "the fault itself" in text
    assert "fail_with" in text
    assert "THE-HAND-SECRET" not in text


def test_events_for_machines_are_one_json_object_a_line() -> None:
    written = io.StringIO()
    logs.configure("json", "info", written)
    log = structlog.get_logger("test")
    log.info("serving", port=1)
    log.debug("not told")
    log.warning("second")
    events = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [(one["event"], one["level"]) for one in events] == [
        ("serving", "info"),
        ("second", "warning"),
    ]
    assert events[0]["port"] == 1
    assert all(one["timestamp"].endswith("Z") for one in events)


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(KeyError):
        logs.configure("json", "loud", io.StringIO())
