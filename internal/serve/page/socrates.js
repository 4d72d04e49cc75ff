// Keeps a page up to date, and gives it its keys. Every page is whole without this.
const body = document.body, $ = (id) => document.getElementById(id);
const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;

// Signing in: what stands behind the # goes to the server once, and nowhere else.
const stored = () => localStorage.getItem("page") || "";
async function signIn() {
  const link = location.hash.slice(1);
  history.replaceState(null, "", "/in");
  const answer = await fetch("/in", { method: "POST", body: new URLSearchParams({ link }), headers: { Accept: "text/plain" } });
  if (!answer.ok) {
    $("in-state").textContent = "This link was already used, or is older than 5 minutes. Get a new one: socrates web";
    return;
  }
  localStorage.setItem("page", await answer.text());
  location.replace("/");
}
if (location.pathname === "/in") {
  if (location.hash.length > 1) signIn();
  addEventListener("hashchange", signIn); // a new link in the tab of an old one loads nothing
}

// What a page sends carries its key. A page that came by a shared name has none in its forms.
document.addEventListener("submit", (e) => {
  const field = e.target.querySelector("input[name=page]");
  if (field && !field.value) field.value = stored();
  const ask = e.submitter && e.submitter.dataset.ask;
  if (ask && !confirm(ask)) e.preventDefault();
  if (e.target.method === "post" && !e.defaultPrevented) sessionStorage.removeItem(draft());
});

// What was typed is kept until it is sent.
const draft = () => "draft " + location.pathname;
document.addEventListener("input", (e) => { if (e.target.id === "say") sessionStorage.setItem(draft(), e.target.value); });
document.addEventListener("click", (e) => {
  const b = e.target.closest("[data-fill]");
  if (b) { $("say").value = b.dataset.fill; $("say").focus(); }
});
function dress() {
  const say = $("say");
  if (say && !say.value) say.value = sessionStorage.getItem(draft()) || "";
  for (const b of document.querySelectorAll("[data-fill][hidden]")) b.hidden = false;
}

// As the server sent them: what a part is compared with.
const sent = new Map([...document.querySelectorAll("[data-live]")].map((p) => [p.id, p.outerHTML]));
dress();

// Parts that have changed are replaced, unless the reader is in them.
let busy = false, again = false;
async function refresh() {
  if (busy) { again = true; return; }
  busy = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (answer.status === 401) { offline("This browser is signed out. In a terminal, run: socrates web", true); return; }
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (next.body.dataset.mark !== body.dataset.mark) offline("Socrates was updated: reload the page. What you typed is kept.", true);
    document.title = next.title;
    const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
    for (const part of next.querySelectorAll("[data-live]")) replace($(part.id), part);
    if (end && !reduced && $("growing")) scrollTo(0, document.documentElement.scrollHeight);
  } finally {
    setTimeout(() => { busy = false; if (again) { again = false; refresh(); } }, 250);
  }
}

function replace(old, next) {
  if (!old || sent.get(next.id) === next.outerHTML) return;
  if (old.id !== "asks" && old.contains(document.activeElement) && document.activeElement !== old) return;
  sent.set(next.id, next.outerHTML);
  const open = [...old.querySelectorAll("details")].map((d) => d.open);
  const asked = old.id === "asks" && !old.querySelector("#ask") && next.querySelector("#ask");
  old.replaceWith(document.adoptNode(next));
  [...next.querySelectorAll("details")].forEach((d, i) => { if (open[i] !== undefined && open.length) d.open = open[i]; });
  for (const p of next.querySelectorAll("[data-of]")) if (texts.has(p.dataset.of)) put(p, texts.get(p.dataset.of), 0);
  dress();
  if (asked) { deadUntil = Date.now() + 400; $("askh")?.focus({ preventScroll: true }); notice($("askh").textContent); }
}

function notice(text) {
  if (document.hidden && window.Notification && Notification.permission === "granted") new Notification("Socrates", { body: text });
}

