"""All that a client keeps on disk for one player in one game, in one folder.

`GAME.PLAYER.record` is the player's witness and may be shown; `GAME.PLAYER.chain` holds the
secrets that its links come from; `GAME.PLAYER.sent` tells the client after a restart what it had
sent. Each send is noted here first, in that order, and only then made. `GAME.PLAYER.evidence`
appears when the client refuses the game.
"""

from pathlib import Path

from dealer_service.client.chain import Chains, Entropy, NoLink
from dealer_service.client.durable import FileError, LineFile
from dealer_service.client.evidence import write_evidence
from dealer_service.client.read_once import open_checkpoint
from dealer_service.client.record import Record
from dealer_service.client.refusing import Refused
from dealer_service.client.sent import AnchorSent, LinkSent, SeatAsked, Sent, from_line, to_line
from dealer_service.client.signed_lines import Signed
from dealer_service.client.verifier import LinkDue
from dealer_service.transcript.checkpoint import log_origin
from dealer_service.transcript.note import NoteKey
from dealer_service.transcript.refusal import TranscriptError


class GameFiles:
    """The record, the chains and the journal of one player in one game."""

    __slots__ = (
        "_folder",
        "_game",
        "_journal",
        "_key",
        "_name",
        "_player",
        "chains",
        "record",
        "sent",
    )

    def __init__(self, folder: Path, key: NoteKey, game: str, player: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._key, self._player = folder, key, player
        self._game = game
        self._name = f"{game}.{player}"
        origin = key.name
        self.record = Record(
            self._path("record"), game=game, key=str(key), origin=origin, player=player
        )
        if self.record.left_because:
            self.record.close()
            message = f"the client left this game: {self.record.left_because}; see {self._name}.*"
            raise FileError(message)
        try:
            self.chains = Chains(self._path("chain"), origin, game, player)
        except BaseException:
            self.record.close()
            raise
        try:
            self._journal = LineFile(self._path("sent"))
            self.sent = self._read()
        except BaseException:
            self.record.close()
            self.chains.close()
            raise

    @property
    def signed(self) -> Signed | None:
        """What the dealer had signed before the record was opened; FileError for what it did not.

        None where the record has no checkpoint.
        """
        note = self.record.last_checkpoint
        if not note:
            return None
        try:
            origin = log_origin(self._key.name, bytes.fromhex(self._game))
            checkpoint = open_checkpoint(note.encode(), self._key, origin)
        except (TranscriptError, UnicodeEncodeError) as error:
            message = f"{self.record.path} is damaged: {error}"
            raise FileError(message) from None
        return Signed(checkpoint.size, checkpoint.root, note)

    def note(self, sent: Sent) -> None:
        """Have `sent` on disk before it is sent."""
        if isinstance(sent, SeatAsked | AnchorSent) and sent.anchor:
            self.record.anchor(sent.anchor)
        self._journal.append(to_line(sent))
        self.sent.append(sent)

    def note_link(self, due: LinkDue) -> LinkSent | NoLink:
        """Have the link for a hand on disk, in chain, record and journal; the same on a retry."""
        link = self.chains.link_for(due.hand, bytes.fromhex(due.anchor))
        if isinstance(link, NoLink):
            return link
        sent = LinkSent(due.hand, link.hex())
        self.record.link(due.hand, sent.link, due.checkpoint)
        if sent not in self.sent:
            self.note(sent)
        return sent

    def new_anchor(self, entropy: Entropy, hands: int) -> str:
        """Begin a chain long enough for `hands` hands, and give its anchor in hex."""
        return self.chains.new_anchor(entropy, hands).hex()

    def write_evidence(self, refused: Refused) -> Path:
        """Write what a refusal rests on, as JSON lines."""
        path = self._path("evidence")
        write_evidence(path, refused, self._key, self._player)
        return path

    def close(self) -> None:
        """Let the files go."""
        self.record.close()
        self.chains.close()
        self._journal.close()

    def _path(self, kind: str) -> Path:
        return self._folder / f"{self._name}.{kind}"

    def _read(self) -> list[Sent]:
        try:
            sent = [from_line(line) for line in self._journal.lines]
        except (TypeError, ValueError):
            self._journal.close()
            message = f"{self._journal.path} is damaged"
            raise FileError(message) from None
        # A crash between the record and the journal leaves a link in the record alone.
        known = {each.hand for each in sent if isinstance(each, LinkSent)}
        lost = [LinkSent(h, link) for h, link in self.record.links.items() if h not in known]
        return sent + list(lost)
