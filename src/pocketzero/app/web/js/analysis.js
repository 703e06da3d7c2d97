/** The analysis panel: a bar for the win rate, a table of moves, and switches for the overlays. */

import { choice, h, put } from "./dom.js";
import { lossClass, worth } from "./boards/board.js";
import { remember, setting } from "./settings.js";

const STATES = { running: "searching", proven: "proven", full: "the tree is full", done: "done", over: "the game is over", failed: "failed" };
const SHOWN = 30;

/** A number that stays short: 1.2k, 3.4M. */
export const short = (n) => (n >= 1e6 ? `${(n / 1e6).toFixed(1)}M` : n >= 1e4 ? `${Math.round(n / 1e3)}k` : n >= 1e3 ? `${(n / 1e3).toFixed(1)}k` : String(n));

export class AnalysisPanel {
  constructor(session, view) {
    this.session = session;
    this.view = view;
    this.bar = h("div.rate", { role: "img" });
    this.words = h("p.numbers");
    this.rows = h("tbody");
    this.overlay = h("span");
    this.element = h(
      "div.analysis",
      {},
      h("div.analysis-head", {}, h("button.switch", { type: "button", id: "analysis-switch", onclick: () => view.toggleAnalysis() }, "Start"), this.overlay),
      this.bar,
      this.words,
      h("table.moves-table", {}, h("thead", {}, h("tr", {}, ["Move", "Value", "Loss", "Visits", "Line"].map((name) => h("th", { scope: "col" }, name)))), this.rows),
    );
    this.rows.addEventListener("mouseleave", () => view.showLine([]));
  }

  refresh() {
    const { session } = this;
    const { report, board, analysing } = session;
    const button = this.element.querySelector("#analysis-switch");
    button.textContent = analysing ? "Stop" : "Start";
    button.setAttribute("aria-pressed", analysing);
    this.#overlays(board, report);
    this.#rate(report, board);
    this.words.textContent = this.#numbers(report, analysing);
    if (!this.rows.matches(":hover") || !report) put(this.rows, (report?.moves ?? []).slice(0, SHOWN).map((move) => this.#row(move, board)));
  }

  #overlays(board, report) {
    const pairs = [["search", "Search"], ["none", "Hidden"]];
    if (report?.policy) pairs.splice(1, 0, ["policy", "Net's first thought"]);
    if (board.family === "dots") pairs.splice(1, 0, ["owners", "Expected owners"]);
    const key = pairs.map(([name]) => name).join();
    if (this.overlay.dataset.key === key) return;
    this.overlay.dataset.key = key;
    const value = pairs.some(([name]) => name === setting("overlay")) ? setting("overlay") : "search";
    const box = choice(pairs, value, (wanted) => {
      remember("overlay", wanted);
      this.view.showReport();
    });
    box.id = "overlay";
    box.setAttribute("aria-label", "What the board shows");
    put(this.overlay, box);
  }

  /** The first player's share of the bar. */
  #rate(report, board) {
    if (!report?.moves?.length) return put(this.bar);
    const first = report.to_move === 0 ? report.winrate : 1 - report.winrate;
    const percent = Math.round(100 * first);
    this.bar.setAttribute("aria-label", `${board.players[0]} ${percent}%, ${board.players[1]} ${100 - percent}%`);
    put(this.bar, h("span.p0", { style: `width:${100 * first}%` }, percent >= 24 ? `${board.players[0]} ${percent}%` : ""), h("span.p1", {}, percent <= 76 ? `${100 - percent}% ${board.players[1]}` : ""));
  }

  #numbers(report, analysing) {
    if (!analysing) return "Analysis is off.";
    if (!report) return "Searching …";
    if (report.error) return report.error;
    if (report.state === "over") return "The game is over.";
    const speed = report.seconds > 0 ? `${short(Math.round(report.simulations / report.seconds))}/s` : "";
    const signed = (value) => (value > 0 ? `+${value}` : String(value).replace("-", "−"));
    const known = report.exact !== null;
    const exact = !known ? "" : this.session.board.has_margin ? ` · exact margin ${signed(report.exact)}` : " · exact";
    const margin = known || report.margin === undefined ? "" : ` · expected margin ${signed(report.margin)}`;
    return `${short(report.simulations)} simulations · ${speed} · ${report.evaluator} · ${STATES[report.state]}${exact}${margin}`;
  }

  #row(move, board) {
    const known = move.exact !== null && move.exact !== undefined;
    const value = known ? worth(move, board.has_margin) : move.proven ? "" : move.winrate === null ? "–" : `${(100 * move.winrate).toFixed(1)}%`;
    const loss = known ? (move.exact_loss ? `−${move.exact_loss}` : "") : move.loss ? `−${(100 * move.loss).toFixed(1)}` : "";
    const badge = known ? h("span.badge.exact", {}, "exact") : move.proven ? h("span.badge", {}, move.ends_in ? `${move.proven} in ${move.ends_in}` : move.proven) : null;
    return h(
      "tr",
      { "data-move": move.move, onmouseenter: () => this.view.showLine(move.line), onclick: () => this.session.play(move.move) },
      h("td", {}, h(`span.dot.${lossClass(move)}`), h("b", {}, move.move)),
      h("td", {}, value, " ", badge),
      h("td.loss", {}, loss),
      h("td", {}, short(move.visits)),
      h("td.line-text", {}, move.line.slice(1, 7).join(" ")),
    );
  }
}
