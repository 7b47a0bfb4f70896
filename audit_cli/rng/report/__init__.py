"""The evidence as one page for people: it stands alone, prints, and needs no script."""
