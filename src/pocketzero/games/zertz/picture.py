"""How a Zertz position looks: the rings that are left, the marbles, the pool and the captures, and what may be done.

Marbles carry their letter, so that nobody needs to tell the colours apart. The steps of the last turn are marked, and
so is what the player to move has to choose from: compulsory captures, or the rings that may be removed.
"""

from __future__ import annotations

from pocketzero.errors import shortened
from pocketzero.games.base import Outcome, Picture, Position
from pocketzero.games.svg import Drawing
from pocketzero.games.table import Geometry, State
from pocketzero.games.zertz import rules
from pocketzero.games.zertz.layout import LETTERS, Layout
from pocketzero.games.zertz.steps import (
    COLOUR_WORDS,
    COLOURS,
    ActionForm,
    Put,
    Remove,
    Step,
    has,
    landing_of,
    marble_on,
    members,
)
from pocketzero.games.zertz.turn import all_jumps, write_jump

SPACE = 46.0  # between the centres of two neighbouring rings
COLUMN = SPACE * 3**0.5 / 2
RING, HOLE, MARBLE, SMALL = 21.0, 13.5, 15.5, 7.0  # radii
MARGIN = 34.0
PANEL = 196.0  # the width of pool and captures beside the board
LETTER_COLOURS = ("#2b2b2b", "#111111", "#ffffff")  # on white, grey and black marbles


class ZertzPicture(Picture):
    """Pictures of one board."""

    def __init__(self, layout: Layout, *, joint: bool) -> None:
        self.layout = layout
        self.form = ActionForm(layout, joint)

    def text(self, position: Position) -> str:
        """Letters for marbles, o for a vacant ring, + for one that may be removed; then pool, captures and turn."""
        state = position.state.copy()
        top = max(height for _, height in self.layout.heights)
        rows = [[" "] * (4 * len(self.layout.columns)) for _ in range(top + 5)]
        for ring, (column, height) in enumerate(self.layout.heights):
            rows[2 + top - height][4 * column + 2] = self._sign(state, ring)
            if self.layout.names[ring][1:] == "1":
                rows[4 + top - height][4 * column + 2] = LETTERS[column]
            number = self.layout.names[ring][1:]
            if number == str(self.layout.columns[column]):
                rows[top - height][4 * column + 2 : 4 * column + 2 + len(number)] = number
        board = [line for line in ("".join(row).rstrip() for row in rows) if line]
        return "\n".join([*board, "", *self._numbers(position), self.what_to_do(position)])

    def _sign(self, state: State, ring: int) -> str:
        colour = marble_on(state, ring)
        if colour is not None:
            return COLOURS[colour]
        if state[rules.PHASE] == rules.REMOVE and has(rules.free_rings(state), ring):
            return "+"
        return "o" if has(state[rules.RINGS], ring) else " "

    def _numbers(self, position: Position) -> list[str]:
        names = ("pool", *position.game.players)
        return [
            f"{name:8}"
            + "  ".join(f"{COLOURS[colour]} {position.state[rules.POOL + 3 * row + colour]:2}" for colour in range(3))
            for row, name in enumerate(names)
        ]

    def what_to_do(self, position: Position) -> str:
        """Whose turn it is and what may be done, or how the game ended."""
        state = position.state.copy()
        outcome = position.outcome
        if outcome is Outcome.DRAW:
            return "draw"
        if outcome is not Outcome.ONGOING:
            return f"{position.game.players[outcome]} has won"
        name = position.game.players[position.to_move]
        jumps = shortened(
            (write_jump(self.layout, state, jump) for jump in all_jumps(position.game.geometry, state)), most=6
        )
        if state[rules.PHASE] == rules.REMOVE:
            return f"{name} removes a ring"
        if state[rules.PHASE] == rules.CHAIN:
            return f"{name} must jump on: {jumps}"
        if jumps:
            return f"{name} must capture: {jumps}"
        own = "" if rules.supply(state) == rules.POOL else " of their own"
        return f"{name} puts a marble{own}"

    # SVG

    def svg(self, position: Position) -> str:
        """Rings, marbles, marks, and a panel with the pool and the captures."""
        heights = [height for _, height in self.layout.heights]
        width = 2 * MARGIN + COLUMN * (len(self.layout.columns) - 1)
        height = max(2 * MARGIN + SPACE / 2 * max(heights) + 46, 352.0)
        drawing = Drawing(width + PANEL, height, f"{position.game.title}: {self.what_to_do(position)}")
        board = _Board(drawing, self.layout, (height - 46 - SPACE / 2 * max(heights)) / 2 + 8)
        state = position.state.copy()
        board.draw_rings(state)
        board.draw_last(_last_turn(self.form, position))
        board.draw_marbles(state)
        if not position.is_over:
            board.draw_choice(position.game.geometry, state)
        _draw_panel(drawing, width + 10, position)
        drawing.words(width / 2, height - 18, self.what_to_do(position).partition(":")[0], "ink", 14)
        return drawing.text


def _last_turn(form: ActionForm, position: Position) -> list[Step]:
    """The steps since the last turn began, as far as they are known; of a turn under way, what was played of it."""
    steps: list[Step] = []
    while position.previous is not None and position.action is not None:
        steps[:0] = form.steps(position.action)
        position = position.previous
        if position.state[rules.PHASE] == rules.TURN:
            break
    return steps


