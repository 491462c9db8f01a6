// The line to the server: reading, and an outbox that never loses or doubles an answer.
//
// Every change has a name of its own, so it can be sent again until there is an answer. What is
// not confirmed yet is kept in the browser's storage as well, for a reload or a crash.

export class Unwelcome extends Error {}
// The server could not write an answer down; its words say why.
export class Unkept extends Error {}
export class Refusal extends Error {
  constructor(problem) {
    super(typeof problem.detail === "string" ? problem.detail : "The server did not understand.");
    this.clash = problem.clash ?? null;
  }
}

export async function get(path) {
  return settle(await fetch(path, { headers: { accept: "application/json" } }));
}

async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return settle(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function settle(response) {
  if (response.ok) return response.json();
  if (response.status === 401 || response.status === 403) throw new Unwelcome();
  if (response.status === 507) throw new Unkept((await response.json()).detail);
  if (response.status >= 500) throw new Error(`the server answered ${response.status}`);
  throw new Refusal(await response.json().catch(() => ({})));
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// What is no answer and is not taken back by an undo.
const STAYS = new Set(["/api/add", "/api/note", "/api/resolve"]);

export class Outbox {
  // hooks: sent(item, receipt), refused(item, refusal), trouble(error or null), changed()
  constructor(key, hooks) {
    this.key = key;
    this.hooks = hooks;
    this.items = [];
    this.busy = false;
    try {
      this.items = JSON.parse(sessionStorage.getItem(key) ?? "[]");
    } catch {
      this.items = [];
    }
  }

  put(path, body, card = null) {
    const request = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    this.items.push({ path, body: { request, ...body }, card });
    this.save();
    this.flush();
  }

  // Takes back the last item if it has not been sent, of those that can be taken back.
  pop() {
    const place = this.items.findLastIndex((one) => !STAYS.has(one.path));
    if (place < 0 || (this.busy && place === 0)) return null;
    const [item] = this.items.splice(place, 1);
    this.save();
    return item;
  }

  save() {
    try {
      sessionStorage.setItem(this.key, JSON.stringify(this.items));
    } catch {
      // A full or forbidden storage only means that a reload forgets what is not confirmed.
    }
    this.hooks.changed();
  }

  async flush() {
    if (this.busy) return;
    this.busy = true;
    let wait = 250;
    while (this.items.length > 0) {
      const item = this.items[0];
      try {
        const receipt = await post(item.path, item.body);
        this.items.shift();
        this.hooks.trouble(null);
        this.hooks.sent(item, receipt);
        wait = 250;
      } catch (error) {
        if (error instanceof Refusal) {
          this.items.shift();
          this.hooks.refused(item, error);
        } else {
          this.hooks.trouble(error);
          await pause(wait);
          wait = Math.min(2 * wait, 4000);
        }
      }
      this.save();
    }
    this.busy = false;
    this.hooks.changed();
  }
}

// Calls back with every new state, for ever.
export async function follow(onState, onTrouble) {
  let tick = "";
  let wait = 250;
  for (;;) {
    try {
      const state = await get(`/api/state?wait=${tick ? 20 : 0}&after=${encodeURIComponent(tick)}`);
      onTrouble(null);
      wait = 250;
      if (state.tick !== tick) onState(state);
      tick = state.tick;
    } catch (error) {
      onTrouble(error);
      await pause(wait);
      wait = Math.min(2 * wait, 4000);
    }
  }
}
