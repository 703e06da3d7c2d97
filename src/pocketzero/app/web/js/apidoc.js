/** The OpenAPI description as a page, without asking any other server. */

import { $, h, put } from "./dom.js";
import { applyTheme } from "./settings.js";

applyTheme();
const api = await (await fetch("/api/openapi.json")).json();

const schemaName = (schema) => schema?.$ref?.split("/").at(-1) ?? schema?.type ?? "";

function fields(name) {
  const schema = api.components?.schemas?.[name];
  if (!schema?.properties) return null;
  return h("ul", {}, Object.entries(schema.properties).map(([field, about]) => h("li", {}, h("code", {}, field), " ", about.description ?? about.title ?? "", about.default !== undefined ? ` (default ${JSON.stringify(about.default)})` : "")));
}

function operation(path, method, about) {
  const body = schemaName(about.requestBody?.content?.["application/json"]?.schema);
  const parameters = about.parameters?.filter((each) => each.in === "query") ?? [];
  return h(
    "article.operation",
    {},
    h("h3", {}, h(`span.method.${method}`, {}, method.toUpperCase()), " ", h("code", {}, path)),
    h("p", {}, worded(about.description ?? about.summary)),
    parameters.length ? h("ul", {}, parameters.map((each) => h("li", {}, h("code", {}, `?${each.name}`), " ", each.description ?? each.schema?.description ?? ""))) : null,
    body && h("details", {}, h("summary", {}, `Body: ${body}`), fields(body)),
  );
}

/** Text with names between backticks, as elements. */
const worded = (text) => (text ?? "").split(/`+/).map((part, n) => (n % 2 ? h("code", {}, part) : part));

const groups = new Map();
for (const [path, methods] of Object.entries(api.paths))
  for (const [method, about] of Object.entries(methods)) {
    const tag = about.tags?.[0] ?? "other";
    groups.set(tag, [...(groups.get(tag) ?? []), operation(path, method, about)]);
  }

put($("#main"), h("h1", {}, `${api.info.title} ${api.info.version}`), h("p", {}, worded(api.info.description)), [...groups].map(([tag, operations]) => [h("h2", {}, tag), operations]));
