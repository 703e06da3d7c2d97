/** Records in and out: copy, download, a link that holds the game, pictures, and reading a record. */

import { choice, dialog, h, toast } from "./dom.js";
import { get } from "./api.js";

/** A file for the person. */
function download(name, data, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([data], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  } catch {
    toast("The browser does not let the page copy; select the text instead.", true);
  }
}

/** A link that holds the whole game. */
export async function linkOf(session) {
  const line = session.mainLine().slice(1).map((id) => session.node(id).move);
  const first = await get(`/api/games/${session.id}/nodes/0`);
  const empty = (await get(`/api/boards?game=${encodeURIComponent(session.state.game)}`)).view.text;
  const query = new URLSearchParams({ game: session.state.game });
  if (first.text !== empty) query.set("start", first.text);
  query.set("moves", line.join("."));
  return `${location.origin}/#/link?${query}`;
}

/** The picture of the board as PNG, drawn from the SVG. */
async function pngOf(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

export async function shareDialog(session) {
  const { formats } = await get(`/api/games/${session.id}/formats`);
  const base = `/api/games/${session.id}`;
  const text = h("textarea", { rows: 9, readonly: true, id: "record-text", "aria-label": "Record" });
  let format = formats[0];
  const load = async () => {
    try {
      text.value = await get(`${base}/record?format=${format.name}`);
    } catch (error) {
      text.value = error.message;
    }
  };
  const name = session.state.game.replace(/[^a-z0-9]+/gi, "-");
  const pick = choice(formats.map((each) => [each.name, each.title]), format.name, (wanted) => {
    format = formats.find((each) => each.name === wanted);
    load();
  });
  pick.setAttribute("aria-label", "Format");
  pick.id = "record-format";
  const paste = h("textarea", { rows: 5, id: "record-in", placeholder: "Paste a record here, or drop a file anywhere on the page.", "aria-label": "Record to open" });
  const picture = () => get(`${base}/picture?node=${session.state.cursor}`);
  const { close } = dialog(
    "Record and share",
    h(
      "div.share",
      {},
      h("h3", {}, "This game"),
      h("div.row.tight", {}, pick, h("button", { type: "button", onclick: () => copy(text.value) }, "Copy"), h("button", { type: "button", id: "download-record", onclick: () => download(name + format.suffix, text.value, "text/plain") }, "Download")),
      text,
      h("div.row.tight", {}, h("button", { type: "button", id: "copy-link", onclick: async () => { const link = await linkOf(session); box.value = link; box.hidden = false; copy(link); } }, "Copy a link with the whole game"), h("button", { type: "button", id: "svg", onclick: async () => download(`${name}.svg`, await picture(), "image/svg+xml") }, "Picture (SVG)"), h("button", { type: "button", id: "png", onclick: async () => download(`${name}.png`, await pngOf(await picture()), "image/png") }, "Picture (PNG)")),
      h("h3", {}, "Another game"),
      paste,
      h("div.row.tight", {}, h("button.main", { type: "button", id: "open-record", onclick: async () => {
        try {
          await session.read(paste.value);
          close();
          toast("Opened.");
        } catch (error) {
          toast(error.message, true);
        }
      } }, "Open this record")),
    ),
    { wide: true },
  );
  const box = h("input", { readonly: true, hidden: true, id: "link-text", "aria-label": "Link" });
  text.after(box);
  await load();
}
