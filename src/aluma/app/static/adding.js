// A dialogue to add an answer, and to give it at once.

import { MOST } from "./choices.js";
import { $ } from "./dom.js";

let labels = [], add = () => {};

// onAdd(label, give) is called with a name that is new; with `give` it answers the example as well.
export function setUp(onAdd) {
  add = onAdd;
  $("add-give").addEventListener("click", () => done(true));
  $("add-only").addEventListener("click", () => done(false));
  $("add-name").addEventListener("input", () => say(""));
  $("add-name").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    done(!$("add-give").hidden);
  });
}

export function open(names, answerable) {
  labels = names;
  $("add-name").value = "";
  $("add-give").hidden = !answerable;
  for (const id of ["add-name", "add-give", "add-only"]) $(id).disabled = names.length >= MOST;
  say(names.length >= MOST ? `There are ${MOST} answers: that is as many as there are keys for.` : "");
  $("add").showModal();
  $("add-name").focus();
}

function done(give) {
  const label = $("add-name").value.trim().normalize("NFC");
  if (labels.length >= MOST) return;
  if (label === "") return say("Type a name first.");
  if (labels.includes(label)) return say("There is an answer of this name already.");
  $("add").close();
  add(label, give);
}

function say(text) {
  $("add-why").textContent = text;
}
