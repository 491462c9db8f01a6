// The side of the page: what was checked, how far it is, the latest answers.

import { tag, tinted } from "./choices.js";
import { $, about, atMost, count, drawn, make, many, percent } from "./dom.js";
import { brief } from "./example.js";
import * as words from "./words.js";

export function progress(state, pending) {
  const { progress: now, labels } = state;
  const answered = now.answered + pending.length;
  $("name").textContent = state.name;
  document.title = `${state.name} · aluma`;
  $("headline").textContent = words.headline(now);
  $("note").textContent = words.note(now);
  $("outlook").textContent = words.outlook(now);
  $("expected").textContent = words.expected(now, labels.length);
  $("more").hidden = $("expected").textContent === "";
  $("follows").textContent = words.follows(now, labels.length);
  $("answered").textContent = count(answered);
  const two = labels.length === 2;
  const parts = two ? [1, 0].map((place) => `${count(now.counts[place])} ${labels[place]}`) : [];
  if (now.skipped > 0) parts.push(`${count(now.skipped)} skipped`);
  if (now.exceptions > 0) parts.push(`${count(now.exceptions)} not learnt from`);
  $("split").textContent = parts.join(" · ");
  bar(now, labels);
  $("counts").hidden = two;
  $("counts").classList.toggle("crowd", labels.length > 6);
  if (!two) counts(now, labels);
  $("mini").textContent = `${count(answered)} answered · ${words.brief(now)}`;
  $("export-size").textContent = count(now.size);
  $("busy").textContent = state.busy ? `Still ${state.busy} …` : "";
}

// How often each answer was given, with its colour.
function counts(now, labels) {
  $("counts").replaceChildren(...labels.map((label, place) => make("li", {},
    tinted(make("i", { ariaHidden: "true" }), place, labels.length),
    make("span", { dir: "auto", title: label }, label),
    make("b", {}, count(now.counts[place])))));
}

// As long as what is done and to come together; the whole pool where nobody can say what is to come.
function bar(now, labels) {
  const pieces = now.counts.map((n, place) => [place, n]);
  if (labels.length === 2) pieces.reverse();
  const whole = now.to_come === null ? now.size : Math.max(now.answered + now.to_come, 1);
  $("share").replaceChildren(...pieces.filter(([, n]) => n > 0).map(([place, n]) => {
    const piece = tinted(make("i"), place, labels.length);
    piece.style.flex = `0 0 ${(100 * n) / whole}%`;
    return piece;
  }));
  $("share").setAttribute("aria-label", now.to_come === null ? `${count(now.answered)} answered, of ${count(now.size)}` : `${count(now.answered)} answered, about ${count(now.to_come)} to come`);
}

const WIDE = 320, HIGH = 120, LEFT = 42, BOTTOM = 100, TOP = 8;

// The bound by checks is drawn strongly where there are checks; what is expected is faint.
export function curve(points, now) {
  const svg = $("curve"), tolerance = now.tolerance;
  const guessed = points.filter((one) => one.expected_error !== null);
  const checked = points.filter((one) => one.basis === "audit" && one.checks > 0);
  const both = [...guessed, ...checked];
  svg.toggleAttribute("hidden", both.length < 2);
  if (both.length < 2) return;
  const last = Math.max(...both.map((one) => one.answers));
  // Checks that failed are over: what they had bounded is not what is known now.
  const end = now.figures?.checks > 0 ? checked.find((one) => one === points[points.length - 1]) : undefined;
  // The first checks bound next to nothing: the scale is that of the latest, while they go on.
  const tops = [...guessed.map((one) => one.expected_error), 1.5 * (end?.error_bound ?? 0)];
  const most = Math.min(1, Math.max(...tops, tolerance * 3, 0.01));
  const x = (n) => (LEFT + ((WIDE - LEFT) * n) / last).toFixed(1);
  const y = (share) => (BOTTOM - ((BOTTOM - TOP) * share) / most).toFixed(1);
  const guess = guessed.map((one) => `${x(one.answers)},${y(one.expected_error)}`).join(" ");
  svg.replaceChildren(
    drawn("line", { class: "axis", x1: LEFT, x2: WIDE, y1: BOTTOM, y2: BOTTOM }),
    drawn("line", { class: "goal", x1: LEFT, x2: WIDE, y1: y(tolerance), y2: y(tolerance) }),
    drawn("text", { x: LEFT + 3, y: y(tolerance) - 4 }, `goal ${percent(tolerance)}`),
    drawn("polyline", { class: "guess", points: guess }),
    ...audits(checked.filter((one) => one.error_bound <= most)).map((one) => drawn("polyline", { class: "line", points: one.map((p) => `${x(p.answers)},${y(p.error_bound)}`).join(" ") })),
    ...(end ? [drawn("circle", { class: "now", cx: x(end.answers), cy: y(end.error_bound), r: 3.5 })] : []),
    drawn("text", { x: 0, y: TOP + 6 }, about(most)),
    drawn("text", { x: 0, y: BOTTOM + 1 }, "0%"),
    drawn("text", { x: LEFT, y: HIGH - 4 }, "0"),
    drawn("text", { x: WIDE, y: HIGH - 4, "text-anchor": "end" }, many(last, "answer")),
  );
  const known = end ? `by checks, at most ${atMost(end.error_bound, tolerance)} after ${many(end.answers, "answer")}` : "nothing checked yet";
  svg.setAttribute("aria-label", `Share of wrong labels: ${known}. The goal is ${percent(tolerance)}. Dotted: what is expected if a straight boundary fits.`);
}

// Checks in a row belong to one audit; a new one begins with its first check.
function audits(points) {
  const found = [];
  for (const one of points) {
    const before = found[found.length - 1]?.at(-1);
    if (before && one.checks > before.checks) found[found.length - 1].push(one);
    else found.push([one]);
  }
  return found;
}

export function latest(state, pending) {
  const waiting = pending.map((item) => entry(item.card, item.body.label, state.labels, false)).reverse();
  const known = state.last.map((one) => entry(one.card, one.label, state.labels, true));
  $("latest").replaceChildren(...[...waiting, ...known].slice(0, 9));
  $("none-yet").hidden = waiting.length + known.length > 0;
}

function entry(card, label, labels, safe) {
  const tick = make("span", { className: safe ? "tick" : "tick pending", role: "img", ariaLabel: safe ? "saved" : "being saved" }, safe ? "✓" : "…");
  return make("li", {}, tick, brief(card), tag(label, labels));
}

// Shows what has happened, unless it was dismissed; returns its key.
export function news(state, dismissed, hidden) {
  const found = words.news(state.progress);
  $("news").hidden = found === null || hidden || dismissed === found.key;
  if (found === null) return null;
  $("news").classList.toggle("calm", found.calm === true);
  $("news-title").textContent = found.title;
  $("news-text").textContent = found.text;
  $("news-export").hidden = !found.take;
  $("news-on").hidden = !found.go;
  $("news-on").textContent = found.go ?? "";
  return found.key;
}
