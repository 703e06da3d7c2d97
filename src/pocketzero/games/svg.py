"""Drawing with SVG: a few shapes and one palette that is readable on light and on dark ground.

Colours are classes, so that a picture follows the reader's colour scheme. They keep apart for colour-blind eyes
(Okabe and Ito 2008).
"""

from __future__ import annotations

from html import escape

STYLE = """
.pz{font-family:system-ui,sans-serif;text-anchor:middle}
.pz .ground{fill:#fbfaf7}.pz .ink{fill:#2b2b2b}.pz .faint{fill:#77736a}.pz .line{stroke:#2b2b2b}
.pz .guide{stroke:#d8d4c8}.pz .first{fill:#0072b2}.pz .second{fill:#d55e00}
.pz .first-soft{fill:#0072b2;fill-opacity:.25}.pz .second-soft{fill:#d55e00;fill-opacity:.25}
.pz .last{stroke:#009e73}.pz .mark{fill:#009e73}.pz .wood{fill:#ecd9ae}.pz .wood-line{stroke:#8d7747}
.pz .white{fill:#fff;stroke:#5a564c}.pz .grey{fill:#9a9a9a;stroke:#4a4a4a}.pz .black{fill:#1d1d1d;stroke:#8a8a8a}
.pz .ring{fill:#e9e4d6;stroke:#4d473a}.pz .hole{fill:#fbfaf7;stroke:#b3ab97}.pz .free{stroke:#cc79a7}
@media (prefers-color-scheme:dark){
.pz .ground{fill:#1d1f21}.pz .ink{fill:#ececec}.pz .faint{fill:#a39e92}.pz .line{stroke:#ececec}
.pz .guide{stroke:#45474a}.pz .first{fill:#56b4e9}.pz .second{fill:#e69f00}
.pz .first-soft{fill:#56b4e9}.pz .second-soft{fill:#e69f00}
.pz .wood{fill:#6f5a33}.pz .wood-line{stroke:#2a2214}
.pz .black{fill:#000;stroke:#cfcfcf}.pz .ring{fill:#57513f;stroke:#c9bf9f}.pz .hole{fill:#1d1f21;stroke:#857d68}}
""".replace("\n", "")


class Drawing:
    """Shapes are added one after the other; ``text`` is the finished picture."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width = width
        self.height = height
        self.title = title
        self.shapes: list[str] = []
        self.rect(0, 0, width, height, "ground", radius=8)

    def rect(self, x: float, y: float, width: float, height: float, kind: str, radius: float = 0) -> None:
        """A filled rectangle."""
        self.shapes.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" class="{kind}"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str, width: float = 1) -> None:
        """A straight line."""
        self.shapes.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{kind}" '
            f'stroke-width="{width:g}" stroke-linecap="round"/>'
        )

    def circle(self, x: float, y: float, radius: float, kind: str, border: float = 0, *, filled: bool = True) -> None:
        """A disc, or a circle if it is not filled."""
        fill = "" if filled else ' style="fill:none"'
        self.shapes.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{kind}" stroke-width="{border:g}"{fill}/>'
        )

    def words(self, x: float, y: float, text: str, kind: str = "ink", size: float = 12, anchor: str = "") -> None:
        """A short text, centred unless an anchor (start, end) is given."""
        style = f' style="text-anchor:{anchor}"' if anchor else ""
        self.shapes.append(
            f'<text x="{x:g}" y="{y + 0.35 * size:g}" class="{kind}" font-size="{size:g}"{style}>{escape(text)}</text>'
        )

    @property
    def text(self) -> str:
        """The whole picture."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="pz" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" role="img"><title>{escape(self.title)}</title>'
            f"<style>{STYLE}</style>{''.join(self.shapes)}</svg>"
        )


def text_card(text: str) -> str:
    """Plain text as a picture, for games that have no drawing of their own."""
    lines = text.splitlines() or [""]
    drawing = Drawing(20 + 8.5 * max(map(len, lines)), 20 + 18 * len(lines), lines[0])
    for number, line in enumerate(lines):
        drawing.shapes.append(
            f'<text x="10" y="{24 + 18 * number}" class="ink" font-size="14" xml:space="preserve" '
            f'style="text-anchor:start;font-family:monospace">{escape(line)}</text>'
        )
    return drawing.text
