"""Tournaments that run: one actor for each, over the tables that it opens and closes."""
