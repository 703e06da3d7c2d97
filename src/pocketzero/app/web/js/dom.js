/** Making elements: `h("button.main", {onclick}, "Go")`, and a few small things around them. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 * @param {string} what tag, then classes after dots: "div.row.tight"
 * @param {object} [props] attributes; functions become properties, null and false are left out
 * @param {...(Node|string|number|null|false|Array)} children
 */
export function h(what, props = {}, ...children) {
  return fill(document.createElement(what.split(".")[0] || "div"), what, props, children);
}

/** An SVG element, made in the same way. */
export function s(what, props = {}, ...children) {
  return fill(document.createElementNS(SVG, what.split(".")[0]), what, props, children);
}

function fill(element, what, props, children) {
  const classes = what.split(".").slice(1);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("aria-") && typeof value === "boolean") element.setAttribute(name, String(value));
    if (value === null || value === undefined || (typeof value === "boolean" && (!value || name.startsWith("aria-")))) continue;
    if (typeof value === "function" || name === "value" || name === "checked") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (selector, root = document) => root.querySelector(selector);

/** Replace everything inside an element. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  return element;
}

/** Scroll the list that an element is in so that it is seen, but never the page, whose board must stay in sight. */
export function reveal(element) {
  const list = element?.closest(".tab-body");
  if (!list) return;
  const [own, around] = [element.getBoundingClientRect(), list.getBoundingClientRect()];
  if (own.top < around.top) list.scrollTop += own.top - around.top;
  else if (own.bottom > around.bottom) list.scrollTop += own.bottom - around.bottom;
}

let toastTimer = 0;

/** A short message at the bottom of the page. */
export function toast(text, isError = false) {
  const box = $("#toast");
  box.textContent = text;
  box.className = isError ? "error" : "";
  box.hidePopover?.();
  box.showPopover?.(); // above an open dialog too
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.hidePopover?.(), isError ? 6000 : 3000);
}

/** Say something to people who do not see the board. */
export function speak(text) {
  $("#speech").textContent = text;
}

/** A modal dialog that closes with Escape, with its button, or when `close` is called. */
export function dialog(title, body, { wide = false } = {}) {
  const box = h("dialog" + (wide ? ".wide" : ""), { "aria-label": title });
  const close = () => box.close();
  box.append(
    h("header", {}, h("h2", {}, title), h("button.icon", { type: "button", "aria-label": "Close", onclick: close }, "✕")),
    body,
  );
  box.addEventListener("close", () => box.remove());
  box.addEventListener("click", (event) => event.target === box && close());
  document.body.append(box);
  box.showModal();
  return { box, close };
}

/** A labelled field of a form. */
export const field = (label, control, hint = "") =>
  h("label.field", {}, h("span", {}, label), control, hint && h("small", {}, hint));

/** A drop-down list of [value, text] pairs. */
export function choice(pairs, value, onchange) {
  const box = h("select", { onchange: () => onchange?.(box.value) });
  box.append(...pairs.map(([key, text]) => h("option", { value: key }, text)));
  box.value = value;
  return box;
}

/** A number between two others. */
export const number = (value, min, max, onchange, step = 1) =>
  h("input", { type: "number", value: String(value), min, max, step, onchange: (event) => onchange?.(Number(event.target.value)) });