class _Board:
    """Draws the rings of one board and what lies on them."""

    def __init__(self, drawing: Drawing, layout: Layout, top: float) -> None:
        self.drawing = drawing
        self.layout = layout
        highest = max(height for _, height in layout.heights)
        self.centres = [
            (MARGIN + COLUMN * column, top + 12 + SPACE / 2 * (highest - height)) for column, height in layout.heights
        ]

    def draw_rings(self, state: State) -> None:
        for ring, (x, y) in enumerate(self.centres):
            name = self.layout.names[ring]
            if has(state[rules.RINGS], ring):
                self.drawing.circle(x, y, RING, "ring", 1.2)
                self.drawing.circle(x, y, HOLE, "hole", 1)
                self.drawing.words(x, y, name, "faint", 11)
            else:
                self.drawing.circle(x, y, 2.5, "guide", 1.5, filled=False)

    def draw_marbles(self, state: State) -> None:
        for ring, (x, y) in enumerate(self.centres):
            colour = marble_on(state, ring)
            if colour is not None:
                self.drawing.circle(x, y, MARBLE, COLOUR_WORDS[colour], 1.5)
                _write_on_marble(self.drawing, x, y - 2.5, COLOURS[colour], 14, colour)
                _write_on_marble(self.drawing, x, y + 8, self.layout.names[ring], 8, colour)

    def draw_last(self, steps: list[Step]) -> None:
        """Green: where the last marble went, the way of a chain, the ring that was removed."""
        for step in steps:
            x, y = self.centres[step.ring]
            if isinstance(step, Put):
                self.drawing.circle(x, y, RING - 1.5, "last", 4, filled=False)
            elif isinstance(step, Remove):
                self._dashed_circle(x, y, RING - 2, "last", 2)
            else:
                to_x, to_y = self.centres[landing_of(self.layout, step)]
                self.drawing.line(x, y, to_x, to_y, "last", 3.5)
                self.drawing.circle(to_x, to_y, RING - 1.5, "last", 4, filled=False)

    def draw_choice(self, geometry: Geometry, state: State) -> None:
        """Pink: the rings that may be removed, or the captures of which one is compulsory."""
        if state[rules.PHASE] == rules.REMOVE:
            for ring in members(rules.free_rings(state)):
                self._dashed_circle(*self.centres[ring], RING - 1.5, "free", 3)
        for jump in all_jumps(geometry, state):
            (x, y), (to_x, to_y) = self.centres[jump.ring], self.centres[landing_of(self.layout, jump)]
            self.drawing.circle(x, y, MARBLE + 2, "free", 3, filled=False)
            self._dashed_circle(to_x, to_y, HOLE - 1, "free", 3)
            self._bow(x, y, to_x, to_y)

    def _dashed_circle(self, x: float, y: float, radius: float, kind: str, border: float) -> None:
        self.drawing.shapes.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{kind}" stroke-width="{border:g}" '
            f'stroke-dasharray="5 4" style="fill:none"/>'
        )

    def _bow(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """A bent line from the edge of one ring to another, beside the marble between them."""
        across_x, across_y = (to_y - y) / 2.2, (x - to_x) / 2.2
        middle_x, middle_y = (x + to_x) / 2 + across_x, (y + to_y) / 2 + across_y
        reach = ((middle_x - x) ** 2 + (middle_y - y) ** 2) ** 0.5
        start, end = (MARBLE + 2) / reach, (HOLE - 1) / reach
        self.drawing.shapes.append(
            f'<path d="M{x + (middle_x - x) * start:.4g} {y + (middle_y - y) * start:.4g}'
            f"Q{middle_x:.4g} {middle_y:.4g} {to_x + (middle_x - to_x) * end:.4g} {to_y + (middle_y - to_y) * end:.4g}"
            f'" class="free" stroke-width="3" stroke-linecap="round" style="fill:none"/>'
        )


def _write_on_marble(drawing: Drawing, x: float, y: float, text: str, size: float, colour: int) -> None:
    """Words that keep their colour on light and dark ground, as the marble does."""
    drawing.shapes.append(
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" class="on-{COLOUR_WORDS[colour]}" '
        f'style="fill:{LETTER_COLOURS[colour]};dominant-baseline:central">{text}</text>'
    )


def _draw_panel(drawing: Drawing, x: float, position: Position) -> None:
    """The pool and the captures; open circles are what is missing to a goal."""
    geometry, state = position.game.geometry, position.state
    for row, name in enumerate(("pool", *position.game.players)):
        y = 34 + 104 * row
        moves = row > 0 and not position.is_over and position.to_move == row - 1
        if row:
            drawing.circle(x + 7, y, 6, ("first", "second")[row - 1])
        drawing.words(x + (20 if row else 0), y, f"{name}{', to move' if moves else ''}", "ink", 14, "start")
        for colour in range(3):
            held = int(state[rules.POOL + 3 * row + colour])
            shown = _goal(geometry, colour) if row else int(geometry[rules.START_POOL + colour])
            _draw_count(drawing, x + 10, y + 25 + 21 * colour, colour, held, shown)


def _goal(geometry: Geometry, colour: int) -> int:
    return int(geometry[rules.GOAL + colour])


def _draw_count(drawing: Drawing, x: float, y: float, colour: int, held: int, shown: int) -> None:
    """One colour: the letter, a disc for each marble and an open circle for each that is missing, and the number."""
    drawing.words(x - 2, y, COLOURS[colour], "faint", 11)
    if max(held, shown) <= 10:
        for place in range(max(held, shown)):
            at = x + 15 + 14.5 * place
            if place < held:
                drawing.circle(at, y, SMALL - 0.8, COLOUR_WORDS[colour], 1.2)
            else:
                drawing.circle(at, y, SMALL - 4.5, "guide", 1.5, filled=False)
    else:
        drawing.circle(x + 15, y, SMALL - 0.8, COLOUR_WORDS[colour], 1.2)
    drawing.words(x + 162, y, str(held), "ink", 12)
