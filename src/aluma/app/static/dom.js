// Small helpers for building the page. Text always arrives as text, never as markup.

export const $ = (id) => document.getElementById(id);

export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function drawn(tag, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

export const count = (n) => n.toLocaleString("en");
export const many = (n, one) => `${count(n)} ${one}${n === 1 ? "" : "s"}`;

export function percent(share) {
  const value = share * 100;
  if (value === 0) return "0%";
  return value < 0.01 ? "<0.01%" : `${value < 1 ? value.toFixed(2) : value.toFixed(1).replace(/\.0$/, "")}%`;
}

// An estimate has no digits that it cannot know.
export const about = (share) => (share >= 0.1 ? `${Math.round(100 * share)}%` : percent(share));

// A percentage that is not less than the share, with digits enough to stay within the goal.
export function atMost(share, goal = 1) {
  let digits = share >= 0.1 ? 0 : share >= 0.01 ? 1 : 2;
  const said = () => Math.ceil(share * 10 ** (digits + 2) - 1e-9) / 10 ** digits;
  while (digits < 6 && share <= goal && goal < said() / 100) digits += 1;
  return `${said().toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "")}%`;
}
