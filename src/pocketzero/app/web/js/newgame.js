/** Choosing a game, its board, and who sits at each side; every parameter of a player in the advanced panel. */

import { choice, dialog, field, h, number, put, toast } from "./dom.js";
import { get } from "./api.js";
import { remember, setting } from "./settings.js";

const FAMILIES = [
  ["dots", "Dots and Boxes"],
  ["zertz", "Zertz"],
  ["mnk", "k in a row"],
];

/** What a game's name says, as numbers and words for the form. */
function parse(name) {
  const [family, board = ""] = name.split(":");
  const form = { family: family === "gomoku" ? "mnk" : family, rows: 5, columns: 5, rings: "37", goals: "standard", pool: "6-8-10", goal: "4-5-6-3", m: 15, n: 15, k: 5, exactly: false };
  if (family === "dots") [form.rows, form.columns] = board.split("x").map(Number);
  if (family === "mnk") {
    const [size, variant] = board.split("/");
    [form.m, form.n, form.k] = size.split("x").map(Number);
    form.exactly = variant === "standard";
  }
  if (family === "zertz") {
    const [rings, ...options] = board.split("/");
    form.rings = rings;
    for (const option of options) {
      if (["blitz", "deepzertz"].includes(option)) form.goals = option;
      for (const key of ["pool", "goal"]) if (option.startsWith(`${key}=`)) [form.goals, form[key]] = ["custom", option.slice(5)];
    }
  }
  return form;
}

/** The name of the game that the form describes. */
function nameOf(form) {
  if (form.family === "dots") return `dots:${form.rows}x${form.columns}`;
  if (form.family === "mnk") return `mnk:${form.m}x${form.n}x${form.k}${form.exactly ? "/standard" : ""}`;
  const goals = { standard: "", blitz: "/blitz", deepzertz: "/deepzertz", custom: `/pool=${form.pool}/goal=${form.goal}` }[form.goals];
  return `zertz:${form.rings}${goals}`;
}

/** Marbles that win: white, grey, black, or of each colour. */
const GOALS = { standard: "4 white, 5 grey, 6 black, or 3 of each", blitz: "3 white, 4 grey, 5 black, or 2 of each", deepzertz: "2 of a colour, or 1 of each", custom: "" };

const BOARDS = {
  dots: (form, change) => [
    presets([["3 × 3", { rows: 3, columns: 3 }], ["5 × 5", { rows: 5, columns: 5 }], ["7 × 7", { rows: 7, columns: 7 }], ["4 × 6", { rows: 4, columns: 6 }]], change),
    h("div.row", {}, field("Rows", number(form.rows, 1, 20, (rows) => change({ rows }))), field("Columns", number(form.columns, 1, 20, (columns) => change({ columns })))),
  ],
  zertz: (form, change) => [
    h(
      "div.row",
      {},
      field("Rings", choice([["19", "19"], ["37", "37, the usual board"], ["48", "48, tournament"], ["61", "61"]].concat(["19", "37", "48", "61"].includes(form.rings) ? [] : [[form.rings, form.rings]]), form.rings, (rings) => change({ rings }))),
      field("Goals", choice([["standard", "Standard"], ["blitz", "Blitz"], ["deepzertz", "DeepZertz"], ["custom", "By hand"]], form.goals, (goals) => change({ goals }, true)), GOALS[form.goals]),
    ),
    form.goals === "custom" && h("div.row", {}, field("Pool W-G-B", h("input", { value: form.pool, onchange: (event) => change({ pool: event.target.value }) })), field("Goals W-G-B-each", h("input", { value: form.goal, onchange: (event) => change({ goal: event.target.value }) }))),
  ],
  mnk: (form, change) => [
    presets([["Tic-tac-toe", { m: 3, n: 3, k: 3 }], ["5,5,4", { m: 5, n: 5, k: 4 }], ["6,6,4", { m: 6, n: 6, k: 4 }], ["Gomoku 15", { m: 15, n: 15, k: 5 }], ["Gomoku 19", { m: 19, n: 19, k: 5 }]], change),
    h("div.row", {}, field("Columns (m)", number(form.m, 1, 25, (m) => change({ m }))), field("Rows (n)", number(form.n, 1, 25, (n) => change({ n }))), field("In a row (k)", number(form.k, 1, 25, (k) => change({ k })))),
    h("label.check", {}, h("input", { type: "checkbox", checked: form.exactly, onchange: (event) => change({ exactly: event.target.checked }) }), " exactly k wins, longer rows do not"),
  ],
};

const presets = (pairs, change) => h("div.presets", {}, pairs.map(([text, values]) => h("button", { type: "button", onclick: () => change(values, true) }, text)));

