/** The page: which view is shown, and the keys that work everywhere. */

import { $, dialog, h, put, toast } from "./dom.js";
import { applyTheme, remember, setting, switchTheme } from "./settings.js";
import { Session } from "./session.js";
import { PlayView } from "./play.js";

applyTheme();
const session = new Session();
const play = new PlayView(session);
session.on("problem", (text) => toast(text, true));
session.on("connection", (there) => ($("#offline").hidden = there));

let routes = 0;

/** Show the view that the address names; a view that is ready only after the address has changed again is dropped. */
async function route() {
  const number = (routes += 1);
  const show = (element) => number === routes && put($("#main"), element);
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, name] = path.split("/");
  document.body.dataset.view = view === "library" || view === "learn" ? view : "play";
  for (const link of document.querySelectorAll("nav a"))
    link.toggleAttribute("aria-current", link.dataset.view === document.body.dataset.view);
  try {
    if (view === "library") return show(await (await import("./library.js")).libraryView(session));
    if (view === "learn") return show(await (await import("./learn.js")).learnView(session, name && decodeURIComponent(name)));
    show(play.element);
    if (view === "link") await openLink(new URLSearchParams(query));
    else if (view === "game" && name !== session.id) await session.load(name);
    else if (!session.state) await session.create({ game: setting("game"), seats: setting("seats"), pace: 0.35 });
    else play.refresh();
  } catch (error) {
    if (number !== routes) return;
    toast(error.message, true);
    if (!session.state && document.body.dataset.view === "play") {
      remember("game", "dots:5x5");
      remember("seats", ["person", "easy"]);
      await session.create({ game: "dots:5x5", seats: ["person", "easy"] }).catch(() => {});
    }
  }
}

/** A link that holds a whole game. */
async function openLink(query) {
  const moves = (query.get("moves") ?? "").split(".").filter(Boolean);
  await session.create({ game: query.get("game") ?? "", start: query.get("start") ?? "", moves, seats: ["person", "person"] });
  history.replaceState(null, "", `#/game/${session.id}`);
}

session.on("opened", () => {
  if (document.body.dataset.view === "play" && location.hash !== `#/game/${session.id}`) history.replaceState(null, "", `#/game/${session.id}`);
});

const KEYS = [
  ["← →", "one step back or forward"],
  ["Home End", "to the beginning or the end"],
  ["Space", "play the best move"],
  ["a", "analysis on or off"],
  ["h", "hint"],
  ["u / r", "undo to your own previous decision, redo"],
  ["n", "next mistake of a review"],
  ["c", "light up chains (Dots and Boxes)"],
  ["1 2 3", "white, grey or black marble (Zertz)"],
  ["?", "this help"],
];

/** How the games are played, for those who have never seen them. */
const RULES = {
  dots: ["Draw a line between two neighbouring dots. Who draws the fourth side of a box owns it and moves again. When all lines are drawn, the one with more boxes wins."],
  zertz: [
    "Both players share all marbles. Put a marble on a vacant ring, then remove a free ring at the rim. Marbles jump over neighbours and capture them; if you can capture, you must.",
    "The numbers beside a name say how many marbles of each colour win; so many of every colour together win too.",
  ],
  mnk: ["Take turns to mark an empty place. Who first has enough of their own in a row, across, down or diagonally, wins."],
};

function help() {
  dialog(
    "Help",
    h(
      "div.help",
      {},
      (RULES[session.board?.family] ?? []).map((sentence) => h("p", {}, sentence)),
      h("p", {}, "Click or tap the board to move. What you may do lights up under the pointer; whose turn it is stands beside the names, also when the same player moves again."),
      h("dl", {}, KEYS.map(([keys, what]) => [h("dt", {}, keys.split(" ").map((key) => (key === "/" ? " / " : h("kbd", {}, key)))), h("dd", {}, what)])),
      h("p", {}, h("a", { href: "api.html" }, "The interface for programs")),
    ),
  );
}

$("#help").onclick = help;
$("#theme").onclick = switchTheme;

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, dialog");
  const pressing = event.key === " " && event.target.matches?.("button:focus-visible, summary"); // Space presses it
  if (typing || pressing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") return help();
  if (document.body.dataset.view === "play" && play.key(event.key)) event.preventDefault();
});

// A record can be dropped anywhere.
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files?.[0];
  const text = file ? await file.text() : event.dataTransfer?.getData("text");
  if (!text) return;
  try {
    await session.read(text);
    location.hash = `#/game/${session.id}`;
  } catch (error) {
    toast(error.message, true);
  }
});

addEventListener("hashchange", route);
route();
