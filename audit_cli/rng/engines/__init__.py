"""Three ways to the same bits: plain Python, numpy batches, and numba calling libcrypto."""
