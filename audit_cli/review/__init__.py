"""A told game for those who played it: each hand in plain words, and the session in numbers.

- `story.tell_hand(hand, paint) -> list[str]`: the lines of one hand.
- `statistics.count_session(hands) -> tuple[Line, ...]`: what each player did, in counts.
- `as_json.tell_plainly(game, hands) -> dict`: the same for programs.
"""
