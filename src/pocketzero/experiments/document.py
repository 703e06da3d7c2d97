"""What a report is made of: headings, paragraphs, lists, tables and plots; as Markdown and as a page of HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:66rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}"
    "td,th{padding:.2rem .7rem;border-bottom:1px solid #8888;text-align:right;white-space:nowrap}"
    "td:first-child,th:first-child{text-align:left}caption{text-align:left;font-weight:bold}svg{max-width:100%}"
    "pre{overflow-x:auto}"
)


@dataclass(frozen=True)
class Heading:
    """The beginning of a section."""

    words: str


@dataclass(frozen=True)
class Text:
    """A paragraph; `so` is code."""

    words: str


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table with a title; the first column names the rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Plot:
    """A drawing in SVG; its name is that of its file."""

    name: str
    title: str
    svg: str


@dataclass(frozen=True)
class Listing:
    """Lines as they are."""

    words: str


Part = Heading | Text | Items | Table | Plot | Listing


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """A table of whatever can be written."""
    return Table(title, tuple(columns), tuple(tuple(str(cell) for cell in row) for row in rows))


def markdown(title: str, parts: Sequence[Part]) -> str:
    """The whole as Markdown; plots are files beside it."""
    return "\n".join([f"# {title}\n", *(_markdown(part) for part in parts)])


def _markdown(part: Part) -> str:
    if isinstance(part, Heading):
        return f"## {part.words}\n"
    if isinstance(part, Text):
        return f"{part.words}\n"
    if isinstance(part, Items):
        return "".join(f"- {item}\n" for item in part.items)
    if isinstance(part, Plot):
        return f"![{part.title}]({part.name}.svg)\n"
    if isinstance(part, Listing):
        return f"```\n{part.words}\n```\n"
    rows = [part.columns, ("---",) * len(part.columns), *part.rows]
    return "\n".join([f"**{part.title}**\n", *(f"| {' | '.join(row)} |" for row in rows), ""])


def html(title: str, parts: Sequence[Part]) -> str:
    """The whole as a page that needs nothing else."""
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{STYLE}</style>"
    return f"{head}<h1>{escape(title)}</h1>\n" + "\n".join(_html(part) for part in parts) + "\n"


def _html(part: Part) -> str:
    if isinstance(part, Heading):
        return f"<h2>{_words(part.words)}</h2>"
    if isinstance(part, Text):
        return f"<p>{_words(part.words)}</p>"
    if isinstance(part, Items):
        return "<ul>" + "".join(f"<li>{_words(item)}</li>" for item in part.items) + "</ul>"
    if isinstance(part, Plot):
        return f"<figure>{part.svg}<figcaption>{_words(part.title)}</figcaption></figure>"
    if isinstance(part, Listing):
        return f"<pre>{escape(part.words)}</pre>"
    head = "".join(f"<th>{_words(column)}</th>" for column in part.columns)
    rows = ("".join(f"<td>{_words(cell)}</td>" for cell in row) for row in part.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><caption>{_words(part.title)}</caption><tr>{head}</tr>{body}</table>"


def _words(words: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))
