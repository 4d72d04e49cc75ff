package scene

import (
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/literal"
)

// Readable renders a seat's reply as Markdown: a JSON object, which may be incomplete while it grows, with options and
// claims under the labels that this seat was shown. A reply that is not an object is returned as it is. Readable never
// fails: it omits what it cannot read, and what is missing from a growing reply follows with the next call. It costs
// the length of the text.
func Readable(text string, labels map[string]string, options []verdict.Option) string {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return strings.TrimSpace(text)
	}
	before := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[:start]), "```json"))
	w := &ballotWriter{text: text[start:], labels: labels, options: options}
	w.value("")
	out := strings.TrimSpace(w.out.String())
	if out == "" {
		return strings.TrimSpace(text[:start])
	}
	return strings.TrimSpace(before + "\n\n" + out)
}

// ballotWriter reads as much of a JSON text as there is and writes what a person wants to see of it.
type ballotWriter struct {
	text    string
	at      int
	out     strings.Builder
	labels  map[string]string
	options []verdict.Option
	item    map[string]string // the current item of a list, if it is an object
	depth   int
}

// deepest is how deeply a reply may nest: none that is asked for comes near.
const deepest = 32

// skip moves to the next significant character and returns it; 0: the text ends.
func (w *ballotWriter) skip() byte {
	for w.at < len(w.text) && strings.IndexByte(" \t\r\n,:", w.text[w.at]) >= 0 {
		w.at++
	}
	if w.at == len(w.text) {
		return 0
	}
	return w.text[w.at]
}

// value reads the value of a key; the key is empty for the whole text.
func (w *ballotWriter) value(key string) {
	if w.depth++; w.depth > deepest {
		w.at = len(w.text)
	}
	defer func() { w.depth-- }()
	switch c := w.skip(); c {
	case '{':
		w.at++
		w.object()
	case '[':
		w.at++
		for {
			c := w.skip()
			if c == ']' {
				w.at++
			}
			if c == 0 || c == ']' {
				return
			}
			was := w.at
			if c == '{' {
				w.items(key)
			} else {
				w.value(key)
			}
			// It cannot be parsed: without this the loop would not end.
			if w.at == was {
				return
			}
		}
	case '"':
		w.put(key, w.str())
	case 0:
	default:
		from := w.at
		for w.at < len(w.text) && strings.IndexByte(",]} \t\r\n", w.text[w.at]) < 0 {
			w.at++
		}
		w.put(key, w.text[from:w.at])
	}
}

func (w *ballotWriter) object() {
	for {
		c := w.skip()
		if c != '"' {
			if c == '}' {
				w.at++
			}
			return
		}
		name := w.str()
		if w.skip() == 0 {
			return
		}
		w.value(name)
	}
}

// items reads an object of a list and writes it on one line.
func (w *ballotWriter) items(list string) {
	outer := w.item
	w.item = map[string]string{}
	w.value(list)
	item := w.item
	w.item = outer
	switch {
	case item["text"] != "":
		line := "- " + literal.Text(item["text"])
		if o := item["option"]; o != "" {
			line += " *(" + map[string]string{"true": "for ", "false": "against "}[item["supports"]] + literal.Text(w.option(o)) + ")*"
		}
		if item["quote"]+item["command"]+item["url"] != "" {
			line += "  " // its evidence is below it
		}
		w.out.WriteString(line + "\n")
		if item["quote"] != "" {
			w.out.WriteString("  " + literal.Code(firstLine(item["quote"])) + " " + literal.Text(item["file"]) +
				after(":", item["line"]) + "\n")
		} else if item["command"] != "" {
			w.out.WriteString("  " + literal.Code(item["command"]) + "\n")
		} else if item["url"] != "" {
			w.out.WriteString("  " + literal.Text(item["url"]) + "\n")
		}
	case item["stance"] != "":
		w.out.WriteString("- **" + item["stance"] + "** " + w.label(item["claim"]) +
			after(": ", literal.Text(item["why"])) + "\n")
	case item["entails"] != "":
		w.out.WriteString("- item " + item["item"] + ": " + item["entails"] + bearing(item["bears"]) +
			after(": ", literal.Text(item["why"])) + "\n")
	}
}

