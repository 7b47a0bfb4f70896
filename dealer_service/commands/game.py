"""`cutcard-dealer game`: opens, lists, shows, pauses, resumes and closes cash games."""

import argparse
import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, Final

from google.protobuf.json_format import MessageToDict

from cutcard.v1 import entry_pb2
from dealer_service.access.roles import Role
from dealer_service.client import Dealer
from dealer_service.client.operator import GameSummary
from dealer_service.commands import say
from dealer_service.commands.connecting import Action, act_as
from dealer_service.commands.failure import Exit
from dealer_service.commands.loops import run_loop
from dealer_service.commands.message_files import read_message
from dealer_service.commands.telling import plain


def run(options: argparse.Namespace) -> int:
    """Do the action that is named."""
    return run_loop(act_as(options, Role.OPERATOR, _ACTIONS[options.action]))


async def _open(dealer: Dealer, options: argparse.Namespace) -> int:
    opened = await dealer.operator.open_game(
        rules_of(options), reference=options.reference or "", request_id=options.request_id or ""
    )
    say.out(opened.game)
    return Exit.DONE


def rules_of(options: argparse.Namespace) -> entry_pb2.RuleSet:
    """Give the rules of the file, with what the options say in place of what it says."""
    rules = entry_pb2.RuleSet()
    if options.rules is not None:
        read_message("--rules", options.rules, rules, "rule set")
    if options.blinds is not None:
        rules.small_blind, rules.big_blind = options.blinds
    rules.seats = options.seats or rules.seats
    return rules


async def _list(dealer: Dealer, options: argparse.Namespace) -> int:
    async for one in dealer.operator.list_games(options.state or ""):
        say.out(as_json(one) if options.json else _line(one))
    return Exit.DONE


async def _show(dealer: Dealer, options: argparse.Namespace) -> int:
    one = await dealer.operator.get_game(options.game)
    if options.json:
        say.out(as_json(one))
        return Exit.DONE
    say.out(_line(one))
    say.out(f"  opened {_moment(one.opened_at)}; {one.size} entries, {one.signed_size} signed")
    for words, other in (
        ("goes on from", one.previous),
        ("goes on in", one.next),
        ("is a table of the tournament", one.tournament),
    ):
        if other:
            say.out(f"  {words} {other}")
    if rules := _rules(one):
        say.out(f"  rules: {json.dumps(rules)}")
    return Exit.DONE


async def _pause(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.operator.pause(options.game, request_id=options.request_id or "")
    say.note("no hand opens any more; one that is open plays on")
    return Exit.DONE


async def _resume(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.operator.resume(options.game, request_id=options.request_id or "")
    return Exit.DONE


async def _close(dealer: Dealer, options: argparse.Namespace) -> int:
    size = await dealer.operator.close(
        options.game, reference=options.reference or "", request_id=options.request_id or ""
    )
    say.note(f"closed and revealed: {size} entries; `cutcard-dealer fetch` writes its file")
    return Exit.DONE


async def _void(dealer: Dealer, options: argparse.Namespace) -> int:
    await dealer.operator.void_hand(options.game, options.hand, request_id=options.request_id or "")
    say.note(f"hand {options.hand} is void, and its chips are back")
    return Exit.DONE


async def _remove(dealer: Dealer, options: argparse.Namespace) -> int:
    stack = await dealer.operator.remove_player(
        options.game,
        options.player,
        reference=options.reference or "",
        request_id=options.request_id or "",
    )
    left = "its chips leave at the hand's end" if stack is None else f"{stack} chips left with it"
    say.note(f"{options.player} is removed; {left}")
    return Exit.DONE


def as_json(one: GameSummary) -> str:
    """Write a game as an object, with the fields of the contract's GameSummary."""
    told: dict[str, Any] = {field.name: getattr(one, field.name) for field in fields(one)}
    return json.dumps(told | {"rules": _rules(one)})


def _rules(one: GameSummary) -> dict[str, Any]:
    # Of an archived game none are told.
    told: dict[str, Any] = MessageToDict(one.rules, preserving_proto_field_name=True)
    return told


def _line(one: GameSummary) -> str:
    rules = one.rules
    stakes = f"{rules.small_blind}/{rules.big_blind}" if rules.big_blind else ""
    counted = f"{one.hands} hands, {one.players} of {rules.seats or '?'} seats taken"
    words = (one.game, f"{one.state:8}", counted, stakes, plain(one.reference))
    return "  ".join(filter(None, words))


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(" ", "seconds")


_ACTIONS: Final[Mapping[str, Action]] = {
    "open": _open,
    "list": _list,
    "show": _show,
    "pause": _pause,
    "resume": _resume,
    "close": _close,
    "void": _void,
    "remove": _remove,
}
