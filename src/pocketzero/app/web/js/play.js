/** The playing view: the board with both players beside it, and a panel with moves, analysis and review. */

import { $, h, put, speak, toast } from "./dom.js";
import { get } from "./api.js";
import { makeBoard } from "./boards/board.js";
import { AnalysisPanel } from "./analysis.js";
import { MovesPanel } from "./moves.js";
import { ReviewPanel } from "./review.js";
import { nameOf, palette, playerBar } from "./players.js";
import { setting } from "./settings.js";

const TABS = [
  ["moves", "Moves"],
  ["analysis", "Analysis"],
  ["review", "Review"],
];

export class PlayView {
  #tab = "moves";
  #chains = false;
  #hovered = null; // the move whose line is shown

  constructor(session) {
    this.session = session;
    this.frame = h("div.frame");
    this.bars = [h("div"), h("div")];
    this.step = h("div.step-line", { "aria-live": "polite" });
    this.panels = {
      moves: new MovesPanel(session),
      analysis: new AnalysisPanel(session, this),
      review: new ReviewPanel(session, this),
    };
    this.body = h("div.tab-body", { role: "tabpanel" });
    this.tabs = h("div.tabs", { role: "tablist" }, TABS.map(([name, title]) => h("button", { type: "button", role: "tab", "data-tab": name, onclick: () => this.openTab(name) }, title)));
    this.element = h(
      "div.play",
      {},
      h("section.table", { "aria-label": "Board" }, this.bars[1], this.frame, this.bars[0], this.step),
      h("aside.panel", { "aria-label": "Game" }, this.#header(), this.tabs, this.body, this.#controls(), this.#more()),
    );
    session.on("opened", () => this.#opened());
    session.on("changed", ({ moved }) => this.#changed(moved));
    session.on("report", () => this.showReport());
    session.on("review", () => this.#tab === "review" && this.panels.review.refresh());
    this.openTab("moves");
  }

  #header() {
    this.title = h("h1");
    this.status = h("p.status");
    return h("div.game-head", {}, h("div", {}, this.title, this.status), h("button.main", { type: "button", id: "new-game", onclick: () => this.newGame() }, "New game"));
  }

  #controls() {
    const button = (id, sign, label, action) => h("button", { type: "button", id, title: label, "aria-label": label, onclick: action }, sign);
    return h(
      "div.controls",
      {},
      h("div.group", {}, button("to-start", "«", "To the beginning (Home)", () => this.session.goTo(0)), button("back", "‹", "Back (←)", () => this.session.step(-1)), button("forward", "›", "Forward (→)", () => this.session.step(1)), button("to-end", "»", "To the end (End)", () => this.session.goTo(this.session.state.end))),
      h("div.group", {}, button("undo", "Undo", "Undo your last decision (u)", () => this.session.undo()), button("redo", "Redo", "Redo (r)", () => this.session.redo())),
      h("div.group", {}, button("hint", "Hint", "Hint (h)", () => this.hint()), button("analyse", "Analyse", "Analysis on or off (a)", () => this.toggleAnalysis())),
    );
  }

  #more() {
    const link = (id, text, action) => h("button.link", { type: "button", id, onclick: action }, text);
    this.chainButton = link("chains", "Chains", () => this.toggleChains());
    this.goButton = h("button.main.small", { type: "button", id: "go-on", onclick: () => this.session.goOn() }, "Continue");
    return h("div.more", {}, this.goButton, this.chainButton, link("seats", "Seats", () => this.seats()), link("edit", "Edit position", () => this.edit()), link("from-here", "New game from here", () => this.fromHere()), link("share", "Record & share", () => this.share()));
  }

  // What is shown

  #opened() {
    const { board } = this.session;
    this.board = makeBoard(board, { onmove: (move) => this.session.play(move), onhover: (move) => this.#showLineOf(move) });
    this.#chains = false;
    put(this.frame, this.board.element);
    document.body.dataset.family = board.family;
    this.panels.review.refresh();
    this.refresh();
  }

  #changed(moved) {
    if (moved) {
      this.#hovered = null;
      this.board.showMarks(null);
    }
    this.refresh();
    if (moved) this.#announce();
    if (moved && this.#chains) this.#lightChains();
  }

  /** Draw everything again from the session's state. */
  refresh() {
    const { state, view, board } = this.session;
    if (!state || !this.board) return;
    this.board.show(view, { active: this.session.isPersonsTurn });
    this.title.textContent = board.title;
    this.status.textContent = this.#standing();
    document.title = `${this.#standing()} · ${board.title} · PocketZero`;
    for (const side of [0, 1]) put(this.bars[side], playerBar(this.session, side));
    put(this.step, this.#whatToDo());
    this.goButton.hidden = !(state.paused && !view.over && !state.seats[view.to_move].person) && !this.#machines();
    this.goButton.textContent = this.#machines() && !state.paused ? "Pause" : "Continue";
    this.goButton.onclick = () => (this.#machines() && !state.paused ? this.session.pause() : this.session.goOn());
    this.goButton.hidden ||= view.over;
    this.chainButton.hidden = board.family !== "dots";
    this.chainButton.setAttribute("aria-pressed", this.#chains);
    $("#undo", this.element).disabled = state.cursor === 0;
    $("#redo", this.element).disabled = !state.nodes.some((node) => node.parent === state.cursor);
    $("#analyse", this.element).setAttribute("aria-pressed", this.session.analysing);
    this.panels[this.#tab].refresh();
    this.#showUnder();
  }

  #machines() {
    return this.session.state.seats.every((seat) => !seat.person);
  }

  #standing() {
    const { state, view } = this.session;
    if (state.problem) return state.problem;
    if (view.over) {
      const winner = view.winner === null ? "" : nameOf(this.session, view.winner);
      return winner ? `${winner} ${winner === "You" ? "win" : "wins"}${view.margin ? ` by ${Math.abs(view.margin)}` : ""}.` : "A draw.";
    }
    const again = view.stays && this.session.board.family !== "zertz" ? " again" : "";
    const name = nameOf(this.session, view.to_move);
    if (name === "You") return `Your move${again}`;
    return `${name} ${state.thinking ? "is thinking …" : `to move${again}`}`;
  }

  /** In Zertz a turn has steps, and they are said. */
  #whatToDo() {
    const { view, board, state } = this.session;
    if (board.family !== "zertz") return [];
    const pool = palette(this.session, this.board.drawer, () => this.board.redraw());
    if (view.over) return [pool];
    const texts = { put: view.own ? "Put one of your own marbles" : "Put a marble", remove: "Remove a free ring", capture: "Capture: it is compulsory", chain: "Jump on with the same marble" };
    const parts = ["capture", "chain"].includes(view.phase) ? [["capture", "Capture"], ["chain", "Jump on"]] : [["put", "Put"], ["remove", "Ring"]];
    const at = parts.findIndex(([name]) => name === view.phase);
    return [
      h("ol.turn-steps", {}, parts.map(([, text], n) => h(n === at ? "li.now" : n < at ? "li.past" : "li", {}, text)), h("li", {}, "Done")),
      h("span.what", {}, state.seats[view.to_move].person ? texts[view.phase] : ""),
      pool,
    ];
  }

  #announce() {
    const { state, view, board } = this.session;
    const node = this.session.node(state.cursor);
    const moved = node.move ? `${board.players[node.player]} played ${node.move}. ` : "";
    speak(moved + this.#standing() + (view.stays ? ", the turn stays" : ""));
  }

  // Overlays

  showReport() {
    const { report, analysing } = this.session;
    $("#analyse", this.element).setAttribute("aria-pressed", analysing);
    this.board?.showMarks(analysing ? report : null, { overlay: setting("overlay"), line: this.#lineOf(this.#hovered) });
    this.#showUnder();
    if (this.#tab === "analysis") this.panels.analysis.refresh();
  }

  /** What the analysis expects after a move. */
  #lineOf(move) {
    const { report, analysing } = this.session;
    return (analysing && report?.moves?.find((each) => each.move === move)?.line) || [];
  }

  /** Keep the line of the move under the pointer on the board, also while reports come in. */
  #showLineOf(move) {
    if (this.#hovered === move) return;
    this.#hovered = move;
    if (this.session.analysing) this.board.showLine(this.#lineOf(move));
  }

  showLine(words) {
    this.#hovered = words[0] ?? null;
    this.board.showLine(words);
  }

  #showUnder() {
    if (this.session.board.family !== "dots" || this.#chains) return;
    const { report, view } = this.session;
    const wanted = this.session.analysing && setting("overlay") === "owners" && report?.owners;
    this.board.showUnder(wanted ? this.board.drawer.owners(report.owners, view) : "");
  }

  async toggleChains(on = !this.#chains) {
    if (this.session.board.family !== "dots") return;
    this.#chains = on;
    this.chainButton.setAttribute("aria-pressed", on);
    if (!on) {
      this.board.showUnder("");
      return this.refresh();
    }
    await this.#lightChains();
  }

  async #lightChains() {
    const at = this.session.state.cursor;
    const path = `/api/games/${this.session.id}/explain?node=${at}`;
    const { chains } = await get(`${path}&words=false`);
    if (!this.#chains || this.session.state.cursor !== at) return;
    this.board.showUnder(this.board.drawer.chains(chains));
    const { sentences } = await get(path);
    if (this.#chains && this.session.state.cursor === at) put(this.step, h("p.words", {}, sentences.slice(1).filter((each) => !each.startsWith("A short chain")).slice(0, 4).join(" ")));
  }

  // Doing

  openTab(name) {
    this.#tab = name;
    for (const tab of this.tabs.children) tab.setAttribute("aria-selected", tab.dataset.tab === name);
    put(this.body, this.panels[name].element);
    if (this.session.state) this.panels[name].refresh();
  }

  toggleAnalysis(on = !this.session.analysing) {
    if (on) this.openTab("analysis");
    this.session.analyse(on);
  }

  async hint() {
    try {
      const { move, words, line } = await this.session.best();
      this.board.showHint(move);
      toast(words || `Hint: ${move}`);
      speak(`Hint: ${move}`);
      return line;
    } catch (error) {
      toast(error.message, true);
    }
  }

  async playBest() {
    if (!this.session.view || this.session.view.over || this.session.state.thinking) return;
    const at = this.session.state.cursor;
    try {
      const { move } = await this.session.best();
      if (this.session.state.cursor === at) await this.session.play(move);
    } catch (error) {
      toast(error.message, true);
    }
  }

  async newGame() {
    (await import("./newgame.js")).newGameDialog(this.session);
  }

  async seats() {
    (await import("./newgame.js")).seatsDialog(this.session);
  }

  async fromHere() {
    const { id, state } = this.session;
    await this.session.create({ game: state.game, from_game: id, from_node: state.cursor, seats: state.seats.map((seat) => seat.text), pace: state.pace });
    toast("A new game from here.");
  }

  async share() {
    (await import("./share.js")).shareDialog(this.session);
  }

  async edit() {
    const { editor } = await import("./editor.js");
    put(this.element.parentElement, editor(this.session, () => put($("#main"), this.element)));
  }

  /** Keys of this view; says whether the key meant something. */
  key(key) {
    const { session } = this;
    if (!session.state) return false;
    const colours = { 1: "W", 2: "G", 3: "B" };
    if (colours[key] && session.board.family === "zertz" && session.view.colours.includes(colours[key])) {
      this.board.drawer.colour = colours[key];
      this.refresh();
      return true;
    }
    const actions = {
      ArrowLeft: () => session.step(-1),
      ArrowRight: () => session.step(1),
      Home: () => session.goTo(0),
      End: () => session.goTo(session.state.end),
      " ": () => this.playBest(),
      a: () => this.toggleAnalysis(),
      h: () => this.hint(),
      u: () => session.undo(),
      r: () => session.redo(),
      c: () => this.toggleChains(),
      n: () => this.panels.review.next(),
    };
    if (!actions[key]) return false;
    actions[key]();
    return true;
  }
}
