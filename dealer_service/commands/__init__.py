"""The sub-commands of `cutcard-dealer`, one a module; each is imported when it runs."""
