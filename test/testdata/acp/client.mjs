// client.mjs SOCRATES PROJECT: an editor made of npm's @agentclientprotocol/sdk, which does with `socrates acp` what editors do. Every message
// of ours must come through the SDK's own schema as it was sent: nothing dropped, nothing replaced; an older SDK drops
// what is newer. Each finding is a line; without one it ends with 0.
import { spawn } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import { Readable, Writable } from "node:stream";

const stable = await import("@agentclientprotocol/sdk");
const old = "ClientSideConnection" in stable; // before 1.0, when fork and list were methods of their own
const acp = old ? stable : await import("@agentclientprotocol/sdk/unstable");
const [socrates, project] = process.argv.slice(2);

let findings = 0, checks = 0;
function must(ok, what, ...seen) {
  checks++;
  if (ok) return;
  findings++;
  console.log("NOT: " + what, ...seen.map((s) => (typeof s === "string" ? s : JSON.stringify(s))).map((s) => s.slice(0, 2000)));
}

// kept says whether what the SDK's schema made of a message is the message. Fields that are null may be left out.
function kept(sent, read, at = "") {
  if (sent === null || isDeepStrictEqual(sent, read)) return "";
  if (typeof sent !== "object" || typeof read !== "object" || read === null) return at + " " + JSON.stringify(sent) + " became " + JSON.stringify(read);
  for (const key of Object.keys(sent)) {
    const lost = kept(sent[key], read[key], at + "/" + key);
    if (lost) return lost;
  }
  return "";
}

// editor starts an agent and connects to it.
async function editor(capabilities = {}) {
  const agent = spawn(socrates, ["acp"], { cwd: project, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => agent.on("exit", (code) => done(code)));
  const wire = [], updates = [], asked = [], parsed = [];
  let waiting = [];
  const e = { agent, wire, updates, asked, picks: [], form: null, ended };
  const came = () => { const now = waiting; waiting = []; now.forEach((f) => f()); };
  e.until = async (what, is) => {
    const late = setTimeout(() => { must(false, "told within 60 s: " + what, updates.slice(-5)); process.exit(1); }, 60000);
    while (!is()) await new Promise((f) => waiting.push(f));
    clearTimeout(late);
  };
  const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
  const seen = new TransformStream({ transform(m, c) { wire.push(m); c.enqueue(m); } });
  const both = { writable: stream.writable, readable: stream.readable.pipeThrough(seen) };
  const handlers = {
    update(params) { updates.push(params); parsed.push(params); came(); },
    async permission(params) {
      asked.push(params);
      came();
      const pick = e.picks.length > 1 ? e.picks.shift() : e.picks[0];
      if (pick === "wait") return new Promise((f) => { e.release = (outcome) => f({ outcome }); });
      const option = params.options.find((o) => o.kind === pick || o.name.startsWith(pick)) ?? params.options[0];
      return { outcome: { outcome: "selected", optionId: option.optionId } };
    },
    async elicitation(params) { asked.push(params); came(); return { action: "accept", content: e.form(params) }; },
  };
  if (old) {
    const c = new acp.ClientSideConnection(() => ({ sessionUpdate: handlers.update, requestPermission: handlers.permission }), both);
    const name = { initialize: "initialize", "session/new": "newSession", "session/load": "loadSession", "session/prompt": "prompt",
      "session/set_mode": "setSessionMode", "session/list": "unstable_listSessions", "session/fork": "unstable_forkSession",
      "session/resume": "unstable_resumeSession", "session/set_config_option": ["setSessionConfigOption", "unstable_setSessionConfigOption"],
      "session/set_model": "unstable_setSessionModel" };
    e.request = (method, params) => { const f = [name[method]].flat().find((n) => n && c[n]); return f ? c[f](params) : c.extMethod(method, params); };
    e.notify = (method, params) => method === "session/cancel" ? c.cancel(params) : c.extNotification(method, params);
  } else {
    const app = acp.client({ name: "editor" }).onNotification(acp.methods.client.session.update, ({ params }) => handlers.update(params))
      .onRequest(acp.methods.client.session.requestPermission, ({ params }) => handlers.permission(params))
      .onRequest(acp.methods.client.elicitation.create, ({ params }) => handlers.elicitation(params));
    const c = app.connect(both);
    e.context = c.agent ?? c.context ?? c;
    e.request = (method, params, options) => e.context.request(method, params, options);
    e.notify = (method, params) => e.context.notify(method, params);
  }
  if (old) capabilities = {};
  e.init = await e.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientInfo: { name: "editor", version: "1" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true, ...capabilities } });
  e.close = async () => {
    agent.stdin.end();
    must((await ended) === 0, "ends with 0 when the pipe closes", await ended);
    const sent = wire.filter((m) => m.method === "session/update").map((m) => m.params);
    must(sent.length === parsed.length, "every update comes through the schema", `${parsed.length} of ${sent.length}`,
      sent.find((s) => !parsed.some((p) => kept(s, p) === "")) ?? "");
    must(sent.every((s) => !s.update.title?.includes("\n")), "titles are lines", sent.find((s) => s.update.title?.includes("\n")) ?? "");
    if (!old) sent.forEach((s, i) => { const lost = parsed[i] && kept(s, parsed[i]); if (lost) must(false, "an update is as it was sent", lost); });
    const questions = wire.filter((m) => m.method && m.method !== "session/update" && m.id !== undefined).map((m) => m.params);
    must(questions.length === asked.length, "every question comes through the schema", `${asked.length} of ${questions.length}`, questions.at(-1) ?? "");
    questions.forEach((q, i) => { const lost = asked[i] && kept(q, asked[i]); if (lost) must(false, "a question is as it was sent", lost); });
  };
  return e;
}

