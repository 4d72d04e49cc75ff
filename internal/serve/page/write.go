package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/socrates-cli/socrates/internal/markup"
)

// Raw is HTML made by us. Everything else that is written is escaped. Whoever makes one must have escaped every value
// in it.
type Raw string

// writer writes HTML.
// It is for one goroutine, as the page is.
type writer struct{ b strings.Builder }

// put writes a format with every value escaped, in text and in quoted attributes alike, unless it is Raw or a number.
// The format is ours and is not escaped. Values belong between tags or in attributes with double quotes, nowhere
// else.
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

// raw returns what was written so far.
func (w *writer) raw() Raw { return Raw(w.b.String()) }

// prose converts Markdown to HTML. Raw HTML in it is shown as text.
func prose(markdown string) Raw { return Raw(markup.Prose(markdown)) }

// keyMark is replaced by the page's key after everything else was cleaned: the cleaner would take the key for a
// secret, which it is.
const keyMark = "{{page}}"

// linkMark is replaced by a sign-in link, for the same reason.
const linkMark = "{{link}}"

// form begins one that posts to a path. The caller closes it. It carries the key of the page, without which it is
// refused.
func form(path, class string) Raw {
	w := &writer{}
	w.put(`<form method="post" action="%s" class="%s"><input type="hidden" name="page" value="`+keyMark+`">`, path, class)
	return w.raw()
}

// button is a form that is only a button; ask is the confirmation before it is sent, empty: none. fields are names
// and values in turn.
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

// when formats a time for people, with the full time in its title.
func when(t time.Time) Raw {
	w := &writer{}
	w.put(`<time datetime="%s" title="%s">%s</time>`, t.UTC().Format(time.RFC3339), t.Local().Format("2006-01-02 15:04:05"), ago(t))
	return w.raw()
}

// The present day is shown in hours, older times as a date.
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

// clock formats a duration like a clock.
func clock(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}

// base returns the last part of a folder's path: the usual name of a project.
func base(dir string) string {
	dir = strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/")
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

// clip cuts a text to one line of at most n letters.
func clip(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}

// count formats a number with its noun; the caller handles irregular plurals.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
