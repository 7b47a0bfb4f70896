"""Makes what a release consists of: the archives, their bill of materials, and their sums."""
