/** The bar of one player: name, score or captures, and whether it is their turn. */

import { h } from "./dom.js";

const COLOURS = [
  ["W", "white"],
  ["G", "grey"],
  ["B", "black"],
];

/** The bar for side 0 or 1. */
export function playerBar(session, side, drawer, redraw) {
  const { state, view, board } = session;
  const seat = state.seats[side];
  const moves = !view.over && view.to_move === side;
  const turn = moves ? (state.thinking ? "thinking …" : view.stays && board.family === "dots" ? "moves again" : "to move") : "";
  return h(
    `div.bar.p${side}` + (moves ? ".moves" : "") + (view.winner === side ? ".winner" : ""),
    { "data-side": side },
    h("span.sign" + (board.family === "mnk" && Math.min(board.columns, board.rows) >= 7 ? ".stone" : ""), { "aria-hidden": "true" }, sign(board, side)),
    h("span.who", {}, h("b", {}, state.seats.every((each) => each.person) ? `Player ${board.players[side]}` : seat.name), h("small", {}, seat.person ? (state.seats.every((each) => each.person) ? "person" : board.players[side]) : seat.text)),
    turn && h("span.turn", {}, turn),
    h("span.space"),
    board.family === "dots" && h("span.score", { "aria-label": "boxes" }, String(view.score[side])),
    board.family === "zertz" && captures(board, view.captured[side]),
    board.family === "zertz" && moves && view.phase === "put" && session.isPersonsTurn && palette(view, drawer, redraw),
  );
}

function sign(board, side) {
  if (board.family === "mnk") return ["✕", "◯"][side];
  return board.family === "dots" ? ["A", "B"][side] : ["1", "2"][side];
}

/** Captured marbles towards the goal: so many of each colour. */
function captures(board, held) {
  return h("span.captures", { "aria-label": "captured marbles" }, COLOURS.map(([letter, name], n) => h(`span.pill.${name}`, { title: `${held[n]} ${name} of ${board.goal[n]}; ${board.each} of each win too` }, letter, h("b", {}, String(held[n])), h("i", {}, `/${board.goal[n]}`))));
}

/** The marbles that can be put; the chosen one is pressed. */
function palette(view, drawer, redraw) {
  const supply = view.own ? view.captured[view.to_move] : view.pool;
  const box = h("span.palette", { role: "radiogroup", "aria-label": "Marble to put" });
  for (const [n, [letter, name]] of COLOURS.entries()) {
    const choose = () => {
      drawer.colour = letter;
      for (const each of box.children) each.setAttribute("aria-checked", each.dataset.colour === letter);
      redraw();
    };
    box.append(h(`button.pill.${name}`, { type: "button", role: "radio", "data-colour": letter, "aria-checked": drawer.colour === letter, disabled: !view.colours.includes(letter), title: `${supply[n]} ${name} left (${n + 1})`, "aria-label": `${name}, ${supply[n]} left`, onclick: choose }, letter, h("b", {}, String(supply[n]))));
  }
  return box;
}
