// The page: shows the question, takes the answer, shows the next one without waiting.
//
// With every question the server sends what follows each answer as soon as that is known. A key
// shows it at once; the answer travels meanwhile, and gets its tick when it is on the disk.

import * as adding from "./adding.js";
import * as choices from "./choices.js";
import * as clashes from "./clash.js";
import { $, make } from "./dom.js";
import * as example from "./example.js";
import * as guidelines from "./guidelines.js";
import * as list from "./list.js";
import { follow, Outbox } from "./link.js";
import * as notice from "./notice.js";
import * as noting from "./noting.js";
import * as panel from "./panel.js";
import * as review from "./review.js";
import * as people from "./people.js";

let state = null;      // the latest from the server
let shown = null;      // the card on the screen
let clash = null;      // the contradiction on the screen
let dismissed = null;  // the news that the person has read
let latest = null;     // the news there is
let confirmed = 0;     // version of the latest receipt
let pressed = null;    // when a key was pressed whose next example is not on the screen yet
let outbox = null;     // answers on their way

const seen = new Map(); // cards shown lately, by example

const answersWaiting = () => outbox.items.filter((item) => item.path === "/api/answer" && item.card);
const taken = (number) => outbox.items.some((item) => !["/api/note", "/api/resolve"].includes(item.path) && item.body.example === number);
const beingUndone = () => outbox.items.some((item) => item.path === "/api/undo");
const beingNoted = (number) => outbox.items.some((item) => item.path === "/api/note" && item.body.example === number);

// ---- what the server says

function arrived(next) {
  if (outbox === null) {
    outbox = new Outbox(`aluma-${next.session}`, { sent, refused, trouble, changed: redraw });
    outbox.flush();
  } else if (state.session !== next.session) {
    location.reload();
  }
  state = next;
  if (shown !== null && state.question?.example === shown.example && !beingNoted(shown.example)) {
    shown.note = state.question.note;
  }
  const following = Object.values(state.ahead).map((one) => one.question);
  for (const card of [state.question, ...following, ...state.spare]) example.prepare(card);
  reconcile();
  redraw();
}

// Goes to the server's question, unless what is on the screen is further along.
function reconcile() {
  // While an answer is taken back, the question is still the one that is not wanted any more.
  if (state.version < confirmed || beingUndone()) return;
  const idle = outbox.items.length === 0;
  const question = state.question;
  if (question !== null && !taken(question.example)) {
    if (shown === null || (idle && question.example !== shown.example)) put(question, "wait");
  } else if (idle && state.progress.exhausted) {
    put(null, "wait");
  }
}

function sent(item, receipt) {
  confirmed = Math.max(confirmed, receipt.version);
  reconcile();
  if (item.path === "/api/resolve") people.resolved();
  if (["/api/answer", "/api/change"].includes(item.path)) list.changed(item.body.example, item.body.label);
  review.saved(item.body.example, true);
}

function refused(item, refusal) {
  review.saved(item.body.example, false);
  if (refusal.clash) {
    const blank = { example: refusal.clash.example, title: "", text: "", image: null };
    meet(refusal.clash, seen.get(refusal.clash.example) ?? item.card ?? blank, item.path === "/api/change");
  } else {
    notice.notify(refusal.message, true);
    shown = null;
    reconcile();
  }
}

function trouble(error) {
  notice.trouble(error, outbox === null ? 0 : answersWaiting().length);
}

// ---- what the person does

function answer(label) {
  if (shown === null || clash !== null || state === null) return;
  const known = state.question?.example === shown.example ? state.ahead[label] : undefined;
  if (known?.clash) return meet(known.clash, shown, false);
  notice.clear();
  const card = shown;
  if (known !== undefined) {
    outbox.put("/api/answer", { example: card.example, label }, card);
    put(known.question, "ahead");
  } else {
    const spare = substitute(card);
    outbox.put("/api/answer", { example: card.example, label, ...(spare && { showing: spare.example }) }, card);
    put(spare, "spare");
  }
  choices.flash(state.labels.indexOf(label));
}

function skip() {
  if (shown === null || clash !== null) return;
  const card = shown, spare = substitute(card);
  outbox.put("/api/skip", { example: card.example, ...(spare && { showing: spare.example }) });
  put(spare, "spare");
}

// An example that is as good as the next question, when that is not known yet. Nothing is as good as
// a check but another: it was drawn.
function substitute(card) {
  return state.spare.find((one) => (!card.check || one.check) && one.example !== card.example && !taken(one.example) && !seen.has(one.example)) ?? null;
}

function undo() {
  if (state === null) return;
  if (clash !== null) return back();
  const item = outbox.pop();
  if (item !== null) {
    if (item.card) put(item.card, "undo");
    return;
  }
  if (state.version === 0 && outbox.items.length === 0) return;
  shown = null;
  outbox.put("/api/undo", {});
  put(null, "undo");
}

