"""Logs, metrics, health and traces, which never hold a card or a secret."""
