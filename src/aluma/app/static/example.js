// An example on the screen: a text, an image or a row.

import { $, count, make } from "./dom.js";
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
  if (card.kind === "row") return [grid(card.fields)];
  const text = make("div", { className: `text ${size(card.text)}`, dir: "auto" }, card.text);
  const shown = [text];
  if (card.more > 0) shown.push(rest(card));
  if (card.fields.length > 0) shown.push(table(card.fields));
  return shown;
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
  const enlarge = () => image.classList.toggle("tiny", image.naturalWidth > 0 && image.naturalWidth < 96);
  if (image.complete) enlarge();
  else image.addEventListener("load", enlarge, { once: true });
  return image;
}

function rest(card) {
  const button = make("button", { type: "button", className: "link" }, `Show the other ${count(card.more)} characters`);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const whole = await get(`/api/examples/${card.example}`);
      button.previousElementSibling.textContent = whole.text;
      button.remove();
    } catch {
      button.disabled = false;
    }
  });
  return button;
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
