"""Small pieces of HTML: everything that is text is escaped here, and only here."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def text(value: object) -> str:
    """Return a value as text that is no markup."""
    return escape(str(value))


def tag(name: str, inner: str, *, of: str = "") -> str:
    """Return an element around markup; `of` is its class."""
    return f"<{name}{_class(of)}>{inner}</{name}>"


def table(
    columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], caption: str = ""
) -> str:
    """Return a table that scrolls by itself on a small screen.

    A column is its heading and its class (`n` for figures); the cells are markup.
    """
    head = "".join(f'<th scope="col"{_class(of)}>{text(name)}</th>' for name, of in columns)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td{_class(of)}>{cell}</td>" for cell, (_, of) in zip(row, columns, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    told = f"<caption>{text(caption)}</caption>" if caption else ""
    return (
        f'<div class="scroll"><table>{told}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Return names with what they stand for; the second of a pair is markup."""
    inner = "".join(f"<dt>{text(name)}</dt><dd>{told}</dd>" for name, told in pairs)
    return f'<dl class="facts">{inner}</dl>'


def figure(drawing: str, caption: str) -> str:
    """Return a drawing with its words below."""
    return f"<figure>{drawing}<figcaption>{text(caption)}</figcaption></figure>"


def code(value: object) -> str:
    """Return a name, hash or command as such."""
    return f"<code>{text(value)}</code>"


def number(value: float | None) -> str:
    """Return a figure with thousands set apart, or a dash for none."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}"


def chance(value: float | None) -> str:
    """Return a p-value at three digits, or a dash for none."""
    return "-" if value is None else f"{value:.3g}"


def bullets(markdown: str) -> str:
    """Return the list of a document: `- **Lead.** words`, `code` in them; all else is left out."""
    items: list[str] = []
    inside = False
    for line in markdown.splitlines():
        if line.startswith("- "):
            items.append(line[2:])
            inside = True
        elif inside and line.startswith("  "):
            items[-1] += " " + line.strip()
        else:
            inside = False
    return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in items) + "</ul>"


def _inline(words: str) -> str:
    shown = text(words)
    for mark, name in (("**", "strong"), ("`", "code")):
        parts = shown.split(mark)
        if len(parts) % 2:
            shown = "".join(
                f"<{name}>{part}</{name}>" if place % 2 else part
                for place, part in enumerate(parts)
            )
    return shown


def _class(of: str) -> str:
    return f' class="{of}"' if of else ""
