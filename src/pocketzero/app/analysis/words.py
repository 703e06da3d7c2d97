"""One line of words for a move that gave something away: what it did, and what was better.

Dots and Boxes is told in Berlekamp's words (chains, control, sacrifices); the other games by what the opponent can do
at once.
"""

from __future__ import annotations

from pocketzero.games import Position
from pocketzero.games.dots.chains import CAPTURE, CHAIN, LENGTH, LONG, LOONY, LOOP, SAFE, SHORT
from pocketzero.games.dots.rules import BOXES_OF_LINE
from pocketzero.players.base import family_of
from pocketzero.players.dots.explain import Survey


def what_was_wrong(position: Position, action: int, better: int) -> str:
    """A sentence about a move that was not the best."""
    if position.is_over or action == better:
        return ""
    if family_of(position.game) == "dots":
        return _dots(position, action, better)
    return _by_wins(position, action, better) or _zertz(position, action, better) or _plain(position, better)


def _plain(position: Position, better: int) -> str:
    return f"{position.write(better)} was better."


def _winning(position: Position) -> list[int]:
    """The actions that win at once."""
    found = []
    for action in position.legal_actions():
        after = position.play_action(action)
        if after.is_over and int(after.outcome) == position.to_move:
            found.append(action)
    return found


def _by_wins(position: Position, action: int, better: int) -> str:
    """Wins that were missed or allowed."""
    if wins := _winning(position):
        return f"Misses a win at once: {_names(position, wins)}."
    after = position.play_action(action)
    if after.is_over or after.to_move == position.to_move:
        return ""
    threats = _winning(after)
    if not threats:
        return ""
    instead = position.play_action(better)
    saves = instead.is_over or instead.to_move == position.to_move or not _winning(instead)
    return f"Lets the opponent win at once by {_names(after, threats)}" + (
        f"; {position.write(better)} prevented it." if saves else "."
    )


def _names(position: Position, actions: list[int]) -> str:
    words = [position.write(action) for action in actions[:3]]
    return " or ".join(words) + (" and more" if len(actions) > 3 else "")


# Zertz


def _zertz(position: Position, action: int, better: int) -> str:
    if family_of(position.game) != "zertz":
        return ""
    after = position.play_action(action)
    captures = [] if after.is_over else [a for a in after.legal_actions() if after.write(a).startswith("x")]
    name = position.write(better)
    if position.write(action).startswith("x"):
        return f"The other capture {name} was better." if name.startswith("x") else f"{name} was better."
    if captures and after.to_move != position.to_move:
        return f"Gives the opponent a capture ({_names(after, captures)}); {name} was better."
    if captures:
        return f"Leaves a capture on the board; {name} was better."
    return f"{name} was better."


# Dots and Boxes


def _dots(position: Position, line: int, better: int) -> str:
    found = Survey(position)
    did, instead = _deed(found, line), _advice(found, better)
    return f"{did}; {instead}."


def _kind(found: Survey, line: int) -> int:
    return int(found.kinds[line])


def _chain_at(found: Survey, line: int) -> tuple[int, int]:
    """The kind and length of the longest chain that a line touches; a length of 0 if it touches none."""
    geometry = found.position.game.geometry
    best = (CHAIN, 0)
    for side in range(2):
        box = int(geometry[geometry[BOXES_OF_LINE] + 2 * line + side])
        number = int(found.chain_of_box[box]) if box >= 0 else -1
        if number >= 0 and int(found.chains[number, LENGTH]) > best[1]:
            best = int(found.chains[number][0]), int(found.chains[number, LENGTH])
    return best


def _structure(found: Survey, line: int) -> str:
    kind, length = _chain_at(found, line)
    if kind == LOOP:
        return f"a loop of {length} boxes"
    size = "long chain" if length >= LONG else "short chain"
    return f"a {size} of {length} box{'es' if length != 1 else ''}"


def _deed(found: Survey, line: int) -> str:
    """What the line did."""
    name, kind = found.position.write(line), _kind(found, line)
    safe = found.lines(SAFE)
    captures = found.lines(CAPTURE)
    if kind == CAPTURE:
        return f"{name} takes a box and keeps the turn, which here costs control"
    if captures and kind != CAPTURE:
        waiting = f"{name} leaves boxes that could be taken ({', '.join(captures[:3])})"
        return f"{waiting} without gaining control by it"
    if kind == LOONY:
        why = "while safe lines were left" if safe else "and gives away control"
        return f"{name} opens {_structure(found, line)} {why}: a loony move"
    if kind == SHORT:
        why = "while safe lines were left" if safe else "too early or the wrong one"
        return f"{name} sacrifices {_structure(found, line)} {why}"
    after = found.position.play_action(line)
    if kind == SAFE and not after.is_over:
        before_long, now_long = _long_chains(found), _long_chains(Survey(after))
        if now_long != before_long:
            return f"{name} changes the long chains from {before_long} to {now_long}, which favours the opponent"
        return f"{name} is safe but leaves the opponent the fight for control"
    return f"{name} gives value away"


def _long_chains(found: Survey) -> int:
    return sum(1 for kind, length, *_ in found.chains if kind == LOOP or (kind == CHAIN and length >= LONG))


def _advice(found: Survey, line: int) -> str:
    """What the better line would have done."""
    name, kind = found.position.write(line), _kind(found, line)
    captures = found.lines(CAPTURE)
    if kind == CAPTURE:
        return f"{name} takes what is free"
    if captures:
        return f"the double deal {name} hands out the last boxes and keeps control"
    if kind == SHORT:
        return f"the sacrifice {name} gives {_structure(found, line)} and turns the parity"
    if kind == LOONY:
        return f"{name} opens {_structure(found, line)}, which costs least"
    return f"{name} was better"
