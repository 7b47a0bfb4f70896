"""How a run goes: chunks, the processes that count them, and the folder that outlives them."""
