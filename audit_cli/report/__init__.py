"""What an audit found, as values, for people and for machines; and its exit status."""
