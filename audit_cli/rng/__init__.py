"""Certification of the generator: streams, the battery, the flaw bank and the evidence bundle.

Counting is numpy's and the distributions are scipy's (extra `rng`); the derivation is the audit's
own. Nothing of the verifier imports this package, and importing it imports neither library.
"""
