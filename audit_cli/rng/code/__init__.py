"""B0: the code itself, by known answers and by exhaustion. No sample can show what these prove."""
