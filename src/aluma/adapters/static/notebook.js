// The widget in a notebook: shows the state that Python sends, and sends what a person does.
// Text is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";

function made(tag, name, text = "") {
  const one = document.createElement(tag);
  if (name) one.className = name;
  one.textContent = text;
  return one;
}

function drawn(tag, attributes) {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
  return one;
}

// Keys of the answers: the left and right arrow for two, and numbers.
const keyOf = (place, count) => (count === 2 ? ["←", "→"][place] : String(place + 1));

function placeOf(key, count) {
  if (count === 2 && key === "ArrowLeft") return 0;
  if (count === 2 && key === "ArrowRight") return 1;
  const place = Number(key) - 1;
  return Number.isInteger(place) && place >= 0 && place < count ? place : -1;
}

function card(shown) {
  const box = made("div", "aluma-card");
  box.append(made("div", "aluma-title", shown.title));
  if (shown.image) {
    const picture = made("img", "aluma-image");
    picture.src = shown.image;
    picture.alt = shown.title;
    box.append(picture);
  }
  if (shown.text) box.append(made("div", "aluma-text", shown.text));
  if (shown.fields.length) {
    const table = made("dl", "aluma-fields");
    for (const [name, value] of shown.fields) table.append(made("dt", "", name), made("dd", "", value));
    box.append(table);
  }
  return box;
}

function curve(points) {
  const [wide, high, left, low] = [280, 84, 34, 16];
  const picture = drawn("svg", { viewBox: `0 0 ${wide} ${high}`, class: "aluma-curve", role: "img" });
  const most = Math.max(...points.map(([, share]) => share), 0.01);
  const last = Math.max(points.at(-1)[0], 1);
  const x = (answers) => left + ((wide - left - 6) * answers) / last;
  const y = (share) => 6 + (high - low - 10) * (1 - share / most);
  const line = points.map(([answers, share]) => `${x(answers)},${y(share)}`).join(" ");
  picture.append(
    drawn("line", { x1: left, y1: y(0), x2: wide - 6, y2: y(0), class: "aluma-axis" }),
    drawn("polyline", { points: line, class: "aluma-line" }),
  );
  const words = [
    [left - 4, y(most) + 4, `${Math.round(100 * most)}%`, "end"],
    [left - 4, y(0) + 4, "0%", "end"],
    [wide - 6, high - 2, `${last} answers`, "end"],
  ];
  for (const [at, down, text, anchor] of words) {
    const word = drawn("text", { x: at, y: down, "text-anchor": anchor });
    word.textContent = text;
    picture.append(word);
  }
  const box = made("figure", "aluma-figure");
  box.append(made("figcaption", "", "Wrong labels to expect (an estimate)"), picture);
  return box;
}

function render({ model, el }) {
  const root = made("div", "aluma");
  root.tabIndex = 0;
  // Jupyter's own shortcuts would take the keys.
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  el.append(root);
  let busy = false;

  function send(message) {
    if (busy) return;
    busy = true;
    root.classList.add("aluma-busy");
    model.send(message);
  }

  function answer(label) {
    const shown = model.get("state").card;
    if (shown) send({ do: "answer", example: shown.example, label });
  }

  function show() {
    const now = model.get("state");
    busy = false;
    root.classList.remove("aluma-busy");
    const focused = root.contains(document.activeElement);
    root.replaceChildren();
    const head = made("div", `aluma-head aluma-${now.phase}`, now.headline);
    head.setAttribute("role", "status");
    root.append(head);
    if (now.trouble) root.append(made("div", "aluma-trouble", now.trouble));
    if (now.card) {
      root.append(made("div", "aluma-question", now.question), card(now.card));
      const row = made("div", "aluma-answers");
      now.labels.forEach((label, place) => {
        const button = made("button", "aluma-answer", label);
        button.append(made("kbd", "", keyOf(place, now.labels.length)));
        button.addEventListener("click", () => answer(place));
        row.append(button);
      });
      root.append(row);
    }
    const foot = made("div", "aluma-foot");
    const undo = made("button", "aluma-small", "Undo (u)");
    undo.disabled = !now.can_undo;
    undo.addEventListener("click", () => send({ do: "undo" }));
    const skip = made("button", "aluma-small", "Skip (s)");
    skip.disabled = !now.card;
    skip.addEventListener("click", () => now.card && send({ do: "skip", example: now.card.example }));
    foot.append(undo, skip, made("span", "", `${now.answers} of ${now.size} answered`));
    root.append(foot);
    if (now.curve.length > 1) root.append(curve(now.curve));
    if (focused) root.focus({ preventScroll: true });
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = model.get("state");
    const place = placeOf(event.key, now.labels.length);
    if (place >= 0) answer(place);
    else if (event.key === "u" && now.can_undo) send({ do: "undo" });
    else if (event.key === "s" && now.card) send({ do: "skip", example: now.card.example });
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  model.on("change:state", show);
  show();
  return () => model.off("change:state", show);
}

export default { render };
