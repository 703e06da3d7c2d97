/** What all boards share: a picture in SVG, clicks by move, marks of an analysis, and lines of play on hover. */

import { s } from "../dom.js";
import { DotsBoard } from "./dots.js";
import { MnkBoard } from "./mnk.js";
import { PlainBoard } from "./plain.js";
import { ZertzBoard } from "./zertz.js";

const KINDS = { dots: DotsBoard, zertz: ZertzBoard, mnk: MnkBoard, plain: PlainBoard };

/** The board of a game. */
export function makeBoard(info, actions) {
  return new BoardFrame(new (KINDS[info.family] ?? PlainBoard)(info), actions);
}

/** How much was lost, as a colour class: best, fine, poor, bad. */
export function lossClass(move) {
  const loss = move.exact_loss ? Math.max(move.loss ?? 0, Math.min(0.2, 0.06 * move.exact_loss)) : (move.loss ?? 0);
  if (loss < 0.02) return "best";
  return loss < 0.06 ? "fine" : loss < 0.15 ? "poor" : "bad";
}

/** A value as it is written on the board: a margin where it is exact, otherwise a percentage. */
export function worth(move, hasMargin) {
  if (move.exact !== null && move.exact !== undefined) {
    if (hasMargin) return (move.exact > 0 ? "+" : "") + move.exact;
    return { 1: "win", 0: "draw", "-1": "loss" }[move.exact];
  }
  if (move.proven) return move.proven;
  return move.winrate === null ? "" : String(Math.round(100 * move.winrate));
}

/** The SVG element, with layers: ground, pieces and targets, then overlays. */
class BoardFrame {
  #view = null;

  constructor(drawer, { onmove, onedit, onhover } = {}) {
    this.drawer = drawer;
    this.info = drawer.info;
    const [x, y, width, height] = drawer.box;
    this.under = s("g.under", { "aria-hidden": "true" });
    this.pieces = s("g.pieces");
    this.marks = s("g.marks", { "aria-hidden": "true" });
    this.lines = s("g.pv", { "aria-hidden": "true" });
    this.element = s(`svg.board.${drawer.info.family}`, {
      viewBox: `${x} ${y} ${width} ${height}`,
      role: "group",
      "aria-label": `Board of ${drawer.info.title}`,
    });
    this.element.style.setProperty("--ratio", width / height);
    this.element.append(this.under, this.pieces, this.marks, this.lines);
    const act = (target) => {
      if (target?.dataset.edit !== undefined) onedit?.(target.dataset.edit);
      else if (target?.dataset.move) {
        target.classList.add("pending"); // the board answers before the server does
        onmove?.(target.dataset.move);
      } else if (target?.dataset.pick) {
        this.drawer.pick = this.drawer.pick === target.dataset.pick ? null : target.dataset.pick;
        this.redraw();
      }
    };
    this.element.addEventListener("click", (event) => act(event.target.closest("[data-move],[data-pick],[data-edit]")));
    const hover = (event) => event.pointerType === "mouse" && onhover?.(event.target.closest?.("[data-move]")?.dataset.move ?? null);
    this.element.addEventListener("pointerover", hover);
    this.element.addEventListener("pointerleave", () => onhover?.(null));
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      act(event.target.closest("[data-move],[data-pick],[data-edit]"));
      event.preventDefault();
    });
  }

  /** Show a position; `active` says whether it may be clicked. */
  show(view, { active = false, editing = false } = {}) {
    this.#view = view;
    this.options = { active, editing };
    this.redraw();
  }

  redraw() {
    const focused = document.activeElement?.dataset?.label;
    this.pieces.innerHTML = this.drawer.draw(this.#view, this.options);
    this.element.classList.toggle("active", this.options.active);
    this.element.dataset.player = this.#view.to_move;
    if (focused) this.pieces.querySelector(`[data-label="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Chains or expected owners below the pieces. */
  showUnder(markup) {
    this.under.innerHTML = markup ?? "";
  }

  /** The moves of an analysis: colour for loss, faint when little searched. */
  showMarks(report, { overlay = "search", line } = {}) {
    const taken = new Set();
    const marks = [];
    const policy = overlay === "policy" ? report?.policy : null;
    const moves = overlay === "search" || policy ? (report?.moves ?? []) : [];
    const most = Math.max(1, ...moves.map((move) => (policy ? (policy[move.move] ?? 0) : move.visits)));
    for (const move of moves) {
      const share = policy ? (policy[move.move] ?? 0) / most : move.visits / most;
      const shown = policy ? share > 0.02 : move.exact !== null || move.proven || move.order < 6 || (share > 0.08 && move.order < 24);
      const place = shown && this.drawer.place(move.move);
      if (!place || taken.has(place.key)) continue;
      taken.add(place.key);
      marks.push(this.#mark(move, place, share, policy));
    }
    this.marks.innerHTML = marks.reverse().join("");
    this.showLine(line ?? []);
  }

  #mark(move, place, share, policy) {
    const text = policy ? String(Math.round(100 * (policy[move.move] ?? 0))) : worth(move, this.info.has_margin);
    const known = move.exact !== null && move.exact !== undefined;
    const kind = policy ? "policy" : lossClass(move);
    const opacity = known || move.proven ? 1 : 0.35 + 0.65 * Math.sqrt(share);
    const radius = this.drawer.markRadius;
    const size = radius * (text.length > 3 ? 0.72 : text.length > 2 ? 0.86 : 1);
    const ring = move.order === 0 && !policy ? `<circle r="${radius * 1.16}" class="first"/>` : "";
    const badge = known ? `<circle cx="${radius * 0.78}" cy="${-radius * 0.78}" r="${radius * 0.26}" class="exact"/>` : "";
    const tag = this.drawer.tag?.(move.move) ?? "";
    const letter = tag && `<text class="tag" y="${radius * 0.62}" font-size="${radius * 0.55}">${tag}</text>`;
    const lift = tag ? -radius * 0.16 : 0;
    const pale = opacity < 0.75 ? " pale" : "";
    return `<g class="mark ${kind}${pale}" transform="translate(${place.x} ${place.y})"><circle class="back" r="${radius}"/>
      ${ring}<circle class="disc" r="${radius}" fill-opacity="${opacity.toFixed(2)}"/><text y="${lift}" font-size="${size}">${text}</text>${letter}${badge}</g>`;
  }

  /** A line of play, numbered. */
  showLine(words) {
    let number = 0;
    const steps = words.slice(0, 10).flatMap((word) => this.drawer.steps(word).map((step) => ({ ...step, number: ++number })));
    const radius = this.drawer.markRadius * 0.82;
    this.lines.innerHTML = steps
      .map((step) => `<g class="step" transform="translate(${step.x} ${step.y})"><circle r="${radius}"/><text font-size="${radius}">${step.number}</text></g>`)
      .join("");
    this.element.classList.toggle("with-line", steps.length > 0);
  }

  /** Point at one move. */
  showHint(move) {
    const place = this.drawer.place(move);
    if (!place) return;
    this.lines.innerHTML = `<g class="hint" transform="translate(${place.x} ${place.y})"><circle r="${this.drawer.markRadius * 1.3}"/></g>`;
  }
}
