/** The position editor: lay out lines, stones, marbles and rings; the server says whether it can be. */

import { choice, field, h, number, put, toast } from "./dom.js";
import { post } from "./api.js";
import { makeBoard } from "./boards/board.js";

const MARBLES = [[".", "vacant ring"], ["W", "white marble"], ["G", "grey marble"], ["B", "black marble"], ["_", "no ring"]];

/** The parts of a view that can be edited. */
function setupOf(view, family) {
  const shared = { to_move: view.to_move };
  if (family === "dots") return { ...shared, drawn: view.drawn, owners: view.owners };
  if (family === "mnk") return { ...shared, stones: view.stones };
  return { ...shared, rings: view.rings, pool: [...view.pool], captured: view.captured.map((three) => [...three]) };
}

const replaced = (text, at, sign) => text.slice(0, at) + sign + text.slice(at + 1);

export function editor(session, leave) {
  const { board: info, view } = session;
  const family = info.family;
  const setup = setupOf(view, family);
  let brush = "W";
  let checked = null;
  let asked = 0; // only the answer to the last question counts
  const verdict = h("p.verdict", { role: "status", id: "editor-verdict" });
  const text = h("input", { id: "editor-text", "aria-label": "Position as text", spellcheck: "false" });
  const panel = h("div.editor-fields");
  const board = makeBoard(info, { onedit: (what) => edit(what) });

  function edit(what) {
    const [kind, place] = what.split(":");
    const at = Number(place);
    if (kind === "line") setup.drawn = replaced(setup.drawn, at, setup.drawn[at] === "1" ? "0" : "1");
    if (kind === "box") setup.owners = replaced(setup.owners, at, { A: "B", B: "A", ".": "A" }[setup.owners[at]]);
    if (kind === "cell") setup.stones = replaced(setup.stones, at, { ".": "x", x: "o", o: "." }[setup.stones[at]]);
    if (kind === "ring") paint(at);
    check();
  }

  /** Change a ring; marbles come from the pool and go back to it. */
  function paint(at) {
    const old = "WGB".indexOf(setup.rings[at]);
    if (old >= 0) setup.pool[old] += 1;
    setup.rings = replaced(setup.rings, at, brush);
    const fresh = "WGB".indexOf(brush);
    if (fresh >= 0) setup.pool[fresh] = Math.max(0, setup.pool[fresh] - 1);
    fields();
  }

  function shown() {
    const blank = { ...view, last: [], won: [], jumps: [], free: [], legal: [], colours: "WGB", phase: "edit", over: false };
    board.show({ ...blank, ...setup, ...(checked ? { owners: checked.view.owners ?? setup.owners } : {}) }, { editing: true });
  }

  async function check(body = { game: session.state.game, setup }) {
    if (family === "mnk" && body.setup) setup.to_move = [...setup.stones].filter((s) => s === "x").length > [...setup.stones].filter((s) => s === "o").length ? 1 : 0;
    const question = (asked += 1);
    let answer = null;
    let fault = null;
    try {
      answer = await post("/api/positions", body);
    } catch (error) {
      fault = error;
    }
    if (question !== asked) return;
    checked = answer;
    if (answer) {
      Object.assign(setup, setupOf(checked.view, family));
      verdict.textContent = checked.view.over ? "This position is over." : "This position can be played.";
      verdict.className = "verdict fine";
      if (body.setup) text.value = checked.text; // what is being typed stays as it is
    } else {
      verdict.textContent = fault.message;
      verdict.className = "verdict wrong";
    }
    play.disabled = analyse.disabled = !checked || checked.view.over;
    fields();
    shown();
  }

  function fields() {
    const side = choice(info.players.map((name, n) => [String(n), name]), String(setup.to_move), (value) => {
      setup.to_move = Number(value);
      check();
    });
    side.id = "editor-side";
    put(
      panel,
      family === "zertz" && h("div.segmented.brushes", { role: "radiogroup", "aria-label": "What a click puts" }, MARBLES.map(([sign, name]) => h("button", { type: "button", role: "radio", "data-brush": sign, "aria-checked": brush === sign, onclick: () => ((brush = sign), fields()) }, name))),
      family !== "mnk" && field("To move", side),
      family === "zertz" && threes("Pool", setup.pool),
      family === "zertz" && setup.captured.map((three, n) => threes(`Captured by ${info.players[n]}`, three)),
      family === "dots" && h("p.hint-text", {}, "Click lines to draw or rub them out; click a finished box to change its owner. The score follows."),
      family === "mnk" && h("p.hint-text", {}, "Click a cell: first player, second player, empty."),
    );
  }

  const threes = (title, numbers) => h("fieldset.threes", {}, h("legend", {}, title), ["W", "G", "B"].map((letter, n) => field(letter, number(numbers[n], 0, 99, (value) => ((numbers[n] = value), check())))));

  async function begin(analysing) {
    try {
      await session.create({ game: checked.game, start: checked.text, seats: analysing ? ["person", "person"] : session.state.seats.map((seat) => seat.text) });
      leave();
      session.analyse(analysing);
    } catch (error) {
      toast(error.message, true);
    }
  }

  function clear() {
    if (family === "dots") Object.assign(setup, { drawn: setup.drawn.replace(/1/g, "0"), owners: setup.owners.replace(/[AB]/g, ".") });
    if (family === "mnk") setup.stones = setup.stones.replace(/[xo]/g, ".");
    if (family === "zertz") Object.assign(setup, { rings: setup.rings.replace(/./g, "."), pool: [...info.start_pool], captured: [[0, 0, 0], [0, 0, 0]] });
    check();
  }

  const play = h("button.main", { type: "button", id: "editor-play", onclick: () => begin(false) }, "Play from here");
  const analyse = h("button", { type: "button", id: "editor-analyse", onclick: () => begin(true) }, "Analyse");
  text.oninput = () => check({ game: session.state.game, text: text.value });
  const element = h(
    "div.play.editing",
    {},
    h("section.table", { "aria-label": "Board to edit" }, h("div.frame", {}, board.element)),
    h("aside.panel", {}, h("div.game-head", {}, h("div", {}, h("h1", {}, "Edit position"), h("p.status", {}, info.title)), h("button", { type: "button", id: "editor-leave", onclick: leave }, "Cancel")), panel, field("As text", text), verdict, h("div.row.tight", {}, play, analyse, h("button", { type: "button", onclick: clear }, "Clear"))),
  );
  check();
  return element;
}
