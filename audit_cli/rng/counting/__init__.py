"""Counting: what the battery knows of hands, as tables of whole numbers."""
