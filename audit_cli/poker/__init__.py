"""The audit's own small poker engine, written from PROTOCOL.md sections 8 and 9 alone.

Seats are numbers, cards are 0 to 51 (4 x rank + suit), chips are integers. Nothing here reads a
log: the checks ask it what the rules give and compare that with what is logged.
"""
