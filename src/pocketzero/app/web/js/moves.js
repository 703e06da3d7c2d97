/** The list of moves: turns in rows, variations below the turn they leave. */

import { h, put, reveal } from "./dom.js";

export class MovesPanel {
  constructor(session) {
    this.session = session;
    this.element = h("div.moves", { "aria-label": "Moves" });
  }

  refresh() {
    const { session } = this;
    const children = session.children();
    const main = session.mainLine();
    const marks = new Map((session.review?.mistakes ?? []).map((mistake) => [mistake.node, mistake]));
    const rows = [];
    let row = null;
    let number = 0;
    main.slice(1).forEach((id, at) => {
      const node = session.node(id);
      const before = at ? session.node(main[at]) : null;
      const sameTurn = before && before.player === node.player && !this.#endsTurn(main, at);
      if (!row || (!sameTurn && node.player <= row.player) || (row.others && !sameTurn)) {
        row = { cells: [[], []], others: null, player: -1 };
        rows.push(row);
      }
      row.player = node.player;
      row.cells[node.player].push(this.#chip(node, marks.get(id)));
      const siblings = children[main[at]].filter((other) => other !== id);
      if (siblings.length) row.others = [...(row.others ?? []), ...siblings];
    });
    put(
      this.element,
      rows.length ? null : h("p.hint-text", {}, "Click on the board to begin."),
      rows.map((each) => [h("div.turn-row", {}, h("span.no", {}, String(++number)), h("span", {}, each.cells[0]), h("span", {}, each.cells[1])), (each.others ?? []).map((id) => h("div.variation", {}, this.#variation(id, children)))]),
      this.#tail(children, main),
    );
    reveal(this.element.querySelector("[aria-current]"));
  }

  /** Whether the turn ended before this move although the same player moves (after a put without a ring, say). */
  #endsTurn(main, at) {
    return this.session.node(main[at + 1]).turn;
  }

  #tail(children, main) {
    const end = main.at(-1);
    return children[end].map((id) => h("div.variation", {}, this.#variation(id, children)));
  }

  #chip(node, mistake) {
    const current = node.id === this.session.state.cursor;
    const grade = mistake ? { blunder: "??", mistake: "?", inaccuracy: "?!" }[mistake.grade] : "";
    return h("button.chip" + (mistake ? `.${mistake.grade}` : ""), { type: "button", "data-node": node.id, "aria-current": current ? "step" : null, title: mistake?.words ?? "", onclick: () => this.session.goTo(node.id) }, node.move + grade);
  }

  /** A line that leaves the main one, with its own branches in brackets. */
  #variation(id, children) {
    const parts = [];
    for (let at = id; at !== undefined; at = children[at][0]) {
      parts.push(this.#chip(this.session.node(at)));
      for (const other of children[at].slice(1)) parts.push(h("span.inner", {}, "(", this.#variation(other, children), ")"));
    }
    return parts;
  }
}
