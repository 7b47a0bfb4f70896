"""What the dealer's log must say of a game, worked out from the game's own lines (PROTOCOL.md 5).

Pure: lines come in, and the lines of the dealer's log that an honest dealer publishes for them.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from dealer_service.client.lines import read_line
from dealer_service.transcript.merkle import Tree, leaf_hash
from dealer_service.transcript.noted import OF_A_HAND, Noted, Stage

_TOLD: Final = {stage.value: stage for stage in Stage if stage is not Stage.GAME_REVEALED}


def stages_of(game: str, lines: Iterable[bytes]) -> Iterator[Noted]:
    """Give the lines of the dealer's log for a game's lines, in their order; ProtocolBreach.

    The game is revealed by the last secret of a hand that was not void, or where there is none by
    its close.
    """
    tree, secret = Tree(), 0
    closed = False
    for index, line in enumerate(lines):
        tree.append(leaf_hash(line))
        entry = read_line(index, line)
        if entry.kind in _TOLD:
            stage = _TOLD[entry.kind]
            hand = entry.body["hand"] if stage in OF_A_HAND else 0
            yield Noted(entry.at, bytes.fromhex(game), hand, stage, index + 1, tree.root())
        secret += {"hand_opened": 1, "hand_void": -1, "secret_revealed": -1}.get(entry.kind, 0)
        closed = closed or entry.kind == "game_closed"
        if closed and secret == 0:
            yield Noted(
                entry.at, bytes.fromhex(game), 0, Stage.GAME_REVEALED, index + 1, tree.root()
            )