function chosen(verdict, label) {
  const path = verdict.by === "vote" ? "/api/answer" : "/api/change";
  outbox.put(path, { example: verdict.card.example, label });
  seen.set(verdict.card.example, verdict.card);
}

function skipped(card) {
  outbox.put("/api/skip", { example: card.example });
}

// ---- contradictions

// With `changing`, it was a changed answer that met it, not a new one.
function meet(found, card, changing) {
  clash = found;
  for (const one of document.querySelectorAll("dialog[open]")) one.close();
  const body = { example: found.example, label: found.label };
  const again = { path: changing ? "/api/change" : "/api/answer", body, card: changing ? null : card };
  const leave = (path, extra = {}, then = null) => {
    clash = null;
    clashes.hide();
    put(null, "clash");
    outbox.put(path, extra);
    if (then) outbox.put(then.path, then.body, then.card);
  };
  clashes.show(found, card, state.labels, {
    change: (verdict, label) => leave("/api/change", { example: verdict.card.example, label }, again),
    other: (label) => leave("/api/answer", { example: found.example, label }),
    exception: () => leave("/api/exception", body),
    skip: () => leave("/api/skip", { example: found.example }),
    slack: () => leave("/api/slack", {}, again),
    back,
  }, changing);
  redraw();
}

function back() {
  clash = null;
  clashes.hide();
  reconcile();
  redraw();
}

// ---- what is on the screen

let waiting = 0; // a timer that says so when the next example takes longer

function put(card, from) {
  shown = card;
  if (card !== null) {
    clearTimeout(waiting);
    waiting = 0;
    $("card").classList.remove("leaving");
    seen.delete(card.example);
    seen.set(card.example, card);
    if (seen.size > 200) seen.delete(seen.keys().next().value);
    example.show(card);
    $("card").scrollTop = 0;
    measured(from);
  }
  redraw();
}

// Records the time from a key to the next example on the screen, for whoever measures it.
function measured(from) {
  if (pressed === null) return;
  const start = pressed;
  pressed = null;
  requestAnimationFrame(() => setTimeout(() => {
    performance.measure("key-to-next", { start, end: performance.now(), detail: from });
  }));
}

function redraw() {
  if (state === null || outbox === null) return;
  const pending = answersWaiting();
  $("ask").textContent = state.question_text;
  choices.draw(state.labels, clicked);
  choices.enable(shown !== null && clash === null);
  $("open-add").hidden = !state.grows;
  $("open-guidelines").hidden = !state.guidelines;
  $("open-note").disabled = shown === null || clash !== null;
  $("noted").hidden = !shown?.note;
  $("noted").textContent = shown?.note ? `Note${beingNoted(shown.example) ? " (being saved)" : ""}: ${shown.note}` : "";
  $("open-similar").disabled = shown === null || clash !== null;
  $("skip").disabled = shown === null || clash !== null;
  $("undo").disabled = (state.me ? state.mine : state.version) === 0 && outbox.items.length === 0;
  $("card").hidden = $("answers").hidden = clash !== null;
  $("drawn").hidden = !isCheck();
  if (shown === null && state.progress.exhausted && outbox.items.length === 0) {
    clearTimeout(waiting);
    waiting = 0;
    $("card").classList.remove("leaving");
    example.say("There is nothing left to ask.");
  } else if (shown === null && waiting === 0) {
    $("card").classList.add("leaving");
    waiting = setTimeout(() => example.say(state.busy ? `One moment: ${state.busy}.` : "One moment …"), 250);
  }
  panel.progress(state, pending);
  panel.curve(state.curve, state.progress);
  panel.latest(state, pending);
  people.draw(state);
  latest = panel.news(state, dismissed, clash !== null);
  // Old news is forgotten, so that the same can be news again.
  if (latest === null) dismissed = null;
}

function isCheck() {
  if (shown === null) return false;
  return state.question?.example === shown.example ? state.question.check : shown.check === true;
}

// ---- keys and buttons

const open = (id) => $(id).showModal();
const openList = (what) => state && list.open(what, state.labels);
const openSimilar = (card) => card && state && list.open("similar", state.labels, card);
const openReview = () => state && clash === null && review.open(state);

const keys = {
  s: skip, u: undo, Backspace: undo,
  l: () => openList("answers"),
  "/": (event) => { event.preventDefault(); openList("search"); },
  r: openReview,
  f: () => clash === null && openSimilar(shown),
  e: () => open("export"),
  p: () => people.open(state),
  g: (event) => { if (state?.guidelines) { event.preventDefault(); guidelines.open(); } },
  n: (event) => { event.preventDefault(); openNote(); },
  "?": openHelp,
  "+": (event) => { event.preventDefault(); openAdd(); },
};

function openNote() {
  if (shown !== null && clash === null) noting.open(shown);
}

