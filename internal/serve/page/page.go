// Package page is the browser's front end: pages written by the server, which are read whole without a script, and one small module
// that keeps them up to date.
//
// New makes the handler of all pages. A page is a function that fills in a sheet (writing); a form is a function that
// does something and says where to go then (doing). Both get their caller looked at before: pages are for whoever may
// read, forms only for a browser that a person signed in, and only if one of our pages sent them. What a form does is
// what the API does, by the same functions.
//
// Every page works without a script: links, forms and a reload are enough. The script keeps a page up to date: it
// follows the events that the page names (sheet.events), loads the page again, and puts in each part marked data-live
// that has changed; texts that still grow it writes itself. So there is one place where HTML is made, here, and nothing
// of it is made in the browser.
//
// Everything that is not Raw is escaped when it is written (writer.put), so what a model or a file says cannot become
// HTML. Markdown goes through package markup, documents through package document, which escape as well. The policy of
// package guard allows no script but ours, no style attribute, nothing from elsewhere. A page is cleaned as a whole
// before it is sent; the page's key is put in after that.
//
// A page reads the store as it is and keeps nothing, but for gists, which cannot change. Lists are bounded by constants
// that stand with them. What cannot be read is left out where the rest is of use, and else an error, shown on a page
// with its status. Handlers are safe for concurrent use.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/serve/api"
	"github.com/socrates-cli/socrates/internal/serve/guard"
)

var (
	//go:embed socrates.css
	css []byte
	//go:embed socrates.js
	script []byte
	//go:embed icon.svg
	icon []byte
)

// site is all pages.
// The other types with pages (actor, office, clerk, reader) are this one under another name, so that none has too many
// methods.
type site struct {
	*api.Host
	guard *guard.Guard
	mark  string // changes when style or script do
	gists gists
	waits waits
	links shownOnce
}

func siteOf(h *api.Host, g *guard.Guard) *site {
	sum := sha256.Sum256(append(append(bytes.Clone(css), script...), h.Version...))
	return &site{Host: h, guard: g, mark: hex.EncodeToString(sum[:6])}
}

// New makes the handler of all pages.
// The guard must be the one that stands before it.
func New(h *api.Host, g *guard.Guard) http.Handler {
	s := siteOf(h, g)
	mux := http.NewServeMux()
	// The mark in the address is not looked at: it only has browsers load a file again when it changed.
	for _, a := range []struct {
		path, kind string
		file       []byte
	}{{"socrates.css", "text/css", css}, {"socrates.js", "text/javascript", script}, {"icon.svg", "image/svg+xml", icon}} {
		mux.HandleFunc("GET /assets/{mark}/"+a.path, func(w http.ResponseWriter, _ *http.Request) { asset(w, a.kind, a.file) })
	}
	mux.HandleFunc("GET /in", s.door)
	mux.HandleFunc("POST /in", s.enter)
	mux.HandleFunc("POST /out", s.leave)
	for path, write := range s.pages() {
		mux.HandleFunc("GET "+path, s.show(write))
	}
	for path, do := range (&actor{s}).forms() {
		mux.HandleFunc("POST "+path, s.perform(scopeOf(path), do))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &api.Problem{Status: http.StatusNotFound, Detail: "Page not found: " + r.URL.Path})
	})
	return mux
}

// pages are what can be looked at, by path.
// What is below /d is a debate, /t a conversation, /w a run, /i an issue draft, /e an evaluation.
func (s *site) pages() map[string]writing {
	o, c, d, w := &office{s}, &clerk{s}, &reader{s}, &warden{s}
	return map[string]writing{"/{$}": s.home, "/debates": s.debates, "/d/{name}": s.debate, "/d/{name}/decision": s.decision,
		"/d/{name}/compare/{other}": s.compare, "/compare": s.compare,
		"/conversations": s.conversations, "/t/{name}": s.conversation, "/runs": s.runs,
		"/w/{name}":        s.run,
		"/w/{name}/review": d.review, "/w/{name}/report": d.report, "/issues": c.issues, "/i/{number}": c.issue,
		"/w/{name}/steps/{step}": s.stepOf, "/new": s.ask, "/seats": o.seats, "/search": s.search,
		"/panel": o.panel, "/evals": o.evals, "/e/{name}": o.eval,
		"/settings": o.settings, "/phases": o.phases, "/projects": o.projects, "/hub": w.hub}
}

