package page

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/internal/engine/conversation"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/markup"
	"github.com/socrates-cli/socrates/internal/scene"
	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/outline"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tool"
	"github.com/socrates-cli/socrates/internal/tree"
)

// How much of a conversation a page shows: its newest entries, and the newest nodes for its tree.
const (
	entriesOnPage = 200
	nodesInTree   = 400
	outlineLines  = 60
)

// ?at=NODE shows another node without going there.
func (s *site) conversation(r *http.Request, p *sheet) error {
	ctx, l := r.Context(), conversation.In(s.Engine)
	last, err := s.Engine.LastSeq(ctx)
	if err != nil {
		return err
	}
	t, err := l.Open(ctx, r.PathValue("name"))
	if err != nil {
		return err
	}
	at := t
	if node := r.URL.Query().Get("at"); node != "" { // another node, to look at
		n, err := l.Locate(ctx, t, node)
		if err != nil {
			return err
		}
		at.Head = n.ID
	}
	path, err := l.PathEnd(ctx, at.Head, entriesOnPage)
	if err != nil {
		return err
	}
	nodes, _, err := l.LastNodes(ctx, t, nodesInTree)
	if err != nil {
		return err
	}
	chat := scene.NewChat("todo")
	chat.Load(at, path, nodes)
	list, err := l.List(ctx, t.Dir)
	if err != nil {
		return err
	}
	title := t.Name
	if i := slices.IndexFunc(list, func(i conversation.Info) bool { return i.Name == t.Name }); i >= 0 {
		title = orName(list[i].Title, t.Name)
	}
	p.title, p.tab, p.after, p.events = title, "/conversations", last, "/api/v1/trees/"+t.Name+"/events"
	v := talkPage{sheet: p, chat: chat, t: t, at: at, atWork: l.AtWork(t.Name),
		words: r.URL.Query().Get("say")}
	if seats, err := s.Seats(ctx); err == nil { // without them a name can still be typed
		for _, one := range seats {
			if one.Ready {
				v.models = append(v.models, one.Spec)
			}
		}
	}
	v.write(title, nodes)
	return nil
}

// talkPage is the page of a conversation.
type talkPage struct {
	*sheet
	chat   *scene.Chat
	t, at  conversation.Tree
	atWork bool
	models []string // models that can answer
	words  string   // the text of the input, from the link that led here
}

// write writes the page: the tree, the messages, and the column beside them.
func (v *talkPage) write(title string, nodes []tree.Node) {
	v.put(`<p class="crumb"><a href="/?folder=%s">%s</a><span aria-hidden="true">›</span><span>conversation %s</span>`+
		`<span aria-hidden="true">›</span><span>branch %s</span></p>`,
		Raw(queryEscape(v.t.Dir)), base(v.t.Dir), v.t.Name, v.t.Branch)
	v.put(`<div class="head"><div><h1>%s</h1></div><div class="btns" data-live id="acts">`, title)
	to := pathOf("t", v.t.Name)
	// Undoing while an agent writes would mix both.
	if v.atWork {
		v.put("%s", button(to+"/stop", "Stop", "", "x", "Stop the turn? Changes so far are kept.")) // the same key as in the terminal
	} else {
		if v.at.Head != v.t.Head {
			v.put(`<a class="btn" href="%s">To the end</a>`, to)
		} else if slices.ContainsFunc(v.chat.Entries, func(e scene.Entry) bool { return e.Sort == scene.Said }) {
			v.put("%s", button(to+"/retry", "Retry", "", "r", "")) // the same keys as in the terminal's tree
		}
		v.put("%s", button(to+"/fork", "Fork here", "", "f", "", "at", string(v.at.Head)))
		v.put("%s", button(to+"/undo", "Undo file changes", "", "", "Revert the files to before the last turn that changed them?"))
	}
	v.put(`</div></div><div class="conv">`)
	v.outline(nodes)
	v.put(`<div><div data-live id="entries">`)
	for i := range v.chat.Entries {
		v.entry(&v.chat.Entries[i])
	}
	v.put(`</div><p class="md grows" id="growing" data-any aria-hidden="true"></p>`)
	v.dock(to)
	v.put("</div>")
	v.beside()
	v.put("</div>")
}

