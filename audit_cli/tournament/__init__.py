"""The audit of a tournament's log (protocol 14), and of what its tables' logs tell of it.

Written from the protocol alone: draws, the state, what is due when, places and prizes are worked
out here again, and each entry is held against them.
"""
