"""How a hand's deck is fixed, mixed, derived and opened: pure functions over bytes.

Protocol sections 2 to 5. Only `randomness` reaches the operating system; nothing here knows
poker's rules, the transcript, a clock or a store.
"""
