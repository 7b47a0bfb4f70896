"""`cutcard-audit rng dump`: what the generator gives, at four levels and in eight formats."""
