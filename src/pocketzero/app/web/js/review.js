/** The review of a whole game: graphs to click, mistakes ranked, each with words and a better line to play. */

import { choice, h, put, reveal, toast } from "./dom.js";
import { chart } from "./chart.js";

export class ReviewPanel {
  #seconds = "0.3";

  constructor(session, view) {
    this.session = session;
    this.view = view;
    this.element = h("div.review");
  }

  refresh() {
    const { review, board } = this.session;
    const running = review?.state === "running";
    put(
      this.element,
      h(
        "div.analysis-head",
        {},
        h("button.main.small", { type: "button", id: "start-review", disabled: running, onclick: () => this.start() }, running ? `Reviewing ${review.points.length} of ${review.total || "…"}` : review ? "Review again" : "Review this game"),
        choice([["0.1", "quick"], ["0.3", "normal"], ["1", "deep"]], this.#seconds, (value) => (this.#seconds = value)),
        review?.mistakes?.length ? h("button", { type: "button", id: "next-mistake", onclick: () => this.next() }, "Next (n)") : null,
      ),
      review?.error && h("p.error-text", {}, review.error),
      review?.points.length ? this.#graphs(review, board) : h("p.hint-text", {}, "The whole game is searched, or solved where that is possible. You see where it was decided and which moves gave most away."),
      review?.summary && this.#summary(review, board),
      review?.mistakes && this.#mistakes(review, board),
    );
  }

  /** Show the mistake at the cursor. */
  #reveal() {
    reveal(this.element.querySelector("li[aria-current]"));
  }

  start() {
    this.session.startReview(Number(this.#seconds));
  }

  #graphs(review, board) {
    const line = review.points.map((point) => point.node);
    const cursor = line.indexOf(this.session.state.cursor);
    const pick = (x) => this.session.goTo(line[Math.round(x)]);
    const shared = { cursor: cursor < 0 ? undefined : cursor, onpick: pick, bottom: "moves", width: 370 };
    const graphs = [chart({ title: `Win rate of ${board.players[0]}`, series: [{ name: "win rate", points: review.points.map((p) => ({ x: p.ply, y: p.winrate })) }], range: [0, 1], percent: true, middle: 0.5, ...shared })];
    if (board.has_margin) {
      const exact = review.points.filter((p) => p.margin !== null && p.margin !== undefined).map((p) => ({ x: p.ply, y: p.margin }));
      const score = review.points.map((p) => ({ x: p.ply, y: p.score }));
      graphs.push(chart({ title: `Margin of ${board.players[0]}`, series: [{ name: "on the board", points: score }, ...(exact.length ? [{ name: "by best play (exact)", points: exact }] : [])], middle: 0, ...shared }));
    }
    return graphs;
  }

  #summary(review, board) {
    return h(
      "table.summary",
      {},
      h("thead", {}, h("tr", {}, ["", "decisions", "?? blunders", "? mistakes", "?! small", board.has_margin ? "boxes" : null].filter((name) => name !== null).map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, review.summary.map((each) => h("tr", {}, h("th", { scope: "row" }, board.players[each.player]), h("td", {}, String(each.decisions)), h("td", {}, String(each.blunder)), h("td", {}, String(each.mistake)), h("td", {}, String(each.inaccuracy)), board.has_margin && h("td", {}, String(each.lost))))),
    );
  }

  #mistakes(review, board) {
    if (!review.mistakes.length) return h("p.hint-text", {}, "No mistakes were found.");
    return h("ol.mistakes", {}, review.mistakes.slice(0, 40).map((mistake) => this.#mistake(mistake, board)));
  }

  #mistake(mistake, board) {
    const cost = mistake.points ? `${mistake.points} box${mistake.points > 1 ? "es" : ""}` : `${Math.round(100 * mistake.loss)}%`;
    return h(
      `li.mistake.${mistake.grade}`,
      { "data-node": mistake.node, "aria-current": this.session.state.cursor === mistake.node ? "true" : null },
      h("button.link", { type: "button", onclick: () => this.session.goTo(mistake.node) }, h("b", {}, `${mistake.ply}. ${mistake.move}`), ` ${board.players[mistake.player]}, ${mistake.grade}, −${cost}`, mistake.exact && [" ", h("span.badge.exact", {}, "exact")]),
      h("p", {}, mistake.words),
      h("button", { type: "button", onclick: () => this.#playBetter(mistake) }, `Play ${mistake.line.slice(0, 4).join(" ")}`),
    );
  }

  /** Go to the position before the mistake and play the better line there, as a variation with nobody thinking. */
  async #playBetter(mistake) {
    await this.session.goTo(mistake.before);
    const seats = this.session.state.seats.map((seat) => seat.text);
    if (seats.some((text) => text !== "person")) {
      await this.session.change({ seats: ["person", "person"] });
      toast("Both sides are yours now; Seats gives them back.");
    }
    for (const move of mistake.line.slice(0, 6)) await this.session.play(move);
  }

  /** The next mistake in the order of the game. */
  next() {
    const mistakes = [...(this.session.review?.mistakes ?? [])].sort((a, b) => a.ply - b.ply);
    if (!mistakes.length) return toast("There is no review with mistakes yet.");
    const line = this.session.path(this.session.state.cursor).length - 1;
    const next = mistakes.find((mistake) => mistake.ply > line) ?? mistakes[0];
    this.view.openTab("review");
    Promise.resolve(this.session.goTo(next.node)).then(() => {
      this.#reveal();
      this.view.showLine([next.better]);
    });
  }
}
