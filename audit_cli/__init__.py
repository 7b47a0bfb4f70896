"""Proves a finished Cutcard game from its file alone; shares no code with the dealer."""

__version__ = "0.1.0"
