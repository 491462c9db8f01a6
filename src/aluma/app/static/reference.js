// The interface's own description, as a page.

import { $, make } from "./dom.js";
import { get } from "./link.js";

const description = await get("/openapi.json");
const named = (schema) => schema?.$ref?.split("/").pop() ?? schema?.type ?? "";

// What stands between backticks is code.
const rich = (text) => text.split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));

function section(path, method, operation) {
  const parts = [
    make("h2", {}, make("code", {}, `${method.toUpperCase()} ${path}`)),
    make("p", {}, ...rich(operation.description ?? operation.summary ?? "")),
  ];
  for (const one of operation.parameters ?? []) {
    parts.push(make("p", { className: "quiet" }, make("code", {}, one.name), ` ${named(one.schema)}`, ...(one.description ? [": ", ...rich(one.description)] : [])));
  }
  const body = operation.requestBody?.content?.["application/json"]?.schema;
  if (body) {
    const fields = description.components.schemas[named(body)]?.properties ?? {};
    parts.push(make("pre", {}, JSON.stringify(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.description ?? value.type ?? "optional"])), null, 1)));
  }
  return make("section", {}, ...parts);
}

$("about").append(...rich(description.info.description.trim()));
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(methods)) $("paths").append(section(path, method, operation));
}