// actor performs what forms ask for.
type actor struct{ *site }

// forms are what can be sent, by path.
func (s *actor) forms() map[string]doing {
	return map[string]doing{"/new": s.begin, "/d/{name}/say": s.say, "/d/{name}/resume": s.resume, "/plan": planDecision(s.site),
		"/t/{name}/say":  s.sayTree,
		"/t/{name}/stop": s.stop, "/t/{name}/answer": s.answer, "/t/{name}/back": s.back, "/t/{name}/undo": s.undo,
		"/t/{name}/fork": s.fork, "/t/{name}/retry": s.retry, "/t/{name}/model": s.setModel,
		"/conversations": s.newTree, "/w/{name}/step": s.step, "/w/{name}/resume": s.execute,
		"/w/{name}/hold": s.holdRun, "/issues": s.newIssue, "/i/{number}/save": s.saveIssue, "/i/{number}/file": s.fileIssue,
		"/i/{number}/delete": s.deleteIssue,
		"/settings/{key}":    s.set, "/projects": s.project,
		"/hub/people": s.setPerson, "/hub/shares": s.setShare, "/hub/quotas": s.setQuota, "/hub/workers": s.setWorker}
}

// asset is a file of ours. Its address changes with it, so a browser may keep it and needs not ask again.
func asset(w http.ResponseWriter, kind string, file []byte) {
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Write(file)
}

// writing fills a page in.
type writing func(r *http.Request, p *sheet) error

// show is a page behind who may see it.
// A token may look at pages: whatever its scope, it may read.
func (s *site) show(write writing) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, ok := s.guard.Who(r)
		if !ok {
			s.signedOut(w, r)
			return
		}
		// A person who reloads many pages is no attack; a program that does is slowed down.
		if wait, ok := s.guard.Allow(c); !ok && !c.Person {
			w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
			s.fail(w, r, &api.Problem{Status: http.StatusTooManyRequests, Detail: "Too many requests", Hint: "Wait a second between them"})
			return
		}
		// Here and below: FormValue would do it, with 40 kB that read uploads, of which there are none. What cannot be read has no fields.
		r.ParseForm()
		p := &sheet{hub: s.Hub != nil}
		if err := write(r, p); err != nil {
			s.fail(w, r, err)
			return
		}
		if p.waits = p.needs; p.tab != "/" {
			p.waits = s.waits.count(r.Context(), s)
		}
		s.send(w, r, http.StatusOK, p, s.guard.Forms(c, r))
	}
}

// doing performs what a form asks for and says where to go then.
type doing func(r *http.Request, c guard.Caller) (to string, err error)

// scopeOf is what a person must be allowed to do to send a form.
func scopeOf(path string) guard.Scope {
	switch {
	case path == "/new" || strings.HasPrefix(path, "/d/"):
		return guard.Debate
	case strings.HasPrefix(path, "/hub/"):
		return guard.Admin
	}
	return guard.Agent
}

// perform is a form behind who may send it.
// What was done is answered with a redirection, so that a reload sends nothing twice.
func (s *site) perform(scope guard.Scope, do doing) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, ok := s.guard.Who(r)
		switch {
		case !ok:
			s.signedOut(w, r)
			return
		case !c.Person:
			s.fail(w, r, &api.Problem{Status: http.StatusForbidden, Detail: "These pages need a browser that is signed in",
				Hint: "Programs use the API with a token: /openapi.json"})
			return
		case !c.Scope.Covers(scope):
			s.fail(w, r, &api.Problem{Status: http.StatusForbidden, Detail: c.Who + " has the scope " + string(c.Scope) +
				"; this needs " + string(scope), Hint: "Ask an admin of the hub for another role"})
			return
		case !s.guard.Meant(c, r):
			s.fail(w, r, &api.Problem{Status: http.StatusForbidden, Detail: "This request did not come from a page of this server",
				Hint: "Open it again: socrates web"})
			return
		}
		r.ParseForm()
		to, err := do(r, c)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.Note(r.Context(), c, r.Method+" "+r.URL.Path)
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
}