// A text that grows: what is new stands in the place of what came after so many units. It may come before the page has its place.
const texts = new Map();
function grow(line) {
  const text = (texts.get(line.of) || "").slice(0, line.from || 0) + (line.text || "");
  texts.set(line.of, text);
  const state = line.state && document.querySelector(`[data-state="${CSS.escape(line.of)}"]`);
  if (state) state.textContent = `● ${line.state}`;
  const p = document.querySelector(`[data-of="${CSS.escape(line.of)}"]`) || document.querySelector("[data-any]");
  if (p) put(p, text, line.from || 0);
}
// It is laid out in blocks of whole lines, and only the last one changes: laying out all of a text for each word of it would cost more the
// longer it is.
const blockUnits = 1500;
function put(p, text, from) {
  let block = p.lastElementChild;
  while (block && Number(block.dataset.from) > from) { block.remove(); block = p.lastElementChild; }
  if (!block) { p.textContent = ""; block = addBlock(p, 0); }
  for (let start = Number(block.dataset.from); ;) {
    const rest = text.slice(start), end = blockEnd(rest), node = block.firstChild, at = Math.min(Math.max(from - start, 0), node.length);
    node.replaceData(at, node.length, rest.slice(at, end));
    if (end === rest.length) return;
    start += end;
    block = addBlock(p, start);
  }
}
function addBlock(p, from) {
  const block = document.createElement("span");
  block.dataset.from = from;
  block.append("");
  p.append(block);
  return block;
}
function blockEnd(text) {
  if (text.length <= 2 * blockUnits) return text.length;
  const line = text.indexOf("\n", blockUnits), word = text.lastIndexOf(" ", 2 * blockUnits);
  if (line >= 0 && line < 2 * blockUnits) return line + 1;
  return word >= blockUnits ? word + 1 : 2 * blockUnits + (text.codePointAt(2 * blockUnits - 1) > 0xffff ? 1 : 0);
}

// News: one stream a page. Committed nodes have a number; the browser sends the last one when it comes back.
let last = Number(body.dataset.after || 0), soon = 0;
function later() { if (!soon) soon = setTimeout(() => { soon = 0; refresh(); }, 120); }
function offline(text, stays) {
  const strip = $("offline");
  $("offline-text").textContent = text;
  strip.classList.add("on");
  strip.dataset.stays = stays ? "yes" : "";
}
function online() { const strip = $("offline"); if (!strip.dataset.stays) strip.classList.remove("on"); }

function listen(wait) {
  const source = new EventSource(`${body.dataset.events}?after=${last}`);
  source.onopen = () => { if (wait) refresh(); wait = 0; online(); };
  source.onmessage = (e) => {
    const line = JSON.parse(e.data);
    if (line.type === "delta") return grow(line);
    if (line.seq <= last) return;
    last = line.seq;
    if ($("growing")) { texts.clear(); $("growing").textContent = ""; } // what was said is in the page that comes
    later();
  };
  source.addEventListener("beat", () => { if (!document.hidden && document.querySelector("[data-beat]")) later(); });
  source.addEventListener("end", () => { source.close(); refresh(); });
  source.addEventListener("failed", () => { source.close(); offline("The store cannot be read any more. Look at the server's terminal.", true); });
  source.onerror = () => {
    offline(`Reconnecting. Shown as of ${new Date().toLocaleTimeString()}. Running work continues; nothing you typed is lost.`);
    source.close();
    wait = Math.min(wait ? wait * 2 : 500, 8000);
    setTimeout(async () => { // signed out, or another store: the page says which
      const answer = await fetch(location.href, { method: "HEAD" }).catch(() => null);
      if (answer && answer.status === 401) return offline("This browser is signed out. In a terminal, run: socrates web", true);
      listen(wait);
    }, wait);
  };
  addEventListener("pagehide", () => source.close(), { once: true });
}
if (body.dataset.events) listen(0);

