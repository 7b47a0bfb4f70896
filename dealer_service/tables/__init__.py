"""Runs each table as one actor that owns its transcript."""