// request is this one as the API's functions have it.
func (s *site) request(r *http.Request, c guard.Caller) api.Request {
	return api.Request{Host: s.Host, Caller: c, HTTP: r}
}

// fail shows what went wrong on a page.
func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	problem := api.ProblemOf(err)
	p := &sheet{title: problem.Title}
	p.put(`<div class="empty"><h1>%s</h1><p>%s.</p>`, problem.Title, sentence(problem.Detail))
	if problem.Hint != "" {
		p.put("<p>%s.</p>", sentence(problem.Hint))
	}
	p.put(`<p class="btns"><a class="btn" href="/">Home</a></p></div>`)
	s.send(w, r, problem.Status, p, "")
}

// sentence is a text that begins with a capital and has no full stop.
func sentence(text string) string {
	text = strings.TrimRight(text, ".")
	if text == "" {
		return text
	}
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// signedOut is what somebody sees who is not known.
func (s *site) signedOut(w http.ResponseWriter, r *http.Request) {
	p := &sheet{title: "Signed out", bare: true}
	p.put(`<div class="empty"><h1>Signed out</h1><p>This browser is not signed in, or its session of 12 hours has expired.</p>`)
	if s.Login != "" {
		p.put(`<p class="btns"><a class="btn go" href="%s">Sign in with %s</a></p>`, s.Login, s.LoginName)
	}
	p.put(`<p>In a terminal on the server's machine, run:</p><p class="cmd"><code>socrates web</code></p></div>`)
	s.send(w, r, http.StatusUnauthorized, p, "")
}

// Fails shows what went wrong to somebody who is not signed in.
func Fails(h *api.Host) func(w http.ResponseWriter, r *http.Request, status int, why string) {
	s := siteOf(h, nil)
	return func(w http.ResponseWriter, r *http.Request, status int, why string) {
		p := &sheet{title: "Sign in", bare: true}
		p.put(`<div class="empty"><h1>Not signed in</h1><p>%s.</p><p class="btns"><a class="btn" href="%s">Try again</a></p></div>`,
			sentence(why), h.Login)
		s.send(w, r, status, p, "")
	}
}

// door is where a link leads. What stands behind its # is sent by the page; without scripts a person pastes it.
func (s *site) door(w http.ResponseWriter, r *http.Request) {
	p := &sheet{title: "Sign in", bare: true}
	p.put(`<div class="empty"><h1>Sign in</h1><p id="in-state" role="status">Paste the part of your link after the #.</p>
<form method="post" action="/in" id="in"><p><label for="link">Code of the link</label>
<input id="link" name="link" autocomplete="off" required></p>
<p class="btns tail"><button class="btn go">Sign in</button></p></form></div>`)
	s.send(w, r, http.StatusOK, p, "")
}

// enter signs a browser in. Its page is told its key; a form without scripts is sent on.
func (s *site) enter(w http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	page, ok, err := s.guard.SignIn(w, r, r.PostForm.Get("link"))
	switch {
	case err != nil:
		s.fail(w, r, err)
	case !ok:
		s.fail(w, r, &api.Problem{Status: http.StatusUnauthorized, Detail: "This link was already used, or is older than 5 minutes",
			Hint: "Get a new one: socrates web"})
	// It was sent by the script of the page, which keeps the key for what it sends later.
	case strings.Contains(r.Header.Get("Accept"), "text/plain"):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write([]byte(page))
	default:
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}
}

// leave signs the browser out. Only a page of ours may ask for it.
func (s *site) leave(w http.ResponseWriter, r *http.Request) {
	c, ok := s.guard.Who(r)
	// Otherwise any page could sign a person out.
	if !ok || !s.guard.Meant(c, r) {
		s.signedOut(w, r)
		return
	}
	if err := s.guard.SignOut(w, r); err != nil {
		s.fail(w, r, err)
		return
	}
	s.signedOut(w, r)
}

// pathOf is the page of a thing.
func pathOf(kind, name string) string { return "/" + kind + "/" + url.PathEscape(name) }