const text = (t) => [{ type: "text", text: t }];
const kinds = (list) => list.map((u) => u.update.sessionUpdate);
const words = (list, kind = "agent_message_chunk") => list.filter((u) => u.update.sessionUpdate === kind).map((u) => u.update.content.text).join("");
// said is what was told while a request ran, and its answer.
async function said(e, method, params) { const from = e.updates.length; const r = await e.request(method, params); return [r, e.updates.slice(from)]; }
async function fails(e, code, method, params) {
  try { must(false, `${method} fails`, await e.request(method, params)); } catch (err) { must(err.code === code, `${method} fails with ${code}`, String(err.code), err.message); }
}

// What can be chosen.
const e = await editor({ elicitation: { form: {} } });
must(e.init.protocolVersion === 1 && e.init.agentInfo?.name === "socrates", "initialize answers with version 1 and its name", e.init);
must(e.init.agentCapabilities?.loadSession, "sessions can be loaded", e.init);
const made = await e.request("session/new", { cwd: project, mcpServers: [{ name: "notes", command: "touch", args: ["begun"], env: [] }] });
const id = made.sessionId;
must(made.modes?.availableModes?.some((m) => m.id === made.modes.currentModeId), "the mode it is in is one of the modes", made.modes);
await e.until("commands", () => e.updates.some((u) => u.update.sessionUpdate === "available_commands_update" && u.update.availableCommands.some((c) => c.name === "debate")));
await e.request("session/set_mode", { sessionId: id, modeId: "paranoid" });
await e.until("the mode", () => e.updates.some((u) => u.update.currentModeId === "paranoid"));
await fails(e, -32602, "session/set_mode", { sessionId: id, modeId: "none" });
const options = made.configOptions;
must(["mode", "model", "phase", "strategy", "seats", "preset"].every((o) => options.some((one) => one.id === o)), "options", options.map((o) => o.id));
must(options.every((o) => o.options.some((c) => c.value === o.currentValue)), "each option has its current value among its values", options);
must(options.find((o) => o.id === "model").currentValue.endsWith("worker.yaml"), "the model of the settings is chosen", options);
const set = async (configId, value) => (await e.request("session/set_config_option", { sessionId: id, configId, value })).configOptions;
must((await set("strategy", "delphi")).find((o) => o.id === "strategy").currentValue === "delphi", "an option is set");
await set("strategy", "usual");
const dir = project.slice(0, project.lastIndexOf("/")), other = { value: `script:${dir}/other.yaml` };
await set("model", other.value);
e.picks = ["reject_once"];
let [r, got] = await said(e, "session/prompt", { sessionId: id, prompt: text("hello") });
must(e.asked.at(-1)?.toolCall.title.includes("MCP server notes"), "the server that the editor brings is asked about");
must(words(got).includes("I am the other"), "the chosen model answers", words(got));
await set("model", `script:${dir}/worker.yaml`);
await fails(e, -32602, "session/set_config_option", { sessionId: id, configId: "nothing", value: "x" });
await fails(e, -32601, "session/nothing", {});
await fails(e, -32002, "session/prompt", { sessionId: "nobody", prompt: text("x") });

