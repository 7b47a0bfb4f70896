"""The battery: one statistic a module, its exact null beside it."""
