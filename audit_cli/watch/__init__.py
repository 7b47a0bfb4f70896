"""`cutcard-audit watch`: follows a dealer's log by its tiles, and tells what does not fit."""
