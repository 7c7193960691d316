"""A page taken apart by the standard library's parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "hr", "input", "use", "path"}


@dataclass
class Node:
    tag: str
    attrs: dict[str, str]
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def all(self) -> list[Node]:
        return [self, *(n for c in self.children for n in c.all())]

    def text(self) -> str:
        return "".join(self.words)

    def find(self, *tags: str) -> list[Node]:
        return [n for n in self.all() if n.tag in tags]


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.here = Node("root", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice: {tag} {attrs}"
        node = Node(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.here.children.append(Node(tag, {name: value or "" for name, value in attrs}, self.here))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.here.tag == tag, f"</{tag}> closes <{self.here.tag}>"
        assert self.here.parent is not None
        self.here = self.here.parent

    def handle_data(self, data: str) -> None:
        node: Node | None = self.here
        while node is not None:
            node.words.append(data)
            node = node.parent


def parse(html: str) -> Node:
    """Return the tree of a page; every element must be closed by its own end tag."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert parser.here is parser.root, f"<{parser.here.tag}> is never closed"
    return parser.root
