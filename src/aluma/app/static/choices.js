// The answers as buttons, with a key and a colour for each.

import { $, make } from "./dom.js";

// Digits, then letters that do nothing else on the page.
const KEYS = "123456789abcdhijkmoqtvwxyz";
const ARROWS = [["ArrowLeft", "←"], ["ArrowRight", "→"]];

export const MOST = 20;

let drawn = "";

// The keys of answers: one that is called by a digit has that, the others have what is left in order.
export function keysOf(labels) {
  const own = labels.filter((label) => /^[0-9]$/.test(label));
  const left = [...KEYS].filter((key) => !own.includes(key));
  return labels.map((label) => (own.includes(label) ? label : left.shift()));
}

// Which answer a key gives, or -1. Of two, the arrows do so as well.
export function placeOf(key, labels) {
  const arrow = ARROWS.findIndex(([name]) => name === key);
  return arrow >= 0 && labels.length === 2 ? arrow : keysOf(labels).indexOf(key);
}

// Gives an element the colour of an answer: two have their own, more are spread over the circle.
export function tinted(element, place, count) {
  if (count === 2) element.classList.add(place === 1 ? "yes" : "no");
  else {
    element.classList.add("many");
    element.style.setProperty("--hue", Math.round(258 + place * 137.5) % 360);
  }
  return element;
}

export function tag(label, labels) {
  const element = make("span", { className: "tag", dir: "auto", title: label }, label);
  return tinted(element, labels.indexOf(label), labels.length);
}

// Draws the buttons when the answers are others than before; give(place, event) is called by them.
export function draw(labels, give) {
  const wanted = JSON.stringify(labels);
  if (wanted === drawn) return;
  drawn = wanted;
  const focused = [...$("choices").children].indexOf(document.activeElement);
  const keys = keysOf(labels);
  $("choices").replaceChildren(...labels.map((label, place) => button(label, place, keys, give)));
  $("answers").classList.toggle("two", labels.length === 2);
  $("choices").classList.toggle("crowd", labels.length > 6);
  if (focused >= 0) $("choices").children[focused]?.focus();
}

// A long name breaks where its parts end, before it breaks anywhere.
const breakable = (label) => label.split(/(?<=[._\/\\:-])/).flatMap((part, n) => (n > 0 ? [make("wbr"), part] : [part]));

function button(label, place, keys, give) {
  const two = keys.length === 2;
  const key = make("kbd", { ariaHidden: "true" }, two ? ARROWS[place][1] : keys[place].toUpperCase());
  const name = make("span", { dir: "auto" }, ...breakable(label));
  const made = make("button", { type: "button", className: "answer", title: label }, ...(two && place ? [name, key] : [key, name]));
  made.id = two ? ["no", "yes"][place] : `answer-${place}`;
  made.setAttribute("aria-keyshortcuts", two ? `${ARROWS[place][0]} ${keys[place]}` : keys[place]);
  made.addEventListener("click", (event) => give(place, event));
  return tinted(made, place, keys.length);
}

export function enable(wanted) {
  for (const one of $("choices").children) one.disabled = !wanted;
}

export function flash(place) {
  const one = $("choices").children[place];
  one?.classList.add("pressed");
  setTimeout(() => one?.classList.remove("pressed"), 110);
}

const FEW = 4;

// Buttons to pick an answer for something in a list: all of them if they are few, else on demand.
// `current` is pressed; with `others` it is left out. pick(label) is called with the choice.
export function picker(labels, { current = "", others = false, opener = "Answer", words = (label) => label, name, pick }) {
  const offered = others ? labels.filter((one) => one !== current) : labels;
  const all = () => offered.map((label) => pickable(label, labels, label === current, words(label), name, pick));
  const row = make("span", { className: "pick" });
  if (offered.length <= FEW) {
    row.append(...all());
    return row;
  }
  const more = make("button", { type: "button", className: "choice" }, current ? "Change" : opener);
  more.setAttribute("aria-label", `${more.textContent}: ${name}`);
  more.addEventListener("click", () => {
    row.replaceChildren(...all());
    row.classList.add("open");
    row.firstChild.focus();
  });
  if (current && !others) row.append(pickable(current, labels, true, words(current), name, pick));
  row.append(more);
  return row;
}

function pickable(label, labels, current, text, name, pick) {
  const made = make("button", { type: "button", className: "choice", dir: "auto", title: label, ariaPressed: String(current) }, text);
  made.setAttribute("aria-label", `${text}: ${name}`);
  made.addEventListener("click", () => current || pick(label));
  return tinted(made, labels.indexOf(label), labels.length);
}
