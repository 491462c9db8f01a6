// Asks for a name, once: from then on the browser knows who it is.

import { $ } from "./dom.js";

$("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  const headers = { "content-type": "application/json" };
  try {
    const body = JSON.stringify({ name: $("join-name").value });
    const response = await fetch("/api/join", { method: "POST", headers, body });
    if (response.ok) return location.assign("/");
    const { detail } = await response.json();
    $("join-why").textContent = typeof detail === "string" ? detail : "That is no name: it is empty or too long.";
  } catch {
    $("join-why").textContent = "The server does not answer: is aluma still running?";
  }
});

// Before this, Enter would send the form to nowhere.
$("join-go").disabled = false;
