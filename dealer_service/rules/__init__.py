"""Poker as pure functions over frozen values."""
