// Review: labels nobody gave, the most doubtful first, to confirm or correct by key; answers that
// strain the fit; what was skipped. Pictures come as a grid.

import { keysOf, picker, placeOf, tag, tinted } from "./choices.js";
import { $, count, make, many } from "./dom.js";
import { brief } from "./example.js";
import { get } from "./link.js";

const STEP = 50;
// Votes are no probabilities: all they tell is which guesses are doubtful. app/review.py has the same number.
const UNSURE = 0.8;
const PAUSE = 120; // milliseconds on an example before it is asked what speaks for its label
const INTRODUCED = {
  unanswered: "that nobody gave, the most doubtful first",
  strained: "that strain the fit, the worst first: most of the model disputes them, or they were kept without being learnt from",
  answered: "given, the newest first",
  skipped: "skipped",
};
const NONE = {
  unanswered: "No such label is left.",
  strained: "No answer strains the fit.",
  answered: "There is no such answer.",
  skipped: "Nothing was skipped.",
};

let state = { labels: ["no", "yes"] }, act = {};
let of = "", offset = 0, total = 0, run = 0, timer = 0, loading = false;
let given = []; // rows answered in this review, to take back

// actions: { give(verdict, label), skip(card), undo(), similar(card) }
export function setUp(actions) {
  act = actions;
  for (const id of ["review-what", "review-label", "review-sure", "review-person"]) $(id).addEventListener("change", () => load(true));
  $("review-more").addEventListener("click", () => load(false));
  $("review").addEventListener("keydown", keyed);
}

export function open(now) {
  state = now;
  const names = now.labels.map((label) => make("option", { value: label }, label));
  $("review-label").replaceChildren(make("option", { value: "" }, "any answer"), ...names);
  const give = now.labels.length === 2 ? `${keysOf(now.labels).join(" and ")} give an answer` : "the keys of the answers give one";
  $("review-keys").textContent = `Enter confirms the guess; ${give}; ↑ ↓ move, S skips, F finds similar ones, U takes back.`;
  given = [];
  of = "";
  everybody([]);
  $("review").showModal();
  load(true);
}

// An answer is on the disk, or was refused.
export function saved(example, kept) {
  const row = found(example);
  if (row === null || !row.waiting) return;
  row.waiting = false;
  if (kept) fill(row);
  else fill(row, row.before);
}

const rows = () => [...$("review-items").children];
const found = (example) => $("review-items").querySelector(`[data-example="${example}"]`);
const current = () => $("review-items").querySelector("[aria-current=true]");

// Offers to look at what one person said, where there are several.
function everybody(names) {
  const select = $("review-person"), chosen = select.value;
  select.parentElement.hidden = names.length < 2;
  select.replaceChildren(make("option", { value: "" }, "anybody"), ...names.map((name) => make("option", { value: name }, name)));
  select.value = names.includes(chosen) ? chosen : "";
}

async function load(anew) {
  const mine = ++run, what = $("review-what").value;
  if (anew) offset = 0;
  loading = true;
  $("review-sure").disabled = what !== "unanswered";
  $("review-label").disabled = what === "skipped";
  $("review-person").disabled = what === "unanswered";
  if (anew) $("review-count").textContent = "One moment …";
  const wish = new URLSearchParams({ what, of: anew ? "" : of, offset, limit: STEP });
  if (what !== "skipped") wish.set("label", $("review-label").value);
  if (what === "unanswered") wish.set("certainty", $("review-sure").value);
  else wish.set("person", $("review-person").value);
  let part;
  try {
    part = await get(`/api/review?${wish}`);
  } catch (error) {
    $("review-count").textContent = `That did not work: ${error.message}`;
    return;
  } finally {
    if (mine === run) loading = false;
  }
  if (mine !== run) return;
  of = part.of;
  total = part.total;
  everybody(part.people);
  const made = part.items.map(item);
  if (anew) $("review-items").replaceChildren(...made);
  else $("review-items").append(...made);
  $("review-items").classList.toggle("gallery", part.items.some((one) => one.card.image) || (!anew && $("review-items").classList.contains("gallery")));
  offset += part.items.length;
  $("review-more").hidden = offset >= part.total;
  $("review-count").textContent = introduced(what, part);
  $("review-keys").hidden = part.total === 0;
  if (anew && made.length > 0) go(made[0]);
}

