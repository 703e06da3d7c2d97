/** Watching it learn: runs, their curves as they grow, their games, and a game against any checkpoint. */

import { choice, h, put, toast } from "./dom.js";
import { get, post } from "./api.js";
import { chart } from "./chart.js";

const EVERY = 1500; // milliseconds between looks
const GAMES = [["mnk:3x3x3", "Tic-tac-toe"], ["dots:2x2", "Dots and Boxes 2x2"], ["dots:3x3", "Dots and Boxes 3x3"], ["mnk:5x5x4", "Four in a row on 5x5"], ["zertz:19/deepzertz", "Zertz on 19 rings"]];
let timer = 0;

/** Points of a curve over the time since the run began, in minutes. */
function curve(rows, name, begin, extra = () => ({})) {
  return rows.filter((row) => typeof row[name] === "number").map((row) => ({ x: (row.time - begin) / 60, y: row[name], ...extra(row) }));
}

/** The interval of a measured value, where the row has one. */
const band = (row, value) => (typeof row[`${value}_low`] === "number" ? { low: row[`${value}_low`], high: row[`${value}_high`] } : {});

/** Rows of one curve that belong together, by name; at most as many as there are colours. */
function series(rows, name) {
  const found = new Map();
  for (const row of rows) found.set(name(row), [...(found.get(name(row)) ?? []), row]);
  return [...found].slice(0, 5);
}

function curves(run) {
  const { train, selfplay, strength, mistakes } = run.curves;
  const times = [...train, ...selfplay, ...strength, ...mistakes].map((row) => row.time).filter(Number.isFinite);
  const begin = Math.min(...times);
  const heads = [...new Set(train.flatMap((row) => Object.keys(row)))].filter((name) => name === "loss" || /^loss_|_loss$/.test(name)).slice(0, 5);
  const measured = (rows, by, value) => series(rows, by).map(([name, own]) => ({ name, points: curve(own, value, begin, (row) => band(row, value)) }));
  return [
    chart({ title: "Loss", bottom: "min", series: heads.map((name) => ({ name: name.replace(/^loss_|_loss$/, ""), points: curve(train, name, begin) })) }),
    chart({ title: "Strength: score with 95% interval", bottom: "min", range: [0, 1], percent: true, middle: 0.5, series: measured(strength, (row) => (row.opponent ? `against ${row.opponent}` : "score"), "score") }),
    chart({ title: "Mistake rate with 95% interval", bottom: "min", percent: true, series: measured(mistakes, (row) => (row.sims ? `${row.sims} simulations` : row.player === "net" ? "net alone" : "mistakes"), "rate") }),
    chart({ title: "Simulations a second", bottom: "min", series: [{ name: "simulations/s", points: curve(selfplay, "simulations_per_second", begin) }] }),
  ];
}

const badge = (status) => h(`span.badge.${status}`, {}, status);
const amount = (value) => (value === null || value === undefined ? "–" : value.toLocaleString());

export async function learnView(session, name) {
  clearInterval(timer);
  const list = h("div.runs");
  const head = h("div");
  const rest = h("div");
  const nets = opponents(session);
  const detail = h("div.run-detail", { "data-run": name ?? "" }, head, nets.element, rest);
  const element = h("section.wide-view.learn", {}, h("div.view-head", {}, h("h1", {}, "Watch it learn"), startForm()), h("div.learn-columns", {}, list, detail));
  let games = [];
  let known = null; // how many games the run had when its newest were read

  async function refresh() {
    const { runs } = await get("/api/runs");
    put(list, runs.length ? runs.map((run) => runLink(run, run.name === name)) : h("p.hint-text", {}, "No runs yet. Start a small one: tic-tac-toe learns in minutes."));
    name ??= runs[0]?.name;
    detail.hidden = !name;
    if (!name) return;
    detail.dataset.run = name;
    const run = await get(`/api/runs/${encodeURIComponent(name)}`);
    if (!games.length || run.games !== known) ({ games } = await get(`/api/runs/${encodeURIComponent(name)}/games`).catch(() => ({ games })));
    known = run.games;
    const keep = detail.querySelector("details")?.open;
    put(head, progress(run, refresh));
    nets.update(run);
    put(rest, details(run, session, games));
    if (keep) detail.querySelector("details").open = true;
  }

  timer = setInterval(() => (element.isConnected ? refresh().catch(() => {}) : clearInterval(timer)), EVERY);
  await refresh();
  return element;
}

