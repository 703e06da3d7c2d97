/** Dots and Boxes: dots, lines that can be clicked along their whole length, boxes in their owner's colour. */

const GAP = 64;
const EDGE = 40;
const PLAYERS = ["A", "B"];

export class DotsBoard {
  markRadius = 14;
  pick = null;

  constructor(info) {
    this.info = info;
    this.box = [0, 0, 2 * EDGE + GAP * info.columns, 2 * EDGE + GAP * info.rows];
    this.byName = new Map(info.lines.map(([name, across, row, column], number) => [name, { number, across, row, column }]));
  }

  #ends({ across, row, column }) {
    const x = EDGE + GAP * column;
    const y = EDGE + GAP * row;
    return across ? [x, y, x + GAP, y] : [x, y, x, y + GAP];
  }

  place(move) {
    const line = this.byName.get(move);
    if (!line) return null;
    const [x1, y1, x2, y2] = this.#ends(line);
    return { x: (x1 + x2) / 2, y: (y1 + y2) / 2, key: move };
  }

  steps(word) {
    const place = this.place(word);
    return place ? [place] : [];
  }

  draw(view, { active, editing }) {
    return [this.#names(), this.#boxes(view, editing), this.#lines(view, active, editing), this.#dots()].join("");
  }

  #names() {
    const { rows, columns } = this.info;
    const words = [];
    const letter = (n, big) => String.fromCharCode((big ? 65 : 97) + n);
    for (let c = 0; c <= columns; c++) {
      words.push(`<text class="name" x="${EDGE + GAP * c}" y="${EDGE + GAP * rows + 26}">${letter(c)}</text>`);
      if (c < columns) words.push(`<text class="name" x="${EDGE + GAP * (c + 0.5)}" y="${EDGE - 24}">${letter(c)}</text>`);
    }
    for (let r = 0; r <= rows; r++) {
      words.push(`<text class="name" x="${EDGE + GAP * columns + 25}" y="${EDGE + GAP * r}">${letter(r, true)}</text>`);
      if (r < rows) words.push(`<text class="name" x="${EDGE - 25}" y="${EDGE + GAP * (r + 0.5)}">${letter(r, true)}</text>`);
    }
    return `<g aria-hidden="true">${words.join("")}</g>`;
  }

  #boxes(view, editing) {
    return [...view.owners]
      .map((owner, box) => {
        if (owner === "." && !editing) return "";
        const x = EDGE + GAP * (box % this.info.columns);
        const y = EDGE + GAP * Math.floor(box / this.info.columns);
        const side = PLAYERS.indexOf(owner);
        const letter = side < 0 ? "" : `<text class="owner p${side}" x="${x + GAP / 2}" y="${y + GAP / 2}">${owner}</text>`;
        const edit = editing ? `data-edit="box:${box}" class="box editable ${side < 0 ? "" : `p${side}`}"` : `class="box p${side}"`;
        return `<rect ${edit} x="${x + 3}" y="${y + 3}" width="${GAP - 6}" height="${GAP - 6}" rx="6"/>${letter}`;
      })
      .join("");
  }

  #lines(view, active, editing) {
    const last = new Set(view.last ?? []);
    return this.info.lines
      .map(([name, across, row, column], number) => {
        const [x1, y1, x2, y2] = this.#ends({ across, row, column });
        const drawn = view.drawn[number] === "1";
        const kind = drawn ? (last.has(name) ? "drawn last" : "drawn") : active || editing ? "open" : "closed";
        const label = `${name}, ${across ? "horizontal" : "vertical"} line${drawn ? ", drawn" : ""}`;
        const target = editing ? `data-edit="line:${number}"` : !drawn && active ? `data-move="${name}"` : "";
        const role = target ? `role="button" tabindex="0"` : "";
        const reach = 15;
        const [dx, dy] = across ? [8, reach] : [reach, 8];
        const hit = target
          ? `<rect class="hit" x="${Math.min(x1, x2) + (across ? 8 : -reach)}" y="${Math.min(y1, y2) + (across ? -reach : 8)}" width="${across ? GAP - 2 * dx : 2 * reach}" height="${across ? 2 * reach : GAP - 2 * dy}"/>`
          : "";
        return `<g class="line ${kind}" ${target} ${role} data-label="${name}" aria-label="${label}">${hit}<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/></g>`;
      })
      .join("");
  }

  #dots() {
    const dots = [];
    for (let row = 0; row <= this.info.rows; row++)
      for (let column = 0; column <= this.info.columns; column++)
        dots.push(`<circle class="dot" cx="${EDGE + GAP * column}" cy="${EDGE + GAP * row}" r="6"/>`);
    return `<g aria-hidden="true">${dots.join("")}</g>`;
  }

  #square(box, kind, opacity = 1, text = "") {
    const x = EDGE + GAP * (box % this.info.columns);
    const y = EDGE + GAP * Math.floor(box / this.info.columns);
    return `<rect class="${kind}" x="${x}" y="${y}" width="${GAP}" height="${GAP}" opacity="${opacity}"/>${text && `<text class="chain-length" x="${x + GAP / 2}" y="${y + GAP / 2}">${text}</text>`}`;
  }

  /** Chains and loops, each in a colour of its own, with their lengths. */
  chains(chains) {
    return chains
      .flatMap((chain, number) =>
        chain.boxes.map((box, at) => this.#square(box, `chain c${number % 6} ${chain.kind}`, chain.long ? 0.5 : 0.28, at === 0 ? String(chain.length) : "")),
      )
      .join("");
  }

  /** Expected owners of boxes, from 1 (A) to -1 (B). */
  owners(owners, view) {
    return owners
      .map((owner, box) => (view.owners[box] === "." && Math.abs(owner) > 0.05 ? this.#square(box, `expected p${owner > 0 ? 0 : 1}`, (0.5 * Math.abs(owner)).toFixed(2)) : ""))
      .join("");
  }
}
