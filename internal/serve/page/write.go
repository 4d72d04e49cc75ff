package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/markup"
)

// Raw is HTML that was made by us. Everything else that is written is escaped.
// Whoever makes one answers for every value in it.
type Raw string

// writer writes HTML.
// It is for one goroutine, as the page is.
type writer struct{ b strings.Builder }

// put writes a text in which every value is escaped, in text and in quoted attributes alike, unless it is Raw or a number.
// The format is ours and is not escaped. Values belong between tags or in attributes with double quotes, nowhere else.
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

// raw is what was written so far.
func (w *writer) raw() Raw { return Raw(w.b.String()) }

// prose is Markdown as HTML.
// Raw HTML in it is shown as text.
func prose(markdown string) Raw { return Raw(markup.Prose(markdown)) }

// keyMark stands where the page's key comes once everything else was cleaned: a cleaner would take it for a secret, which it is.
const keyMark = "{{page}}"

// linkMark stands where a sign-in link comes, for the same reason.
const linkMark = "{{link}}"

// form begins one that posts to a path.
// The caller closes it. It carries the key of the page, without which it is refused.
func form(path, class string) Raw {
	w := &writer{}
	w.put(`<form method="post" action="%s" class="%s"><input type="hidden" name="page" value="`+keyMark+`">`, path, class)
	return w.raw()
}

// button is a form that is nothing but a button; ask is what is asked before it is sent, empty: nothing.
// fields are names and values in turn.
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

// The present day is told in hours, older times as a date.
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

// clip is a text in one line of at most n letters.
func clip(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// count is a number with its noun; nouns with another plural are for the caller.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