function startForm() {
  let game = GAMES[0][0];
  const begin = async () => {
    try {
      const run = await post("/api/runs", { game });
      location.hash = `#/learn/${encodeURIComponent(run.name)}`;
    } catch (error) {
      toast(error.message, true);
    }
  };
  const box = choice(GAMES, game, (value) => (game = value));
  box.setAttribute("aria-label", "Game to learn");
  return h("div.row.tight", {}, box, h("button.main", { type: "button", id: "start-run", onclick: begin }, "Start a small run"));
}

const runLink = (run, current) =>
  h("a.run", { href: `#/learn/${encodeURIComponent(run.name)}`, "aria-current": current ? "page" : null }, h("b", {}, run.name), badge(run.status), h("small", {}, `${run.game || "?"} · ${amount(run.games)} games · ${amount(run.steps)} steps`));

/** All checkpoints of a run, and a game against the chosen one. The list stays open while the rest is drawn anew. */
function opponents(session) {
  const checkpoint = choice([], "", name);
  const button = h("button", { type: "button", id: "play-checkpoint", onclick: play });
  const row = h("div.row.tight", {}, checkpoint, button);
  const none = h("p.hint-text", {}, "None yet.");
  const element = h("div", {}, h("h3", {}, "Checkpoints"), none, row);
  let run;
  let known = "";
  checkpoint.setAttribute("aria-label", "Checkpoint");

  function name() {
    button.textContent = `Play ${checkpoint.value}`;
  }

  async function play() {
    try {
      await session.create({ game: run.game, seats: ["person", `zero:${run.name}@${checkpoint.value},sims=200`] });
      location.hash = `#/game/${session.id}`;
    } catch (error) {
      toast(error.message, true);
    }
  }

  function update(found) {
    run = found;
    const numbers = run.checkpoints.map(String).reverse();
    none.hidden = numbers.length > 0;
    row.hidden = !numbers.length;
    if (numbers.join() === known) return;
    const follows = checkpoint.selectedIndex <= 0; // who has chosen nothing plays the newest
    const chosen = follows || !numbers.includes(checkpoint.value) ? numbers[0] : checkpoint.value;
    known = numbers.join();
    put(checkpoint, numbers.map((number) => h("option", { value: number }, number)));
    checkpoint.value = chosen;
    name();
  }

  return { element, update };
}

function progress(run, refresh) {
  const act = (what) => async () => {
    try {
      await post(`/api/runs/${encodeURIComponent(run.name)}/${what}`);
      await refresh();
    } catch (error) {
      toast(error.message, true);
    }
  };
  return [
    h("div.run-head", {}, h("h2", {}, run.name, " ", badge(run.status)), run.status === "running" ? h("button", { type: "button", id: "pause-run", onclick: act("stop") }, "Pause") : h("button", { type: "button", id: "resume-run", onclick: act("resume") }, "Resume")),
    h("p.numbers", { id: "run-numbers" }, `${run.game || (run.status === "running" ? "starting …" : "unknown game")} · ${run.phase || "–"} · ${amount(run.games)} games · ${amount(run.steps)} steps`),
    h("div.charts", {}, curves(run)),
  ];
}

function details(run, session, games) {
  const open = async (game) => {
    try {
      await session.create({ game: game.game, moves: game.moves, seats: ["person", "person"], title: `Self-play of ${run.name}` });
      await session.goTo(0);
      location.hash = `#/game/${session.id}`;
    } catch (error) {
      toast(error.message, true);
    }
  };
  return [
    h("h3", {}, "Recent self-play games"),
    games.length ? h("div.row.tight.episodes", {}, games.map((game, n) => h("button", { type: "button", onclick: () => open(game) }, `${n + 1}: ${game.length} moves, ${game.result > 0 ? "1–0" : game.result < 0 ? "0–1" : "½–½"}`))) : h("p.hint-text", {}, "None yet."),
    h("details", {}, h("summary", {}, "Settings"), h("pre", {}, run.config || "–"), run.log && h("pre", {}, run.log)),
  ];
}
