"""CONSISTENT and WITNESSED by the dealer's log: what it tells of these games, and who vouches.

Each game's entries say which lines the dealer's log has to have of them (protocol 5). Lines come
from the published log, from `dealer_log` lines of the file and from `tlog-proof` files, each under
a checkpoint of the dealer's log with the key's signature and a path to it. What is not so proved is
left out, and said.
"""

from __future__ import annotations

from functools import partial
from struct import Struct
from typing import TYPE_CHECKING

from audit_cli.checkpoint import Checkpoint, parse_game_checkpoint_note
from audit_cli.checks.dealer_log import Told, WholeLog, read_whole_log
from audit_cli.checks.log_notes import LogNotes
from audit_cli.checks.log_told import tell_log
from audit_cli.checks.logged import Evidence, LoggedGame, compare_line, roots_at
from audit_cli.checks.quorum import Quorum, find_quorum
from audit_cli.checks.voice import count
from audit_cli.checks.witnessed import conclude_witnessed
from audit_cli.log.logproof import LogProof
from audit_cli.log.noted import Noted, Stage, read_noted, write_noted
from audit_cli.merkle import leaf_hash
from audit_cli.problem import Problem
from audit_cli.report.finding import Finding, Promise, Verdict
from audit_cli.spool import Numbers, Spool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from audit_cli.checks.check import Emit, Handler, OutsideNote, Request
    from audit_cli.coverage import Ended
    from audit_cli.gamefile import Extra, Header, Line, Signed
    from audit_cli.log.tiles import TileReader
    from audit_cli.note import Note

_NAMED = 3
_MARK = Struct("<QBQQ")
_BY_NUMBER = tuple(Stage)
_STAGES = {stage.value: number for number, stage in enumerate(_BY_NUMBER)}
_MARKED = ("game_opened", "hand_opened", "deck_committed", "hand_void", "game_closed")


