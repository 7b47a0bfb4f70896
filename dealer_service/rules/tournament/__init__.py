"""Tournaments: what their log says, and what is due next (PROTOCOL.md section 14)."""
