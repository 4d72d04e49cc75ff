package page

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/markup"
)

// sheet is a page being written. A page fills it in and does not send it.
type sheet struct {
	writer
	title  string
	tab    string // the tab it belongs to
	events string // the source of its news; empty: none
	after  int64  // the last node that it shows
	needs  int    // how many things on it wait for the person
	waits  int    // and how many everywhere
	status []Raw  // of the last line
	bare   bool   // without tabs: nobody is signed in
	hub    bool   // the server is a hub: it has a page of its people
	link   string // signs somebody in, once; shown in place of linkMark
}

// live begins a part that is replaced when it has changed. The script compares the part with that of the reloaded
// page; its id must be unique and stay the same.
func (p *sheet) live(id string) { p.put(`<div data-live id="%s">`, id) }

// end ends a part that live began.
func (p *sheet) end() { p.put("</div>") }

// tabs are the first line of every page.
var tabs = []struct{ path, name, key string }{{"/", "Home", "h"}, {"/debates", "Debates", "d"}, {"/conversations", "Conversations", "c"},
	{"/runs", "Runs", "r"}, {"/panel", "Panel", "p"}}

// send puts the frame of all pages around a page, cleans it, and writes it. key is the page's key for its forms;
// empty: the page has none, and only the script, which knows it, sends forms.
func (s *site) send(w http.ResponseWriter, r *http.Request, status int, p *sheet, key string) {
	var all writer
	mark := ""
	if p.needs > 0 {
		mark = fmt.Sprintf("(%d) ", p.needs)
	}
	all.put(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>%s%s – Socrates</title><link rel="stylesheet" href="/assets/%s/socrates.css"><link rel="icon" href="/assets/%s/icon.svg">
<script type="module" src="/assets/%s/socrates.js"></script></head>
<body data-mark="%s" data-events="%s" data-after="%d">
<a class="skip" href="#main">Skip to content</a>
`, mark, clip(p.title, 90), s.mark, s.mark, s.mark, s.mark, p.events, p.after)
	s.top(&all, r, p)
	all.put(`<p class="strip" id="offline" role="status"><span aria-hidden="true">◌</span> `+
		`<span id="offline-text">Reconnecting.</span></p>
<main id="main">%s</main>
`, p.raw())
	all.put(`<footer class="status" data-live id="status"><span role="status">`)
	if p.events != "" {
		all.put(`<span class="st-live"><span class="dot" aria-hidden="true">●</span> Live</span><span class="st-off">◌ Reconnecting</span>`)
	} else {
		all.put("Socrates %s", s.Version)
	}
	all.put("</span>")
	for _, part := range p.status {
		all.put("<span>%s</span>", part)
	}
	if !p.bare {
		all.put(`<span class="end"><button class="btn bare" type="button" id="commands" hidden>Commands <kbd>Ctrl K</kbd></button></span>`)
	}
	all.put("</footer></body></html>\n")
	// After the cleaning, which would take the key for a secret. No untrusted text can contain the mark: escaping
	// removes braces.
	text := strings.NewReplacer(keyMark, key, linkMark, markup.Escape(p.link)).Replace(s.Clean(string(all.raw())))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write([]byte(text))
}

// top writes the first line: tabs, search and the button for a new debate.
func (s *site) top(all *writer, r *http.Request, p *sheet) {
	all.put(`<header class="top"><a class="mark" href="/">Socrates</a>`)
	// Without a sign-in the tabs lead nowhere.
	if !p.bare {
		all.put(`<nav aria-label="Main"><ul>`)
		for _, t := range tabs {
			current := Raw("")
			if t.path == p.tab {
				current = ` aria-current="page"`
			}
			all.put(`<li><a href="%s" data-go="%s"%s>%s`, t.path, t.key, current, t.name)
			if t.path == "/" {
				all.put(`<span data-live id="needs">`)
				if p.waits > 0 {
					all.put(`<span class="count">%d<span class="vh"> need you</span></span>`, p.waits)
				}
				all.put("</span>")
			}
			all.put("</a></li>")
		}
		all.put(`</ul></nav><div class="end"><form class="find" role="search" action="/search">`+
			`<input type="search" name="q" id="find" value="%s" aria-label="Search debates, decisions and conversations" `+
			`placeholder="Search  /"></form><a class="btn" href="/new" data-key="n">New debate <kbd>n</kbd></a>`+
			`</div>`, r.URL.Query().Get("q"))
	}
	all.put("</header>\n")
}
