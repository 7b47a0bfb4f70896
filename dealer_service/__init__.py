"""A poker dealer whose every deal can be proved fair: the service."""
