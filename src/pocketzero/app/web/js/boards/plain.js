/** Any other game: its own picture, with the moves in a list beside it. */

export class PlainBoard {
  markRadius = 12;
  pick = null;
  box = [0, 0, 520, 520];

  constructor(info) {
    this.info = info;
  }

  place() {
    return null;
  }

  steps() {
    return [];
  }

  draw(view, { active }) {
    const picture = `<image href="data:image/svg+xml,${encodeURIComponent(view.svg)}" width="520" height="${active ? 380 : 520}"/>`;
    if (!active) return picture;
    const moves = view.legal.slice(0, 60).map((move, n) => {
      const [x, y] = [10 + (n % 10) * 51, 392 + Math.floor(n / 10) * 21];
      return `<g class="word" data-move="${move}" role="button" tabindex="0" data-label="${move}" aria-label="${move}"><rect x="${x}" y="${y}" width="48" height="19" rx="4"/><text x="${x + 24}" y="${y + 10}">${move}</text></g>`;
    });
    return picture + moves.join("");
  }
}
