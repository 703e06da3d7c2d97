/** The game on the page: its state, and everything that can be done with it. */

import { Live, ask, get, post } from "./api.js";
import { sideNames } from "./players.js";
import { setting } from "./settings.js";

export class Session extends EventTarget {
  state = null;
  board = null;
  report = null; // the newest analysis of the position at the cursor
  analysing = false;
  review = null;
  #lost = false; // whether the connection was there and is gone
  #asked = 0; // numbers the analyses, so that late reports are not mistaken

  constructor() {
    super();
    this.live = new Live();
    this.live.on("game", (message) => this.#take(message.state));
    this.live.on("analysis", (message) => this.#takeReport(message));
    this.live.on("review", (message) => this.#takeReview(message));
    this.live.on("error", (message) => this.#emit("problem", message.error));
    this.live.addEventListener("lost", () => this.#disconnected());
    this.live.addEventListener("open", () => this.#lost && this.#reconnected());
  }

  #emit(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  on(type, listener) {
    this.addEventListener(type, (event) => listener(event.detail));
  }

  #disconnected() {
    this.#lost = true;
    this.#emit("connection", false);
    if (this.review?.state !== "running") return;
    Object.assign(this.review, { state: "failed", error: "The connection was lost during the review." });
    this.#emit("review");
  }

  /** The server is there again, perhaps another one that knows only what was kept. */
  async #reconnected() {
    this.#lost = false;
    this.#emit("connection", true);
    if (!this.state) return;
    try {
      this.#take(await get(`/api/games/${this.id}`));
    } catch (error) {
      if (this.state.nodes.length > 1) return this.#emit("problem", error.message);
      const { game, seats, pace, view } = this.state; // a game without moves is not kept: begin it again
      return this.create({ game, start: view.text, seats: seats.map((seat) => seat.text), pace });
    }
    this.live.send({ type: "watch", game_id: this.id });
    if (this.analysing) this.#sendAnalyse();
  }

  get id() {
    return this.state?.id;
  }

  get view() {
    return this.state?.view;
  }

  /** Whether a person may click now. */
  get isPersonsTurn() {
    const view = this.view;
    return Boolean(view && !view.over && (this.state.seats[view.to_move].person || (this.state.paused && !this.state.thinking)));
  }

  #take(state) {
    if (this.state && state.id === this.state.id && state.version < this.state.version) return;
    if (this.state && state.id !== this.state.id) return;
    const moved = state.cursor !== this.state?.cursor;
    this.state = { ...this.state, ...state, board: this.board };
    if (moved) {
      this.report = null;
      if (this.analysing) this.#sendAnalyse();
    }
    this.#emit("changed", { moved });
  }

  #open(state) {
    this.state = state;
    this.board = { ...state.board, players: sideNames(state.board) };
    this.report = null;
    this.review = null;
    this.live.send({ type: "watch", game_id: state.id });
    if (this.analysing) this.#sendAnalyse();
    this.#emit("opened");
  }

  /** Begin a new game. */
  async create(wanted) {
    this.#open(await post("/api/games", { forced: setting("forced"), ...wanted }));
  }

  /** Open a game that is kept. */
  async load(id) {
    this.#open(await get(`/api/games/${encodeURIComponent(id)}`));
  }

  /** Open a game from a record. */
  async read(text, seats) {
    this.#open(await post("/api/games/record", { text, ...(seats ? { seats } : {}) }));
  }

  async #do(what, body) {
    try {
      this.#take(await post(`/api/games/${this.id}/${what}`, body));
    } catch (error) {
      this.#emit("problem", error.message);
      this.#emit("changed", { moved: false });
    }
  }

  play = (move) => this.#do("moves", { move });
  undo = () => this.#do("undo");
  redo = () => this.#do("redo");
  goTo = (node) => (node === this.state.cursor ? null : this.#do("goto", { node }));
  goOn = () => this.#do("go");
  pause = () => this.#do("pause");

  async change(change) {
    try {
      this.#take(await ask("PATCH", `/api/games/${this.id}`, change));
    } catch (error) {
      this.#emit("problem", error.message);
    }
  }

  /** The best move, from the analysis at hand or from a short search. */
  async best() {
    const known = this.report?.moves?.[0];
    if (known && this.report.simulations > 500) return { move: known.move, line: known.line, words: "" };
    return post(`/api/games/${this.id}/hint`, {});
  }

  // Moving through the game

  node(id) {
    return this.state.nodes[id];
  }

  /** Children of each node, by number. */
  children() {
    const found = this.state.nodes.map(() => []);
    for (const node of this.state.nodes) if (node.parent !== null) found[node.parent].push(node.id);
    return found;
  }

  /** The nodes from the root to one of them. */
  path(id) {
    const way = [];
    for (let at = id; at !== null; at = this.node(at).parent) way.unshift(at);
    return way;
  }

  /** The main line: through the cursor to the end. */
  mainLine() {
    return this.path(this.state.end);
  }

  step(by) {
    const line = this.mainLine();
    const at = line.indexOf(this.state.cursor);
    const next = line[Math.max(0, Math.min(line.length - 1, at + by))];
    return this.goTo(next);
  }

  // Analysis

  analyse(on) {
    this.analysing = on;
    this.report = null;
    if (on) this.#sendAnalyse();
    else this.live.send({ type: "stop" });
    this.#emit("report");
  }

  #sendAnalyse() {
    this.#asked += 1;
    this.live.send({ type: "analyse", id: String(this.#asked), game_id: this.id, node: this.state.cursor });
  }

  #takeReport(report) {
    if (!this.analysing || report.id !== String(this.#asked)) return;
    this.report = report;
    this.#emit("report");
  }

  // Review

  startReview(seconds) {
    this.review = { id: String(Math.random()), points: [], total: 0, state: "running", mistakes: null, summary: null };
    this.live.send({ type: "review", id: this.review.id, game_id: this.id, seconds });
    this.#emit("review");
  }

  #takeReview(message) {
    const review = this.review;
    if (!review || message.id !== review.id) return;
    if (message.point) review.points.push(message.point);
    Object.assign(review, { state: message.state, total: message.total ?? review.total, error: message.error });
    if (message.mistakes) Object.assign(review, { mistakes: message.mistakes, summary: message.summary });
    this.#emit("review");
  }
}
