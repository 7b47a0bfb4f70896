"""Messages of the contract that are given as files of JSON: rules, or a tournament's structure."""

import json
from pathlib import Path

from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message

from dealer_service.commands.failure import Exit, Failure
from dealer_service.commands.telling import plain


def read_message(option: str, path: Path, message: Message, what: str) -> None:
    """Read the file that an option names into a message; Failure where it is no `what` in JSON."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        # The library takes a list for a message without fields.
        fault = "" if isinstance(given, dict) else "it is no object"
        if not fault:
            ParseDict(given, message)
    except OSError as error:
        words = f"{option} {path} can not be read: {error.strerror}"
        raise Failure(words, status=Exit.USAGE) from None
    except (ValueError, ParseError) as error:
        fault = plain(str(error))
    if fault:
        words = f"{option} {path} is no {what} in JSON: {fault}"
        raise Failure(words, status=Exit.USAGE)
