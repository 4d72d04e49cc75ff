package persona

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/project"
	"github.com/socrates-cli/socrates/internal/spelling"
)

// MaxText is how long what a seat is told may be, in bytes. MaxDoc is how long the line about it may be, in letters.
const (
	MaxText = 8 << 10
	MaxDoc  = 58
)

// Parse reads a page: a head of "name" and "doc" between two lines of three dashes, then what a seat is told. file is
// for messages. Errors are *Error, with the line.
func Parse(file, name string, raw []byte) (Persona, error) {
	p := Persona{File: file}
	fail := func(line int, format string, args ...any) (Persona, error) {
		return Persona{}, &Error{File: file, Line: line, Message: fmt.Sprintf(format, args...)}
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(raw), "\ufeff"), "\r\n", "\n")
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if !utf8.ValidString(l) {
			return fail(i+1, "is not text: it is not UTF-8")
		}
		if clean.Text(l) != l {
			return fail(i+1, "holds an escape sequence or a character that cannot be seen; write the line anew")
		}
	}
	if lines[0] != "---" {
		return fail(1, `must begin with a line "---", then "name:" and "doc:", then "---" again`)
	}
	end := 1
	for end < len(lines) && lines[end] != "---" {
		end++
	}
	if end == len(lines) {
		return fail(1, `the head has no end: a line "---" is missing`)
	}
	if line, err := p.head(lines[1:end]); err != nil {
		return fail(line+1, "%v", err)
	}
	if p.Name != name {
		return fail(1, "says that its name is %s; the name of the file is %s.md", p.Name, name)
	}
	p.Text = strings.TrimSpace(strings.Join(lines[end+1:], "\n"))
	switch {
	case p.Text == "":
		return fail(end+1, "says nothing below its head; write where this seat is to look")
	case len(p.Text) > MaxText:
		return fail(0, "tells a seat %d bytes or more; at most %d are taken", len(p.Text), MaxText)
	}
	return p, nil
}

// head reads the lines between the dashes: "name: …", "doc: …" and comments that begin with #. The line of an error
// counts from 1 in lines; 0 is the head as a whole.
func (p *Persona) head(lines []string) (int, error) {
	fields := map[string]*string{"name": &p.Name, "doc": &p.Doc}
	for i, line := range lines {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		field := fields[key]
		switch {
		case !ok || field == nil:
			hint := "a head has name and doc"
			if best := spelling.Nearest(key, []string{"name", "doc"}); best != "" {
				hint = "did you mean " + best + "?"
			}
			return i + 1, fmt.Errorf("unknown key %q (%s)", key, hint)
		case *field != "":
			return i + 1, fmt.Errorf("%s is there twice", key)
		case value == "":
			return i + 1, fmt.Errorf("%s has no value", key)
		}
		*field = value
	}
	switch {
	case p.Name == "" || p.Doc == "":
		return 0, errors.New(`the head must have both "name:" and "doc:"`)
	case utf8.RuneCountInString(p.Doc) > MaxDoc:
		return 0, fmt.Errorf("doc has %d letters; at most %d fit on a line", utf8.RuneCountInString(p.Doc), MaxDoc)
	}
	return 0, nil
}

// The kinds of a finding that only a page can have.
const (
	Protocol   = "protocol"
	Conclusion = "conclusion"
)

var signs = []struct {
	kind, why string
	expr      *regexp.Regexp
}{
	{Protocol, "How a seat replies is the protocol's; a page cannot change it and only confuses.", regexp.MustCompile(
		`(?i)\b(?:json|ballots?|system prompts?|code fences?|(?:reply|respond|answer|output|write)\s+(?:only\s+)?(?:with|in|as)\b|ignore\s+(?:the|all|any|previous|every)\b)`)},
	{Protocol, "Stances and votes are the protocol's words; a page says where to look.", regexp.MustCompile(
		`\b(?:AGREE|OBJECT|ADD|SAME-AS|ABSTAIN|OTHER)\b|(?i:\b(?:vote|votes|voting|option [a-z])\b)`)},
	{Conclusion, "It says what to conclude before anything was looked at.", regexp.MustCompile(
		`(?i)\b(?:(?:always|never)\s+(?:agree|object|disagree|choose|pick|oppose|support|accept|reject)|devil['’]s advocate|conclude that|(?:argue|speak|take a stand)\s+(?:for|against)\b|no matter what)`)},
}

// Lint finds what does not belong in a page: words of the protocol, conclusions, and whatever would lead or leak in a
// context block. Lines count from the first of the text.
func Lint(text string) []project.Finding {
	found := project.Lint(text)
	for i, line := range strings.Split(text, "\n") {
		for _, s := range signs {
			for _, word := range s.expr.FindAllString(line, -1) {
				found = append(found, project.Finding{Line: i + 1, Kind: s.kind, Word: word, Why: s.why})
			}
		}
	}
	return found
}
