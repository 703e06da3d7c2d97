"""A game with its variations: a tree of positions, and the place in it where the players are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pocketzero.errors import PocketZeroError
from pocketzero.games import Game, Position


@dataclass(eq=False)
class Node:
    """One position of a game, with the moves that were tried from it."""

    number: int
    position: Position
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    favourite: Node | None = None  # the child that was visited last

    @property
    def path(self) -> list[Node]:
        """The way from the root to here."""
        way = [self]
        while way[-1].parent is not None:
            way.append(way[-1].parent)
        return way[::-1]


class GameTree:
    """All positions of one game."""

    def __init__(self, start: Position, *, most_nodes: int) -> None:
        self.nodes = [Node(0, start)]
        self.cursor = self.nodes[0]
        self._most_nodes = most_nodes

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.nodes[0].position.game

    @property
    def position(self) -> Position:
        """Where the players are."""
        return self.cursor.position

    def node(self, number: int) -> Node:
        """The node with this number."""
        if not 0 <= number < len(self.nodes):
            raise PocketZeroError(f"The game has no position {number}; it has {len(self.nodes)}, counted from 0.")
        return self.nodes[number]

    def go_to(self, node: Node) -> None:
        """Look at another position; the way to it becomes the main one."""
        for each in node.path:
            if each.parent is not None:
                each.parent.favourite = each
        self.cursor = node

    def play(self, move: str) -> None:
        """Play a move, which may be a whole turn; one that was played here before is followed."""
        before = self.position
        after = before.play(move)
        actions: list[int] = []
        while after is not before:
            assert after.previous is not None
            assert after.action is not None
            actions.append(after.action)
            after = after.previous
        for action in reversed(actions):
            self.play_action(action)

    def play_action(self, action: int) -> None:
        """Play a legal action."""
        known = next((child for child in self.cursor.children if child.position.action == action), None)
        self.go_to(known or self._add(self.cursor, action))

    def _add(self, parent: Node, action: int) -> Node:
        if len(self.nodes) >= self._most_nodes:
            raise PocketZeroError(f"The game has {self._most_nodes} positions already; begin a new one from here.")
        node = Node(len(self.nodes), parent.position.play_action(action), parent)
        self.nodes.append(node)
        parent.children.append(node)
        return node

    @property
    def main_end(self) -> Node:
        """Where the line leads that goes through the cursor and then by the moves visited last."""
        node = self.cursor
        while node.favourite is not None:
            node = node.favourite
        return node

    def rows(self) -> list[dict[str, Any]]:
        """The tree as plain data: for each node its parent, its move and who made it."""
        found: list[dict[str, Any]] = []
        for node in self.nodes:
            parent, action = node.parent, node.position.action
            if parent is None or action is None:
                found.append({"id": node.number, "parent": None, "move": "", "player": None, "turn": True})
            else:
                before = parent.position
                begins = before.previous is None or before.previous.to_move != before.to_move
                move = before.write(action)
                row: dict[str, Any] = {
                    "id": node.number,
                    "parent": parent.number,
                    "move": move,
                    "player": before.to_move,
                }
                found.append({**row, "turn": begins})
        return found

    def to_data(self) -> dict[str, Any]:
        """Enough to build it again."""
        start = self.nodes[0].position
        return {
            "start": "" if start == self.game.start() else start.text,
            "nodes": [[node.parent.number, node.position.action] for node in self.nodes[1:] if node.parent is not None],
            "favourites": [node.favourite.number if node.favourite else 0 for node in self.nodes],
            "cursor": self.cursor.number,
        }

    @classmethod
    def from_data(cls, game: Game, data: dict[str, Any], *, most_nodes: int) -> GameTree:
        """The tree that was written down; every action is checked again."""
        tree = cls(game.position(data["start"]) if data["start"] else game.start(), most_nodes=most_nodes)
        for parent, action in data["nodes"]:
            before = tree.node(parent)
            if action not in before.position.legal_actions():
                raise PocketZeroError(f"The stored game is damaged: action {action} is not legal there.")
            tree._add(before, action)
        for node, favourite in zip(tree.nodes, data["favourites"]):
            node.favourite = tree.node(favourite) if favourite else None
        tree.cursor = tree.node(data["cursor"])
        return tree
