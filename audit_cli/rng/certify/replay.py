"""Game files replayed for a bundle: every promise of the audit, hand by hand, and no secret twice.

Files are named by what they hold and not by where they lay, and come in the order of their games.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from audit_cli.checks import CHECKS, Request
from audit_cli.gamefile import Header, Line, Signed, read_game_file
from audit_cli.inputs import UsageError, opened, shown
from audit_cli.report.finding import Verdict
from audit_cli.verify import audit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from audit_cli.gamefile import Item
    from audit_cli.note import VerifierKey

FORMAT: Final = "cutcard-replay/1"


class _Seen:
    """What passes by on its way to the audit: games, hands, secrets and the last checkpoint."""

    def __init__(self, secrets: dict[bytes, int]) -> None:
        self.games: list[str] = []
        self.origins: list[str] = []
        self.hands = 0
        self.voids = 0
        self.anchored = 0
        self.head: dict[str, Any] | None = None
        self._secrets = secrets

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        for item in items:
            if isinstance(item, Header):
                self.games.append(item.game)
                self.origins.append(item.origin)
            elif isinstance(item, Signed):
                self.head = {"size": item.size, "root": item.root.hex()}
            elif isinstance(item, Line):
                self._count(item)
            yield item

    def _count(self, line: Line) -> None:
        if line.kind == "deck_committed":
            self.hands += 1
        elif line.kind == "hand_void":
            self.voids += 1
        elif line.kind == "anchored":
            self.anchored += 1
        if line.kind in {"secret_revealed", "hand_void"} and isinstance(
            line.body.get("secret"), str
        ):
            digest = sha256(line.body["secret"].encode()).digest()
            self._secrets[digest] = self._secrets.get(digest, 0) + 1


def find_games(folders: Iterable[Path]) -> list[Path]:
    """Return the files in folders (and files named themselves), sorted. UsageError for none."""
    found: list[Path] = []
    for folder in folders:
        if folder.is_file():
            found.append(folder)
        elif folder.is_dir():
            inside = [path for path in folder.rglob("*") if path.is_file()]
            found += [path for path in inside if not path.name.startswith(".")]
        else:
            message = f"--games {shown(str(folder))}: no such folder"
            raise UsageError(message)
    return sorted(set(found), key=lambda path: path.as_posix())


def replay_games(paths: Iterable[Path], key: VerifierKey | None = None) -> dict[str, Any]:
    """Audit each file by itself, under the trusted key or, without one, the file's own.

    UsageError where one can not be opened.

    What is no game file is listed as unreadable, with its SHA-256.
    """
    secrets: dict[bytes, int] = {}
    games: list[dict[str, Any]] = []
    unreadable: list[dict[str, str]] = []
    for path in paths:
        _replay(path, key, secrets, games, unreadable)
    games.sort(key=lambda one: (one["game"], one["sha256"]))
    unreadable.sort(key=lambda one: one["sha256"])
    return {
        "format": FORMAT,
        "key": key.text if key is not None else "",
        "games": games,
        "hands": sum(one["hands"] for one in games),
        "verified": sum(one["hands"] for one in games if one["all_hold"]),
        "failed": [one["game"] for one in games if not one["all_hold"]],
        "secrets_twice": sum(number - 1 for number in secrets.values()),
        "unreadable": unreadable,
    }


def _replay(
    path: Path,
    key: VerifierKey | None,
    secrets: dict[bytes, int],
    games: list[dict[str, Any]],
    unreadable: list[dict[str, str]],
) -> None:
    digest = sha256()
    with opened(str(path)) as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    seen = _Seen(secrets)
    with opened(str(path)) as stream:
        report = audit(seen.watch(read_game_file(stream, "")), Request(trusted=key), CHECKS)
    if report.damage or not seen.games:
        why = report.damage[0].reason if report.damage else "it holds no game"
        unreadable.append({"sha256": digest.hexdigest(), "why": why})
        return
    verdicts = report.verdicts()
    bad = [
        {"promise": one.promise.value, "hand": one.hand, "text": one.text}
        for one in report.findings
        if one.verdict is Verdict.BROKEN
    ]
    games.append(
        {
            "game": "+".join(seen.games),
            "origin": seen.origins[0],
            "sha256": digest.hexdigest(),
            "hands": seen.hands,
            "voids": seen.voids,
            "anchored": seen.anchored,
            "checkpoints": sum(game.checkpoints for game in report.games),
            "entries": sum(game.entries for game in report.games),
            "head": seen.head,
            "promises": {promise.value: said.value for promise, said in verdicts.items()},
            "broken": bad,
            "all_hold": not bad
            and all(verdicts[promise] is Verdict.HOLDS for promise in report.asked),
        }
    )
