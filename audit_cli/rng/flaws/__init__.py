"""The flaw bank: generators and files with one known fault each, for the battery to find.

A battery that finds nothing may be blind. Here is what it has to see, at which amount of data, and
by which test; the same seed plants the same flaw anywhere.
"""
