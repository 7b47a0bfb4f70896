"""`cutcard-audit witness`: co-signs what logs sign, and never two histories of one log."""
