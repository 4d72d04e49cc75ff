// What a page can send requests with. Each line says how it went: one that says READ was let in. What cannot be seen from there is looked for
// in the store afterwards.
(async (to, names) => {
const told = [], form = "application/x-www-form-urlencoded";
const say = (name, how) => { told.push(name + ": " + how); };
const get = async (name, path, init) => { try { const a = await fetch(to + path, {credentials: "include", ...init});
	say(name, a.type === "opaque" ? "opaque" : a.ok ? "READ " + (await a.text()).slice(0, 80) : "refused " + a.status); } catch (e) { say(name, "blocked"); } };
await get("fetch of a page", "/");
await get("fetch of the API", "/api/v1/debates");
await get("fetch without CORS", "/api/v1/debates", {mode: "no-cors"});
await get("fetch with a token", "/api/v1/debates", {headers: {Authorization: "Bearer guess"}});
await get("fetch with a page's key", "/api/v1/debates", {headers: {"X-Socrates-Page": "guess"}});
await get("JSON", "/api/v1/trees", {method: "POST", body: '{"title":"planted"}', headers: {"Content-Type": "application/json"}});
await get("JSON as text", "/api/v1/trees", {method: "POST", mode: "no-cors", body: '{"title":"planted"}'});
await get("form by fetch", "/conversations", {method: "POST", mode: "no-cors", body: new URLSearchParams({text: "planted"})});
await get("form of parts by fetch", "/conversations", {method: "POST", mode: "no-cors", body: (() => { const f = new FormData(); f.set("text", "planted"); return f; })()});
await get("delete", "/api/v1/trees/work", {method: "DELETE"});
await get("put", "/api/v1/settings/debate.rounds", {method: "PUT", body: "{}"});
await get("sign out", "/out", {method: "POST", mode: "no-cors"});
await get("MCP", "/mcp", {method: "POST", mode: "no-cors", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'});
await get("panel as a model", "/v1/chat/completions", {method: "POST", mode: "no-cors", body: '{"model":"socrates","messages":[{"role":"user","content":"planted"}]}'});
await new Promise((ok) => { const x = new XMLHttpRequest(); x.withCredentials = true; x.open("GET", to + "/api/v1/debates"); x.onload = () => { say("XHR", x.status < 400 ? "READ" : "refused " + x.status); ok(); }; x.onerror = () => { say("XHR", "blocked"); ok(); }; x.send(); });
say("beacon", navigator.sendBeacon(to + "/conversations", new URLSearchParams({text: "planted"})) ? "sent" : "blocked");
await new Promise((ok) => { const s = new EventSource(to + "/api/v1/events", {withCredentials: true}); s.onopen = () => { say("event stream", "READ"); s.close(); ok(); }; s.onerror = () => { say("event stream", "blocked"); s.close(); ok(); }; });
await new Promise((ok) => { const s = new WebSocket(to.replace("http", "ws") + "/api/v1/events"); s.onopen = () => { say("web socket", "READ"); ok(); }; s.onerror = () => { say("web socket", "blocked"); ok(); }; });
const load = (name, tag, set) => new Promise((ok) => { const e = document.createElement(tag); Object.assign(e, set); e.onload = () => { say(name, tag === "iframe" ? "shown: " + (() => { try { return e.contentDocument?.body ? "READ" : "closed"; } catch { return "closed"; } })() : "READ"); ok(); }; e.onerror = () => { say(name, "blocked"); ok(); }; document.body.append(e); setTimeout(() => { say(name, "silent"); ok(); }, 3000); });
await load("picture", "img", {src: to + "/assets/x/icon.svg"});
await load("script", "script", {src: to + "/assets/x/socrates.js"});
await load("style", "link", {rel: "stylesheet", href: to + "/assets/x/socrates.css"});
await load("frame", "iframe", {src: to + "/"});
await import(to + "/assets/x/socrates.js").then(() => say("module", "READ"), () => say("module", "blocked"));
for (const [name, kind] of [["form in a frame", form], ["form of parts in a frame", "multipart/form-data"], ["form as text in a frame", "text/plain"]]) {
	const f = document.createElement("form"), i = document.createElement("iframe"); i.name = name; Object.assign(f, {action: to + "/conversations", method: "post", enctype: kind, target: name});
	const t = document.createElement("input"); t.name = "text"; t.value = "planted"; f.append(t); document.body.append(i, f);
	await new Promise((ok) => { i.onload = ok; setTimeout(ok, 2000); f.submit(); }); say(name, "sent"); }
return told.map((t) => location.host + " " + t).join("\n");
})
