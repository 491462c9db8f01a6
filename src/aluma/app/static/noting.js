// A note about the example on the screen.

import { $ } from "./dom.js";

let card = null, keep = () => {};

// onKeep(card, text) is called with what was written.
export function setUp(onKeep) {
  keep = onKeep;
  $("note-keep").addEventListener("click", done);
  $("note-text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) done();
  });
}

export function open(about) {
  card = about;
  $("note-about").textContent = about.title;
  $("note-text").value = about.note ?? "";
  $("noting").showModal();
  $("note-text").focus();
}

function done() {
  $("noting").close();
  const text = $("note-text").value.trim();
  if (text !== (card.note ?? "")) keep(card, text);
}
