"""Tells players and operators apart, and says what each may do."""
