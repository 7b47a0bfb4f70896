"""The dealer's own log: one line an event, JSON for machines or text for people.

Every event of a call has the call's method, request, game and caller (`context.py`), and every
one that needs somebody says what to do (`incidents.py`). What libraries log by Python's own
logging, and threads that end by a fault, come in the same form.

A log that can not be written is lost, and nothing else with it.

Nothing of a request's content is logged: no token, link, secret, salt or card. Tracebacks are
written without the values of variables for the same reason.
"""

import contextlib
import logging
import sys
import threading
from typing import Final, TextIO

import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import Processor

from dealer_service.observe.context import add_call
from dealer_service.observe.incidents import add_hint

FORMATS: Final = ("text", "json")


def configure(form: str, level: str = "info", stream: TextIO = sys.stderr) -> None:
    """Send events of `level` and above to `stream`, as "json" or "text"."""
    least = logging.getLevelNamesMapping()[level.upper()]
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        add_call,
        structlog.processors.add_log_level,
        add_hint,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    rendering = _rendering(form, colors=stream.isatty())
    structlog.configure(
        processors=[*common, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=lambda *_: _Lines(stream),
        # Loggers are made anew for each event, which is rare, so that this can be called again.
        cache_logger_on_first_use=False,
    )
    _take_in_libraries(common, rendering, least, stream)
    threading.excepthook = _tell_of_thread


def _rendering(form: str, *, colors: bool) -> list[Processor]:
    if form == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)]


class _Lines:
    """Writes an event's line, or loses it where the disk is full or nobody reads.

    What a dealer does never hangs on whether it could tell of it: a store that fails because the
    disk is full must still stop the dealer.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> None:
        """Write one line, at once."""
        with contextlib.suppress(OSError):
            self._stream.write(line + "\n")
            self._stream.flush()

    debug = info = warning = warn = error = critical = fatal = exception = msg = log = write


class _Libraries(logging.StreamHandler[TextIO]):
    """Writes what libraries log; a class of its own, so that it is found and replaced."""


def _take_in_libraries(
    common: list[Processor], rendering: list[Processor], least: int, stream: TextIO
) -> None:
    named: list[Processor] = [structlog.stdlib.add_logger_name, *common]
    handler = _Libraries(stream)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=named,
            processors=[ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    root = logging.getLogger()
    for one in [one for one in root.handlers if isinstance(one, _Libraries)]:
        root.removeHandler(one)
    root.addHandler(handler)
    # Libraries tell of their own doings at info; what an operator wants of them is less.
    root.setLevel(max(least, logging.WARNING))
    logging.captureWarnings(capture=True)


def _tell_of_thread(what: threading.ExceptHookArgs) -> None:
    name = what.thread.name if what.thread is not None else ""
    structlog.get_logger("dealer").critical(
        "thread_failed", thread=name, exc_info=what.exc_value or what.exc_type
    )
