package talk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/socrates-cli/socrates/internal/clean"
	"github.com/socrates-cli/socrates/internal/engine/turns"
	"github.com/socrates-cli/socrates/internal/talk/asking"
	"github.com/socrates-cli/socrates/internal/talk/told"
	"github.com/socrates-cli/socrates/internal/tool"
)

// asked is a question of a turn to the person.
type asked struct {
	turns.Answer
	need   asking.Need
	prompt string
}

// ask prints the question: for a permission, every command and file concerned. A part that needs approval is shown in
// full, with what it would lose, since a person approves what they see.
func (v *chatView) ask(n asking.Need) (prompt string) {
	v.clear()
	if v.flow != nil { // start the question on its own line
		v.flow.End("")
		v.flow = nil
	}
	// A question of the agent's own is not about a permission: any answer will do.
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
		if act.Dir != "" { // relative paths are relative to it
			where = ", in " + act.Dir
		}
	}
	v.put(levelInk[told.Gravest(n)], told.Heading(n)+where)
	if tally := told.Tally(n); tally != "" {
		v.put("2", "  "+tally)
	}
	for i, p := range n.Parts {
		v.part(i, p, n)
	}
	if len(n.Parts) == 0 {
		v.put("2", "      "+n.Reason)
	}
	for _, act := range n.Acts {
		// Remembered so that the same change is not shown again when it is done.
		if act.Effect == tool.Writes && strings.Contains(act.Text, "\n@@ ") {
			v.diff(act.Text)
			v.asked = act.Text
		}
	}
	answers := "[y] allow once"
	if told.Gravest(n) == told.Grave {
		answers = "[y y] allow once"
	}
	for _, scope := range told.Scopes(n) {
		answers += "  [" + scope[:1] + "] " + scope
	}
	v.put("2", answers+"  [n] deny, with a reason  [enter] deny")
	return "allow? "
}

// levelInk are the colours of the headings of questions.
var levelInk = map[told.Level]string{told.Routine: "1", told.Leaves: "1;33", told.Grave: "1;31"}

// part shows one act that would happen, and its consequences.
func (v *chatView) part(i int, p asking.Part, n asking.Need) {
	lead, code := "  ", ""
	if told.Tally(n) != "" {
		lead = fmt.Sprintf("  %d %-2s ", i+1, []string{"", "!", "!!"}[told.LevelOf(p)])
	}
	if p.Asked {
		code = "1"
	}
	v.put(code, lead+indented(p.Text))
	if p.Asked {
		for _, text := range told.Consequences(p) {
			code := "2"
			if p.Lost != "" && strings.Contains(p.Lost, text) {
				code = "31"
			}
			v.put(code, "      "+clean.Line(text))
		}
	}
	for _, path := range p.Paths[:min(len(p.Paths), mostPaths)] {
		v.put("2", "      → "+clean.Line(path))
	}
	if more := len(p.Paths) - mostPaths; more > 0 {
		v.put("2", fmt.Sprintf("      → and %d more", more))
	}
	if scopes := told.Scopes(n); p.Asked && p.Covers != "" && len(scopes) > 0 {
		v.put("2", "      "+map[bool]string{true: "s and p allow: ", false: "s allows: "}[len(scopes) > 1]+clean.Line(p.Covers))
	}
}

// mostPaths is how many files of one part are named. The rest are counted.
const mostPaths = 10

// indented indents the lines of a text after the first.
func indented(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n      ")
}

// take parses the person's answer; ok is false for an invalid one. What cannot be undone must be typed twice, so that
// a habit of pressing y does not approve it. Scopes are only accepted if they were offered.
func (q *asked) take(text string) (ok bool) {
	text = strings.TrimSpace(text)
	if question := q.need.Question; question != nil {
		q.Choice = text
		// A number that is no option is the answer itself.
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(question.Options) {
			q.Choice = question.Options[n-1]
		}
		return text != ""
	}
	// Enter alone never allows anything.
	if text == "" {
		q.Choice = "deny"
		return true
	}
	word, reason, _ := strings.Cut(text, " ")
	q.Choice = map[string]string{"y": "once", "yes": "once", "once": "once", "s": "session", "session": "session", "p": "project",
		"project": "project",
		"n":       "deny", "no": "deny"}[strings.ToLower(word)]
	q.Reason = strings.TrimSpace(reason)
	switch {
	case told.Gravest(q.need) == told.Grave && q.Choice == "once": // it must be typed twice
		q.Reason = ""
		return slices.Contains([]string{"y y", "yes yes"}, strings.ToLower(text))
	case q.Choice == "session" || q.Choice == "project":
		return q.Reason == "" && slices.Contains(told.Scopes(q.need), q.Choice)
	}
	return q.Choice == "deny" || q.Choice != "" && q.Reason == ""
}

// chosen returns the seat for a spec and a tier, both of which may be empty. A person without a model can connect one
// first.
func (a *Talk) chosen(ctx context.Context, spec, tier string) (string, error) {
	found, err := a.Home.Seats.Choose(ctx, spec, tier)
	if ok, refused := a.Connected(ctx, err, "Enter leaves"); !ok {
		return found, cmp.Or(refused, err)
	}
	return a.Home.Seats.Choose(ctx, spec, tier)
}
