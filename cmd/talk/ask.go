package talk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk"
	"github.com/socrates-cli/socrates/internal/tool"
)

// asked is what a turn asks of the person.
type asked struct {
	turns.Answer
	need   talk.Need
	prompt string
}

// ask puts the question on the screen: of a permission every command and file it is about.
func (v *chatView) ask(n talk.Need) (prompt string) {
	v.clear()
	if v.flow != nil { // what is asked stands on a line of its own
		v.flow.End("")
		v.flow = nil
	}
	if q := n.Question; q != nil {
		v.put("1", "? "+q.Text)
		for i, o := range q.Options {
			v.put("", fmt.Sprintf("  %d  %s", i+1, o))
		}
		if len(q.Options) > 0 {
			v.put("2", "type a number, or your own answer")
		}
		return "answer: "
	}
	where := ""
	for _, act := range n.Acts {
		if act.Dir != "" { // what is not named from the root is named from there
			where = ", in " + act.Dir
		}
	}
	v.put("1", n.Tool+" asks for permission"+where+":")
	for _, p := range n.Parts {
		mark, code := " ", ""
		if p.Asked {
			mark, code = "?", "33"
		}
		v.put(code, "  "+mark+" "+indented(p.Text))
		if p.Asked && p.Reason != "" {
			v.put("2", "      "+clean.Line(p.Reason))
		}
		for _, path := range p.Paths[:min(len(p.Paths), mostPaths)] {
			v.put("2", "      → "+clean.Line(path))
		}
		if more := len(p.Paths) - mostPaths; more > 0 {
			v.put("2", fmt.Sprintf("      → and %d more", more))
		}
		if p.Asked && p.Covers != "" {
			v.put("2", "      s and p allow: "+clean.Line(p.Covers))
		}
		if p.Lost != "" {
			v.put("31", "    ! this cannot be undone: "+clean.Line(p.Lost))
		}
	}
	if len(n.Parts) == 0 {
		v.put("2", "      "+n.Reason)
	}
	for _, act := range n.Acts {
		if act.Effect == tool.Writes && strings.Contains(act.Text, "\n@@ ") {
			v.diff(act.Text)
			v.asked = act.Text
		}
	}
	answers := "[y] allow once  [n] deny, with a reason"
	if grantable(n) {
		answers = "[y] allow once  [s] session  [p] project  [n] deny, with a reason"
	}
	v.put("2", answers)
	return "allow? "
}

// grantable says whether a permission can be given for longer than once.
func grantable(n talk.Need) bool {
	return slices.ContainsFunc(n.Parts, func(p talk.NeedPart) bool { return p.Asked && p.Covers != "" })
}

// mostPaths is how many files of one part are named.
const mostPaths = 10

func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n      ")
}

// take reads the person's answer; ok is false of one that is none.
func (q *asked) take(text string) (ok bool) {
	text = strings.TrimSpace(text)
	if question := q.need.Question; question != nil {
		q.Choice = text
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(question.Options) {
			q.Choice = question.Options[n-1]
		}
		return text != ""
	}
	word, reason, _ := strings.Cut(text, " ")
	q.Choice = map[string]string{"y": "once", "yes": "once", "once": "once", "s": "session", "session": "session", "p": "project", "project": "project",
		"n": "deny", "no": "deny"}[strings.ToLower(word)]
	q.Reason = strings.TrimSpace(reason)
	if (q.Choice == "session" || q.Choice == "project") && !grantable(q.need) {
		return false // it was not offered
	}
	return q.Choice == "deny" || q.Choice != "" && q.Reason == ""
}
