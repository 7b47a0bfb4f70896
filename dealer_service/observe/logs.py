"""The dealer's own log: one line an event, JSON for machines or text for people.

Nothing of a request's content is logged: no token, link, secret, salt or card. Tracebacks are
written without the values of variables for the same reason.
"""

import logging
import sys
from typing import Final, TextIO

import structlog

FORMATS: Final = ("text", "json")


def configure(form: str, level: str = "info", stream: TextIO = sys.stderr) -> None:
    """Send events of `level` and above to `stream`, as "json" or "text"."""
    renderer: structlog.typing.Processor = structlog.processors.JSONRenderer()
    if form == "text":
        plain = structlog.dev.plain_traceback
        renderer = structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=plain)
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if form == "json":
        processors.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=structlog.WriteLoggerFactory(file=stream),
        cache_logger_on_first_use=True,
    )
