"""What several commands are given alike: a verifier key, a policy of witnesses.

UsageError for what is none, with the option that gave it.
"""

from __future__ import annotations

from audit_cli.inputs import UsageError, read_bounded, shown
from audit_cli.log.policy import MAX_POLICY, Policy, parse_policy
from audit_cli.note import VerifierKey, parse_vkey
from audit_cli.problem import Problem


def given_key(text: str, source: str = "--key") -> VerifierKey:
    """Return the verifier key of a vkey text that came from `source`."""
    key = parse_vkey(text)
    if isinstance(key, Problem):
        message = f"{source}: {key.reason}"
        raise UsageError(message, key.hint)
    return key


def given_policy(name: str) -> Policy:
    """Read the policy in the file that `--policy` names."""
    policy = parse_policy(read_bounded(name, MAX_POLICY))
    if isinstance(policy, Problem):
        message = f"--policy {shown(name)}: {policy}"
        raise UsageError(message, policy.hint)
    return policy
