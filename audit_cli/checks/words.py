"""Entries and what stands in them, in the few words of a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit_cli.gamefile import Line

_TOLD = ("seat", "player", "board", "what", "act", "to", "pot", "amount", "by")


def summarise(line: Line) -> str:
    """Say an entry in a few words."""
    body = line.body
    words = [line.kind, *(f"{name} {body[name]}" for name in _TOLD if name in body)]
    if "cards" in body:
        words.append(" ".join(card["card"] for card in body["cards"]))
    return ", ".join(words)


def list_shares(shares: list[tuple[int, int]]) -> str:
    """Say who has or gets how many chips."""
    return ", ".join(f"seat {seat} {amount}" for seat, amount in shares)


def name_five(name: str, five: list[str]) -> str:
    """Say a hand's name with its best five cards."""
    return f"{name}: {' '.join(five)}"
