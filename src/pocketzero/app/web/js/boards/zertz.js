/** Zertz: rings, marbles with their letters, compulsory captures, and rings that may be removed. */

const SPACE = 62;
const COLUMN = (SPACE * Math.sqrt(3)) / 2;
const EDGE = 42;
const RING = 28;
const HOLE = 17;
const MARBLE = 21;
const COLOURS = { W: "white", G: "grey", B: "black" };

export class ZertzBoard {
  markRadius = 18;
  pick = null; // the marble that is to jump
  colour = "W"; // the colour that is to be put

  constructor(info) {
    this.info = info;
    const top = Math.max(...info.rings.map((ring) => ring[2]));
    this.box = [0, 0, 2 * EDGE + COLUMN * (info.columns.length - 1), 2 * EDGE + (SPACE / 2) * top];
    this.centre = new Map(info.rings.map(([name, column, height]) => [name, [EDGE + COLUMN * column, EDGE + (SPACE / 2) * (top - height)]]));
  }

  #at(name) {
    const found = this.centre.get(name?.toLowerCase());
    return found ? { x: found[0], y: found[1], key: name.toLowerCase() } : null;
  }

  /** Where a move leads: the ring that is filled or removed, or the end of a jump. */
  place(move) {
    const steps = this.steps(move);
    if (!steps.length) return null;
    return move.startsWith("x") ? { ...steps.at(-1), key: move } : steps[0];
  }

  /** The colour of a marble that is put, for marks. */
  tag(move) {
    return /^[WGB]/.test(move) ? move[0] : "";
  }

  /** A turn as points: `Wd4,d1` has two, `xd1Gd3Wd5` as many as jumps. */
  steps(word) {
    const turn = word.match(/^([WGB])([a-z]\d+)(?:,([a-z]\d+))?/i);
    if (turn) return [this.#at(turn[2]), this.#at(turn[3])].filter(Boolean);
    const removal = word.match(/^[-,]([a-z]\d+)/i);
    if (removal) return [this.#at(removal[1])].filter(Boolean);
    return [...word.matchAll(/[WGB]([a-z]\d+)/gi)].map((jump) => this.#at(jump[1])).filter(Boolean);
  }

  draw(view, { active, editing }) {
    if (!view.colours.includes(this.colour)) this.colour = view.colours[0] ?? "W";
    if (!view.jumps.some((jump) => jump.from === this.pick)) this.pick = view.phase === "chain" ? view.jumps[0]?.from : null;
    const rings = this.info.rings.map(([name], number) => this.#ring(view, name, view.rings[number], active, editing, number));
    return rings.join("") + this.#last(view) + (editing ? "" : this.#jumps(view, active));
  }

  #ring(view, name, sign, active, editing, number) {
    const { x, y } = this.#at(name);
    const gone = sign === "_";
    const marble = COLOURS[sign];
    const jumps = view.jumps.filter((jump) => jump.from === name);
    const landing = view.jumps.filter((jump) => jump.to === name && (this.pick ? jump.from === this.pick : true));
    const free = view.free.includes(name);
    let target = "";
    let what = gone ? "removed" : marble ? `${marble} marble` : "vacant ring";
    if (editing) target = `data-edit="ring:${number}"`;
    else if (active && free) [target, what] = [`data-move="-${name}"`, "free ring, may be removed"];
    else if (active && landing.length === 1) [target, what] = [`data-move="${landing[0].move}"`, `${what}, capture from ${landing[0].from}`];
    else if (active && jumps.length) {
      target = jumps.length === 1 ? `data-move="${jumps[0].move}"` : `data-pick="${name}"`;
      what += ", must capture";
    } else if (active && view.phase === "put" && !gone && !marble) target = `data-move="${this.colour}${name}"`;
    const classes = ["ring", gone ? "gone" : "", free && active ? "free" : "", landing.length ? "landing" : "", jumps.length ? "jumper" : "", this.pick === name ? "picked" : "", target ? "target" : ""];
    const role = target ? `role="button" tabindex="0"` : `role="img"`;
    const ghost = target && view.phase === "put" && !editing && !marble ? this.#marble(x, y, this.colour, name, "ghost") : "";
    const body = gone
      ? `<circle class="trace" cx="${x}" cy="${y}" r="4"/>${editing ? `<circle class="hit" cx="${x}" cy="${y}" r="${RING}"/>` : ""}`
      : `<circle class="torus" cx="${x}" cy="${y}" r="${RING}"/><circle class="hole" cx="${x}" cy="${y}" r="${HOLE}"/>${marble ? "" : `<text class="ring-name" x="${x}" y="${y}">${name}</text>`}`;
    const mark = free && active ? `<circle class="removable" cx="${x}" cy="${y}" r="${RING - 2}"/>` : "";
    return `<g class="${classes.filter(Boolean).join(" ")}" ${target} ${role} data-label="${name}" aria-label="${name}, ${what}">${body}${marble ? this.#marble(x, y, sign, name) : ""}${ghost}${mark}</g>`;
  }

  #marble(x, y, sign, name, extra = "") {
    return `<g class="marble ${COLOURS[sign]} ${extra}"><circle cx="${x}" cy="${y}" r="${MARBLE}"/><text class="letter" x="${x}" y="${y - 3}">${sign}</text><text class="small" x="${x}" y="${y + 11}">${name}</text></g>`;
  }

  #last(view) {
    return view.last
      .map((step) => {
        const to = this.#at(step.to);
        if (step.kind === "put") return `<circle class="last-ring" cx="${to.x}" cy="${to.y}" r="${RING - 2.5}"/>`;
        if (step.kind === "remove") return `<circle class="last-ring dashed" cx="${to.x}" cy="${to.y}" r="${RING - 4}"/>`;
        const from = this.#at(step.from);
        return `<line class="last-way" x1="${from.x}" y1="${from.y}" x2="${to.x}" y2="${to.y}"/><circle class="last-ring" cx="${to.x}" cy="${to.y}" r="${RING - 2.5}"/>`;
      })
      .join("");
  }

  /** Bows beside the marble that is jumped over. */
  #jumps(view, active) {
    return view.jumps
      .filter((jump) => !this.pick || jump.from === this.pick)
      .map((jump) => {
        const from = this.#at(jump.from);
        const to = this.#at(jump.to);
        const middle = { x: (from.x + to.x) / 2 + (to.y - from.y) / 2.4, y: (from.y + to.y) / 2 + (from.x - to.x) / 2.4 };
        const reach = Math.hypot(middle.x - from.x, middle.y - from.y);
        const cut = (point, by) => [point.x + ((middle.x - point.x) * by) / reach, point.y + ((middle.y - point.y) * by) / reach];
        return `<path class="bow ${active ? "" : "quiet"}" d="M${cut(from, MARBLE + 3)}Q${middle.x} ${middle.y} ${cut(to, HOLE)}"/><circle class="landing-mark" cx="${to.x}" cy="${to.y}" r="${HOLE - 1}"/>`;
      })
      .join("");
  }
}
