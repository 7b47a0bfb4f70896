"""Keeps transcripts, answers and sealed secrets durable, with one contract for every engine."""
