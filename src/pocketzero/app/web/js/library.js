/** The library: all games that are kept, with search and delete. */

import { h, put, toast } from "./dom.js";
import { ask, get } from "./api.js";

const PAGE = 50;
const SURE = "Delete for ever?";

export async function libraryView(session) {
  const rows = h("tbody");
  const count = h("p.hint-text");
  let offset = 0;

  const load = async () => {
    const found = await get(`/api/games?limit=${PAGE}&offset=${offset}&query=${encodeURIComponent(search.value)}`);
    count.textContent = found.count === 1 ? "1 game" : `${found.count} games`;
    put(rows, found.games.map(row));
    nothing.hidden = found.games.length > 0;
    nothing.textContent = search.value ? "No game has all these words." : "No games yet. Every game is kept here from its first move on.";
    table.hidden = !nothing.hidden;
    pages.hidden = found.count <= PAGE;
    earlier.disabled = offset === 0;
    later.disabled = offset + PAGE >= found.count;
  };
  const row = (game) =>
    h(
      "tr",
      {},
      h("td", {}, h("a", { href: `#/game/${game.id}` }, game.title || game.game)),
      h("td", {}, game.title ? game.game : ""),
      h("td", {}, `${game.first} – ${game.second}`),
      h("td", {}, game.result),
      h("td", {}, String(game.moves)),
      h("td", {}, new Date(1000 * game.updated).toLocaleString()),
      h("td", {}, h("button.quiet", { type: "button", "aria-label": `Delete ${game.game}`, onclick: (event) => (event.target.textContent === SURE ? remove(game) : askFirst(event.target)) }, "Delete")),
    );
  const askFirst = (button) => {
    button.textContent = SURE;
    setTimeout(() => (button.textContent = "Delete"), 4000);
  };
  const remove = async (game) => {
    try {
      await ask("DELETE", `/api/games/${game.id}`);
      if (game.id === session.id) session.state = null;
      await load();
    } catch (error) {
      toast(error.message, true);
    }
  };
  const page = (by) => {
    offset = Math.max(0, offset + by);
    show();
  };
  const show = () => load().catch((error) => toast(error.message, true));
  let timer = 0;
  const search = h("input", { type: "search", id: "library-search", placeholder: "Search: zertz, easy, draw …", "aria-label": "Search games", oninput: () => {
    clearTimeout(timer);
    timer = setTimeout(() => ((offset = 0), show()), 200);
  } });
  const earlier = h("button", { type: "button", onclick: () => page(-PAGE) }, "Newer");
  const later = h("button", { type: "button", onclick: () => page(PAGE) }, "Older");
  const nothing = h("p.hint-text", { hidden: true });
  const pages = h("div.row.tight", {}, earlier, later);
  const table = h("div.scroll", {}, h("table.list", {}, h("thead", {}, h("tr", {}, ["Game", "", "Players", "Result", "Moves", "Last move", ""].map((name) => h("th", { scope: "col" }, name)))), rows));
  await load();
  return h(
    "section.wide-view",
    {},
    h("div.view-head", {}, h("h1", {}, "Library"), search, count),
    nothing,
    table,
    pages,
  );
}
