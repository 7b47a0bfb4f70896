"""The page that proves a game in a browser: one file, put together from `web/`."""
