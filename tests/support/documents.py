"""The project's documents as the tests read them: prose, code blocks, headings and links."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_FOLDERS: Final = (".", "docs", "deploy", "proto", "browser_client")
_BLOCK: Final = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_CODE: Final = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the word behind its fence, and its text without the fence's indentation."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the project; `name` is its path from the root."""

    name: str
    text: str

    @property
    def blocks(self) -> list[Block]:
        """Its fenced blocks, in order."""
        found = []
        for match in _BLOCK.finditer(self.text):
            lines = match["text"].splitlines(keepends=True)
            text = "".join(line.removeprefix(match["indent"]) for line in lines)
            found.append(Block(match["kind"], text))
        return found

    @property
    def prose(self) -> str:
        """Its text without fenced blocks."""
        return _BLOCK.sub("", self.text)

    @property
    def codes(self) -> list[str]:
        """What stands in the prose as code, without the lines that are indented as a block."""
        prose = re.sub(r"^(?: {4}| {7}).*\n", "", self.prose, flags=re.MULTILINE)
        return _CODE.findall(prose)

    @property
    def anchors(self) -> set[str]:
        """The anchors of its headings, as they are made of their words."""
        headings = re.findall(r"^#+ (.+)$", self.prose, re.MULTILINE)
        return {_anchor(heading) for heading in headings}

    @property
    def links(self) -> list[str]:
        """Where its links and pictures lead, but to the web."""
        return re.findall(r"\]\((?!https?://)([^)\s]+)\)", self.prose)


def documents() -> Iterator[Document]:
    """Give every document that is written for people, but those that a laboratory's bundle has."""
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).glob("*.md")):
            yield read_document(str(path.relative_to(ROOT)))


def read_document(name: str) -> Document:
    """Give one document by its path from the root."""
    return Document(name, (ROOT / name).read_text(encoding="utf-8"))


def command_lines(document: Document) -> list[str]:
    """Give each command of ours that stands in a document as a line of its own, whole."""
    joined = re.sub(r"\\\n *", "", document.text)
    lines = (line.strip() for line in joined.splitlines())
    return [line for line in lines if re.match(r"cutcard-(?:dealer|audit) [a-z]", line)]


def _anchor(heading: str) -> str:
    """Make a heading's anchor as GitHub does: no marks, lower case, dashes for spaces."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
