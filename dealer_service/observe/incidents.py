"""What each warning and error means, and what to do about it: for whoever is woken at night.

An event of these names carries its words as `hint`; deploy/OPERATIONS.md lists them. An event
that is logged at warning or above without an entry here is a defect. Each is counted as well, so
that an alert can be set on what stands in the log: for the process, as the log is the process's.
"""

from collections.abc import Mapping
from typing import Final

from prometheus_client import Counter
from structlog.typing import EventDict

HINTS: Final[Mapping[str, str]] = {
    "archive_differs": (
        "The file of a finished game is not what the store holds: the disk or somebody changed it. "
        "The store forgets nothing of the game. Move the file away, and it is written anew."
    ),
    "archive_failed": (
        "Files of finished games can not be written, such as on a full disk. Nothing is lost: the "
        "store keeps the games, and it is tried again. Make room, or mend --archive."
    ),
    "beat_failed": (
        "The lease on this node's games could not be renewed, for its store does not answer. "
        "Look at the database and the network. Others take the games over if it stays so."
    ),
    "beacon_unread": (
        "The beacon's round that hands wait for could not be had, or was not the beacon's. It is "
        "asked for again by itself; hands without it in time are void, twice a game at most, and "
        "wait after that. Look at --beacon, the way to it, and the machine's clock."
    ),
    "call_failed": (
        "A fault of the dealer's own answered this call with INTERNAL. Nothing was changed by it. "
        "Keep the line and report it."
    ),
    "cards_wait_for_log": (
        "A hand's deck is fixed, and its cards wait until that is published: the rules say "
        "before_cards. Look at the publication and at its witnesses. It goes on by itself."
    ),
    "certificate_expires_soon": (
        "The TLS certificate runs out in a while. Put a new one in its place: it is taken "
        "up without a restart."
    ),
    "certificate_not_taken": (
        "The new TLS certificate or its key can not be used, and the one before still is. Mend the "
        "files: they are looked at again."
    ),
    "certification_mode": (
        "This dealer deals no games, and tells the secret of every hand. It is for a laboratory: "
        "let nobody play here, and stop it when the hands are collected."
    ),
    "clock_ahead_of_store": (
        "The database's clock went back, or is another's. This node's goes at half speed until "
        "both agree, and turns last longer. Never set the database's clock while dealers run."
    ),
    "clock_set_forward": (
        "This node's clock was behind the database's, and followed it: this machine was halted, or "
        "that clock was set. If that was by more than 5 seconds, clients may refuse open games."
    ),
    "development_mode": (
        "This dealer made its own keys and speaks without TLS, on this machine alone. It is for "
        "trying out, not for play that counts."
    ),
    "few_open_files": (
        "Few files may be open here, and each connection is one. Raise the limit (`ulimit -n`, "
        "or LimitNOFILE) before many callers come."
    ),
    "game_taken_over": (
        "Another node has this game now, and this one let go of it. Nothing is lost. If it comes "
        "often, this machine stands still for longer than --lease, or the database is slow."
    ),
    "journals_missing": (
        "The restore went on without the signed journal of some nodes: games that only those could "
        "prove whole are given up as lost."
    ),
    "lease_ran_out": (
        "This node could not reach the shared store for as long as its lease, and let go of every "
        "table; other nodes go on with them. It takes part again when the store answers."
    ),
    "leave_failed": (
        "This node could not give its games up when it stopped: others take them over when its "
        "lease has run out."
    ),
    "log_lost": (
        "The store lacks lines of this game that were signed, and the restore was accepted. The "
        "game is never played on; its players' records and checkpoints tell what it was."
    ),
    "machine_clock_differs": (
        "This machine's clock and the database's differ by more than a second. Games go by the "
        "database's, tokens and certificates by this machine's. Let the network set both."
    ),
    "metrics_are_public": (
        "Whoever reaches this address reads how much is played and refused here, though no card, "
        "secret or name. Let a firewall admit the collector alone."
    ),
    "not_protected": (
        "What this line names is not protected, by the settings. See OPERATIONS.md before "
        "players come."
    ),
    "dealer_log_lost": (
        "The store lacks lines of the dealer's log that were signed, and the restore was accepted. "
        "Nothing is published under this origin any more: make keys under a new one, and say so."
    ),
    "dealer_log_mended": (
        "The restored store lacked lines of the dealer's log, and has them again from the "
        "publication folder. The log goes on; games that were opened since show as not revealed."
    ),
    "dealer_log_refused": (
        "The store did not take a change of the dealer's log: another node owns it now. This one "
        "follows it. If it comes often, look at what dealer_log_taken_over says."
    ),
    "dealer_log_taken_over": (
        "Another node writes the dealer's log now, and this one follows it. Nothing is lost. If it "
        "comes often, this machine stands still for longer than --lease."
    ),
    "publication_made_anew": (
        "Files of the publication folder were missing or not whole, and are made again from the "
        "store. Look who or what changes them; the checkpoint there still binds this dealer."
    ),
    "publishing_failed": (
        "The dealer's log can not be published, such as on a full disk. Nothing is lost and "
        "dealing goes on. Of several dealers another one writes the log; alone, cards that wait "
        "for it wait. Make room, or mend --publication."
    ),
    "publishing_stopped": (
        "The dealer stopped, for its log and what is signed or published of it do not fit. Keep "
        "store, journal and folder as they are, and bring back the newest store."
    ),
    "randomness_failed": (
        "The source of randomness fails its checks. No hand opens until it passes; a hand without "
        "its deck is void, others play on. If it stays so, move the dealer to another machine."
    ),
    "randomness_still_fails": (
        "The source of randomness still fails its checks. See randomness_failed."
    ),
    "release_failed": (
        "Games could not be given up for other nodes. It is tried again at the next beat; those of "
        "a node that has stopped are taken over when its lease has run out."
    ),
    "resealing_failed": (
        "Some hands' secrets are still sealed under an old key. Keep that key configured; it is "
        "tried again at the next start."
    ),
    "rng_core_unknown": (
        "The sources of the part that makes decks are those of no version: a laboratory certified "
        "other ones. Install a release again, or find out who changed them."
    ),
    "rng_core_unread": (
        "The sources of the part that makes decks can not be read, so that nobody can say which "
        "version deals. Install a release with its sources."
    ),
    "store_failed": (
        "The store or the signed journal could not be written, and the process stops. All that was "
        "acknowledged is there. Look at disk and database, then start again."
    ),
    "store_slow": (
        "Nothing has become durable for seconds, and callers wait. Look at the disk, or at the "
        "database and the network to it. Nothing that was acknowledged is in danger."
    ),
    "table_can_not_go_on": (
        "The rules of a tournament's table let it start no further hand, such as at its max_hands "
        "or max_ms, and the tournament waits for it. Stop it, and cancel it: what is still to be "
        "won is shared by stacks."
    ),
    "table_halted": (
        "A fault of the dealer's own stopped this table, or this tournament with all its tables; "
        "the others go on. What it acknowledged is kept. Keep the line and report it; a restart "
        "takes the game up where it stands."
    ),
    "take_over_failed": (
        "A game could not be taken over. Its store has it as it was, and it is tried again, here "
        "or by another node. `why` names what is missing here: a key, --publication or --beacon. "
        "With a traceback, its log does not fit together: keep the line and report it."
    ),
    "thread_failed": (
        "A thread of the dealer ended by a fault of its own. Keep the line, report it, and restart "
        "the dealer when callers wait."
    ),
    "token_key_passed_over": (
        "A key of the JWK set can not be used and was left out; tokens that it signed are refused."
    ),
    "token_keys_unread": (
        "The JWK set could not be read again; the keys that were read last still count. Look at "
        "--jwks and the way to it."
    ),
    "witness_away": (
        "A witness does not answer: cards that wait for its co-signature wait, and nothing else "
        "does. Look at its address in the policy, its certificate and the network. It is asked "
        "again by itself."
    ),
    "witness_declines": (
        "A witness answers, and does not co-sign. `why` says whether it does not know this log "
        "(give its operator the dealer's verifier key) or gave nothing that its key in the policy "
        "has signed."
    ),
    "witness_knows_another_log": (
        "A witness has seen more of the dealer's log than there is here, or another log under its "
        "key, and the dealer stops. Bring back the newest store, and find out who else has the "
        "log key. See OPERATIONS.md. With `dealer_log_taken_over` behind it, it is what another "
        "node brought that witness: nothing stops, and nothing is to be done."
    ),
}
"""By event, in words for an operator."""

_TELLS: Final = frozenset({"warning", "error", "critical"})


WARNINGS: Final = Counter(
    "cutcard_warnings",
    "Events that need somebody, as they were logged, by their name.",
    ("event",),
    registry=None,
)
"""Each event's count is there from the start, so that a collector sees its first increase."""
for _event in HINTS:
    WARNINGS.labels(_event)


def add_hint(_logger: object, _name: str, event: EventDict) -> EventDict:
    """Add what to do to an event that needs somebody, and count it."""
    if event.get("level") in _TELLS:
        name = str(event.get("event"))
        hint = HINTS.get(name)
        if hint is not None:
            event.setdefault("hint", hint)
            WARNINGS.labels(name).inc()
    return event
