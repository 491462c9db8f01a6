// The people who label: how far they agree, how often each errs, and disagreements to resolve.
//
// One disagreement is shown at a time. The keys of the answers say which one is right, and the next
// one follows; later (S) puts it off.

import { keysOf, picker, placeOf, tag } from "./choices.js";
import { $, count, make, many, percent } from "./dom.js";
import { brief } from "./example.js";
import { get } from "./link.js";

let labels = [], found = null, put = new Set(), resolve = () => {}, run = 0;

// onResolve(example, label) is called when somebody says which answer is right.
export function setUp(onResolve) {
  resolve = onResolve;
  $("people").addEventListener("keydown", keyed);
}

export function draw(state) {
  $("open-people").hidden = !state.me;
  if (!state.me) return;
  $("me").textContent = state.me;
  $("open-people").setAttribute("aria-label", `People: you are ${state.me}. ${disagreements(state.disputes)}`);
  $("open-disputes").hidden = state.disputes === 0;
  $("open-disputes").textContent = count(state.disputes);
  labels = state.labels;
}

export function open(state) {
  if (!state?.me) return;
  put = new Set();
  $("people").showModal();
  load();
}

// Somebody's word is on the disk: what follows from it is looked up.
export function resolved() {
  if ($("people").open) load();
}

async function load() {
  const mine = ++run;
  try {
    const fresh = await get("/api/people");
    if (mine !== run) return;
    found = fresh;
  } catch (error) {
    $("people-why").textContent = `That did not work: ${error.message}`;
    return;
  }
  show();
}

const disagreements = (n) => (n === 0 ? "No disagreement is open." : `${many(n, "disagreement")} ${n === 1 ? "is" : "are"} open.`);

// What is to be decided now: what nobody has resolved and was not put off.
function current() {
  return found?.disputes.find((one) => one.resolved === null && !put.has(one.card.example)) ?? null;
}

function show() {
  const doubted = found.disputes.filter((one) => one.resolved === null && one.by === "model" && !put.has(one.card.example)).length;
  $("people-why").textContent = `${disagreements(found.open)}${doubted ? ` ${many(doubted, "answer")} of one person ${doubted === 1 ? "looks" : "look"} doubtful.` : ""}`;
  dispute(current());
  $("people-table").replaceChildren(table(
    ["", "answers", "shared", "wrong, estimated"],
    found.people.map((one) => [name(one.name), count(one.answers), count(one.shared), error(one.error)])));
  $("people-note").textContent = "Shared: examples that somebody else answered too. How many of somebody's answers are wrong is an estimate, with its range (95%): it holds if people err independently of each other and of the example.";
  $("people-all").textContent = found.shared === 0
    ? `${percent(found.overlap)} of the questions are asked twice, of different people; so far none has two answers.`
    : `${many(found.shared, "example")} ${found.shared === 1 ? "has" : "have"} answers of several people. Krippendorff's alpha ${number(found.alpha)}: 1 is full agreement, 0 is chance.`;
  $("people-pairs").replaceChildren(...(found.pairs.length === 0 ? [] : [table(
    ["", "both answered", "alike", "Cohen's kappa"],
    found.pairs.map((one) => [[name(one.one), " and ", name(one.other)], count(one.both), count(one.same), number(one.kappa)]))]));
  $("people-link").replaceChildren(...(found.link === null ? [] : [
    "Your own link, to come back from another browser: ", make("a", { href: found.link }, "copy it from here"),
    ". Not you? ", make("a", { href: "/join" }, "Say who you are"), "."]));
}

const number = (value) => (value === null ? "–" : value.toFixed(2));
const name = (text) => make("span", { className: "who", dir: "auto" }, text + (text === found.me ? " (you)" : ""));

function error(estimate) {
  if (estimate === null) return make("small", {}, "too few answers");
  return [`about ${percent(round(estimate.mean))} `, make("small", {}, `(${percent(round(estimate.low))} to ${percent(round(estimate.high))})`)];
}

const round = (share) => Math.round(100 * share) / 100;

function table(heads, rows) {
  const cell = (tag, content) => make(tag, {}, ...(Array.isArray(content) ? content : [content]));
  return make("table", { className: "people" },
    make("thead", {}, make("tr", {}, ...heads.map((head) => cell("th", head)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((one) => cell("td", one))))));
}

function dispute(one) {
  const section = $("people-dispute");
  section.hidden = one === null;
  if (one === null) return section.replaceChildren();
  const said = make("ul", { className: "said-by" }, ...one.said.map((voice) => make("li", {},
    tag(voice.label, labels), name(voice.who), make("small", { className: "quiet" }, new Date(voice.time).toLocaleString()))));
  const why = one.by === "people"
    ? `Until somebody decides, “${one.counts}” counts.`
    : `Nobody disputes it, but what similar examples were answered, and how often people err, speak for “${one.likely}”: an estimate.`;
  section.replaceChildren(
    make("h3", {}, "Which answer is right?"),
    brief(one.card),
    make("p", { className: "quiet", dir: "auto" }, one.card.title),
    said,
    make("p", { className: "quiet" }, why),
    picker(labels, { current: "", name: one.card.title, pick: (label) => decide(one, label) }),
    make("p", { className: "quiet keyed" }, make("span", { className: "hint" }, ...keys()), make("button", { type: "button", className: "link", onclick: () => later(one) }, "Decide later"), make("span", { className: "hint" }, " ", make("kbd", {}, "S"))));
}

function keys() {
  const named = keysOf(labels).map((key) => make("kbd", {}, key.toUpperCase()));
  if (labels.length === 2) return [named[0], ` ${labels[0]} `, named[1], ` ${labels[1]} · `];
  return [named[0], " to ", named.at(-1), ": the answers in their order · "];
}

function decide(one, label) {
  resolve(one.card.example, label);
  later(one);
}

function later(one) {
  put.add(one.card.example);
  show();
  // The button that was pressed is gone, and keys would go with it.
  if (!$("people").contains(document.activeElement)) $("people-why").focus();
}

function keyed(event) {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  const one = current();
  if (one === null) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const place = placeOf(key, labels);
  if (place >= 0) {
    event.preventDefault();
    decide(one, labels[place]);
  } else if (key === "s") later(one);
}
