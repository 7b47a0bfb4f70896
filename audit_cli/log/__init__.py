"""The dealer's log from the audit's side: tiles, noted lines, co-signatures, policies, proofs.

Formats are C2SP's `tlog-tiles`, `tlog-cosignature`, `tlog-policy`, `tlog-proof` and
`tlog-witness`, so that other people's tools can stand in for these. All of it is pure: bytes come
from a `Fetch` that the caller gives, times and keys as arguments.
"""
