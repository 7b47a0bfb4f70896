"""The suites of others that are on this machine: run once, and reported as they said it."""
