// The page on which labels are checked: shows one, takes the answer, and goes on once it is kept.
//
// Nothing is shown ahead: the next label appears when the answer to this one is on the disk.

import { $, count, make } from "./dom.js";
import * as example from "./example.js";
import { follow, Outbox } from "./link.js";
import * as notice from "./notice.js";

const KEYS = 9;        // labels that have a key of their own
let state = null;      // the latest from the server
let shown = null;      // number of the example on the screen
let confirmed = 0;     // version of the latest receipt
let outbox = null;     // the answer on its way
let meant = null;      // what was typed, if it was no label so far: once more, and it is one

const busy = () => outbox === null || outbox.items.length > 0 || state.version < confirmed;
const boot = (one) => one.tick.split(".")[0];
const ready = () => state !== null && !busy() && state.question !== null;

// ---- what the server says

function arrived(next) {
  if (outbox === null) {
    outbox = new Outbox(`aluma-${next.session}`, { sent, refused, trouble, changed: redraw });
    state = next;
    outbox.flush();
  } else if (state.session !== next.session) {
    location.reload();
  } else if (boot(state) !== boot(next)) {
    // Started again, perhaps with a new file of answers: what it has is what counts.
    confirmed = 0;
  }
  state = next;
  redraw();
}

function sent(item, receipt) {
  confirmed = Math.max(confirmed, receipt.version);
}

function refused(item, refusal) {
  notice.notify(refusal.message, true);
}

function trouble(error) {
  notice.trouble(error, outbox?.items.length ?? 0);
}

// ---- what the person does

// Takes a label for the right one; null for the file's.
function say(label, fresh = false) {
  if (!ready() || (label === null && state.blind)) return;
  settle();
  const right = label === null || label === state.given;
  const body = { example: state.question.example, ...(!right && { label }), ...(fresh && { new: true }) };
  outbox.put("/api/answer", body, state.question);
}

function undo() {
  if (state === null || busy() || state.evidence.checked === 0) return;
  settle();
  outbox.put("/api/undo", {});
}

// Forgets what was typed, and leaves the button: a key must not press it again.
function settle() {
  notice.clear();
  hint("");
  $("typed").value = "";
  document.activeElement?.blur();
}

// A label that did not occur so far may be a slip: it is asked for twice.
function typed() {
  const label = $("typed").value.trim();
  if (!ready() || label === "") return;
  if (state.labels.includes(label)) return say(label);
  if (!state.closed && meant === label) return say(label, true);
  hint(state.closed
    ? `“${label}” is none of the labels. Choose one of them, or start again with it in --answers.`
    : `“${label}” is no label so far. Press Enter once more if it is one.`, label);
}

function hint(text, label = null) {
  meant = label;
  $("typed-hint").textContent = text;
  $("typed-hint").hidden = !text;
}

// ---- what is on the screen

// While an answer is on its way everything stays as it is, so that what is seen belongs together.
function redraw() {
  if (state === null || outbox === null) return;
  if (!busy()) drawn(state.evidence);
  $("card").classList.toggle("leaving", busy());
  for (const button of [$("right"), $("use"), ...$("labels").children]) button.disabled = !ready();
  $("undo").disabled = busy() || state.evidence.checked === 0;
}

function drawn(evidence) {
  $("name").textContent = state.name;
  document.title = `${state.name} · aluma check`;
  for (const part of ["headline", "outlook", "guess", "statement"]) $(part).textContent = evidence[part];
  $("column").textContent = `${state.column}_check`;
  verdict(evidence);
  question();
  buttons();
  latest();
}

function verdict(evidence) {
  $("verdict").hidden = !evidence.verdict;
  $("verdict").classList.toggle("failed", evidence.failed);
  $("verdict-what").textContent = evidence.verdict;
  $("verdict-way").textContent = evidence.failed ? evidence.advice : "Take the labels, or go on: more checks find more mistakes, or make the bound smaller.";
}

function question() {
  const card = state.question;
  if (card === null) {
    shown = null;
    $("ask").textContent = "";
    return example.say("Nothing is left to check: every label was checked or given by a person.");
  }
  if (shown === card.example) return;
  shown = card.example;
  const given = make("b", { dir: "auto" }, state.given ?? "");
  $("ask").replaceChildren(...(state.blind ? ["Which label is right? The file's is hidden."] : ["The file says ", given, ". Is that right?"]));
  example.show(card);
  $("card").scrollTop = 0;
}