// Estimate beside the form, without leaving it.
const estimate = $("estimate");
if (estimate) estimate.addEventListener("click", async (e) => {
  e.preventDefault();
  const form = estimate.form;
  if (!form.reportValidity()) return;
  const fields = new FormData(form);
  fields.delete("page");
  const box = $("est");
  box.setAttribute("aria-busy", "true");
  const answer = await fetch("/new?" + new URLSearchParams(fields));
  const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("est");
  if (next) box.replaceWith(document.adoptNode(next));
});

// Copying.
for (const b of document.querySelectorAll("[data-copy]")) {
  b.hidden = false;
  b.addEventListener("click", async () => {
    const answer = await fetch(b.dataset.copy, { headers: { Accept: "text/markdown" } });
    await navigator.clipboard.writeText(await answer.text());
    b.firstChild.textContent = "Copied ";
  });
}

// Keys: the letters of the terminal, outside of inputs only. They can be turned off in the list of commands.
const off = () => localStorage.getItem("keys") === "off";
let go = false, deadUntil = 0, at = -1;
const inInput = (e) => e.target.closest("input, textarea, select, [contenteditable]");
function acts() {
  const list = [];
  for (const a of document.querySelectorAll("[data-go]")) list.push([`g ${a.dataset.go}`, a.textContent, a]);
  for (const b of document.querySelectorAll("[data-key], a.btn, button.btn"))
    if (b.id !== "commands" && !b.closest("dialog") && !b.hidden) list.push([b.dataset.key || "", (b.ariaLabel || b.firstChild.textContent).trim(), b]);
  return list;
}
function palette() {
  let box = $("palette");
  if (!box) {
    box = document.createElement("dialog");
    box.id = "palette";
    box.setAttribute("aria-labelledby", "palette-h");
    body.append(box);
  }
  box.innerHTML = `<h2 id="palette-h">Commands</h2><p class="small dim">Letter keys work outside input fields.</p><label class="small" for="palette-q">Find</label><input id="palette-q" type="search"><table><tbody></tbody></table><p class="btns tail"><button class="btn" id="keys-off"></button><button class="btn" id="palette-x">Close</button></p>`;
  const rows = box.querySelector("tbody"), find = $("palette-q");
  const fill = () => {
    rows.replaceChildren();
    const extra = [["/", "Search", $("find")], ["j  k", "Next, previous row", null], ["?", "This list", null]];
    for (const [key, name, target] of [...acts(), ...extra]) {
      if (!name.toLowerCase().includes(find.value.toLowerCase())) continue;
      const tr = rows.insertRow(), k = document.createElement("kbd"), cell = tr.insertCell();
      k.textContent = key;
      if (key) tr.insertCell().append(k); else tr.insertCell();
      if (!target) { cell.textContent = name; continue; }
      const b = document.createElement("button");
      b.className = "link";
      b.textContent = name;
      b.onclick = () => { box.close(); target.id === "find" ? target.focus() : target.click(); };
      cell.append(b);
    }
  };
  find.oninput = fill;
  find.onkeydown = (e) => { if (e.key === "Enter") { e.preventDefault(); rows.querySelector("button")?.click(); } };
  $("palette-x").onclick = () => box.close();
  $("keys-off").textContent = off() ? "Turn letters on" : "Turn letters off";
  $("keys-off").onclick = () => { localStorage.setItem("keys", off() ? "on" : "off"); palette(); };
  fill();
  if (!box.open) box.showModal();
  find.focus();
}
const commands = $("commands");
if (commands) { commands.hidden = false; commands.onclick = palette; }

