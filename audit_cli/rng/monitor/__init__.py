"""The battery over live games: hands whose secrets were revealed, looked at as they come in.

A look is taken of each so many hands, and look k may raise a false alarm with a chance of
0.01 x 6 / (pi^2 k^2): however long the watch, all looks together stay below 1 %.
"""
