"""The page reads and refuses lines, notes and proofs as the audit does, and in the same words."""

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest
from selenium.webdriver import Chrome

from audit_cli.canonical import read_file_line
from audit_cli.checkpoint import parse_game_checkpoint_note
from audit_cli.log.logproof import parse_log_proof
from audit_cli.log.noted import read_noted
from audit_cli.problem import Problem
from audit_cli.transcript_line import parse_entry
from tests.support.known_answers import vectors
from tests.support.simulator import HOUSE_LIFE, play_game

INPUTS: Final = 2_000
BYTES: Final = b'{}[]",:\\0123456789-+.eEtfn \n\x00\x1f\x7f\x80\xe2\xc3\xa9\xff\xf0\x9f\xed\xa0'
PIECES: Final = (
    *(
        b"null",
        b"true",
        b"1.5",
        b"1e3",
        b"-0",
        b"-1",
        b"00",
        b" ",
        b'" "',
        b",",
        b"=",
        b"index 3\n",
    ),
    *(b"\\u0041", b"\\u001f", b"\\u001F", b"\\ud800", b"\\n", b'\\"', b"\\/"),
    *(b"9007199254740991", b"9007199254740992", b"99999999999999999999"),
    *(b'"__proto__":{},', b'"constructor":1,', b'"hand":1,', b"[" * 70, b'{"a":' * 70),
    *("\u2028".encode(), "\U0001f600".encode(), "\ufeff".encode(), "\u00a0".encode(), b"\n\n"),
    "\N{EM DASH} a b\n".encode(),
)

Reader = Callable[[bytes], object]


def changed(random: Random, line: bytes) -> bytes:
    """Change a line in one to three places."""
    new = bytearray(line)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(new) + 1)
        match random.randrange(4):
            case 0:
                new[at : at + 1] = bytes([random.choice(BYTES)])
            case 1:
                del new[at : at + random.randrange(1, 6)]
            case 2:
                new[at:at] = random.choice(PIECES)
            case _:
                start = random.randrange(len(new) + 1)
                new[at:at] = new[start : start + random.randrange(40)]
    return bytes(new)


def game_lines() -> list[bytes]:
    """Give the lines of a game's file, entries and checkpoints."""
    return play_game(seed=11, hands=8, habits=HOUSE_LIFE).game_file().splitlines()


def notes() -> list[bytes]:
    """Give the notes of a game's checkpoints."""
    lines = [line for line in game_lines() if line.startswith(b'{"checkpoint"')]
    return [json.loads(line)["checkpoint"].encode() for line in lines]


def noted() -> list[bytes]:
    """Give lines of a dealer's log."""
    told: list[dict[str, Any]] = vectors("dealer_log.json")["noted"]
    return [one["line"].encode() for one in told]


def proofs() -> list[bytes]:
    """Give proofs of such lines."""
    told: list[dict[str, Any]] = vectors("dealer_log.json")["proofs"]
    return [one["text"].encode() for one in told]


READERS: Final[dict[str, tuple[Callable[[], list[bytes]], Reader]]] = {
    "entry": (game_lines, parse_entry),
    "file line": (game_lines, read_file_line),
    "checkpoint": (notes, parse_game_checkpoint_note),
    "noted": (noted, read_noted),
    "proof": (proofs, parse_log_proof),
}


@pytest.mark.parametrize("what", READERS)
def test_what_is_changed_is_refused_for_the_same_reason(probe: Chrome, what: str) -> None:
    given, read = READERS[what]
    random = Random(what)
    honest = given()
    inputs = [changed(random, random.choice(honest)) for _ in range(INPUTS)] + honest
    if what == "proof":
        inputs = [one for one in inputs if "\ufffd" not in one.decode(errors="replace")]
    told = probe.execute_async_script(
        """
        const [what, inputs, done] = arguments;
        probe.refusals(what, inputs).then(done, (error) => done(String(error.stack || error)));
        """,
        what,
        [one.hex() for one in inputs],
    )
    assert isinstance(told, list), told
    wanted = []
    for one in inputs:
        wrong = read(one)
        wanted.append([wrong.reason, wrong.hint] if isinstance(wrong, Problem) else None)
    differ = [
        (one, want, got) for one, want, got in zip(inputs, wanted, told, strict=True) if want != got
    ]
    assert not differ, "\n".join(map(repr, differ[:5]))
    assert None in wanted
    assert len({want[0] for want in wanted if want}) > 5