// outline shows the tree: messages, and where it branches. The end of a long tree is shown; nodes that no person
// reads have no line.
func (v *talkPage) outline(nodes []tree.Node) {
	lines := outline.Of(nodes)
	v.put(`<nav class="treecol" aria-label="Tree of this conversation"><div class="sec"><header><h2>Tree</h2></header>` +
		`<ul class="tree" data-live id="tree">`)
	if len(lines) > outlineLines {
		v.put(`<li class="faint small">%d earlier</li>`, len(lines)-outlineLines)
		lines = lines[len(lines)-outlineLines:]
	}
	for _, l := range lines {
		sign := map[string]string{"User": "❯", "Assistant": "·"}[l.Role]
		if sign == "" {
			sign = strings.Repeat("↳", min(1, l.Depth)) + "·"
		}
		current := Raw("")
		if l.Node == v.at.Head || slices.Contains(l.Holds, v.at.Head) {
			current = ` aria-current="true"`
		}
		v.put(`<li><a href="%s?at=%s"%s><span class="g" aria-hidden="true">%s</span>%s</a></li>`, pathOf("t", v.t.Name), l.Node,
			current, sign, clip(l.Text, 60))
	}
	v.put("</ul></div></nav>")
}

// entry shows one event. Going back is offered only at the head, while nothing runs.
func (v *talkPage) entry(e *scene.Entry) {
	switch e.Sort {
	case scene.Said:
		v.put(`<article class="turn you" id="n-%s" aria-label="You"><p class="out" tabindex="0">%s</p>`, e.Node, e.Text)
		if !v.atWork && v.at.Head == v.t.Head {
			v.put(`<div class="btns">%s</div>`, button(pathOf("t", v.t.Name)+"/back", "Go back to before this", "bare", "", "Move the "+
				"branch back and revert the files?", "to", string(e.Node)))
		}
		v.put("</article>")
	case scene.Answered, scene.Wrote:
		v.put(`<article class="turn" id="n-%s" aria-label="%s"><p class="small"><b>%s</b></p>%s`, e.Node, e.Who, e.Who, prose(e.Text))
		if e.State != "" && e.State != talk.Done {
			v.put(`<p class="warn small">! %s: %s</p>`, e.State, e.Reason)
		}
		v.put("</article>")
	// A call is one line with its details folded: most of a conversation is calls.
	case scene.Called:
		v.called(e)
	case scene.Asked:
		v.answered(e)
	case scene.Summed:
		v.put(`<details class="turn"><summary>Earlier messages are summarized</summary>%s</details>`, prose(e.Text))
	case scene.Merged:
		v.put(`<details class="turn" open><summary>%s</summary>%s</details>`, e.Source(), prose(e.Text))
	case scene.Thought:
		v.put(`<details class="turn"><summary>Reasoning</summary>%s</details>`, prose(e.Text))
	case scene.Held:
		v.put(`<p class="small dim turn">+ %s</p>`, clip(e.Who, 160))
	default:
		v.put(`<p class="small dim turn">%s %s</p>`, e.Who, clip(e.Text, 400))
	}
}

// called shows the purpose of a tool call, with its diff or its result folded.
func (v *talkPage) called(e *scene.Entry) {
	mark := map[bool]string{true: "✗ "}[e.Show.Failed]
	if e.Show.Diff != "" {
		v.put(`<p class="calls">%s%s</p>%s`, mark, e.Text, patch(e.Show.Diff))
		return
	}
	v.put(`<ul class="calls"><li><details><summary>%s%s</summary><pre class="out" tabindex="0">%s</pre></details></li></ul>`, mark,
		clip(e.Text, 200), clipLong(e.Result))
}

// clipLong returns the beginning of a text too long for a page.
func clipLong(text string) string {
	if r := []rune(text); len(r) > 8000 {
		return string(r[:8000]) + "\n…"
	}
	return text
}

// answered shows a question with its answer. An open one is in the dock.
func (v *talkPage) answered(e *scene.Entry) {
	if e.Answer == nil {
		return
	}
	what := e.Who
	if e.Need.Question != nil {
		what = e.Need.Question.Text
	}
	v.put(`<p class="small dim turn">? %s: you answered %s %s</p>`, clip(what, 200), e.Answer.Choice, e.Answer.Reason)
}

// dock shows questions to the person, and the input. An open question is here, not in the text: the turn waits for
// it.
func (v *talkPage) dock(to string) {
	v.put(`<div class="dock"><div data-live id="asks">`)
	// A question of a stopped turn can no longer be answered.
	if id, need, ok := v.chat.Open(); ok && v.atWork {
		v.needs++
		v.ask(to, id, need)
	}
	v.put(`</div>%s<input name="text" id="say" required aria-label="Message" placeholder="Message" value="%s">`+
		`<button class="btn" type="submit">Send</button></form>`, form(to+"/say", "say-in"), v.words)
	v.choose(to)
	v.put("</div>")
}

