"""A second opinion on hands: another engine plays what is logged and says whether it agrees.

Never the judge: what it says is a section of the report of its own and has no effect on any
promise or on the exit status. Nothing of another engine is imported before it is asked for.
"""
