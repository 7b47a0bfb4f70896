"""Hands told from a game file, for those who write them down elsewhere.

What a hand says is believed, as far as it adds up; whether it is true is for `verify` to say.

- `reading.read_games(stream, source, hand=None, events={}) -> tuple[Game, ...] | Damage`: all that
  the file knows, of every game in it (or of the hands with that number alone).
- `reading.read_events(stream, source) -> dict[str, Event] | Damage`: the tournaments in a file.
- `view.see_as(game, player) -> Game`: the same without the cards that this player never saw.
- `made.made_hand(hand, holes, board) -> Made`: what cards make of a whole board, with its names.
"""