// choose is the form that names another model: for later turns, or to repeat the last one.
func (v *talkPage) choose(to string) {
	v.put(`<details class="small"><summary>Model</summary>%s<input name="model" list="models" required aria-label="Model" value="%s">`+
		`<datalist id="models">`, form(to+"/model", "words"), v.chat.Set["model"])
	for _, one := range v.models {
		v.put(`<option value="%s">`, one)
	}
	v.put(`</datalist><button class="btn">Use it</button><button class="btn" formaction="%s">Retry with it</button></form></details>`,
		to+"/retry")
}

// ask shows a question to the person. No button of a permission is primary; the first one denies.
func (v *talkPage) ask(to string, id tree.ID, need asking.Need) {
	if q := need.Question; q != nil {
		v.question(to, id, *q)
		return
	}
	v.put(`<section class="ask" id="ask" aria-labelledby="askh"><header><h2 id="askh" tabindex="-1">? %s</h2><span class="dim">%s`+
		`</span></header><div><ol>`, told.Heading(need), strings.TrimSuffix(need.Tool+": "+told.Tally(need), ": "))
	for _, part := range need.Parts {
		v.put("<li><code>%s</code>", part.Text)
		for _, c := range told.Consequences(part) {
			v.put(`<span class="small dim">%s</span><br>`, c)
		}
		for _, path := range part.Paths {
			v.put(`<span class="small warn">! %s</span><br>`, path)
		}
		v.put("</li>")
	}
	v.put(`</ol><div class="btns tail">`)
	answer := func(choice, label, key string) {
		sure := ""
		if choice != "deny" && told.Gravest(need) == told.Grave { // the terminal requires the key twice
			sure = "This cannot be undone. Allow it?"
		}
		v.put("%s", button(to+"/answer", label, "", key, sure, "id", string(id), "choice", choice))
	}
	answer("deny", "Deny", "n")
	answer("once", "Allow once", "y")
	// What cannot be undone offers no scope: it is asked each time.
	for _, scope := range told.Scopes(need) {
		answer(scope, "For this "+scope, scope[:1])
	}
	v.put(`</div>%s<input type="hidden" name="id" value="%s"><input type="hidden" name="choice" value="deny">`+
		`<input name="reason" required aria-label="Why not" placeholder="Deny and say why…"><button class="btn">Deny</button></form>`+
		`</div></section>`,
		form(to+"/answer", "words tail"), id)
}

// Options are buttons; any other answer can be typed.
func (v *talkPage) question(to string, id tree.ID, q tool.Question) {
	v.put(`<section class="ask" id="ask" aria-labelledby="askh"><header><h2 id="askh" tabindex="-1">? %s</h2></header>`+
		`<div class="btns tail">`, q.Text)
	for _, o := range q.Options {
		v.put("%s", button(to+"/answer", clip(o, 120), "", "", "", "id", string(id), "choice", o))
	}
	v.put(`</div>%s<input type="hidden" name="id" value="%s"><input name="choice" required aria-label="Your answer" placeholder="Your `+
		`answer"><button class="btn">Answer</button></form></section>`, form(to+"/answer", "words tail"), id)
}

// beside shows the to-do list, changed files and the context of the conversation.
func (v *talkPage) beside() {
	v.put(`<aside class="side" aria-label="Sidebar" data-live id="side">`)
	if len(v.chat.Todo) > 0 {
		v.put(`<section class="sec"><h2>To do</h2><ul class="small">`)
		for _, line := range v.chat.Todo {
			v.put("<li>%s</li>", line)
		}
		v.put("</ul></section>")
	}
	var changed []string
	for _, e := range v.chat.Entries {
		for _, name := range e.Show.Wrote {
			if !slices.Contains(changed, name) {
				changed = append(changed, name)
			}
		}
	}
	if len(changed) > 0 {
		v.put(`<section class="sec"><h2>Changed files</h2><ul class="small">`)
		for _, name := range changed {
			v.put("<li><code>%s</code></li>", name)
		}
		v.put("</ul></section>")
	}
	v.put(`<section class="sec"><h2>Context</h2><dl class="kv">`)
	for _, key := range []string{"model", "phase", "mode"} {
		if value := v.chat.Set[key]; value != "" {
			if key == "model" {
				value = shortSpec(value)
			}
			v.put("<dt>%s</dt><dd>%s</dd>", key, value)
			v.status = append(v.status, Raw(markup.Escape(key+" "+value)))
		}
	}
	v.put("<dt>used</dt><dd>%d tokens</dd>", v.chat.Window)
	for _, file := range v.chat.Files() {
		v.put("<dt>file</dt><dd>%s</dd>", file)
	}
	v.put("</dl></section></aside>")
	if v.needs > 0 {
		v.status = append([]Raw{`<a class="warn strong" href="#ask">? Waiting for you</a>`}, v.status...)
	}
}

