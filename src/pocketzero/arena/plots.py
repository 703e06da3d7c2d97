"""Small plots as SVG, drawn here so that reports need no plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, ROW, LEFT = 720, 30, 220
STYLE = (
    "<style>text{font:13px sans-serif;fill:#222}.faint{stroke:#ccc}.bar{fill:#3b7dd8}.other{fill:#e08a2e}"
    ".line{stroke:#222;stroke-width:2}@media(prefers-color-scheme:dark){text{fill:#ddd}.faint{stroke:#555}"
    ".line{stroke:#ddd}}</style>"
)


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">'
    return f"{head}<title>{escape(title)}</title>{STYLE}{''.join(parts)}</svg>"


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def shortened_name(name: str, most: int = 28) -> str:
    """A name that fits beside a plot."""
    return name if len(name) <= most else name[: most - 1] + "…"


def intervals(title: str, rows: Sequence[tuple[str, float, float]], unit: str = "") -> str:
    """A dot and its interval for each name: (name, middle, half the width)."""
    low = min(middle - plus for _, middle, plus in rows)
    high = max(middle + plus for _, middle, plus in rows)
    scale = (WIDTH - LEFT - 90) / max(high - low, 1e-9)
    parts = []
    for index, (name, middle, plus) in enumerate(rows):
        y = ROW * (index + 1)
        x = LEFT + (middle - low) * scale
        parts.append(_text(LEFT - 10, y + 4, shortened_name(name), "end"))
        parts.append(f'<line class="faint" x1="{LEFT}" x2="{WIDTH - 80}" y1="{y}" y2="{y}"/>')
        span = plus * scale
        parts.append(f'<line class="line" x1="{x - span:.1f}" x2="{x + span:.1f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="bar" cx="{x:.1f}" cy="{y}" r="5"/>')
        parts.append(_text(WIDTH - 70, y + 4, f"{middle:+.0f}{unit}"))
    return _svg(WIDTH, ROW * (len(rows) + 1), title, parts)


def bars(title: str, rows: Sequence[tuple[str, float, float]], labels: tuple[str, str]) -> str:
    """Two shares (0 to 1) for each name, one bar above the other."""
    scale = WIDTH - LEFT - 90
    parts = [_text(LEFT, 14, f"■ {labels[0]} (above)   ■ {labels[1]} (below)")]
    for index, (name, first, second) in enumerate(rows):
        y = 2 * ROW * index + ROW
        parts.append(_text(LEFT - 10, y + 20, shortened_name(name), "end"))
        for offset, share, style in ((0, first, "bar"), (20, second, "other")):
            parts.append(f'<rect class="{style}" x="{LEFT}" y="{y + offset}" width="{share * scale:.1f}" height="16"/>')
            parts.append(_text(LEFT + share * scale + 6, y + offset + 13, f"{share:.1%}"))
    return _svg(WIDTH, 2 * ROW * len(rows) + ROW, title, parts)


COLOURS = ("#3b7dd8", "#e08a2e", "#4a9a5b", "#b5527d", "#7a6bc4", "#8c7a3d", "#3a9ea5", "#c0504d", "#777777")


def curves(title: str, series: Mapping[str, Sequence[tuple[float, float]]], *, x: str = "", y: str = "") -> str:
    """A line for each name through its points, which are in order."""
    points = [point for line in series.values() for point in line] or [(0.0, 0.0)]
    low_x, high_x = min(point[0] for point in points), max(point[0] for point in points)
    low_y, high_y = min(point[1] for point in points), max(point[1] for point in points)
    left, top, width, height = 70, 20, WIDTH - 90, 260
    scale_x, scale_y = width / max(high_x - low_x, 1e-9), height / max(high_y - low_y, 1e-9)
    parts = []
    for share in (0.0, 0.5, 1.0):
        level = top + height * (1 - share)
        parts.append(f'<line class="faint" x1="{left}" x2="{left + width}" y1="{level:.1f}" y2="{level:.1f}"/>')
        parts.append(_text(left - 8, level + 4, f"{low_y + share * (high_y - low_y):.3g}", "end"))
        parts.append(
            _text(left + share * width, top + height + 18, f"{low_x + share * (high_x - low_x):.4g}", "middle")
        )
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        way = " ".join(
            f"{left + (a - low_x) * scale_x:.1f},{top + height - (b - low_y) * scale_y:.1f}" for a, b in line
        )
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        row, column = divmod(number, 3)
        parts.append(f'<rect x="{left + column * 210}" y="{top + height + 48 + 20 * row}" width="12" height="12" ')
        parts.append(f'fill="{colour}"/>')
        parts.append(_text(left + column * 210 + 18, top + height + 59 + 20 * row, shortened_name(name)))
    parts += [_text(left + width / 2, top + height + 36, x, "middle"), _text(left, 12, y)]
    return _svg(WIDTH, top + height + 60 + 20 * -(-len(series) // 3), title, parts)


def histogram(title: str, values: Sequence[int], bins: int = 30) -> str:
    """How often values fall into each of some steps."""
    low, high = min(values), max(values)
    step = max(1, -(-(high - low + 1) // bins))
    counts = [0] * ((high - low) // step + 1)
    for value in values:
        counts[(value - low) // step] += 1
    width, height = (WIDTH - 80) / len(counts), 180
    parts = []
    for index, count in enumerate(counts):
        tall = count / max(counts) * height
        x = 50 + index * width
        parts.append(f'<rect class="bar" x="{x:.1f}" y="{20 + height - tall:.1f}" width="{width * 0.9:.1f}" ')
        parts.append(f'height="{tall:.1f}"/>')
    parts += [_text(50, height + 38, str(low)), _text(WIDTH - 30, height + 38, str(high), "end")]
    parts.append(_text(44, 30, str(max(counts)), "end"))
    return _svg(WIDTH, height + 50, title, parts)


def heat_map(title: str, names: Sequence[str], cells: Sequence[Sequence[float | None]]) -> str:
    """A square of shares: blue where the player of the row does better, orange where worse."""
    size = 64
    parts = []
    for row, name in enumerate(names):
        y = 40 + row * size
        parts.append(_text(LEFT - 10, y + size / 2 + 4, shortened_name(name), "end"))
        parts.append(_text(LEFT + row * size + size / 2, 28, f"{row + 1}", "middle"))
        for column, share in enumerate(cells[row]):
            x = LEFT + column * size
            parts.append(f'<rect x="{x}" y="{y}" width="{size - 2}" height="{size - 2}" fill="{_colour(share)}"/>')
            if share is not None:
                words = f'<text x="{x + size / 2}" y="{y + size / 2 + 4}" text-anchor="middle" style="fill:#111">'
                parts.append(f"{words}{share:.1%}</text>")
    return _svg(LEFT + size * len(names) + 20, 60 + size * len(names), title, parts)


def _colour(share: float | None) -> str:
    """From orange over white to blue, a pair that colour-blind eyes keep apart; grey where nothing was played."""
    if share is None:
        return "#888"
    far = abs(share - 0.5) * 2
    end = (0x6B, 0xA3, 0xE8) if share >= 0.5 else (0xF0, 0xA8, 0x5C)
    return "#" + "".join(f"{round(0xF5 + (channel - 0xF5) * far):02x}" for channel in end)
