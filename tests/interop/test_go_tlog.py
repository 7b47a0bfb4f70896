"""Go's own sumdb/note and sumdb/tlog open the dealer's checkpoints, and check its proofs and tiles.

Each kind of check is shown a lie as well, so that none of them can pass without looking.
"""

import asyncio
import base64
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dealer_service.transcript.checkpoint import Checkpoint, log_origin, sign_checkpoint
from dealer_service.transcript.cosignature import sign_cosignature
from dealer_service.transcript.logproof import parse_log_proof
from dealer_service.transcript.merkle import leaf_hash
from dealer_service.transcript.note import add_signatures, note_signer
from dealer_service.transcript.noted import Noted, Stage, write_noted
from dealer_service.transcript.tile_edge import TileEdge
from dealer_service.transcript.tiles import TileReader, entry_bundle
from tests.support.go_checker import GoChecker, build, missing
from tests.support.known_answers import vectors
from tests.support.service import ORIGIN as DEALER
from tests.support.service import PATIENCE, Service, seated, serving, stop

VECTORS = vectors("dealer_log.json")
ORIGIN = "dealer.example.com"
SIGNER = note_signer(ORIGIN, bytes(range(32)))
WITNESS = note_signer("witness.example.com", bytes(32))
SIZES = (1, 2, 255, 256, 257, 1_000, 65_536, 66_000)


@cache
def lines() -> list[bytes]:
    """Give the lines of a log as long as the longest that is tried."""
    return [
        write_noted(
            Noted(
                at=1_767_225_600_000 + number,
                game=number.to_bytes(16, "big"),
                hand=number % 9 + 1,
                stage=Stage.HAND_OPENED,
                size=number + 1,
                root=leaf_hash(b"%d" % number),
            )
        )
        for number in range(SIZES[-1])
    ]


@cache
def leaves() -> list[bytes]:
    """Give their leaves."""
    return [leaf_hash(line) for line in lines()]


Question = dict[str, Any]


@pytest.fixture(scope="module")
def go(tmp_path_factory: pytest.TempPathFactory) -> GoChecker:
    lack = missing()
    if lack:
        pytest.skip(lack)
    return build(tmp_path_factory.mktemp("go"))


def published(folder: Path, *sizes: int) -> Path:
    """Publish the log at these sizes one after another, as a dealer does."""
    edge = TileEdge()
    for size in sizes:
        old = edge.size
        edge, tiles = edge.grow(leaves()[old:size])
        files = {tile.path: data for tile, data in tiles}
        for tile, _ in tiles:
            if tile.level == 0:
                start = tile.index * 256
                files[tile.entries] = entry_bundle(lines()[start : start + tile.width])
        files["checkpoint"] = checkpoint(edge).encode()
        for path, data in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    return folder


def checkpoint(edge: TileEdge) -> str:
    return sign_checkpoint(Checkpoint(ORIGIN, edge.size, edge.root()), SIGNER)


def reading(folder: Path, size: int) -> TileReader:
    return TileReader(size, lambda path: (folder / path).read_bytes())


def opening(note: str, **fields: object) -> Question:
    question = {"check": "note", "vkey": str(SIGNER.verifier), "note": note, "origin": ORIGIN}
    return question | fields


def of_folder(folder: Path) -> Question:
    vkey = str(SIGNER.verifier)
    return {"check": "folder", "vkey": vkey, "folder": str(folder), "origin": ORIGIN}


def including(reader: TileReader, index: int, size: int) -> Question:
    return {
        "check": "inclusion",
        "index": index,
        "size": size,
        "leaf": leaves()[index].hex(),
        "newRoot": reader.root(size).hex(),
        "path": [value.hex() for value in reader.inclusion(index, size)],
    }


def extending(reader: TileReader, old: int, size: int) -> Question:
    return {
        "check": "consistency",
        "old": old,
        "size": size,
        "oldRoot": reader.root(old).hex(),
        "newRoot": reader.root(size).hex(),
        "path": [value.hex() for value in reader.consistency(old, size)],
    }


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("log"), *SIZES)


