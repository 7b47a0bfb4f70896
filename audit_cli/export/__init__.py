"""Told hands, written as others read them.

A format is one function, `write_…(game, hand, money) -> str | Problem`: the text of one told hand,
or why the format can not say it. What stands between hands, and how a file is named, `command`
knows.
"""
