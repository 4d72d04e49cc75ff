package receipt

import (
	"encoding/json"
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
	wordless(said)
	wordless(is)
	if d := verdict.Differences(said, is); len(d) > 0 {
		v.find(what, Failed, "%s: %s", complaint, strings.Join(d, "; "))
		return
	}
	v.worded(what, false)
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

// worded says of a text for people whether it reads as this version writes it. The same version would have written the same.
func (v *verifier) worded(what string, same bool) {
	switch by := v.report.Program; {
	case same:
		v.find(what, OK, "its text follows from the record")
	case by == v.by.Program && !strings.HasPrefix(by, development):
		v.find(what, Failed, "its text is not what version %s writes: it was edited", by)
	default:
		v.find(what, Unknown, "its numbers follow, its text does not: edited, or written by another version (%s)",
			by)
	}
}

// development begins the version of every program that was not released: two of the same may differ.
const development = "devel"