/** The dialog for a new game. */
export async function newGameDialog(session) {
  const form = parse(session.state?.game ?? setting("game"));
  const seats = [...setting("seats")];
  const body = h("form.new-game", { method: "dialog" });
  const open = dialog("New game", body, { wide: true });
  let players = null;
  let wanted = 0;

  const change = async (values, redraw = true) => {
    Object.assign(form, values);
    if (redraw) await draw();
  };
  const draw = async () => {
    const turn = ++wanted;
    try {
      players = await get(`/api/players?game=${encodeURIComponent(nameOf(form))}`);
    } catch (error) {
      toast(error.message, true);
    }
    if (turn !== wanted) return;
    put(
      body,
      h("div.segmented", { role: "radiogroup", "aria-label": "Game" }, FAMILIES.map(([name, title]) => h("button", { type: "button", role: "radio", "data-family": name, "aria-checked": form.family === name, onclick: () => change({ family: name }) }, title))),
      h("fieldset", {}, h("legend", {}, "Board"), BOARDS[form.family](form, change)),
      h("fieldset", {}, h("legend", {}, "Players"), h("div.row", {}, ["first", "second"].map((side, n) => seatField(`The ${side} player`, seats[n], players, (text) => (seats[n] = text), `seat-${n}`)))),
      form.family === "zertz" && h("label.check", {}, h("input", { type: "checkbox", checked: setting("forced"), onchange: (event) => remember("forced", event.target.checked) }), " single compulsory captures play themselves"),
      h("footer", {}, h("button.main", { type: "submit", id: "start-game" }, "Start")),
    );
  };
  body.onsubmit = async (event) => {
    event.preventDefault();
    const game = nameOf(form);
    try {
      await session.create({ game, seats, forced: setting("forced"), pace: 0.35 });
      remember("game", game);
      remember("seats", seats);
      open.close();
    } catch (error) {
      toast(error.message, true);
    }
  };
  await draw();
}

/** Who sits where, during a game. */
export async function seatsDialog(session) {
  const players = await get(`/api/players?game=${encodeURIComponent(session.state.game)}`);
  const seats = session.state.seats.map((seat) => seat.text);
  const body = h("form.new-game", { method: "dialog" });
  const { close } = dialog("Who sits where", body, { wide: true });
  body.append(
    h("div.row", {}, session.board.players.map((name, n) => seatField(session.board.family === "dots" ? `Player ${name}` : name, seats[n], players, (text) => (seats[n] = text), `seat-${n}`))),
    session.board.family === "zertz" ? h("label.check", {}, h("input", { type: "checkbox", checked: session.state.forced, onchange: (event) => session.change({ forced: event.target.checked }) }), " single compulsory captures play themselves") : "",
    h("footer", {}, h("button", { type: "button", onclick: () => ([seats[0], seats[1]] = [seats[1], seats[0]]) && session.change({ seats }).then(close) }, "Change sides"), h("button.main", { type: "submit" }, "Take seats")),
  );
  body.onsubmit = async () => session.change({ seats });
}

/** A person, a level, or a player with all its options. */
function seatField(label, text, players, onchange, id) {
  const levels = players?.levels ?? [];
  const known = text === "person" || levels.some((level) => level.text === text);
  const usable = known || (players?.kinds ?? []).some((kind) => kind.name === text.split(":")[0]);
  if (!usable) {
    text = levels[1]?.text ?? "random";
    onchange(text);
  }
  const advanced = h("div.advanced");
  const pairs = [["person", "Person"], ...levels.map((level) => [level.text, `${level.name}${level.elo ? ` (${level.elo})` : ""}`]), ["custom", "Advanced …"]];
  const summary = h("small");
  const tell = (value) => (summary.textContent = value === "custom" ? "" : (levels.find((level) => level.text === value)?.summary ?? "plays by clicks on this page"));
  const select = choice(pairs, known || !usable ? text : "custom", (value) => {
    tell(value);
    if (value === "custom") return showAdvanced();
    put(advanced);
    onchange(value);
  });
  select.id = id;
  tell(select.value);
  const showAdvanced = () => put(advanced, advancedPanel(known ? "" : text, players.kinds, onchange));
  if (!known && usable) showAdvanced();
  return h("div.seat", {}, field(label, select, summary), advanced);
}

/** Every parameter of a player. */
function advancedPanel(text, kinds, onchange) {
  const [name, rest = ""] = text.split(":");
  const given = Object.fromEntries(rest.split(",").filter((part) => part.includes("=")).map((part) => part.split("=")));
  let kind = kinds.find((each) => each.name === name) ?? kinds.find((each) => each.options.length) ?? kinds[0];
  let values = { ...given };
  const options = h("div.options");
  const tell = () => {
    const words = Object.entries(values).filter(([, value]) => value !== "" && value !== null).map(([key, value]) => `${key}=${value}`);
    onchange(words.length ? `${kind.name}:${words.join(",")}` : kind.name);
  };
  const control = (option) => {
    const set = (value) => {
      values[option.name] = String(value);
      tell();
    };
    const value = values[option.name] ?? String(option.default ?? "");
    if (option.type === "bool") return h("input", { type: "checkbox", checked: /^(true|yes|1|on)$/i.test(value), onchange: (event) => set(event.target.checked ? "yes" : "no") });
    if (option.choices) return choice(option.choices.map((each) => [each, each]), value, set);
    const isNumber = ["int", "float"].includes(option.type);
    return h("input", { type: isNumber ? "number" : "text", step: option.type === "int" ? 1 : "any", value, onchange: (event) => set(event.target.value) });
  };
  const draw = () => {
    for (const { name: option, choices, default: usual } of kind.options) if (choices && !choices.includes(values[option] ?? usual)) values[option] = choices[0];
    put(options, h("p.hint-text", {}, kind.summary), kind.options.map((option) => field(option.name, control(option), option.help)));
    tell();
  };
  draw();
  return [field("Player", choice(kinds.map((each) => [each.name, each.name]), kind.name, (wanted) => {
    kind = kinds.find((each) => each.name === wanted);
    values = {};
    draw();
  })), options];
}
