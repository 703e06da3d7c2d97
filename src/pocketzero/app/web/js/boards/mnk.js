/** k in a row: stones on the crossings of a wooden board, or crosses and noughts in the cells of a small one. */

const CELL = 48;
const LEFT = 36;
const TOP = 14;
const WOODEN = 7; // from so many columns and rows on
const STARS = { 15: [3, 7, 11], 19: [3, 9, 15] };

export class MnkBoard {
  markRadius = 15;
  pick = null;

  constructor(info) {
    this.info = info;
    this.wooden = Math.min(info.columns, info.rows) >= WOODEN;
    this.box = [0, 0, LEFT + TOP + CELL * info.columns, LEFT + TOP + CELL * info.rows];
    this.byName = new Map(info.cells.map((name, number) => [name, number]));
  }

  #centre(cell) {
    return [LEFT + CELL * ((cell % this.info.columns) + 0.5), TOP + CELL * (Math.floor(cell / this.info.columns) + 0.5)];
  }

  place(move) {
    if (!this.byName.has(move)) return null;
    const [x, y] = this.#centre(this.byName.get(move));
    return { x, y, key: move };
  }

  steps(word) {
    const place = this.place(word);
    return place ? [place] : [];
  }

  draw(view, { active, editing }) {
    const won = new Set(view.won);
    const last = view.last?.[0];
    const cells = this.info.cells.map((name, cell) => this.#cell(view, name, cell, active, editing, won.has(name), name === last));
    return this.#ground() + this.#names() + cells.join("");
  }

  #ground() {
    const { columns, rows } = this.info;
    const parts = [];
    if (this.wooden) {
      parts.push(`<rect class="wood" x="${LEFT}" y="${TOP}" width="${CELL * columns}" height="${CELL * rows}" rx="8"/>`);
      const [left, top] = this.#centre(0);
      const [right, bottom] = this.#centre(columns * rows - 1);
      for (let c = 0; c < columns; c++) parts.push(`<line class="grid" x1="${left + CELL * c}" y1="${top}" x2="${left + CELL * c}" y2="${bottom}"/>`);
      for (let r = 0; r < rows; r++) parts.push(`<line class="grid" x1="${left}" y1="${top + CELL * r}" x2="${right}" y2="${top + CELL * r}"/>`);
      for (const r of STARS[rows] ?? []) for (const c of STARS[columns] ?? []) parts.push(`<circle class="star" cx="${left + CELL * c}" cy="${top + CELL * r}" r="4"/>`);
    } else {
      parts.push(`<rect class="paper" x="${LEFT}" y="${TOP}" width="${CELL * columns}" height="${CELL * rows}" rx="8"/>`);
      for (let c = 1; c < columns; c++) parts.push(`<line class="rule" x1="${LEFT + CELL * c}" y1="${TOP + 4}" x2="${LEFT + CELL * c}" y2="${TOP + CELL * rows - 4}"/>`);
      for (let r = 1; r < rows; r++) parts.push(`<line class="rule" x1="${LEFT + 4}" y1="${TOP + CELL * r}" x2="${LEFT + CELL * columns - 4}" y2="${TOP + CELL * r}"/>`);
    }
    return `<g aria-hidden="true">${parts.join("")}</g>`;
  }

  #names() {
    const words = [];
    for (let c = 0; c < this.info.columns; c++) words.push(`<text class="name" x="${LEFT + CELL * (c + 0.5)}" y="${TOP + CELL * this.info.rows + 18}">${String.fromCharCode(97 + c)}</text>`);
    for (let r = 0; r < this.info.rows; r++) words.push(`<text class="name" x="${LEFT - 17}" y="${TOP + CELL * (r + 0.5)}">${this.info.rows - r}</text>`);
    return `<g aria-hidden="true">${words.join("")}</g>`;
  }

  #stone(sign, x, y, extra = "") {
    if (this.wooden) return `<circle class="stone ${sign === "x" ? "black" : "white"} ${extra}" cx="${x}" cy="${y}" r="${CELL * 0.44}"/>`;
    const arm = CELL * 0.26;
    if (sign === "x") return `<path class="cross ${extra}" d="M${x - arm} ${y - arm}L${x + arm} ${y + arm}M${x + arm} ${y - arm}L${x - arm} ${y + arm}"/>`;
    return `<circle class="nought ${extra}" cx="${x}" cy="${y}" r="${CELL * 0.28}"/>`;
  }

  #cell(view, name, cell, active, editing, won, last) {
    const [x, y] = this.#centre(cell);
    const sign = view.stones[cell];
    const free = sign === ".";
    const target = editing ? `data-edit="cell:${cell}"` : free && active ? `data-move="${name}"` : "";
    const label = `${name}, ${free ? "empty" : sign === "x" ? "first player" : "second player"}${last ? ", last move" : ""}`;
    const hit = target ? `<rect class="hit" x="${x - CELL / 2}" y="${y - CELL / 2}" width="${CELL}" height="${CELL}"/>` : "";
    const ghost = target && free && !editing ? this.#stone("xo"[view.to_move], x, y, "ghost") : "";
    const tint = won ? `<rect class="won" x="${x - CELL / 2 + 2}" y="${y - CELL / 2 + 2}" width="${CELL - 4}" height="${CELL - 4}" rx="6"/>` : "";
    const stone = free ? "" : this.#stone(sign, x, y);
    const dot = last ? `<circle class="last-dot" cx="${this.wooden ? x : x + CELL * 0.36}" cy="${this.wooden ? y : y - CELL * 0.36}" r="${this.wooden ? 6 : 4}"/>` : "";
    const role = target ? `role="button" tabindex="0"` : `role="img"`;
    return `<g class="cell ${free ? "free" : "taken"}" ${target} ${role} data-label="${name}" aria-label="${label}">${tint}${hit}${ghost}${stone}${dot}</g>`;
  }
}
