// All answers, and a search over the pool: to look at, to answer and to change.

import { picker } from "./choices.js";
import { $, count, make } from "./dom.js";
import { brief } from "./example.js";
import { get } from "./link.js";

const STEP = 50;
// Votes are no probabilities: all they tell is which guesses are doubtful.
const UNSURE = 0.8;
const NONE = { answers: "There is no answer yet.", search: "No example has all of these words.", similar: "There is no other example." };
let mode = "answers", about = null, offset = 0, run = 0, labels = ["no", "yes"], choose = () => {};

// choose(verdict, label) is called when a label is picked.
export function setUp(onChoose) {
  choose = onChoose;
  let timer = 0;
  $("find").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => load(true), 150);
  });
  // A search field would only empty itself, and the way back would be a second key.
  $("find").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    $("list").close();
  });
  $("list-more").addEventListener("click", () => load(false));
}

// `card` is what similar ones are wanted to.
export function open(what, names, card = null) {
  mode = what;
  about = card;
  labels = names;
  $("list-title").textContent = { answers: "Answers", search: "Search", similar: `Similar to ${card?.title}` }[what];
  $("find-row").hidden = what !== "search";
  $("list-items").replaceChildren();
  $("list").showModal();
  if (what === "search") $("find").select();
  load(true);
}

// Shows an answer that was just taken in, in its place: the rest of the list and the focus stay.
export function changed(example, label) {
  const row = $("list-items").querySelector(`[data-example="${example}"]`);
  if (row === null) return;
  const focused = row.contains(document.activeElement);
  const fresh = item({ ...row.verdict, label, by: "person", share: 1 });
  row.replaceWith(fresh);
  if (focused) fresh.querySelector("[aria-pressed=true]")?.focus();
}

async function load(anew) {
  const mine = ++run;
  if (anew) offset = 0;
  const words = encodeURIComponent($("find").value);
  const path = { answers: "/api/answers?", search: `/api/search?q=${words}&`, similar: `/api/similar/${about?.example}?` }[mode];
  let found;
  try {
    found = await get(`${path}offset=${offset}&limit=${STEP}`);
  } catch (error) {
    $("list-count").textContent = `That did not work: ${error.message}`;
    return;
  }
  if (mine !== run) return;
  const items = found.items.map(item);
  $("list-items").classList.toggle("gallery", found.items.some((one) => one.card.image));
  if (anew) $("list-items").replaceChildren(...items);
  else $("list-items").append(...items);
  offset += found.items.length;
  $("list-more").hidden = offset >= found.total;
  $("list-count").textContent = found.total === 0 ? NONE[mode] : mode === "answers"
    ? `${count(found.total)} given, the newest first. Pick ${labels.length === 2 ? "the other one" : "another one"} to change an answer.`
    : mode === "similar" ? "The nearest by the features that are learnt from. Pick an answer to give or change it."
    : `${count(found.total)} found. Pick an answer to give or change it.`;
}

export function item(verdict) {
  const by = { person: "answered", exception: "kept, not learnt from", vote: guess(verdict) }[verdict.by];
  const meta = make("span", { className: "meta", dir: "auto" }, `${verdict.card.title} · ${by}${verdict.card.note ? ` · note: ${verdict.card.note}` : ""}`);
  const row = make("li", {}, brief(verdict.card), meta, choices(verdict));
  row.dataset.example = verdict.card.example;
  row.verdict = verdict;
  return row;
}

function guess(verdict) {
  if (verdict.label === "") return "no guess yet, or about to be checked";
  return `the model's guess: ${verdict.label}${verdict.share < UNSURE ? ", unsure" : ""}`;
}

function choices(verdict) {
  const current = verdict.by === "vote" ? "" : verdict.label;
  const pick = (label) => choose(verdict, label);
  return make("span", { className: "do" }, picker(labels, { current, name: verdict.card.title, pick }));
}
