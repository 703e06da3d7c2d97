/** The server: requests that answer, and the live connection for what happens by itself. */

/** An error with the server's own sentence. */
export class ServerError extends Error {}

/** Ask the server; gives the answer as data, or as text where it is text. */
export async function ask(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new ServerError("The server does not answer.");
  }
  const isData = (answer.headers.get("content-type") ?? "").includes("json");
  const found = answer.status === 204 ? null : isData ? await answer.json() : await answer.text();
  if (answer.ok) return found;
  const detail = found?.detail;
  throw new ServerError(typeof detail === "string" ? detail : (detail?.[0]?.msg ?? `Error ${answer.status}`));
}

export const get = (path) => ask("GET", path);
export const post = (path, body = {}) => ask("POST", path, body);

/** The WebSocket: comes back by itself when the connection is lost. */
export class Live extends EventTarget {
  #socket = null;
  #waiting = [];
  #delay = 300;

  constructor() {
    super();
    this.#open();
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/live`);
    this.#socket = socket;
    socket.onopen = () => {
      this.#delay = 300;
      this.dispatchEvent(new Event("open"));
      for (const message of this.#waiting.splice(0)) socket.send(message);
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      this.dispatchEvent(new CustomEvent(message.type, { detail: message }));
      if (message.type === "analysis") this.send({ type: "seen" });
    };
    socket.onclose = () => {
      this.dispatchEvent(new Event("lost"));
      setTimeout(() => this.#open(), this.#delay);
      this.#delay = Math.min(5000, this.#delay * 2);
    };
  }

  /** Send now, or as soon as the connection is there. */
  send(message) {
    const text = JSON.stringify(message);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
    else if (message.type !== "seen") this.#waiting.push(text);
  }

  on(type, listener) {
    this.addEventListener(type, (event) => listener(event.detail));
  }
}
