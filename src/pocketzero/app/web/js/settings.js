/** What the page remembers in this browser. */

const DEFAULTS = {
  game: "dots:5x5",
  seats: ["person", "easy"],
  forced: true,
  theme: "",
  overlay: "search",
  numbers: true,
};

/** A setting, or its default. */
export function setting(name) {
  try {
    const found = JSON.parse(localStorage.getItem(`pocketzero.${name}`));
    return found ?? DEFAULTS[name];
  } catch {
    return DEFAULTS[name];
  }
}

/** Remember a setting. */
export function remember(name, value) {
  try {
    localStorage.setItem(`pocketzero.${name}`, JSON.stringify(value));
  } catch {
    /* private windows may refuse; then nothing is remembered */
  }
}

/** Use the light or the dark colours, or what the system says. */
export function applyTheme(theme = setting("theme")) {
  document.documentElement.dataset.theme = theme;
}

/** Switch between light and dark. */
export function switchTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const next = (setting("theme") || system) === "dark" ? "light" : "dark";
  remember("theme", next);
  applyTheme(next);
}