class Published:
    """Gathers what each game has to stand in the dealer's log with, and compares."""

    def __init__(self, request: Request, emit: Emit) -> None:
        self._request = request
        self._emit = emit
        self._games: dict[str, LoggedGame] = {}
        self._notes = LogNotes(emit)
        self._used: set[int] = set()
        self._vouched = 0
        # Where stages stand: hand, stage, time and size of each.
        self._marks = Spool()
        self._extras: list[Extra] = []

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """The entries that have a line in the dealer's log."""
        return dict.fromkeys(_MARKED, self._mark) | {"secret_revealed": self._revealed}

    def begin(self, header: Header) -> None:
        """Begin a game."""
        self._header = header
        self._marks = Spool()
        self._extras = []
        self._to_reveal = Numbers()
        self._closed = False
        self._promised = False

    def _mark(self, line: Line) -> None:
        kind = line.kind
        hand = line.body.get("hand", 0)
        self._put(line, hand, kind)
        if kind == "hand_opened":
            self._to_reveal.add(hand)
        elif kind == "game_opened":
            self._promised = line.body["rules"]["log_proof"] != "none"
        elif kind == "hand_void":
            self._to_reveal.discard(hand)
        elif kind == "game_closed":
            self._closed = True
            if not self._to_reveal:
                self._put(line, 0, "game_revealed")

    def tournament(self, line: Line) -> None:
        """Take an entry of a tournament's log: its first and last have lines (protocol 14.1)."""
        if line.kind == "tournament_opened":
            self._put(line, 0, "game_opened")
            self._promised = line.body["structure"]["rules"]["log_proof"] != "none"
        elif line.kind == "tournament_closed":
            self._put(line, 0, "game_closed")
            self._put(line, 0, "game_revealed")

    def _revealed(self, line: Line) -> None:
        self._to_reveal.discard(line.body["hand"])
        if self._closed and not self._to_reveal:
            self._put(line, 0, "game_revealed")

    def _put(self, line: Line, hand: int, stage: str) -> None:
        """Keep where a stage stands, which is named as `Stage` names it."""
        self._marks.add(_MARK.pack(hand, _STAGES[stage], line.at, line.entry + 1))

    def _first_marks(self) -> dict[tuple[int, Stage], tuple[int, int]]:
        """Return where each stage stands first; a second one is for ORDERED to tell."""
        marks: dict[tuple[int, Stage], tuple[int, int]] = {}
        for mark in self._marks.blocks(_MARK.size):
            hand, stage, at, size = _MARK.unpack(mark)
            marks.setdefault((hand, _BY_NUMBER[stage]), (at, size))
        return marks

    def behind(self, extra: Extra) -> None:
        """Take lines of the dealer's log that the file brings."""
        if extra.kind == "dealer_log":
            self._extras.append(extra)

    def end(self, leaves: Spool, signed: Signed | None, ended: Ended) -> None:
        """Take the game's covered entries, and compare what the file and proofs tell of it."""
        asked = self._request
        given = asked.dealer_log or asked.proofs or asked.policy or asked.outside
        if signed is None or not (self._extras or given):
            return
        game = self._gathered(leaves.read(0, len(leaves)), signed, ended)
        before = self._games.get(game.header.game)
        if before is None or before.covered < game.covered:
            self._games[game.header.game] = game
        if before is not None:
            game.told, game.witnessed = before.told, before.witnessed
        for extra in self._extras:
            self._take_extra(game, extra)
        for number, file in enumerate(asked.proofs):
            self._take_proof(game, number, file.source, file.proof)

    def _gathered(self, leaves: bytes, signed: Signed, ended: Ended) -> LoggedGame:
        header = self._header
        marks = self._first_marks()
        roots = roots_at(leaves, (size for _, size in marks.values()))
        expected = {
            (hand, stage): Noted(at, header.game, hand, stage, size, roots[size])
            for (hand, stage), (at, size) in marks.items()
        }
        whole = (0, Stage.GAME_REVEALED) in expected and ended.first_unsigned is None
        return LoggedGame(header, ended.key, signed, leaves, expected, self._promised, whole)

    def _take_extra(self, game: LoggedGame, extra: Extra) -> None:
        note_text = extra.body["checkpoint"]
        found = parse_game_checkpoint_note(note_text)
        assert not isinstance(found, Problem)
        note, checkpoint = found
        source = f"line {extra.number:,}"
        if not self._is_own(game, note, checkpoint, (note_text, source)):
            game.doubt(f"the dealer_log lines of {source} are under no good checkpoint")
            return
        for told in extra.body["lines"]:
            path = tuple(bytes.fromhex(step) for step in told["proof"])
            proof = LogProof(told["index"], path, note_text, note, checkpoint)
            line = told["line"].encode("utf-8", "surrogatepass")
            wrong = proof.check(leaf_hash(line))
            if wrong is not None:
                game.doubt(f"a dealer_log line of {source} is not proved: {wrong}")
                continue
            evidence = Evidence(source, extra.number, proof.index, line, proof.steps, note_text)
            self._take_line(game, evidence, note)

    def _take_proof(self, game: LoggedGame, number: int, source: str, proof: LogProof) -> None:
        line = _line_of(game, proof)
        if line is None:
            return
        self._used.add(number)
        where = (proof.note_text, source)
        if not self._is_own(game, proof.note, proof.checkpoint, where):
            game.doubt(f"the proof {source} is under no good checkpoint of {game.key}")
            return
        evidence = Evidence(source, None, proof.index, line, proof.steps, proof.note_text)
        self._vouched += self._take_line(game, evidence, proof.note)

    def _is_own(
        self, game: LoggedGame, note: Note, checkpoint: Checkpoint, where: tuple[str, str]
    ) -> bool:
        return self._notes.take(game.key, game.header.origin, note, checkpoint, where)

    def _quorum(self, game: LoggedGame, note: Note) -> Quorum | str | None:
        policy = self._request.policy
        return None if policy is None else find_quorum(policy, game.key, note)

    def _take_line(self, game: LoggedGame, evidence: Evidence, note: Note) -> bool:
        """Compare a line, and see who vouches for it; whether it agrees."""
        return self._compare_line(game, evidence, self._quorum(game, note))

    def _compare_line(
        self, game: LoggedGame, evidence: Evidence, quorum: Quorum | str | None
    ) -> bool:
        key = compare_line(self._emit, game, evidence)
        if key is not None and isinstance(quorum, Quorum):
            game.vouch(key, quorum)
        elif key is not None and quorum is not None:
            game.doubt(f"{quorum} ({evidence.source})")
        return key is not None

    def conclude(self) -> None:
        """Read the published log, compare all of it, and say what holds."""
        for number, file in enumerate(self._request.proofs):
            if number not in self._used:
                text = f"the proof {file.source} is ignored: it is of no line of these games"
                self._emit.warning(text)
        outside = self._take_outside()
        log = self._read_log()
        if log is not None:
            first = next(iter(self._games.values()))
            self._notes.compare(first.key, log)
            for game in self._games.values():
                self._compare_game(game, log, outside)
            tell_log(self._emit, first.key, log, self._games.keys())
        self._conclude_consistent(log, len(outside))
        conclude_witnessed(self._emit, self._request.policy, self._games.values())

    def cosigned_at(self, game: str, hand: int) -> int | None:
        """Return by when a quorum had co-signed the line of a hand's opening, in milliseconds.

        Witnesses tell whole seconds, so it is the end of theirs. None where that is not known;
        whole only when all was compared.
        """
        logged = self._games.get(game)
        quorum = None if logged is None else logged.witnessed.get((hand, Stage.HAND_OPENED))
        return None if quorum is None else 1000 * quorum.reached + 999

    def _take_outside(self) -> list[OutsideNote]:
        """Take the notes from outside that are of the dealer's log."""
        taken = []
        for outside in self._request.outside:
            checkpoint, where = outside.checkpoint, (outside.text, outside.source)
            games = [g for g in self._games.values() if g.header.origin == checkpoint.origin]
            if not games:
                continue
            # Without a trusted key the games may have several.
            good = [self._is_own(game, outside.note, checkpoint, where) for game in games]
            if any(good):
                taken.append(outside)
            else:
                text = f"it has no good signature of {games[0].key}"
                self._emit.warning(f"the note {outside.source} is ignored: {text}")
        return taken

    def _read_log(self) -> WholeLog | None:
        asked = self._request.dealer_log
        if asked is None:
            return None
        if not self._games:
            self._unproved("no signed entry to compare with the dealer's log")
            return None
        game = next(iter(self._games.values()))
        log = read_whole_log(asked.fetch, game.header.origin, game.key, self._games.keys())
        if isinstance(log, Problem):
            text = f"the dealer's log {asked.source} can not be read: {log.reason}"
            self._unproved(text)
            self._say(Promise.COMPLETE, Verdict.NOT_ESTABLISHED, text)
            return None
        self._is_own(game, log.note, log.checkpoint, (log.note_text, asked.source))
        return log

    def _compare_game(
        self, game: LoggedGame, log: WholeLog, outside: Sequence[OutsideNote]
    ) -> None:
        if game.header.origin != log.checkpoint.origin:
            self._unproved(
                f"the dealer's log is of {log.checkpoint.origin}, this game is not", game
            )
            return
        quorum = self._quorum(game, log.note)
        told = log.lines.get(game.header.game, [])
        seconds = {second.told.index for second in log.seconds}
        for one in told:
            if one.index not in seconds:
                path = partial(_path, log.tree, one.index)
                line = write_noted(one.noted)
                source = "the dealer's log"
                evidence = Evidence(source, None, one.index, line, path, log.note_text)
                self._compare_line(game, evidence, quorum)
        self._find_missing(game, told)
        for note in outside:
            self._vouch_outside(game, log, note)

    def _vouch_outside(self, game: LoggedGame, log: WholeLog, outside: OutsideNote) -> None:
        """Take the witnesses of a note from outside for the lines that it covers."""
        checkpoint = outside.checkpoint
        quorum = self._quorum(game, outside.note)
        if not isinstance(quorum, Quorum) or log.tree.root_at(checkpoint.size) != checkpoint.root:
            return
        for told in log.lines.get(game.header.game, []):
            key = (told.noted.hand, told.noted.stage)
            if told.index < checkpoint.size and game.expected.get(key) == told.noted:
                game.vouch(key, quorum)

    def _find_missing(self, game: LoggedGame, told: list[Told]) -> None:
        """See which lines the published log has not; lines of a game come in their order."""
        there = {(one.noted.hand, one.noted.stage) for one in told}
        latest = max((one.noted.size for one in told), default=0)
        missing = [noted for key, noted in game.expected.items() if key not in there]
        left_out = [noted for noted in missing if noted.size < latest]
        if left_out and game.promised:
            names = ", ".join(str(noted) for noted in left_out[:_NAMED])
            text = f"the dealer's log leaves out {count(len(left_out), 'line')} of this game"
            text = f"{text} ({names}), and has later ones"
            hand = left_out[0].hand
            game.say(self._emit, Promise.CONSISTENT, Verdict.BROKEN, text, hand)
        elif missing:
            text = f"{count(len(missing), 'line')} of this game not in the dealer's log"
            if not game.promised:
                text += ", where the rules promise none"
            game.doubt(text)
            self._unproved(text, game)

    def _conclude_consistent(self, log: WholeLog | None, outside: int) -> None:
        holds = Verdict.HOLDS
        if log is not None:
            told = count(sum(len(game.told) for game in self._games.values()), "line")
            text = (
                f"the dealer's log of {count(log.checkpoint.size, 'line')} has {told} of these "
                "games, with the roots of these entries"
            )
            self._say(Promise.CONSISTENT, holds, text)
        elif self._vouched:
            text = f"{count(self._vouched, 'proof')} of the dealer's log lead to these entries"
            self._say(Promise.CONSISTENT, holds, text)
        elif self._request.proofs:
            self._unproved("no proof of the dealer's log to compare with")
        if outside and log is None and not self._notes.forked:
            if self._notes.agreeing:
                text = "checkpoints of the dealer's log from several sources say the same"
                self._say(Promise.CONSISTENT, holds, text)
            else:
                self._unproved(
                    f"{count(outside, 'checkpoint')} of the dealer's log, and nothing to compare "
                    "with; give the log by --dealer-log"
                )

    def _unproved(self, text: str, game: LoggedGame | None = None) -> None:
        self._say(Promise.CONSISTENT, Verdict.NOT_ESTABLISHED, text, game)

    def _say(
        self, promise: Promise, verdict: Verdict, text: str, game: LoggedGame | None = None
    ) -> None:
        name = None if game is None else game.header.game
        self._emit.finding(Finding(promise, verdict, text, game=name))


def _line_of(game: LoggedGame, proof: LogProof) -> bytes | None:
    """Return the line of this game that a proof is of: its own, or one that it leads from."""
    if proof.extra is not None:
        noted = read_noted(proof.extra)
        of_game = isinstance(noted, Noted) and noted.game == game.header.game
        if of_game and proof.check(leaf_hash(proof.extra)) is None:
            return proof.extra
    for expected in game.expected.values():
        line = write_noted(expected)
        if proof.check(leaf_hash(line)) is None:
            return line
    return None


def _path(tree: TileReader, index: int) -> tuple[bytes, ...]:
    path = tree.inclusion(index)
    return () if isinstance(path, Problem) else path