// A turn with permissions: refused, then allowed.
[r, got] = await said(e, "session/prompt", { sessionId: id, prompt: text("touch") });
must(r.stopReason === "end_turn", "a turn ends", r);
must(e.asked.length === 2 && JSON.stringify(e.asked[1].toolCall.content).includes("touch made"), "a command is asked about, once", e.asked);
must(got.some((u) => u.update.sessionUpdate === "tool_call_update" && u.update.status === "failed"), "a call that is refused has failed", kinds(got));
e.picks = ["allow_once"];
[r, got] = await said(e, "session/prompt", { sessionId: id, prompt: [...text("touch again, see "), { type: "resource_link", name: "store.go", uri: `file://${project}/store.go` }] });
must(got.some((u) => u.update.sessionUpdate === "tool_call_update" && u.update.status === "completed"), "a call that is allowed is completed", kinds(got));
[r, got] = await said(e, "session/prompt", { sessionId: id, prompt: text("edit") });
const diff = got.flatMap((u) => u.update.content ?? []).find((c) => c.type === "diff");
must(diff?.path === project + "/store.go" && diff.newText.includes("a file"), "an edit comes as a diff", got.map((u) => u.update));
must(got.some((u) => u.update.sessionUpdate === "usage_update") && got.some((u) => u.update.sessionUpdate === "plan"), "usage and plan", kinds(got));

// A cancel: of a command that runs, of a question that waits, and before anything came.
async function cancelled(what, ready) {
  const from = e.updates.length;
  const p = e.request("session/prompt", { sessionId: id, prompt: text(what) });
  await e.until(what, () => ready(e.updates.slice(from)));
  await e.notify("session/cancel", { sessionId: id });
  e.release?.({ outcome: "cancelled" });
  e.release = null;
  must((await p).stopReason === "cancelled", "cancelled: " + what, await p);
  return e.updates.slice(from);
}
await cancelled("wait", (u) => u.some((one) => JSON.stringify(one.update.content ?? "").includes("begun")));
e.picks = ["wait"];
const before = e.asked.length;
await cancelled("touch once more", () => e.asked.length > before);
e.picks = ["allow_once"];
await cancelled("wait", () => true);

// A debate: a call for each seat, the decision as the message; a tie is asked about in a form.
[r, got] = await said(e, "session/prompt", { sessionId: id, prompt: text("/debate Should sessions live in memory or in a file?") });
must(r.stopReason === "end_turn", "a debate ends", r);
const seats = got.filter((u) => u.update.sessionUpdate === "tool_call" && u.update.kind === "think" && !u.update.title.startsWith("check"));
must(seats.length === 3, "a call for each of three seats", seats.map((u) => u.update.title));
for (const s of seats) must(got.some((u) => u.update.toolCallId === s.update.toolCallId && u.update.status === "completed"), "a seat's call is completed", s.update.title);
must(/memory/i.test(words(got)) && words(got).includes("Dissent"), "the decision with its dissent is the message", words(got));
const ids = got.filter((u) => u.update.sessionUpdate === "tool_call").map((u) => u.update.toolCallId);
must(new Set(ids).size === ids.length, "no call begins twice", ids);
if (!old) e.form = (q) => ({ answer: q.message.includes("Which one") ? "blue" : Object.values(q.requestedSchema.properties)[0].enum?.[1] ?? "B" });
e.picks = ["B"];
[r, got] = await said(e, "session/prompt", { sessionId: id, prompt: text("/debate --seat script:../left.yaml --seat script:../right.yaml Is the door left or right?") });
must(words(got).includes("Decided by a person"), "the person breaks the tie", words(got), e.asked.at(-1));
e.picks = ["blue"];
[r, got] = await said(e, "session/prompt", { sessionId: id, prompt: text("ask me") });
must(words(got).includes("You said blue"), "a question of the agent's is answered", words(got));

