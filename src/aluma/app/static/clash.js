// A contradiction, in words, with the examples that clash and the ways out.

import { keysOf, picker, tag } from "./choices.js";
import { $, count, make } from "./dom.js";
import { brief } from "./example.js";

const FEW = 4;
let pressed = () => false; // what keys do while a contradiction is shown

// Says whether a key means something; `label` is the answer that it gives elsewhere, if any.
export const press = (key, label) => pressed(key, label);

// act: { change(verdict, label), other(label), exception(), skip(), slack(), back() }
// With `changing`, it is an earlier answer that was to be changed.
export function show(clash, card, labels, act, changing) {
  $("clash-why").textContent = clash.message;
  $("clash-new").replaceChildren(make("ol", { className: "said" }, make("li", {},
    brief(card), make("span", { className: "meta", dir: "auto" }, `${card.title} · just now`),
    make("span", { className: "do" }, tag(clash.label, labels)))));
  const items = clash.with.map((one) => earlier(one, labels, act));
  $("clash-earlier").hidden = items.length === 0;
  $("clash-earlier").textContent = items.length > 1
    ? `Or change any one of the ${count(items.length)} earlier answers, the most doubtful first`
    : "Or change the earlier answer";
  $("clash-list").replaceChildren(...items.slice(0, FEW));
  $("clash-more").hidden = items.length <= FEW;
  $("clash-more").textContent = `Show the other ${count(items.length - FEW)}`;
  $("clash-more").onclick = () => {
    $("clash-list").append(...items.slice(FEW));
    $("clash-more").hidden = true;
  };
  $("clash-ways").replaceChildren(
    ...(clash.slack ? [way("My data is messy: allow for that", act.slack, "T", "primary")] : []),
    ...(changing ? [] : [
      way("Keep my answer, do not learn from it", act.exception, "X"),
      ...instead(clash, card, labels, act),
      way("Skip it", act.skip, "S"),
    ]),
    way(changing ? "Leave it as it was" : "Back to the question", act.back, "Esc"),
  );
  pressed = (key, label) => {
    const means = { ...(clash.slack && { t: act.slack }), ...(!changing && { x: act.exception, s: act.skip }), Escape: act.back };
    if (label !== undefined && label !== clash.label && !changing) means[key] = () => act.other(label);
    means[key]?.();
    return key in means;
  };
  $("clash").hidden = false;
  $("clash").focus();
}

export function hide() {
  $("clash").hidden = true;
}

// A button with its key for every other answer, if they are few.
function instead(clash, card, labels, act) {
  const keys = labels.length === 2 ? ["←", "→"] : keysOf(labels).map((key) => key.toUpperCase());
  const others = labels.filter((one) => one !== clash.label);
  if (others.length <= FEW) return others.map((one) => way(`Answer “${one}” instead`, () => act.other(one), keys[labels.indexOf(one)]));
  return [picker(labels, {
    current: clash.label, others: true, name: card.title, words: (label) => `Answer “${label}” instead`, pick: act.other,
  })];
}

function earlier(verdict, labels, act) {
  const ways = labels.length === 2 ? change(verdict, labels.find((one) => one !== verdict.label), act)
    : picker(labels, { current: verdict.label, others: true, name: verdict.card.title, words: (label) => `Change to “${label}”`, pick: (label) => act.change(verdict, label) });
  return make("li", {}, brief(verdict.card),
    make("span", { className: "meta", dir: "auto" }, verdict.card.title),
    make("span", { className: "do" }, tag(verdict.label, labels), ways));
}

function change(verdict, other, act) {
  const button = make("button", { type: "button", className: "choice" }, `Change to “${other}”`);
  button.setAttribute("aria-label", `Change ${verdict.card.title} to ${other}`);
  button.addEventListener("click", () => act.change(verdict, other));
  return button;
}

function way(text, action, key, className = "") {
  const button = make("button", { type: "button", dir: "auto", className }, text, ...(key ? [" ", make("kbd", { ariaHidden: "true" }, key)] : []));
  button.addEventListener("click", action);
  return button;
}
