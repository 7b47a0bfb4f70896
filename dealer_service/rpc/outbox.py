"""What waits to be sent in a session: answers that are serialised already, many to a message.

A SessionResponse is put together from bytes: nothing is serialised twice, and a message that
several calls are told stands in it once, with all their numbers. Answers leave in the order in
which they came; only where nothing of a call's stands between, it joins an earlier one with the
same bytes. The same bytes means the same object: whoever watches is given the one form that the
dealer made of a message, and what is for one player alone was never given to another.
"""

from collections import deque
from typing import Final

from cutcard.v1 import play_pb2

FULL: Final = 1024 * 1024
"""From so many bytes on whoever may wait does."""

_ANSWER: Final = 128
_CALL: Final = 8
"""What an answer takes besides its own bytes, and what the number of a call that it is for."""

MESSAGE_BYTES: Final = 256 * 1024
"""What one message holds at most, unless a single answer is larger."""


def tag_of(field: str) -> bytes:
    """Give the tag of an answer's field, such as "act" (Protocol Buffers, "Encoding")."""
    number: int = play_pb2.SessionAnswer.DESCRIPTOR.fields_by_name[field].number
    return _varint(number << 3 | 2)


class Told:
    """A call that may be told more than once; `last` is the place of what it was told last."""

    __slots__ = ("call", "last")

    def __init__(self, call: int) -> None:
        self.call = call
        self.last = -1


class Outbox:
    """The answers of a session that wait; `held` is what they take, in bytes about."""

    __slots__ = ("_answers", "_shared", "_taken", "held")

    def __init__(self) -> None:
        self.held = 0
        self._answers: deque[_Answer] = deque()
        self._taken = 0
        # Answers that others may join, by their bytes, which they keep alive.
        self._shared: dict[int, tuple[int, _Answer]] = {}

    def __len__(self) -> int:
        return len(self._answers)

    def add(self, call: int, tag: bytes, body: bytes) -> None:
        """Answer one call, by the field of a tag."""
        self._answers.append(([call], tag, body))
        self.held += len(body) + _ANSWER + _CALL

    def tell(self, told: Told, tag: bytes, body: bytes) -> None:
        """Tell a call something that others may be told, too."""
        shared = self._shared.get(id(body))
        if shared is not None and told.last <= shared[0]:
            told.last = shared[0]
            shared[1][0].append(told.call)
            self.held += _CALL
            return
        told.last = self._taken + len(self._answers)
        answer = ([told.call], tag, body)
        self._answers.append(answer)
        self._shared[id(body)] = (told.last, answer)
        self.held += len(body) + _ANSWER + _CALL

    def take(self) -> bytes:
        """Give the next message, which is empty where nothing waits."""
        answers, size = self._answers, 0
        parts: list[bytes] = []
        self._shared.clear()
        while answers:
            calls, tag, body = answers[0]
            numbers = _varint(calls[0]) if len(calls) == 1 else b"".join(map(_varint, calls))
            head = b"\n" + _varint(len(numbers)) + numbers + tag + _varint(len(body))
            whole = len(head) + len(body)
            if size and size + whole > MESSAGE_BYTES:
                break
            answers.popleft()
            self._taken += 1
            self.held -= len(body) + _ANSWER + _CALL * len(calls)
            size += whole
            parts += (b"\n" + _varint(whole) + head, body)
        return b"".join(parts)


_Answer = tuple[list[int], bytes, bytes]
"""The numbers of calls, the tag of the field that answers them, and what stands in it."""


def _varint(value: int) -> bytes:
    """Write a number (Protocol Buffers, "Base 128 Varints")."""
    return _SHORT[value] if value < len(_SHORT) else _long(value)


def _long(value: int) -> bytes:
    content = bytearray()
    while value > 0x7F:
        content.append(value & 0x7F | 0x80)
        value >>= 7
    content.append(value)
    return bytes(content)


_SHORT: Final = tuple(map(_long, range(4096)))