def test_go_opens_our_checkpoints(go: GoChecker) -> None:
    game = log_origin(ORIGIN, bytes(16))
    of_game = sign_checkpoint(Checkpoint(game, 7, bytes(32)), SIGNER)
    of_dealer = sign_checkpoint(Checkpoint(ORIGIN, 0, bytes(32)), SIGNER)
    assert go.ask([opening(of_dealer), opening(of_game, origin=game)]) == ["", ""]


def test_go_opens_a_checkpoint_that_witnesses_co_signed(go: GoChecker) -> None:
    note = sign_checkpoint(Checkpoint(ORIGIN, 3, bytes(32)), SIGNER)
    signature = sign_cosignature(note[: note.index("\n\n") + 1], 1_767_225_600, WITNESS)
    cosigned = add_signatures(note, [signature])
    assert go.ask([opening(cosigned, unverified=[signature.signer])]) == [""]


def test_go_refuses_a_checkpoint_that_was_changed(go: GoChecker) -> None:
    note = sign_checkpoint(Checkpoint(ORIGIN, 3, bytes(32)), SIGNER)
    other = str(note_signer(ORIGIN, bytes(32)).verifier)
    changed, unknown = go.ask([opening(note.replace("\n3\n", "\n4\n")), opening(note, vkey=other)])
    assert "invalid signature" in changed
    assert "no verifiable signatures" in unknown


@pytest.mark.parametrize("size", SIZES)
def test_go_reads_the_tiles_and_lines_of_every_size_that_was_published(
    go: GoChecker, tmp_path: Path, size: int
) -> None:
    """Each size is published behind those before it, so that nothing is made for it alone."""
    folder = published(tmp_path, *(one for one in SIZES if one <= size))
    assert go.ask([of_folder(folder)]) == [""]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("tile/0/000", "line 1 is not that of its leaf"),
        ("tile/1/000.p/3", "inconsistent tile"),
        ("tile/0/003.p/232", "inconsistent tile"),
        ("tile/entries/002", "is not that of its leaf"),
        ("tile/entries/003.p/232", "is not that of its leaf"),
    ],
)
def test_go_refuses_a_log_of_which_one_bit_was_changed(
    go: GoChecker, tmp_path: Path, path: str, found: str
) -> None:
    folder = published(tmp_path, 1_000)
    data = bytearray((folder / path).read_bytes())
    data[40] ^= 1
    (folder / path).write_bytes(data)
    assert found in go.ask([of_folder(folder)])[0]


def test_go_refuses_a_line_that_was_changed_with_its_leaf(go: GoChecker, tmp_path: Path) -> None:
    folder = published(tmp_path, 1_000)
    (folder / "tile/entries/000").write_bytes(entry_bundle([b"other", *lines()[1:256]]))
    (folder / "tile/0/000").write_bytes(b"".join([leaf_hash(b"other"), *leaves()[1:256]]))
    assert go.ask([of_folder(folder)])[0]


def test_go_misses_a_tile_that_is_not_there(go: GoChecker, tmp_path: Path) -> None:
    folder = published(tmp_path, 1_000)
    (folder / "tile/0/001").unlink()
    assert "tile/0/001" in go.ask([of_folder(folder)])[0]