function note(card, text) {
  card.note = text;
  outbox.put("/api/note", { example: card.example, text });
  redraw();
}

function openAdd() {
  if (state?.grows && clash === null) adding.open(state.labels, shown !== null);
}

function add(label, give) {
  outbox.put("/api/add", { label });
  if (give) answer(label);
}

// What the help says depends on how many answers there are.
function openHelp() {
  const given = choices.keysOf(state?.labels ?? ["no", "yes"]).map((key) => key.toUpperCase());
  const two = given.length === 2;
  const named = two ? ["←", "→"] : [given[0], "…", given.at(-1)];
  $("help-keys").replaceChildren(...named.flatMap((key) => [key === "…" ? key : make("kbd", {}, key), " "]));
  $("help-answers").textContent = two ? `the two answers, also ${given[0]} and ${given[1]}` : "the answers, as the buttons say";
  $("help-expected").replaceChildren(...(two
    ? ["What is ", make("b", {}, "expected"), ", and how many labels ", make("b", {}, "follow from your answers"), ", holds only if a straight boundary in the features separates the two answers, and for the first it must have been as likely beforehand as was assumed."]
    : ["What is ", make("b", {}, "expected"), " holds only if straight boundaries in the features separate the answers, and if they were as likely beforehand as was assumed."]));
  for (const one of document.querySelectorAll(".if-grows")) one.hidden = !state?.grows;
  for (const one of document.querySelectorAll(".if-guided")) one.hidden = !state?.guidelines;
  for (const one of document.querySelectorAll(".if-people")) one.hidden = !state?.me;
  open("help");
}

function keyed(event, place) {
  if (shown === null || clash !== null) return;
  event.preventDefault();
  clicked(place, event);
}

function clicked(place, event) {
  pressed = event.timeStamp;
  answer(state.labels[place]);
}

// Keys that scroll a long example; a quarter or most of what is to be seen at a time.
function scrolled(event) {
  const card = $("card"), high = card.clientHeight;
  const by = { ArrowDown: high / 4, ArrowUp: -high / 4, PageDown: 0.85 * high, PageUp: -0.85 * high, " ": (event.shiftKey ? -0.85 : 0.85) * high, Home: -card.scrollHeight, End: card.scrollHeight }[event.key];
  if (by === undefined || (event.key === " " && event.target.closest?.("button, a")) || card.scrollHeight <= high) return false;
  event.preventDefault();
  card.scrollBy({ top: by });
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.altKey || event.metaKey) return;
  if (document.querySelector("dialog[open]") || event.target.matches?.("input, textarea")) return;
  if (event.repeat) return void (clash === null && scrolled(event));
  if (event.ctrlKey) {
    if (event.key === "z") undo();
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const place = state === null ? -1 : choices.placeOf(key, state.labels);
  if (clash !== null && clashes.press(key, state.labels[place])) return;
  if (scrolled(event)) return;
  if (place >= 0) keyed(event, place);
  else keys[key]?.(event);
});

$("skip").addEventListener("click", skip);
$("undo").addEventListener("click", undo);
$("open-list").addEventListener("click", () => openList("answers"));
$("open-search").addEventListener("click", () => openList("search"));
$("open-review").addEventListener("click", openReview);
$("open-similar").addEventListener("click", () => openSimilar(shown));
$("open-export").addEventListener("click", () => open("export"));
$("open-add").addEventListener("click", openAdd);
$("open-people").addEventListener("click", () => people.open(state));
$("open-note").addEventListener("click", openNote);
$("open-guidelines").addEventListener("click", guidelines.open);
for (const id of ["open-help", "more"]) $(id).addEventListener("click", openHelp);
$("export-shares").addEventListener("change", () => {
  for (const link of document.querySelectorAll("a[href^='/api/export/labels.']")) {
    link.href = link.getAttribute("href").split("?")[0] + ($("export-shares").checked ? "?shares=true" : "");
  }
});
$("news-export").addEventListener("click", () => open("export"));
$("news-on").addEventListener("click", () => { dismissed = latest; redraw(); });
for (const button of document.querySelectorAll("[data-close]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}

addEventListener("beforeunload", (event) => {
  if (outbox?.items.length > 0) event.preventDefault();
});

// On a phone the question and its answers take what the bar and notices leave of the screen.
const above = new ResizeObserver(() => document.documentElement.style.setProperty("--above", `${$("main").offsetTop}px`));
for (const one of [document.querySelector(".bar"), $("notice")]) above.observe(one, { box: "border-box" });

list.setUp(chosen);
review.setUp({ give: chosen, skip: skipped, undo, similar: openSimilar });
adding.setUp(add);
noting.setUp(note);
people.setUp((example, label) => outbox.put("/api/resolve", { example, label }));
if (location.search) history.replaceState(null, "", "/");
follow(arrived, trouble);