function buttons() {
  const labels = state.labels.slice(0, KEYS);
  const place = $("labels");
  if (place.children.length !== labels.length || labels.some((label, i) => place.children[i].dataset.label !== label)) {
    place.replaceChildren(...labels.map(choice));
  }
  for (const button of place.children) {
    const same = !state.blind && button.dataset.label === state.given;
    button.classList.toggle("given", same);
    button.setAttribute("aria-label", same ? `${button.dataset.label}, as the file says` : button.dataset.label);
  }
  $("right").hidden = state.blind;
  place.classList.toggle("alone", state.blind);
  known();
}

function choice(label, place) {
  const button = make("button", { type: "button" }, make("kbd", { ariaHidden: "true" }, String(place + 1)), make("span", { dir: "auto" }, label));
  button.dataset.label = label;
  button.title = label;
  button.setAttribute("aria-keyshortcuts", String(place + 1));
  button.addEventListener("click", () => say(label));
  return button;
}

// The labels that can be typed.
function known() {
  $("other").hidden = state.closed && state.labels.length <= KEYS;
  const all = state.labels.length + state.more_labels;
  $("other-title").textContent = all > KEYS ? `Another of ${count(all)} labels${state.closed ? "" : ", or a new one"}` : "Another label";
  const list = $("typed-known");
  if (list.children.length !== state.labels.length || list.lastElementChild?.value !== state.labels.at(-1)) {
    list.replaceChildren(...state.labels.map((label) => make("option", { value: label })));
  }
}

function latest() {
  $("latest").replaceChildren(...state.last.map(entry));
  $("none-yet").hidden = state.last.length > 0;
  const last = state.last[0];
  if (last === undefined) return $("before").replaceChildren();
  const found = last.wrong
    ? make("b", {}, `the file says ${last.given}, put right to ${last.answer}`)
    : `the file says ${last.given}, which is right`;
  $("before").replaceChildren(`✓ ${last.card.title}: `, found);
}

function entry(one) {
  const tick = make("span", { className: "tick", role: "img", ariaLabel: "saved" }, "✓");
  const text = one.wrong ? `${one.given} → ${one.answer}` : one.answer;
  const tag = make("span", { className: `tag ${one.wrong ? "wrong" : "yes"}`, dir: "auto", title: text }, text);
  return make("li", {}, tick, example.brief(one.card), tag);
}

// ---- keys and buttons

const open = (id) => $(id).showModal();

const keys = {
  Enter: (event) => { event.preventDefault(); say(null); },
  y: () => say(null),
  u: undo, Backspace: undo,
  t: (event) => { event.preventDefault(); if (!$("other").hidden) $("typed").focus(); },
  e: () => open("export"),
  "?": () => open("help"),
};

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.isComposing || event.altKey || event.metaKey) return;
  if (document.querySelector("dialog[open]") || event.target.matches?.("input, textarea")) return;
  if (event.ctrlKey) {
    if (event.key === "z") undo();
    return;
  }
  // A button or a link that has the focus is what Enter is for.
  if (event.key === "Enter" && event.target.matches?.("button, a")) return;
  if (/^[1-9]$/.test(event.key)) {
    const label = state?.labels[Number(event.key) - 1];
    return label === undefined ? undefined : say(label);
  }
  keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]?.(event);
});

$("right").addEventListener("click", () => say(null));
$("undo").addEventListener("click", undo);
$("other").addEventListener("submit", (event) => { event.preventDefault(); typed(); });
$("typed").addEventListener("input", () => { if ($("typed").value.trim() !== meant) hint(""); });
$("typed").addEventListener("keydown", (event) => {
  if (event.key === "Escape") settle();
});
$("open-export").addEventListener("click", () => open("export"));
$("verdict-export").addEventListener("click", () => open("export"));
$("open-help").addEventListener("click", () => open("help"));
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

addEventListener("beforeunload", (event) => {
  if (outbox?.items.length > 0) event.preventDefault();
});

if (location.search) history.replaceState(null, "", "/");
follow(arrived, trouble);
