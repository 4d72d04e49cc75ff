package receipt

import (
	"encoding/json"
	"html"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
)

// words are the fields of a verdict and a result that are sentences for people. How they read changes from version to version.
var words = []string{"why", "reason", "reasons", "notes", "decision", "answer", "summary"}

// differ compares two JSON objects by the fields both have: an export also has some of its own, and other versions had others. Where
// only the words differ, another version may have written them.
func (v *verifier) differ(what string, had, got []byte, complaint string) {
	var said, is map[string]any
	if json.Unmarshal(had, &said) != nil || json.Unmarshal(got, &is) != nil {
		v.find(what, Failed, "it cannot be read")
		return
	}
	if answer, ok := said["answer"]; ok { // the document a second time
		is["answer"] = is["decision"]
		if answer != said["decision"] {
			v.find(what, Failed, "%s: its answer is not its decision", complaint)
			return
		}
	}
	delete(said, "record_sha256") // see hash
	for name := range said {
		if _, ok := is[name]; !ok {
			delete(said, name)
		}
	}
	for name := range is {
		if _, ok := said[name]; !ok {
			delete(is, name)
		}
	}
	if len(verdict.Differences(said, is)) == 0 {
		v.find(what, OK, "every field follows from the record")
		return
	}
	answer := answerOf(said)
	wordless(said)
	wordless(is)
	if d := verdict.Differences(said, is); len(d) > 0 {
		v.find(what, Failed, "%s: %s", complaint, strings.Join(d, "; "))
		return
	}
	v.worded(what, false, answer)
}

func wordless(m map[string]any) {
	for _, name := range words {
		delete(m, name)
	}
	score, _ := m["score"].(map[string]any)
	caps, _ := score["caps"].([]any)
	for _, c := range caps {
		if c, ok := c.(map[string]any); ok {
			delete(c, "why")
		}
	}
}

// answerOf is the answer in a JSON export; empty: it states none.
func answerOf(export map[string]any) string {
	summary, _ := export["summary"].(map[string]any)
	answer, _ := summary["answer"].(string)
	return answer
}

// headline is the answer on a page; empty: it has none.
func headline(page string) string {
	_, rest, _ := strings.Cut(page, "<h1")
	_, rest, _ = strings.Cut(rest, ">")
	text, _, whole := strings.Cut(rest, "</h1>")
	if !whole {
		return ""
	}
	return html.UnescapeString(text)
}

// another is the option an answer names in place of the one that the record decided for; empty: it names none.
func (v *verifier) another(answer string) string {
	folded := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
	answer = folded(answer)
	winner := folded(option(v.res))
	if winner == "" || strings.Contains(answer, winner) {
		return ""
	}
	for _, o := range v.res.Options {
		if o.Key != v.res.Winner && strings.Contains(answer, folded(o.Text)) {
			return o.Text
		}
	}
	return ""
}

// worded says of a text for people whether it reads as this version writes it. The same version would have written the same, and none
// names another option as the answer.
func (v *verifier) worded(what string, same bool, answer string) {
	other := v.another(answer)
	switch by := v.report.Program; {
	case same && !(what == "page" && v.edited):
		v.find(what, OK, "its text follows from the record")
	case other != "":
		v.find(what, Failed, "its answer is %s, but the record's is %s: it was edited", other, option(v.res))
	case what == "page" && v.edited:
		v.find(what, Failed, "it was edited after it was exported: its text, or the record it carries")
	case by == v.by.Program && !strings.HasPrefix(by, development):
		v.find(what, Failed, "its text is not what version %s writes: it was edited", by)
	case what == "page":
		v.find(what, Unknown, "it is as it was exported; another version worded it (%s)", by)
	default:
		v.find(what, Unknown, "its numbers follow, its text does not: edited, or written by another version (%s)",
			by)
	}
}

// development begins the version of every program that was not released: two of the same may differ.
const development = "devel"
