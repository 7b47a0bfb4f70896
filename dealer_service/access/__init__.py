"""Says who calls, what each may do and how much of it, and what callers see of the dealer."""