// A cancel in the middle of a debate: it decides from what was answered, then the answer is cancelled.
got = await cancelled("/debate --seat script:../left.yaml --seat script:../slow.yaml Is the gate left or right?",
  (u) => u.some((one) => one.update.sessionUpdate.startsWith("tool_call") && JSON.stringify(one.update.content ?? "").includes("left is nearer")));
must(/left/i.test(words(got)), "a cancelled debate has decided", words(got));

// A fork goes its own way; both are listed, loaded and resumed, here and by another process, each told the same again.
const fork = (await e.request("session/fork", { sessionId: id, cwd: project })).sessionId;
must(fork && fork !== id, "a fork is another session", fork);
await e.request("session/prompt", { sessionId: fork, prompt: text("in the fork") });
await e.request("session/prompt", { sessionId: id, prompt: text("in the trunk") });
const list = await e.request("session/list", { cwd: project });
must(list.sessions.some((s) => s.sessionId === id && s.title) && list.sessions.some((s) => s.sessionId === fork), "both are listed", list);
let first;
const told = (updates) => updates.filter((u) => !["available_commands_update", "config_option_update", "current_mode_update", "session_info_update"].includes(u.update.sessionUpdate));
[r, first] = await said(e, "session/load", { sessionId: id, cwd: project, mcpServers: [] });
first = told(first);
must(words(first, "user_message_chunk").includes("in the trunk") && !words(first, "user_message_chunk").includes("in the fork"), "a session is told without its fork");
must(words(first).includes("Dissent"), "its debates are told");
must(r.modes.currentModeId === "paranoid" && r.configOptions.length > 4, "loading tells the options", r);
await e.close();

const second = await editor();
[r, got] = await said(second, "session/load", { sessionId: id, cwd: project, mcpServers: [] });
must(isDeepStrictEqual(told(got), first), "another process tells the same", `${first.length} and ${told(got).length}`,
  told(got).find((u, i) => !isDeepStrictEqual(u, first[i])) ?? "", first.find((u, i) => !isDeepStrictEqual(u, told(got)[i])) ?? "");
[r, got] = await said(second, "session/resume", { sessionId: fork, cwd: project, mcpServers: [] });
must(told(got).length === 0, "a resumed session is not told again", kinds(got));
[r, got] = await said(second, "session/prompt", { sessionId: fork, prompt: text("once more in the fork") });
must(words(got).includes("Here"), "a resumed session goes on", words(got));
await fails(second, -32002, "session/load", { sessionId: "01900000-0000-7000-8000-000000000000", cwd: project, mcpServers: [] });
await fails(second, -32602, "session/load", { sessionId: id, cwd: "/", mcpServers: [] });

if (!old) { // the SDK's own idea of a session: what it reads until the turn ends; and closing and deleting
  const active = await second.context.buildSession(project).start();
  active.prompt("hello");
  must((await active.readText()).includes("Hello"), "the SDK reads the text of a turn");
  active.dispose();
  const abort = new AbortController();
  const p = second.request("session/prompt", { sessionId: active.sessionId, prompt: text("wait") }, { cancellationSignal: abort.signal });
  const from = second.updates.length;
  await second.until("it runs", () => JSON.stringify(second.updates.slice(from)).includes("begun"));
  abort.abort();
  must(await p.then((r) => r.stopReason === "cancelled", (err) => err.code === -32800), "a request that is cancelled ends so");
  await second.request("session/close", { sessionId: active.sessionId });
  await fails(second, -32002, "session/prompt", { sessionId: active.sessionId, prompt: text("x") });
  await second.request("session/delete", { sessionId: fork });
  must(!(await second.request("session/list", { cwd: project })).sessions.some((s) => s.sessionId === fork), "a deleted fork is listed no more");
}
await second.close();
console.log(`${checks} checks, ${findings} findings`);
process.exit(findings ? 1 : 0);
