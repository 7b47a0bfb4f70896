"""House players that know nothing which an ordinary client does not."""