function introduced(what, part) {
  if (part.total === 0) return NONE[what];
  const noun = what === "unanswered" ? "label" : what === "skipped" ? "example" : "answer";
  const held = part.withheld > 0 ? ` ${count(part.withheld)} that may be checked at random are left out, so that checks are answered without the model's guess.` : "";
  return `${many(part.total, noun)} ${INTRODUCED[what]}.${held}`;
}

function item(verdict) {
  const row = make("li", { tabIndex: -1 });
  row.dataset.example = verdict.card.example;
  row.addEventListener("focusin", () => mark(row));
  row.addEventListener("click", (event) => { if (!event.target.closest("button")) row.focus(); });
  fill(row, verdict);
  return row;
}

function fill(row, verdict = row.verdict) {
  row.verdict = verdict;
  const focused = row.contains(document.activeElement) && row !== document.activeElement;
  const said = verdict.by === "vote" ? [guess(verdict)] : [answered(row)];
  const pick = (label) => give(row, label);
  const choices = picker(state.labels, { current: verdict.by === "vote" ? "" : verdict.label, name: verdict.card.title, pick });
  row.replaceChildren(brief(verdict.card), make("span", { className: "meta", dir: "auto" }, verdict.card.title, ...said),
    make("span", { className: "do" }, ...confirming(row), choices));
  row.classList.toggle("done", row.fresh === true);
  row.why = undefined;
  if (focused) row.focus();
}

function confirming(row) {
  const { label, by, card } = row.verdict;
  if (by !== "vote" || label === "") return [];
  const button = make("button", { type: "button", className: "choice confirm" }, "Confirm");
  button.setAttribute("aria-label", `Confirm ${label}: ${card.title}`);
  button.addEventListener("click", () => give(row, label));
  return [button];
}

function guess(verdict) {
  if (verdict.label === "") return make("span", {}, " · no guess is shown");
  return make("span", {}, " · guess: ", tag(verdict.label, state.labels), verdict.share < UNSURE ? " unsure" : "");
}

function answered(row) {
  const { label, by, doubt } = row.verdict;
  const how = row.waiting ? " · being saved: " : by === "exception" ? " · kept, not learnt from: " : row.fresh ? " · saved: " : " · answered: ";
  const most = by === "person" && doubt > 0 ? `, disputed by ${doubt > 0.5 ? "most" : "some"} of the model` : "";
  return make("span", {}, how, tag(label, state.labels), voices(row), most);
}

// Who gave the answer, and who another one.
function voices({ fresh, verdict: { said = {}, label } }) {
  if (fresh || Object.keys(said).length === 0) return "";
  const others = Object.entries(said).filter(([, one]) => one !== label).map(([who, one]) => `${who}: ${one}`);
  const same = Object.keys(said).filter((who) => said[who] === label);
  return ` ${[same.length > 0 ? `by ${same.join(", ")}` : "resolved", ...others].join("; ")}`;
}

function give(row, label) {
  const { verdict } = row;
  if (verdict.by !== "vote" && verdict.label === label) return go(after(row));
  row.before = verdict;
  row.verdict = { ...verdict, label, by: "person", doubt: 0 };
  row.waiting = row.fresh = true;
  act.give(verdict, label);
  given.push(row);
  fill(row);
  go(after(row));
}

function skip(row) {
  if (row.verdict.by !== "vote") return;
  act.skip(row.verdict.card);
  const next = after(row);
  row.remove();
  go(next);
}

function undo() {
  const row = given.pop();
  if (row === undefined) return;
  act.undo();
  row.waiting = row.fresh = false;
  fill(row, row.before);
  go(row);
}

// ---- moving about

