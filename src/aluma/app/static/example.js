// An example on the screen: a text, an image or a row.

import { $, make, many } from "./dom.js";
import { get } from "./link.js";

const pictures = new Map();

// Fetches an image before it is needed.
export function prepare(card) {
  if (!card?.image || pictures.has(card.image)) return;
  const picture = new Image();
  picture.src = card.image;
  picture.decode().catch(() => {});
  pictures.set(card.image, picture);
  if (pictures.size > 40) pictures.delete(pictures.keys().next().value);
}

export function show(card) {
  $("title").textContent = card.title;
  $("example").replaceChildren(...parts(card));
}

export function say(text) {
  $("title").textContent = "";
  $("example").replaceChildren(make("p", { className: "waiting" }, text));
}

// An example in a list: a small picture or the beginning of its text.
export function brief(card) {
  if (card.image) return make("img", { src: card.image, alt: card.title, loading: "lazy" });
  return make("span", { className: "what", dir: "auto" }, card.text || card.title);
}

function parts(card) {
  if (card.kind === "image") return [picture(card)];
  if (card.kind === "row") return [grid(card.fields), ...rest(card)];
  const words = trimmed(card.text);
  const text = words
    ? make("div", { className: `text ${size(words)}`, dir: "auto" }, words)
    : make("p", { className: "waiting" }, card.fields.length > 0 ? "No text." : "This row is empty.");
  const shown = [text];
  if (card.fields.length > 0) shown.push(table(card.fields));
  return [...shown, ...rest(card)];
}

// Blank lines around a text say nothing, and push it off a small screen.
function trimmed(text) {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

function size(text) {
  if (text.length < 260) return "short";
  return text.length < 900 ? "medium" : "";
}

function picture(card) {
  prepare(card);
  const image = pictures.get(card.image);
  image.alt = card.title;
  image.className = "picture";
  const enlarge = () => {
    const side = Math.max(image.naturalWidth, image.naturalHeight);
    image.classList.toggle("tiny", side > 0 && side < 96);
    image.classList.toggle("small", side >= 96 && side < 400);
  };
  if (image.complete) enlarge();
  else image.addEventListener("load", enlarge, { once: true });
  return image;
}

function rest(card) {
  const missing = [
    ...(card.more > 0 ? [many(card.more, "character")] : []),
    ...(card.more_fields > 0 ? [many(card.more_fields, "column")] : []),
  ];
  if (missing.length === 0) return [];
  const button = make("button", { type: "button", className: "link" }, `Show the other ${missing.join(" and ")}`);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const whole = await get(`/api/examples/${card.example}`);
      if (button.isConnected) $("example").replaceChildren(...parts(whole));
    } catch {
      button.disabled = false;
    }
  });
  return [button];
}

function table(fields) {
  const rows = fields.map(({ name, value }) =>
    make("tr", {}, make("th", { scope: "row", dir: "auto" }, name), make("td", { dir: "auto" }, value)));
  return make("table", { className: "fields" }, make("tbody", {}, ...rows));
}

function grid(fields) {
  const cells = fields.map(({ name, value }) =>
    make("div", {}, make("dt", { dir: "auto" }, name), make("dd", { dir: "auto" }, value)));
  return make("dl", { className: "grid" }, ...cells);
}
