"""Run recorded hands and rule cases through the hand engine, from files."""
