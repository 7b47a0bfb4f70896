"""A typed asyncio client that keeps its own record and refuses what the protocol refuses."""
