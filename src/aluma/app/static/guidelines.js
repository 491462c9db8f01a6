// The guidelines: a tree of elements from the server, of which only the ones listed here are made.

import { $, make } from "./dom.js";
import { get } from "./link.js";

const TAGS = new Set(["h3", "h4", "h5", "p", "ul", "ol", "li", "blockquote", "pre", "code", "strong", "em", "hr"]);
const LINK = /^(https?:\/\/|mailto:)/i;

export async function open() {
  $("guidelines").showModal();
  try {
    const { nodes } = await get("/api/guidelines");
    $("guidelines-text").replaceChildren(...nodes.map(element));
  } catch (error) {
    $("guidelines-text").textContent = `They cannot be shown now: ${error.message}`;
  }
}

function element(node) {
  const inside = node.children.map(element);
  if (node.tag === "a" && LINK.test(node.href ?? "")) {
    return make("a", { href: node.href, target: "_blank", rel: "noopener noreferrer" }, ...inside);
  }
  if (!TAGS.has(node.tag)) return make("span", {}, node.text, ...inside);
  return make(node.tag, { dir: "auto" }, node.text, ...inside);
}
