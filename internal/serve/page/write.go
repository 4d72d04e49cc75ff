package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/markup"
)

// Raw is HTML that was made by us. Everything else that is written is escaped.
type Raw string

// writer writes HTML.
type writer struct{ b strings.Builder }

// put writes a text in which every value is escaped, in text and in quoted attributes alike, unless it is Raw or a number.
func (w *writer) put(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case Raw, int, int64, float64, byte:
		case string:
			args[i] = markup.Escape(a)
		default:
			args[i] = markup.Escape(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(&w.b, format, args...)
}

func (w *writer) raw() Raw { return Raw(w.b.String()) }

// prose is Markdown as HTML.
func prose(markdown string) Raw { return Raw(markup.Prose(markdown)) }

// keyMark stands where the page's key comes once everything else was cleaned: a cleaner would take it for a secret, which it is.
const keyMark = "{{page}}"

// form begins one that posts to a path.
func form(path, class string) Raw {
	w := &writer{}
	w.put(`<form method="post" action="%s" class="%s"><input type="hidden" name="page" value="`+keyMark+`">`, path, class)
	return w.raw()
}

// button is a form that is nothing but a button; ask is what is asked before it is sent, empty: nothing.
func button(path, label, class, key, ask string, fields ...string) Raw {
	w := &writer{}
	w.put("%s", form(path, "inline"))
	for i := 0; i+1 < len(fields); i += 2 {
		w.put(`<input type="hidden" name="%s" value="%s">`, fields[i], fields[i+1])
	}
	w.put(`<button class="btn %s" data-key="%s" data-ask="%s">%s`, class, key, ask, label)
	if key != "" {
		w.put(` <kbd>%s</kbd>`, key)
	}
	w.put("</button></form>")
	return w.raw()
}

// when is a time as people say it, with the whole of it behind.
func when(t time.Time) Raw {
	w := &writer{}
	w.put(`<time datetime="%s" title="%s">%s</time>`, t.UTC().Format(time.RFC3339), t.Local().Format("2006-01-02 15:04:05"), ago(t))
	return w.raw()
}

func ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 48*time.Hour:
		return "yesterday"
	}
	return t.Local().Format("2 January 2006")
}

// clock is a duration as a clock shows it.
func clock(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// base is the last part of a folder's path: what people call a project.
func base(dir string) string {
	dir = strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/")
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

func clip(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
