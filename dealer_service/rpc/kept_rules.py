"""Rules that a dealer keeps only where it is set up for them: its own log, and a beacon."""

from dealer_service.rpc.validate import Malformed, Violation
from dealer_service.rules.entry import LogProof, RuleSet
from dealer_service.tables.house import House


def require_kept(rules: RuleSet, house: House, field: str = "rules") -> None:
    """Raise Malformed for a rule that this dealer, as it is set up, would not keep.

    `field` is where the rules stand in the request.
    """
    faults = []
    if rules.log_proof is not LogProof.NONE and house.published is None:
        message = "must be none: this dealer publishes no log of its own"
        faults.append(Violation(f"{field}.log_proof", message))
    if rules.beacon is not None:
        chain = "" if house.rounds is None else house.rounds.network.chain.hex()
        if not chain:
            message = "must be left out: this dealer fetches the rounds of no beacon"
            faults.append(Violation(f"{field}.beacon", message))
        elif chain != rules.beacon.chain:
            message = f"must name the chain {chain}, whose rounds this dealer fetches"
            faults.append(Violation(f"{field}.beacon", message))
    if faults:
        raise Malformed(tuple(faults))
