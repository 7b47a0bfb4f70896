"""One game, followed for one player: files, verifier and view, and what the protocol asks of it.

By itself it gives each link as soon as it may, keeps the checkpoints that the record should hold,
logs a new anchor when the player has lost its own and may have another, and writes the evidence
when the game is to be refused, after which nothing more is sent.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from cutcard.v1 import play_pb2
from dealer_service.client.calls import Caller
from dealer_service.client.chain import NoLink
from dealer_service.client.dealt import HOLDEM_CARDS
from dealer_service.client.disk import on_disk
from dealer_service.client.drawn import is_dated
from dealer_service.client.durable import FileError
from dealer_service.client.errors import CallRefusedError, Refusal
from dealer_service.client.events import (
    AnchorNotLogged,
    CardsDealt,
    CaughtUp,
    Disconnected,
    Event,
    LinkNotGiven,
    MyTurn,
    tell,
)
from dealer_service.client.evidence import write_evidence
from dealer_service.client.files import GameFiles
from dealer_service.client.lines import Entry
from dealer_service.client.log_proof import LogProof, LogProofError, fetch_log_proof
from dealer_service.client.own import Own
from dealer_service.client.refusing import ProtocolBreach, Reason, Refused
from dealer_service.client.sent import AnchorSent, Sent
from dealer_service.client.verifier import GameBefore, LinkDue, Progress, Verifier, Watched
from dealer_service.client.view import TableView, Viewer
from dealer_service.client.watching import Broken, follow
from dealer_service.transcript.noted import Stage

MAX_MISSES: Final = 2
# An anchor of a player dealt in, chips and a close wait for the hand's end.
HAND_SECONDS: Final = 1800.0


@dataclass(frozen=True, slots=True)
class Successor:
    """The game that goes on from this one, in which the player keeps its seat."""

    game: str
    before: GameBefore


class Following:
    """One game followed; `run` ends with the game's stream, the player's seat, or a refusal."""

    def __init__(  # noqa: PLR0913 - what a game is followed with
        self,
        caller: Caller,
        watched: Watched,
        tell_user: Callable[[Event], None],
        files: GameFiles | None = None,
        *,
        links: bool = False,
        also: Callable[[Entry], None] = lambda _: None,
        evidence: Path | None = None,
    ) -> None:
        """Begin; `also` is told each entry, and raises ProtocolBreach where it refuses one.

        `evidence` is the file of a refusal's, where there are no `files` that have their own.
        """
        self.game = watched.game
        self.files = files
        self.viewer = Viewer(watched.game, watched.player)
        networks = caller.surroundings.networks
        if files is not None:
            try:
                watched = replace(watched, signed=files.signed)
            except FileError:
                files.close()
                raise
        self.verifier = Verifier(watched, files.sent if files else (), networks)
        self.refused: Refused | None = None
        self.successor: Successor | None = None
        self.closed = asyncio.Event()
        self._has_refused = asyncio.Event()
        # Nothing is sent before the lines are those that were signed before.
        self._settled = asyncio.Event()
        if self.verifier.is_held:
            self._settled.set()
        self.left = False
        self._caller = caller
        self._evidence = evidence
        self._key = watched.key
        self._tell = tell_user
        self._links = links
        self._also = also
        # Nothing was ever sent from these files; what there was before they came is of others.
        self._backlog = watched.backlog
        self._is_blank = files is not None and not files.sent
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._linked_hand = 0
        self._dealt_hand = 0
        self._told_caught_up = False
        self._turn = (0, 0)
        self._anchoring = False
        self._anchor_tried_in = -1
        self._was_seated = False
        self._told_misses = 0
        self._unheld: list[LogProof] = []
        self._entropy = caller.surroundings.entropy

    @property
    def own(self) -> Own | None:
        """The player's seat, anchor and misses as the log has them."""
        return self.verifier.own

    async def run(self) -> None:
        """Follow the game to its end; CallRefusedError when the dealer takes no watcher."""
        reading = asyncio.create_task(self._read())
        refusing = asyncio.create_task(self._has_refused.wait())
        try:
            await asyncio.wait([reading, refusing], return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            self._settled.set()
            tasks = (reading, refusing, *self._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def note(self, sent: Sent) -> None:
        """Have what is about to be sent known and on disk; CallRefusedError after a refusal."""
        await self._settled.wait()
        self._require_trust()
        if not self.verifier.is_held:
            message = "the game is followed no more, and nothing is sent to it"
            raise CallRefusedError(Refusal("ABORTED", "NOT_FOLLOWED", message, {}))
        assert self.files is not None
        self.verifier.note(sent)
        async with self._writing:
            await on_disk(self.files.note, sent)

    async def log_proof(self, hand: int, stage: Stage, wait: float = 0.0) -> LogProof:
        """Have a line of the dealer's log proved, and hold it to the lines received.

        The game is refused where the proof fails, or is of other lines than these: at once, or
        when as many have come. CallRefusedError then, and where there is no such line by `wait`
        seconds.
        """
        self._require_trust()
        try:
            subject = (self.game, hand, stage)
            proved = await fetch_log_proof(self._caller, self._key, subject, wait)
            self._unheld.append(proved)
            self._hold_proofs()
        except LogProofError as error:
            if self.refused is None:
                await self._refuse_proof(error)
        self._require_trust()
        return proved

    async def refuse(self, breach: ProtocolBreach) -> None:
        """Refuse the game for what does not fit what is known of it elsewhere."""
        await self._refuse(self.verifier.refuse(breach))

    async def let_go(self) -> None:
        """Close the files, when what is being written is on disk."""
        if self.files is not None:
            async with self._writing:
                self.files.close()

    async def _read(self) -> None:
        steps = follow(self._caller, self.game, self.verifier)
        async with aclosing(steps):
            async for step in steps:
                await self._take(step)
                if self.refused is not None or self.left:
                    return
        self.closed.set()

    async def _take(self, step: Progress | Refused | Broken) -> None:
        if isinstance(step, Refused):
            self._require_own_files(step)
            await self._refuse(step)
        elif isinstance(step, Broken):
            self._tell(Disconnected(step.why))
        else:
            try:
                self._take_entries(step)
                self._hold_proofs()
            except ProtocolBreach as breach:
                await self._refuse(self.verifier.refuse(breach))
                return
            except LogProofError as error:
                await self._refuse_proof(error)
                return
            await self._keep(step)
            if self.verifier.is_held:
                self._settled.set()
            self._take_turn(step)
            self._answer()

    async def _refuse(self, refused: Refused) -> None:
        if self.refused is not None:
            return
        self.refused = refused
        for task in self._tasks:
            task.cancel()
        if self.files is not None:
            async with self._writing:
                await on_disk(self.files.write_evidence, refused)
                await on_disk(self.files.record.refused, refused)
        elif self._evidence is not None:
            await on_disk(write_evidence, self._evidence, refused, self._key)
        self._tell(refused)
        self._has_refused.set()

    def _require_own_files(self, refused: Refused) -> None:
        """Blame nobody for what the player did from another folder; FileError.

        A tournament gives the seat, so that nothing of it needs to be on disk before.
        """
        is_past = self.verifier.size < self._backlog
        if self._is_blank and is_past and refused.reason is Reason.NOT_MINE:
            message = (
                f"the player has played at the table {self.game} already, and this folder has "
                "nothing of it: go on with the folder that it played with"
            )
            raise FileError(message)

    def _require_trust(self) -> None:
        if self.refused is not None:
            message = f"the client left the game: {self.refused.detail}"
            refusal = Refusal("ABORTED", str(self.refused.reason), message, {})
            raise CallRefusedError(refusal)

    def _hold_proofs(self) -> None:
        """Hold lines of the dealer's log to those received; LogProofError where they differ."""
        unheld, self._unheld = self._unheld, []
        for proved in unheld:
            noted = proved.noted
            if noted.size > self.verifier.size:
                self._unheld.append(proved)
            elif self.verifier.root(noted.size) != noted.root:
                detail = (
                    f"the dealer's log has {noted.stage} of hand {noted.hand} with another root "
                    f"than that of the first {noted.size} lines received"
                )
                raise LogProofError(Reason.ROOT, detail, proved.text)

    async def _refuse_proof(self, error: LogProofError) -> None:
        breach = ProtocolBreach(error.reason, error.detail)
        await self._refuse(self.verifier.refuse(breach, proof=error.text))

    def _take_entries(self, step: Progress) -> None:
        blamed = {missed.hand for missed in self.verifier.missed if missed.sent}
        for entry in step.entries:
            self._also(entry)
            self.viewer.apply(entry)
            by_miss = entry.kind == "hand_void" and entry.body["hand"] in blamed
            event = tell(entry, self.viewer.table(), blamed=by_miss)
            if event is not None:
                self._tell(event)
            if entry.kind == "game_closed":
                self._close(entry)
        for opening in step.openings:
            self.viewer.open_own(opening)
        table = self.viewer.table()
        if (
            step.openings
            and len(table.cards) == self._hole_cards(table)
            and table.hand != self._dealt_hand
        ):
            self._dealt_hand = table.hand
            self._tell(CardsDealt(table.hand, table.cards))
        if self.verifier.caught_up and not self._told_caught_up:
            self._told_caught_up = True
            self._tell(CaughtUp(self.game, table))

    @staticmethod
    def _hole_cards(table: TableView) -> int:
        return int(table.rules.get("hole_cards", HOLDEM_CARDS))

    def _close(self, entry: Entry) -> None:
        following = entry.body.get("next")
        if following and self.own is not None and self.own.seat is not None:
            size = entry.index + 1
            before = GameBefore(self.game, size, self.verifier.root(size).hex())
            self.successor = Successor(following, before)
        self.closed.set()

    async def _keep(self, step: Progress) -> None:
        if self.files is None:
            return
        missed = self.verifier.missed
        fresh = missed[self._told_misses :]
        self._told_misses = len(missed)
        record = self.files.record
        async with self._writing:
            for each in fresh:
                if each.sent:
                    await on_disk(record.missed, each.hand)
            if step.kept is not None:
                await on_disk(record.checkpoint, step.kept.checkpoint)

    def _take_turn(self, step: Progress) -> None:
        """Tell a turn of the player's once, and not before it has its cards."""
        if step.decision is not None or step.entries:
            self.viewer.decide(step.decision)
        due, own = self.viewer.decision, self.own
        if not self.verifier.is_held or due is None or own is None:
            return
        if (own.hand_of_mine, own.seat) != (due.hand, due.seat):
            return
        turn = (due.hand, due.turn)
        if turn > self._turn and self._dealt_hand == due.hand:
            self._turn = turn
            self._tell(MyTurn(due, self.viewer.table()))

    def _answer(self) -> None:
        """Do what the protocol asks of the client now."""
        own = self.own
        if self.files is None or own is None or not self.verifier.caught_up:
            return
        due = self.verifier.link_due
        if due is not None and due.hand > self._linked_hand and not own.anchor_spent:
            self._linked_hand = due.hand
            if self._may_link(due):
                self._start(self._give_link(due))
            else:
                self._tell(LinkNotGiven(due.hand, "the opening is not of now, by this clock"))
        if own.seat is not None:
            self._was_seated = True
            self._anchor_again(own)
        elif self._was_seated:
            self.left = True

    def _may_link(self, due: LinkDue) -> bool:
        """Say whether an opening is dated as it has to be; a link that left may go again."""
        assert self.files is not None
        if due.dated is None or self.files.chains.given(due.hand) is not None:
            return True
        return is_dated(due.dated, self._caller.surroundings.wall())

    def _anchor_again(self, own: Own) -> None:
        assert self.files is not None
        anchor = own.anchor
        done = anchor is not None and self.files.chains.left(bytes.fromhex(anchor)) == 0
        wanted = self._links and (anchor is None or own.anchor_spent or done)
        free = not self._anchoring and self._anchor_tried_in != self.verifier.hand
        stays = not own.leaving and not self.closed.is_set()
        if wanted and free and stays and len(own.missed) < MAX_MISSES:
            self._anchoring = True
            self._anchor_tried_in = self.verifier.hand
            self._start(self._log_anchor(own))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _give_link(self, due: LinkDue) -> None:
        assert self.files is not None
        async with self._writing:
            sent = await on_disk(self.files.note_link, due)
        if isinstance(sent, NoLink):
            self._tell(LinkNotGiven(due.hand, str(sent)))
            return
        self.verifier.note(sent)
        request = play_pb2.GiveLinkRequest(
            game=self.game, hand=due.hand, link=bytes.fromhex(sent.link)
        )
        try:
            await self._caller.call(lambda at: at.play.GiveLink, request)
        except CallRefusedError as error:
            self._tell(LinkNotGiven(due.hand, str(error)))

    async def _log_anchor(self, own: Own) -> None:
        assert self.files is not None
        missing_hand, missing_link = 0, b""
        if own.missed:
            last = own.missed[-1]
            missing_hand = last.hand
            before = self.files.chains.before(bytes.fromhex(last.anchor))
            missing_link = before or b""
        if missing_hand and not missing_link:
            self._tell(AnchorNotLogged("the missing link is not in this client's chains"))
            self._anchoring = False
            return
        rules = self.viewer.table().rules
        hands = rules["max_hands"] - self.verifier.hand
        try:
            async with self._writing:
                anchor = await on_disk(self.files.new_anchor, self._entropy, hands)
            request_id = self._caller.surroundings.request_id()
            sent = AnchorSent(request_id, anchor, missing_hand, missing_link.hex())
            await self.note(sent)
            request = play_pb2.AnchorRequest(
                request_id=request_id,
                game=self.game,
                anchor=bytes.fromhex(anchor),
                missing_hand=missing_hand or None,
                missing_link=missing_link or None,
            )
            await self._caller.call(lambda at: at.play.Anchor, request, total=HAND_SECONDS)
        except CallRefusedError as error:
            self._tell(AnchorNotLogged(str(error)))
        finally:
            self._anchoring = False
