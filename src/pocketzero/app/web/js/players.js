/** The bar of one player: name, score or captures, and whether it is their turn. */

import { h } from "./dom.js";

const COLOURS = [
  ["W", "white"],
  ["G", "grey"],
  ["B", "black"],
];

/** Whether stones lie on the crossings of a wooden board. */
export const isWooden = (board) => board.family === "mnk" && Math.min(board.columns, board.rows) >= 7;

/** What people call the two sides. */
export function sideNames(board) {
  if (board.family === "zertz") return ["Player 1", "Player 2"];
  if (board.family === "mnk") return isWooden(board) ? ["Black", "White"] : ["X", "O"];
  return board.players;
}

/** Who plays a side, and which side it is where that is not plain. */
export function nameOf(session, side) {
  const { board, state } = session;
  const seat = state.seats[side];
  if (seat.person && state.seats[1 - side].person) return board.family === "dots" ? `Player ${board.players[side]}` : board.players[side];
  return seat.person ? "You" : seat.name;
}

/** The bar for side 0 or 1. */
export function playerBar(session, side) {
  const { state, view, board } = session;
  const seat = state.seats[side];
  const moves = !view.over && view.to_move === side;
  const turn = moves ? (state.thinking ? "thinking …" : view.stays && board.family === "dots" ? "moves again" : "to move") : "";
  const name = nameOf(session, side);
  return h(
    `div.bar.p${side}` + (moves ? ".moves" : "") + (view.winner === side ? ".winner" : ""),
    { "data-side": side },
    h("span.sign" + (isWooden(board) ? ".stone" : ""), { "aria-hidden": "true" }, sign(board, side)),
    h("span.who", {}, h("b", {}, name), h("small", {}, seat.person ? (name === "You" ? board.players[side] : "person") : `${board.players[side]}${seat.text === seat.name ? "" : ` · ${seat.text}`}`)),
    turn && h("span.turn", {}, turn),
    h("span.space"),
    board.family === "dots" && h("span.score", { "aria-label": "boxes" }, String(view.score[side])),
    board.family === "zertz" && captures(board, view.captured[side]),
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

/** The marbles that are left; while one is to be put, they are buttons and the chosen one is pressed. */
export function palette(session, drawer, redraw) {
  const { view } = session;
  const choosing = view.phase === "put" && session.isPersonsTurn;
  const supply = view.own ? view.captured[view.to_move] : view.pool;
  const box = h("span.palette", { role: "radiogroup", "aria-label": view.own ? "Your marbles" : "Pool" }, h("small", {}, view.own ? "Own" : "Pool"));
  for (const [n, [letter, name]] of COLOURS.entries()) {
    const choose = () => {
      drawer.colour = letter;
      for (const each of box.querySelectorAll("button")) each.setAttribute("aria-checked", each.dataset.colour === letter);
      redraw();
    };
    box.append(h(`button.pill.${name}`, { type: "button", role: "radio", "data-colour": letter, "aria-checked": choosing && drawer.colour === letter, disabled: !choosing || !view.colours.includes(letter), title: `${supply[n]} ${name} left (${n + 1})`, "aria-label": `${name}, ${supply[n]} left`, onclick: choose }, letter, h("b", {}, String(supply[n]))));
  }
  return box;
}
