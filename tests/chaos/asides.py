"""What players ask for beside their acts, as the calls that ask for it."""

from typing import Any, Final

from google.protobuf.message import Message

from cutcard.v1 import play_pb2
from tests.chaos.plans import Aside

CHAINED: Final = frozenset({"take_seat", "anchor", "anchor_again"})
"""What begins a chain of the player's own."""

_PLAIN: Final[dict[str, tuple[str, Any]]] = {
    "prefer": ("Prefer", play_pb2.PreferRequest),
    "sit_out": ("SitOut", play_pb2.SitOutRequest),
    "come_back": ("ComeBack", play_pb2.ComeBackRequest),
}


def request_of(
    aside: Aside, game: str, request_id: str, anchor: bytes, missed: tuple[int, bytes] | None
) -> tuple[str, Message]:
    """Give the method and the message of an aside.

    `anchor` ends the chain that it begins, and `missed` is the hand that missed a link, and which.
    """
    given: dict[str, Any] = {"request_id": request_id, "game": game}
    referred = given | {"reference": f"ref.{request_id}"}
    match aside.what:
        case "take_seat":
            taken = {"stack": aside.amount, "anchor": anchor, "accepts_reveal": "all_cards"}
            return "TakeSeat", play_pb2.TakeSeatRequest(**referred | taken)
        case "add_chips":
            return "AddChips", play_pb2.AddChipsRequest(**referred, amount=aside.amount)
        case "leave":
            return "LeaveSeat", play_pb2.LeaveSeatRequest(**referred)
        case "anchor":
            return "Anchor", play_pb2.AnchorRequest(**given, anchor=anchor)
        case "anchor_again":
            assert missed is not None
            missing = {"missing_hand": missed[0], "missing_link": missed[1]}
            return "Anchor", play_pb2.AnchorRequest(**given | missing, anchor=anchor)
        case _:
            method, kind = _PLAIN[aside.what]
            words = {"choices": aside.words} if aside.words else {}
            return method, kind(**given, **words)