// bearing says that a judge found a claim true but irrelevant.
func bearing(bears string) string {
	if bears == "no" {
		return ", but it does not bear on the option"
	}
	return ""
}

// firstLine is the first line of a quote, with a mark if there are more.
func firstLine(s string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if more != "" {
		line += " …"
	}
	return line
}

// put writes the value of a key, or keeps it for its item.
func (w *ballotWriter) put(key, value string) {
	if w.item != nil {
		if old := w.item[key]; old != "" && key == "command" {
			value = old + " " + value
		}
		w.item[key] = value
		return
	}
	if value == "" || value == "null" {
		return
	}
	switch key {
	case "option":
		w.out.WriteString("**" + literal.Text(w.option(value)) + "**\n\n")
	case "options":
		w.out.WriteString("- " + literal.Text(value) + "\n")
	case "because", "cites":
		before, more := strings.CutSuffix(w.out.String(), "\n")
		if more && strings.HasPrefix(before[strings.LastIndexByte(before, '\n')+1:], "because of ") {
			w.out.Reset()
			w.out.WriteString(before + ", " + w.label(value) + "\n")
			return
		}
		w.out.WriteString("because of " + w.label(value) + "\n")
	case "change_my_mind":
		w.out.WriteString("\n*Would change its mind:* " + literal.Text(value) + "\n")
	case "confidence":
		w.out.WriteString("\n*Confidence:* " + value + "\n")
	case "other", "":
		w.out.WriteString(value + "\n\n")
	default:
		w.out.WriteString(strings.TrimSpace(value) + "\n\n")
	}
}

// option is an option under its common key, with its text.
func (w *ballotWriter) option(letter string) string {
	key := w.label(letter)
	for _, o := range w.options {
		if o.Key == key {
			return key + ": " + o.Text
		}
	}
	return key
}

// label is the meaning of a letter for this seat, or the letter itself.
func (w *ballotWriter) label(name string) string {
	if real, ok := w.labels[strings.TrimSpace(name)]; ok {
		return real
	}
	return name
}

// str reads as much of a string as there is.
func (w *ballotWriter) str() string {
	w.at++ // the quote
	var b strings.Builder
	for w.at < len(w.text) {
		n := strings.IndexAny(w.text[w.at:], `"\`)
		if n < 0 {
			n = len(w.text) - w.at
		}
		b.WriteString(w.text[w.at : w.at+n])
		if w.at += n; w.at == len(w.text) {
			break
		}
		c := w.text[w.at]
		w.at++
		if c == '"' {
			break
		}
		if w.at == len(w.text) {
			break
		}
		c = w.text[w.at]
		w.at++
		switch c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r', 'b', 'f':
		case 'u':
			w.at += w.escaped(&b)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escaped writes the character of a \u escape, including pairs, and returns its length in bytes.
func (w *ballotWriter) escaped(b *strings.Builder) int {
	read := func(at int) (r rune, ok bool) {
		if at+4 > len(w.text) {
			return 0, false
		}
		for _, c := range []byte(w.text[at : at+4]) {
			d := strings.IndexByte("0123456789abcdef", c|0x20)
			if c <= '9' {
				d = int(c) - '0'
			}
			if d < 0 || d > 15 {
				return 0, false
			}
			r = r<<4 | rune(d)
		}
		return r, true
	}
	rest := len(w.text) - w.at
	hi, ok := read(w.at)
	if !ok && rest < 4 { // it is cut here
		return rest
	} else if !ok {
		return 0
	}
	if hi >= 0xd800 && hi < 0xdc00 && strings.HasPrefix(w.text[min(len(w.text), w.at+4):], `\u`) {
		if lo, ok := read(w.at + 6); ok && lo >= 0xdc00 && lo < 0xe000 {
			b.WriteRune((hi-0xd800)<<10 + (lo - 0xdc00) + 0x10000)
			return 10
		}
	}
	if after := w.text[w.at+4:]; hi >= 0xd800 && hi < 0xdc00 && len(after) < 6 &&
		(after == "" || after == `\` || strings.HasPrefix(after, `\u`)) {
		return rest // the other half is still to come
	}
	b.WriteRune(hi)
	return 4
}
