// The side of the page: how far it is, how good the labels are, the latest answers.

import { $, count, drawn, make, many, percent } from "./dom.js";
import { brief } from "./example.js";

export function progress(state, pending) {
  const { progress: now, labels } = state;
  const answered = now.answered + pending.length;
  $("name").textContent = state.name;
  document.title = `${state.name} · aluma`;
  $("answered").textContent = count(answered);
  const negative = now.answered - now.positive;
  const parts = [`${count(now.positive)} ${labels[1]}`, `${count(negative)} ${labels[0]}`];
  if (now.skipped > 0) parts.push(`${count(now.skipped)} skipped`);
  if (now.exceptions > 0) parts.push(many(now.exceptions, "exception"));
  $("split").textContent = parts.join(" · ");
  const determined = Math.max(now.figures?.determined ?? 0, now.answered - now.exceptions);
  bar(now, determined, negative);
  $("determined").textContent = `${count(determined)} of ${count(now.size)} labels follow, if a straight boundary fits`;
  figures(now.figures);
  $("mini").textContent = `${count(answered)} answered${now.figures ? ` · ${percent(now.figures.expected_error)}` : ""}`;
  $("export-size").textContent = count(now.size);
  $("busy").textContent = state.busy ? `Still ${state.busy} …` : "";
}

function figures(known) {
  $("error").textContent = known ? percent(known.expected_error) : "–";
  $("error-note").textContent = known ? "of all labels" : "after the first answers";
  $("bound").textContent = known
    ? `at most ${percent(Math.max(known.error_bound, known.expected_error))} for ${Math.round(100 * (1 - known.delta))}% of the boundaries that fit` : "";
  $("caution").hidden = !known;
}

function bar(now, determined, negative) {
  const proven = Math.max(0, determined - now.answered);
  const pieces = [["yes", now.positive], ["no", negative], ["proven", proven]];
  $("share").replaceChildren(...pieces.filter(([, n]) => n > 0).map(([kind, n]) => {
    const piece = make("i", { className: kind });
    piece.style.flex = `0 0 ${(100 * n) / now.size}%`;
    return piece;
  }));
  $("share").setAttribute("aria-label", `${count(now.answered)} answered and ${count(proven)} more proven, of ${count(now.size)}`);
}

const WIDE = 320, HIGH = 120, LEFT = 42, BOTTOM = 100, TOP = 8;

export function curve(points, tolerance) {
  const svg = $("curve");
  if (points.length < 2) return svg.replaceChildren();
  const last = points[points.length - 1].answers;
  const most = Math.max(...points.map((one) => one.error_bound), tolerance * 2, 0.01);
  const x = (n) => (LEFT + ((WIDE - LEFT) * n) / last).toFixed(1);
  const y = (share) => (BOTTOM - ((BOTTOM - TOP) * share) / most).toFixed(1);
  const line = points.map((one) => `${x(one.answers)},${y(one.expected_error)}`).join(" ");
  const upper = points.map((one) => `${x(one.answers)},${y(one.error_bound)}`);
  const lower = points.map((one) => `${x(one.answers)},${y(one.expected_error)}`).reverse();
  const end = points[points.length - 1];
  svg.replaceChildren(
    drawn("line", { class: "axis", x1: LEFT, x2: WIDE, y1: BOTTOM, y2: BOTTOM }),
    drawn("polygon", { class: "band", points: [...upper, ...lower].join(" ") }),
    drawn("line", { class: "goal", x1: LEFT, x2: WIDE, y1: y(tolerance), y2: y(tolerance) }),
    drawn("text", { x: LEFT + 3, y: y(tolerance) - 4 }, `goal ${percent(tolerance)}`),
    drawn("polyline", { class: "line", points: line }),
    drawn("circle", { class: "now", cx: x(end.answers), cy: y(end.expected_error), r: 3.5 }),
    drawn("text", { x: 0, y: TOP + 6 }, percent(most)),
    drawn("text", { x: 0, y: BOTTOM + 1 }, "0%"),
    drawn("text", { x: LEFT, y: HIGH - 4 }, "0"),
    drawn("text", { x: WIDE, y: HIGH - 4, "text-anchor": "end" }, many(last, "answer")),
  );
  svg.setAttribute("aria-label", `Estimated error after ${many(last, "answer")}: ${percent(end.expected_error)}, at most ${percent(end.error_bound)}. The goal is ${percent(tolerance)}.`);
}

export function latest(state, pending) {
  const waiting = pending.map((item) => entry(item.card, item.body.label, state.labels, false)).reverse();
  const known = state.last.map((one) => entry(one.card, one.label, state.labels, true));
  $("latest").replaceChildren(...[...waiting, ...known].slice(0, 9));
  $("none-yet").hidden = waiting.length + known.length > 0;
}

function entry(card, label, labels, safe) {
  const tick = make("span", { className: safe ? "tick" : "tick pending", role: "img", ariaLabel: safe ? "saved" : "being saved" }, safe ? "✓" : "…");
  const tag = make("span", { className: `tag ${label === labels[1] ? "yes" : "no"}`, dir: "auto" }, label);
  return make("li", {}, tick, brief(card), tag);
}

export function stop(state, hidden) {
  const { progress: now } = state;
  const done = now.finished && now.answered > 0;
  $("stop").hidden = !done || hidden;
  if (!done) return;
  $("stop-caution").hidden = now.exhausted;
  if (now.exhausted) {
    $("stop-why").textContent = "Every example has an answer or was skipped.";
    $("stop-gain").textContent = "";
    $("stop-on").hidden = true;
    return;
  }
  const wrong = Math.round(now.figures.error_bound * now.size);
  const expected = now.figures.expected_error * now.size;
  const sure = Math.round(100 * (1 - now.figures.delta));
  $("stop-why").textContent = wrong === 0
    ? `If a straight boundary fits, more answers would hardly change any of the ${count(now.size)} labels (${sure}% of such boundaries agree).`
    : `If a straight boundary fits, at most ${many(wrong, "label")} of ${count(now.size)} would still change (${percent(now.figures.error_bound)}, for ${sure}% of such boundaries); ${expected < 1.5 ? "one or none is" : `about ${count(Math.round(expected))} are`} to be expected.`;
  $("stop-gain").textContent = gain(now, expected);
  $("stop-on").hidden = false;
}

function gain(now, expected) {
  if (expected < 0.5) return "Going on would change next to nothing.";
  if (now.gain === null) return "Going on can only set these right.";
  const right = now.gain * now.size;
  if (right < 0.5) return "Twenty more answers would set right less than one of them.";
  return `Twenty more answers would set right about ${count(Math.max(1, Math.round(right)))} of them.`;
}