// forms of a conversation.

// sayTree sends a message, or sends it to the running turn.
func (s *actor) sayTree(r *http.Request, c guard.Caller) (string, error) {
	name := r.PathValue("name")
	_, err := api.Say(r.Context(), s.request(r, c), api.Saying{Name: name, Text: r.PostForm.Get("text")})
	return pathOf("t", name), err
}

// newTree begins a conversation with its first message.
func (s *actor) newTree(r *http.Request, c guard.Caller) (string, error) {
	text := r.PostForm.Get("text")
	t, err := api.Begin(r.Context(), s.request(r, c), api.Beginning{Title: text, Folder: r.PostForm.Get("folder")})
	if err == nil {
		_, err = api.Say(context.WithoutCancel(r.Context()), s.request(r, c), api.Saying{Name: t.Name, Text: text})
	}
	return pathOf("t", t.Name), err
}

// fork begins a branch at a node and switches to it. The files stay unchanged.
func (s *actor) fork(r *http.Request, _ guard.Caller) (string, error) {
	name := r.PathValue("name")
	_, err := s.Engine.Do(context.WithoutCancel(r.Context()), conversation.Branch{Tree: name, At: r.PostForm.Get("at")})
	return pathOf("t", name), err
}

// retry has the last message answered again, on a separate branch, by the named model, if any.
func (s *actor) retry(r *http.Request, c guard.Caller) (string, error) {
	name := r.PathValue("name")
	_, err := api.Say(context.WithoutCancel(r.Context()), s.request(r, c), api.Saying{Name: name, Again: true,
		Model: strings.TrimSpace(r.PostForm.Get("model"))})
	return pathOf("t", name), err
}

// setModel chooses the model from now on. An unusable one is refused, or each later turn would be.
func (s *actor) setModel(r *http.Request, _ guard.Caller) (string, error) {
	name, model := r.PathValue("name"), strings.TrimSpace(r.PostForm.Get("model"))
	_, err := s.Turn(r.Context(), turns.Say{Tree: name, Model: model})
	if err == nil {
		_, err = s.Engine.Do(context.WithoutCancel(r.Context()), turns.Set{Tree: name, Key: "model", Value: model})
	}
	return pathOf("t", name), err
}

// stop stops the running turn.
func (s *actor) stop(r *http.Request, c guard.Caller) (string, error) {
	_, err := api.StopTree(r.Context(), s.request(r, c), api.Named{Name: r.PathValue("name")})
	return pathOf("t", r.PathValue("name")), err
}

// answer answers a question of a turn.
func (s *actor) answer(r *http.Request, c guard.Caller) (string, error) {
	_, err := api.Answer(r.Context(), s.request(r, c), api.Answering{ID: r.PostForm.Get("id"), Choice: r.PostForm.Get("choice"),
		Reason: r.PostForm.Get("reason")})
	return pathOf("t", r.PathValue("name")), err
}

// back goes back to before a message, with the files.
func (s *actor) back(r *http.Request, _ guard.Caller) (string, error) {
	name := r.PathValue("name")
	path, err := conversation.In(s.Engine).PathEnd(r.Context(), tree.ID(r.PostForm.Get("to")), 2)
	// The branch moves to the parent of the message; the first message has none.
	if err == nil && len(path) == 2 {
		_, err = s.Engine.Do(context.WithoutCancel(r.Context()), conversation.Back{Tree: name, To: string(path[0].ID), Files: true})
	}
	return pathOf("t", name), err
}

// undo restores the files to before the last turn that changed them.
func (s *actor) undo(r *http.Request, _ guard.Caller) (string, error) {
	_, err := s.Engine.Do(context.WithoutCancel(r.Context()), conversation.Undo{Tree: r.PathValue("name")})
	return pathOf("t", r.PathValue("name")), err
}
