"""The bytes of the transcript: canonical lines, the Merkle log over them, signed checkpoints.

Protocol section 6. Pure functions over bytes and frozen values; nothing here knows poker, a
deck, a clock or a store.
"""
