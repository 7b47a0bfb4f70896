"""Where a dealer has the rounds of a public beacon from, and how it knows that they are real."""
