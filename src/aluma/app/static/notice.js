// The line at the top of a page that says what is wrong, and goes when it is no longer true.

import { $ } from "./dom.js";
import { Refusal, Unkept, Unwelcome } from "./link.js";

let lasting = false;

// With `keep` it stays until something else is said or it is cleared.
export function notify(text, keep = false) {
  $("notice").textContent = text;
  $("notice").hidden = !text;
  lasting = keep && text !== "";
}

export function clear() {
  if (lasting) notify("");
}

// Says what is the matter with the line to the server; `kept` answers wait in this browser.
export function trouble(error, kept) {
  if (error === null) {
    if (!lasting) notify("");
  } else if (error instanceof Unwelcome) {
    notify("This page is no longer let in: aluma was started again. Open the new link that it printed; what has no tick yet is kept in this browser.");
  } else if (error instanceof Unkept) {
    notify(`${error.message} Until then it is kept here and sent again.`);
  } else if (!(error instanceof Refusal)) {
    const waiting = kept === 1 ? "1 answer is" : `${kept} answers are`;
    notify(`The server cannot be reached. ${kept ? `${waiting} kept here and sent again.` : "Trying again."}`);
  }
}
