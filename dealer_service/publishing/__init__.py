"""The dealer's log and the world: notices become lines, lines tiles, and tiles a publication."""