function after(row) {
  const left = rows();
  return left.slice(left.indexOf(row) + 1).find((one) => !one.fresh) ?? left[left.indexOf(row) + 1] ?? row;
}

function go(row) {
  if (!row?.isConnected) return;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  const left = rows();
  if (left.indexOf(row) > left.length - 8 && offset < total && !loading) load(false);
}

function mark(row) {
  const before = current();
  if (before === row) return;
  before?.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  clearTimeout(timer);
  timer = setTimeout(() => explain(row), PAUSE);
}

// In a grid, up and down move by as many as there are in a line.
function moved(row, key) {
  const left = rows(), place = left.indexOf(row);
  const wide = $("review-items").classList.contains("gallery");
  if (!wide && ["ArrowLeft", "ArrowRight"].includes(key)) return row;
  const line = wide ? left.filter((one) => one.offsetTop === left[0].offsetTop).length : 1;
  const step = { ArrowDown: line, ArrowUp: -line, ArrowRight: 1, ArrowLeft: -1 }[key];
  return left[place + step] ?? row;
}

function keyed(event) {
  if (event.altKey || event.metaKey || event.isComposing || event.target.matches("select")) return;
  const row = current();
  if (row === null) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key.startsWith("Arrow")) {
    event.preventDefault();
    return go(moved(row, key));
  }
  if (event.repeat || event.ctrlKey) return;
  const place = placeOf(key, state.labels);
  if (place >= 0) give(row, state.labels[place]);
  else if (key === "Enter" && event.target === row) {
    if (row.verdict.label !== "") give(row, row.verdict.label);
  } else if (key === "s") skip(row);
  else if (key === "u") undo();
  else if (key === "f") act.similar(row.verdict.card);
  else return;
  event.preventDefault();
}

// ---- what speaks for a label

async function explain(row) {
  if (row.why !== undefined || row.verdict.card.image || !row.isConnected) return;
  row.why = null;
  let why;
  try {
    why = await get(`/api/why/${row.verdict.card.example}`);
  } catch {
    return;
  }
  if (!row.isConnected || row.why !== null) return;
  row.why = why;
  if (why.pieces.length > 0) {
    const text = make("span", { className: "what whole", dir: "auto" }, ...why.pieces.map((one) => piece(one, why)));
    row.querySelector(".what")?.replaceWith(text);
  }
  const line = reasons(why);
  if (line !== null) row.querySelector(".meta").after(line);
  if (row === current()) row.scrollIntoView({ block: "nearest" });
}

function piece({ text, weight }, why) {
  if (weight === 0) return text;
  const label = weight > 0 ? why.label : why.against;
  const marked = make("mark", { className: weight > 0 ? "for" : "against", title: `speaks for ${label}` }, text);
  marked.style.setProperty("--w", `${Math.round(20 + 60 * Math.abs(weight))}%`);
  return coloured(marked, label);
}

const coloured = (element, label) => tinted(element, state.labels.indexOf(label), state.labels.length);

function reasons(why) {
  if (why.label === "") return null;
  if (why.pieces.length === 0 && why.columns.length === 0) return why.note ? make("span", { className: "why" }, why.note) : null;
  const side = (sign) => why.columns.filter((one) => sign * one.weight > 0).map((one) => (one.value.length <= 30 ? `${one.name} ${one.value}` : one.name));
  const alone = why.pieces.length > 0 && why.columns.length < 2;
  const words = alone ? [] : [[`For ${why.label}`, side(1)], [`for ${why.against}`, side(-1)]].filter(([, names]) => names.length > 0);
  const listed = words.map(([head, names]) => `${head}: ${names.join(", ")}`).join("; ");
  const marks = why.pieces.length > 0 ? ["Marked: for ", coloured(make("mark", { className: "for" }, why.label), why.label), ", for ", coloured(make("mark", { className: "against" }, why.against), why.against), ". "] : [];
  return make("span", { className: "why", dir: "auto" }, ...marks, listed ? `${listed}. ` : "", "This explains the model, not the world.");
}
