"""Smart Game Format: a tree of nodes with properties, read only as far as records of a single game need it."""

from __future__ import annotations

from dataclasses import dataclass

from pocketzero.errors import BadRecord

BLANK = " \t\r\n\v\f"


@dataclass(frozen=True)
class Property:
    """One property of a node with all its values, and the line of the file it stands in."""

    name: str
    values: tuple[str, ...]
    line: int

    @property
    def value(self) -> str:
        """The first value."""
        return self.values[0]


Node = list[Property]


def read_nodes(text: str) -> list[Node]:
    """The nodes of the main line of the first game in an SGF text (of variations, always the first)."""
    return _Reader(text).nodes()


def escape(text: str) -> str:
    """A text as it stands in a property value."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


class _Reader:
    """Walks through the text once, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.counted = 0  # up to where lines have been counted
        self.lines = 1

    @property
    def line(self) -> int:
        self.lines += self.text.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.lines

    def fail(self, expected: str) -> BadRecord:
        found = repr(self.text[self.at : self.at + 12]) if self.at < len(self.text) else "the end of the text"
        return BadRecord(f"Line {self.line} of the SGF: expected {expected}, found {found}.")

    def skip_blanks(self) -> str:
        """Go to the next character that is not blank and look at it; empty at the end."""
        while self.at < len(self.text) and self.text[self.at] in BLANK:
            self.at += 1
        return self.text[self.at : self.at + 1]

    def nodes(self) -> list[Node]:
        if self.skip_blanks() != "(":
            raise self.fail("'(' at the beginning of a game")
        nodes: list[Node] = []
        depth = 0
        while True:
            sign = self.skip_blanks()
            if sign == "(":
                depth += 1
                self.at += 1
            elif sign == ")":  # the main line ends with the first bracket that closes
                self.check_closed(depth)
                break
            elif sign == ";":
                self.at += 1
                nodes.append(self.node())
            elif sign == "":
                raise self.fail("';' or ')'; the record is cut short")
            else:
                raise self.fail("';' or ')'")
        if not nodes:
            raise self.fail("a node, which begins with ';'")
        return nodes

    def check_closed(self, depth: int) -> None:
        """Go on to the bracket that closes the game: without it the file was cut short."""
        while depth:
            sign = self.skip_blanks()
            if sign == "":
                raise self.fail("')' at the end of the game; the record is cut short")
            if sign in "()":
                depth += 1 if sign == "(" else -1
                self.at += 1
            elif sign == ";":
                self.at += 1
                self.node()
            else:
                raise self.fail("';', '(' or ')'")

    def node(self) -> Node:
        properties = []
        while self.skip_blanks().isalpha():
            properties.append(self.property())
        return properties

    def property(self) -> Property:
        line = self.line
        begin = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "-_"):
            self.at += 1
        name = self.text[begin : self.at]
        values = []
        while self.skip_blanks() == "[":
            self.at += 1
            values.append(self.property_value())
        if not values:
            raise self.fail(f"'[' after the property {name}")
        return Property(name, tuple(values), line)

    def property_value(self) -> str:
        signs: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            self.at += 1
            if sign == "]":
                return "".join(signs)
            if sign == "\\":
                sign = self.escaped()
            signs.append(sign)
        raise self.fail("']' at the end of a value; the record is cut short")

    def escaped(self) -> str:
        """The sign after a backslash; the end of a line there is only a break in the file."""
        width = 2 if self.text[self.at : self.at + 2] in ("\r\n", "\n\r") else 1
        sign = self.text[self.at : self.at + width]
        self.at += width
        return "" if sign[:1] in ("\r", "\n") else sign