document.addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === "k" && commands) { e.preventDefault(); return palette(); }
  if (e.key === "Escape" && inInput(e) && !e.target.closest("dialog")) return e.target.blur();
  if (e.key === "Enter" && e.ctrlKey && e.target.form) { e.preventDefault(); return e.target.form.requestSubmit(); }
  if (e.ctrlKey || e.metaKey || e.altKey || inInput(e) || $("palette")?.open || off()) return;
  if (go) {
    go = false;
    const tab = document.querySelector(`[data-go="${CSS.escape(e.key)}"]`);
    if (tab) { e.preventDefault(); tab.click(); }
    return;
  }
  const key = (e.key === "Enter" || e.key === "Escape") && !e.target.closest("button, a, summary") ? "n" : e.key; // both deny
  const ask = document.querySelector(`#ask [data-key="${CSS.escape(key)}"]`);
  if (ask) { e.preventDefault(); if (Date.now() > deadUntil) ask.click(); return; }
  if (e.key === "?" && commands) { e.preventDefault(); return palette(); }
  if (e.key === "/" && $("find")) { e.preventDefault(); return $("find").focus(); }
  if (e.key === "g") { go = true; setTimeout(() => { go = false; }, 1500); return; }
  if (e.key === "j" || e.key === "k") return row(e.key === "j" ? 1 : -1, e);
  const b = document.querySelector(`main [data-key="${CSS.escape(e.key)}"], header [data-key="${CSS.escape(e.key)}"]`);
  if (b && e.key.length === 1) { e.preventDefault(); b.click(); }
});

function row(step, e) {
  const rows = [...document.querySelectorAll(".rows a.t, td a.strong, .tree a")];
  if (!rows.length) return;
  e.preventDefault();
  const now = rows.indexOf(document.activeElement);
  at = Math.max(0, Math.min(rows.length - 1, (now < 0 ? at : now) + step));
  rows[at].focus();
}

// A board: a card is dragged to a column, or moved with m and the arrows. The step's own buttons do what the column stands for.
let moved = null, column = null;
const verbOf = (card, to) => [...document.querySelectorAll(`#step-${CSS.escape(card.dataset.step)} form`)]
  .find((f) => f.querySelector("[name=verb]").value === to.dataset.verb);
const targets = (card) => [...document.querySelectorAll("#board [data-verb]")].filter((c) => verbOf(card, c));
function aim(to, words) {
  column?.classList.remove("to");
  column = to;
  column?.classList.add("to");
  if ($("board-said")) $("board-said").textContent = words;
}
function drop() {
  const form = moved && column && verbOf(moved, column);
  aim(null, "");
  moved = null;
  form?.querySelector("button").click();
}
document.addEventListener("dragstart", (e) => { moved = e.target.closest?.("#board [data-step]"); });
document.addEventListener("dragover", (e) => {
  const to = moved && e.target.closest?.("#board [data-verb]");
  if (!to || !verbOf(moved, to)) return;
  e.preventDefault();
  if (to !== column) aim(to, "");
});
document.addEventListener("drop", (e) => { if (moved && column) { e.preventDefault(); drop(); } });
document.addEventListener("dragend", () => { aim(null, ""); moved = null; });
document.addEventListener("keydown", (e) => {
  const card = e.target.closest?.("#board [data-step]");
  if (!card || e.ctrlKey || e.metaKey || e.altKey) return;
  const all = targets(card), name = () => column.querySelector("h3").firstChild.textContent.trim();
  if (e.key === "m" && all.length) { moved = card; aim(all[0], ""); aim(all[0], `Move to ${name()}? Left and right choose, Enter moves, Escape cancels.`); }
  else if (moved !== card) return;
  else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
    const i = all.indexOf(column) + (e.key === "ArrowLeft" ? -1 : 1);
    aim(all[Math.max(0, Math.min(all.length - 1, i))], "");
    aim(column, `Move to ${name()}?`);
  } else if (e.key === "Enter") drop();
  else if (e.key === "Escape") { aim(null, "Left where it was."); moved = null; }
  else return;
  e.preventDefault();
  e.stopImmediatePropagation();
}, true);
