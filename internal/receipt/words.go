package receipt

import (
	"encoding/json"
	"html"
	"reflect"
	"slices"
	"strings"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate/document"
	"github.com/socrates-cli/socrates/internal/literal"
)

// words are the fields of a verdict and a result that contain sentences for people. Their wording changes from version to version.
var words = []string{"why", "reason", "reasons", "notes", "decision", "answer", "summary"}

// core are the fields of a decision that every version has written: none may be missing.
var core = []string{"room", "question", "options", "outcome", "winner", "gate", "blocked", "rehearsal", "exit_code", "score", "beliefs",
	"decision", "answer"}

// attached are the fields for an export's record and a line's number, which Open and hash check.
var attached = []string{"record", "record_sha256", "seal", "seq", "session", "ts"}

// differ compares a JSON object with what follows from the record. Only the same fields with the same values are OK. Fields that only
// one version has, and the wording of another version, cannot be compared; everything else is.
//
// Fields that only one side has are removed first and named, then the sentences; the rest must be equal.
func (v *verifier) differ(what string, had []byte, gives any, complaint string) {
	var said, is map[string]any
	got, err := json.Marshal(gives)
	if err != nil || json.Unmarshal(had, &said) != nil || json.Unmarshal(got, &is) != nil {
		v.find(what, Failed, "it cannot be read")
		return
	}
	for _, name := range attached {
		delete(said, name)
		delete(is, name)
	}
	if len(verdict.Differences(said, is)) == 0 {
		v.find(what, OK, "every field follows from the record")
		return
	}
	other := ""
	if _, export := is["decision"]; export {
		other = v.otherAnswer(said)
	}
	unmatched := onesided(said, is, reflect.TypeOf(gives))
	wordless(said)
	wordless(is)
	switch d := verdict.Differences(said, is); {
	case len(d) > 0:
		v.find(what, Failed, "%s: %s", complaint, strings.Join(d, "; "))
	case other != "":
		v.find(what, Failed, "%s", other)
	case v.own():
		v.find(what, Failed, "version %s would have written it differently: edited, or exported by another version", v.by.Program)
	case len(unmatched) > 0:
		v.find(what, Unknown, "the numbers match, but the text differs in %s: edited, or written by another version (%s)",
			strings.Join(unmatched, ", "), v.report.Program)
	default:
		v.find(what, Unknown, "the numbers match, the text does not: edited, or written by another version (%s)", v.report.Program)
	}
}

// onesided removes the fields that only one of two objects has, if a difference of versions can explain that, and names them. It
// keeps fields that every version has, that this version would have written, or that differ from one of these only in case.
//
// A field that differs from one of ours only in case is not unknown: a lenient reader would take it for ours.
func onesided(said, is map[string]any, form reflect.Type) (unmatched []string) {
	known := func(name string) bool {
		return slices.ContainsFunc(reflect.VisibleFields(form), func(f reflect.StructField) bool {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			return strings.EqualFold(tag, name)
		})
	}
	for name := range said {
		if _, both := is[name]; !both && !known(name) {
			unmatched = append(unmatched, name)
			delete(said, name)
		}
	}
	for name := range is {
		if _, both := said[name]; !both && !slices.Contains(core, name) {
			unmatched = append(unmatched, name)
			delete(is, name)
		}
	}
	slices.Sort(unmatched)
	return unmatched
}

// wordless removes the sentences from an object, including those in the caps of its score.
func wordless(m map[string]any) {
	_, export := m["decision"]
	for _, name := range words {
		if export && name == "reason" {
			continue // the outcome in a word
		}
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

// otherAnswer says where the answer in a JSON export differs from its record's, whichever version worded it; empty: nowhere.
func (v *verifier) otherAnswer(said map[string]any) string {
	text, _ := said["decision"].(string)
	d := document.Of(v.res)
	switch {
	case said["answer"] != said["decision"]:
		return "its answer differs from its decision"
	case !v.answers(text):
		return v.instead(literal.Plain(bold(text)))
	}
	if summary, ok := said["summary"].(map[string]any); ok {
		if text, _ := summary["answer"].(string); !v.agrees(text, d.Answer) {
			return v.instead(text)
		}
	}
	return ""
}

// instead returns the finding for an answer that is not the record's.
func (v *verifier) instead(answer string) string {
	return "its answer is " + quoted(answer) + ", but the record's is " + quoted(document.Of(v.res).Answer) + ": it was edited"
}

// quoted quotes an answer inside a sentence.
func quoted(answer string) string {
	if answer = strings.Join(strings.Fields(answer), " "); answer == "" {
		return "missing"
	}
	return "“" + strings.TrimRight(answer, ".") + "”"
}

// agrees reports whether an answer is the record's, which this version words as own. Earlier versions put the option's key before it.
// Each version words differently why nothing was decided.
func (v *verifier) agrees(answer, own string) bool {
	folded := func(text string) string {
		return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(text), " ")), ".")
	}
	if !v.res.Outcome.Decision() {
		return strings.HasPrefix(folded(answer), "no decision")
	}
	return strings.TrimPrefix(folded(answer), folded(v.res.Winner)+": ") == folded(own)
}

// answers reports whether the answer of a decision in Markdown is the record's. Earlier versions escaped less of it.
func (v *verifier) answers(text string) bool {
	own := document.Of(v.res).Answer
	was := strings.NewReplacer("<", "&lt;", "\n", " ", "\r", " ", "|", `\|`).Replace(own)
	return v.agrees(literal.Plain(bold(text)), own) || v.agrees(bold(text), bold("\n**"+strings.TrimLeft(was, "#> ")+"**"))
}

// bold returns the answer of a decision in Markdown, still escaped: the first bold text at the start of a line.
func bold(text string) string {
	_, rest, _ := strings.Cut(text, "\n**")
	ends := strings.NewReplacer(`\\`, `\\`, `\*`, `\*`, "**", "\x00") // an escaped asterisk ends nothing
	answer, _, _ := strings.Cut(ends.Replace(rest), "\x00")
	return answer
}

// headline returns the answer on a page. Every version has put it, as plain text, into the only h1; empty: this page does not.
func headline(page string) string {
	before, rest, _ := strings.Cut(page, "<h1>")
	text, after, whole := strings.Cut(rest, "</h1>")
	if !whole || strings.Contains(text, "<") || strings.Contains(strings.ToLower(before+after), "<h1") {
		return ""
	}
	return html.UnescapeString(text)
}

// shown checks whether a page is what this version renders from the record. On any other page only the headline can be compared, and
// style or text around it may make readers see something else: such a page is never OK.
func (v *verifier) shown() {
	own := v.by.Page(v.res)
	switch answer := headline(v.page); {
	case v.page == own && !v.edited:
		v.find("page", OK, "its text follows from the record")
	case !v.agrees(answer, headline(own)):
		v.find("page", Failed, "%s", v.instead(answer))
	case v.edited:
		v.find("page", Failed, "it was edited after it was exported: its text, or the record it carries")
	case v.own():
		v.find("page", Failed, "version %s would have written it differently: edited, or exported by another version", v.by.Program)
	default:
		v.find("page", Unknown, "its headline is the record's answer; the rest could not be compared: another version worded it (%s), "+
			"or it was edited",
			v.report.Program)
	}
}

// own reports whether the version that verifies made the record. Two unreleased builds may differ.
func (v *verifier) own() bool {
	return v.report.Program == v.by.Program && !strings.HasPrefix(v.by.Program, "devel")
}
