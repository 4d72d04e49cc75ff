// Package page is the browser's front end: pages made by the server, which are complete without a script, and one
// small module that keeps them up to date.
//
// New makes the handler of all pages. A page is a function that fills in a sheet (writing); a form is a function that
// does something and returns where to go then (doing). The caller is checked before both: pages are for whoever may
// read, forms only for a browser that a person signed in, and only if one of our pages sent them. Forms use the same
// functions as the API.
//
// Every page works without a script: links, forms and a reload are enough. The script keeps a page up to date: it
// follows the events that the page names (sheet.events), loads the page again, and replaces each part marked
// data-live that has changed; it appends growing texts itself. So HTML is made in one place, here, and none of it in
// the browser.
//
// Everything that is not Raw is escaped when it is written (writer.put), so text of a model or a file cannot become
// HTML. Markdown goes through package markup, documents through package document, which escape as well. The policy of
// package guard allows no script but ours, no style attribute, nothing from elsewhere. A page is cleaned as a whole
// before it is sent; the page's key is inserted after that.
//
// A page reads the current store and caches nothing, except gists, which cannot change. Constants beside them limit
// lists. What cannot be read is left out if the rest is useful, and else an error, shown on a page with its status.
// Handlers are safe for concurrent use.
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

// site is all pages. The other types with pages (actor, office, clerk, reader) are this one under another name, so
// that none has too many methods.
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

// New makes the handler of all pages. The guard must be the one in front of it.
func New(h *api.Host, g *guard.Guard) http.Handler {
	s := siteOf(h, g)
	mux := http.NewServeMux()
	// The mark in the address is ignored: it only makes browsers load a changed file again.
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

// pages are the functions of all pages, by path. Below /d are debates, /t conversations, /w runs, /i issue drafts, /e
// evaluations.
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

// actor performs the actions of forms.
type actor struct{ *site }

// forms are the actions of all forms, by path.
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

// asset serves a file of ours. Its address changes with it, so a browser may cache it without asking again.
func asset(w http.ResponseWriter, kind string, file []byte) {
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Write(file)
}

// writing fills a page in.
type writing func(r *http.Request, p *sheet) error

// show serves a page to those who may see it. A token of any scope may read pages.
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
		// Here and below: FormValue would do it, but adds 40 kB for uploads, which do not exist here. An unreadable
		// form has no fields.
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

// doing performs a form's action and returns where to go then.
type doing func(r *http.Request, c guard.Caller) (to string, err error)

// scopeOf returns the scope that a form needs.
func scopeOf(path string) guard.Scope {
	switch {
	case path == "/new" || strings.HasPrefix(path, "/d/"):
		return guard.Debate
	case strings.HasPrefix(path, "/hub/"):
		return guard.Admin
	}
	return guard.Agent
}

// perform serves a form to those who may send it. It answers with a redirect, so that a reload sends nothing twice.
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

// request converts a request for the API's functions.
func (s *site) request(r *http.Request, c guard.Caller) api.Request {
	return api.Request{Host: s.Host, Caller: c, HTTP: r}
}

// fail shows an error on a page.
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

// sentence makes a text begin with a capital and end without a full stop.
func sentence(text string) string {
	text = strings.TrimRight(text, ".")
	if text == "" {
		return text
	}
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// signedOut shows the page for unknown visitors.
func (s *site) signedOut(w http.ResponseWriter, r *http.Request) {
	p := &sheet{title: "Signed out", bare: true}
	p.put(`<div class="empty"><h1>Signed out</h1><p>This browser is not signed in, or its session of 12 hours has expired.</p>`)
	if s.Login != "" {
		p.put(`<p class="btns"><a class="btn go" href="%s">Sign in with %s</a></p>`, s.Login, s.LoginName)
	}
	p.put(`<p>In a terminal on the server's machine, run:</p><p class="cmd"><code>socrates web</code></p></div>`)
	s.send(w, r, http.StatusUnauthorized, p, "")
}

// Fails shows an error to somebody who is not signed in.
func Fails(h *api.Host) func(w http.ResponseWriter, r *http.Request, status int, why string) {
	s := siteOf(h, nil)
	return func(w http.ResponseWriter, r *http.Request, status int, why string) {
		p := &sheet{title: "Sign in", bare: true}
		p.put(`<div class="empty"><h1>Not signed in</h1><p>%s.</p><p class="btns"><a class="btn" href="%s">Try again</a></p></div>`,
			sentence(why), h.Login)
		s.send(w, r, status, p, "")
	}
}

// door is the target of a sign-in link. The page sends the part after its #; without scripts a person pastes it.
func (s *site) door(w http.ResponseWriter, r *http.Request) {
	p := &sheet{title: "Sign in", bare: true}
	p.put(`<div class="empty"><h1>Sign in</h1><p id="in-state" role="status">Paste the part of your link after the #.</p>
<form method="post" action="/in" id="in"><p><label for="link">Code of the link</label>
<input id="link" name="link" autocomplete="off" required></p>
<p class="btns tail"><button class="btn go">Sign in</button></p></form></div>`)
	s.send(w, r, http.StatusOK, p, "")
}

// enter signs a browser in. A script receives the page's key; a form without scripts is redirected.
func (s *site) enter(w http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	page, ok, err := s.guard.SignIn(w, r, r.PostForm.Get("link"))
	switch {
	case err != nil:
		s.fail(w, r, err)
	case !ok:
		s.fail(w, r, &api.Problem{Status: http.StatusUnauthorized, Detail: "This link was already used, or is older than 5 minutes",
			Hint: "Get a new one: socrates web"})
	// The script of the page sent it, and keeps the key for later requests.
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

// pathOf returns the page of a thing.
func pathOf(kind, name string) string { return "/" + kind + "/" + url.PathEscape(name) }
