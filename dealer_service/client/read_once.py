"""What is read of a log, once for all the players of this process who follow it.

Reading is pure: the same bytes are the same entry, and the same note under the same key the same
checkpoint. So what several players of one table receive is decoded once, and its signature verified
once; each holds it against the log that it received itself. What can not be read is refused anew
each time.
"""

from functools import lru_cache
from typing import Final

from dealer_service.client import lines
from dealer_service.transcript import checkpoint

# As much as players who come to a table together read of its past.
_LINES: Final = 4_096
_NOTES: Final = 512

read_line = lru_cache(_LINES)(lines.read_line)
open_checkpoint = lru_cache(_NOTES)(checkpoint.open_checkpoint)