def test_go_checks_our_inclusion_proofs(go: GoChecker, log: Path) -> None:
    reader = reading(log, SIZES[-1])
    questions = [
        including(reader, index, size)
        for size in (*SIZES, 3, 300, 65_000)
        for index in {0, size // 3, size - 1}
    ]
    assert go.ask(questions) == [""] * len(questions)


def test_go_checks_our_consistency_proofs(go: GoChecker, log: Path) -> None:
    reader = reading(log, SIZES[-1])
    questions = [
        extending(reader, old, size) for size in (*SIZES, 300) for old in {1, size // 2 + 1, size}
    ]
    assert go.ask(questions) == [""] * len(questions)


def test_go_refuses_proofs_of_something_else(go: GoChecker, log: Path) -> None:
    reader = reading(log, SIZES[-1])
    within, growth = including(reader, 300, 1_000), extending(reader, 300, 1_000)
    answers = go.ask(
        [
            within | {"index": 301},
            within | {"leaf": leaves()[301].hex()},
            within | {"path": within["path"][:-1]},
            growth | {"oldRoot": reader.root(299).hex()},
            growth | {"old": 299},
            growth | {"path": growth["path"][1:]},
        ]
    )
    assert all(answers)


def test_go_agrees_with_the_vectors(go: GoChecker) -> None:
    roots = {case["size"]: case["root"] for case in VECTORS["roots"]}
    leaves = [leaf_hash(line.encode()).hex() for line in VECTORS["lines"]]
    questions = [
        {"check": "inclusion", "leaf": leaves[case["index"]], "newRoot": roots[case["size"]]} | case
        for case in VECTORS["inclusion"]
    ]
    questions += [
        {"check": "consistency", "oldRoot": roots[case["old"]], "newRoot": roots[case["new"]]}
        | {"old": case["old"], "size": case["new"], "path": case["path"]}
        for case in VECTORS["consistency"]
        if case["old"] in roots
    ]
    named = {"vkey": VECTORS["vkey"], "origin": VECTORS["origin"]}
    questions += [opening(case["note"], **named) for case in VECTORS["checkpoints"]]
    witnesses = ["+".join(vkey.split("+")[:2]) for vkey in VECTORS["cosigned"]["times"]]
    questions.append(opening(VECTORS["cosigned"]["note"], **named, unverified=witnesses))
    assert go.ask(questions) == [""] * len(questions)


def test_go_reads_the_key_that_we_write(go: GoChecker) -> None:
    note = sign_checkpoint(Checkpoint(ORIGIN, 1, bytes(32)), SIGNER)
    vkey = str(SIGNER.verifier)
    name, key_id, public = vkey.split("+", 2)
    swapped = base64.b64encode(b"\x04" + base64.b64decode(public)[1:]).decode()
    right, wrong = go.ask([opening(note), opening(note, vkey=f"{name}+{key_id}+{swapped}")])
    assert (right, bool(wrong)) == ("", True)


async def test_go_reads_the_log_that_a_running_dealer_publishes(
    go: GoChecker, tmp_path: Path
) -> None:
    """And proofs of single lines, growth from an earlier checkpoint, and a game's checkpoints."""
    folder = tmp_path / "public"
    async with serving(tmp_path, publication=folder, batch=0.01) as service:
        await played(service)
        earlier = (folder / "checkpoint").read_text()
        game = await played(service)
        publishing = service.dealer._publishing
        assert publishing is not None
        proof = await publishing.proof(game, 1, Stage.DECK_COMMITTED)
        assert proof is not None
        file = (await service.file(game)).splitlines()
        of_game = [json.loads(line)["checkpoint"] for line in file if b'{"checkpoint"' in line]
        named = {"vkey": service.key, "origin": DEALER}
    known = parse_log_proof(proof.text.encode())
    sizes = [int(note.split("\n")[1]) for note in (earlier, known.checkpoint)]
    newest = int((folder / "checkpoint").read_text().split("\n")[1])
    reader = reading(folder, newest)
    answers = go.ask(
        [
            of_folder(folder) | named,
            opening(earlier, **named),
            opening(known.checkpoint, **named),
            {
                "check": "inclusion",
                "index": known.index,
                "size": sizes[1],
                "leaf": leaf_hash(proof.line).hex(),
                "newRoot": root_in(known.checkpoint),
                "path": [value.hex() for value in known.path],
            },
            {
                "check": "consistency",
                "old": sizes[0],
                "size": newest,
                "oldRoot": root_in(earlier),
                "newRoot": root_in((folder / "checkpoint").read_text()),
                "path": [value.hex() for value in reader.consistency(sizes[0])],
            },
            *(
                opening(note, vkey=named["vkey"], origin=f"{DEALER}/games/{game}")
                for note in of_game
            ),
        ]
    )
    assert sizes[0] < newest
    assert of_game
    assert answers == [""] * len(answers)


async def played(service: Service) -> str:
    """Play a hand or more, close the game, and wait until its reveal is published."""
    game = await service.open_game()
    bots = await seated(service, game, "ann", "bob")
    publishing = service.dealer._publishing
    assert publishing is not None
    async with asyncio.timeout(PATIENCE):
        await publishing.wait_for(game, 1, Stage.DECK_COMMITTED)
        await service.close_game(game)
        await publishing.wait_for(game, 0, Stage.GAME_REVEALED)
    await stop(bots)
    return game


def root_in(note: str) -> str:
    return base64.b64decode(note.split("\n")[2]).hex()
