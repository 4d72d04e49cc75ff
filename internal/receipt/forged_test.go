package receipt_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/receipt"
)

// released is the record of a debate by a release.
func released(t testing.TB) (receipt.Record, debate.Result) {
	t.Helper()
	r := council(t)
	edit(t, &r, "room", `"program":"devel"`, `"program":"1.0.0"`)
	conclude(t, &r, true)
	res, err := debate.Summarize(r.Nodes)
	if err != nil {
		t.Fatal(err)
	}
	return r, res
}

// by verifies an export with a release.
func by(t testing.TB, program string, raw []byte) receipt.Report {
	t.Helper()
	r, err := receipt.Open("forged", raw)
	if err != nil {
		t.Fatal(err)
	}
	got, err := receipt.Verify(t.Context(), r, receipt.Reader{Program: program, Page: page, Object: object})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// checkForged expects that the version that made the record refuses an export, and that another one at least does not call it
// verified; known: it refuses it, too.
func checkForged(t *testing.T, raw []byte, known bool) {
	t.Helper()
	if got := by(t, "1.0.0", raw); len(got.Failed()) == 0 {
		t.Errorf("the same version: %+v", got.Findings)
	}
	got := by(t, "2.0.0", raw)
	if got.Verified || known != (len(got.Failed()) > 0) || !known && !got.Uncompared() {
		t.Errorf("another version: %v, %+v", got.Verified, got.Findings)
	}
}

// TestForgedPages: a page that was edited and sealed again names the record's answer, or it is refused. What else it says only the
// version that wrote it can compare.
func TestForgedPages(t *testing.T) {
	r, res := released(t)
	sealed := func(text string) []byte { return []byte(receipt.Page(text, packed(t, r), res.Record)) }
	for _, program := range []string{"1.0.0", "2.0.0"} {
		if got := by(t, program, sealed(page(res))); !got.Verified {
			t.Errorf("as exported, by %s: %+v", program, got.Findings)
		}
	}
	const h1 = "<h1>Use a mutex.</h1>"
	for name, c := range map[string]struct {
		instead string
		known   bool
	}{
		"hidden":         {"<h1 hidden>Use a mutex.</h1><h1>Use a channel.</h1>", true},
		"second":         {h1 + "<h1>Use a channel.</h1>", true},
		"capital letter": {"<H1>Use a channel.</H1>", true},
		"one of each":    {h1 + "<H1>Use a channel.</H1>", true},
		"markup":         {"<h1>Use a chan<b>nel</b>.</h1>", true},
		"comment":        {"<h1>Use a channel.<!--Use a mutex.--></h1>", true},
		"both":           {"<h1>Use a channel, do not use a mutex.</h1>", true},
		"new":            {"<h1>Use neither.</h1>", true},
		"none":           {"<p>Use a channel.</p>", true},
		"beside it":      {h1 + "<p>Correction: use a channel.</p>", false},
		"style":          {"<style>h1{display:none}</style>" + h1 + "<p>Use a channel.</p>", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(page(res), h1, c.instead, 1)
			if text == page(res) {
				t.Fatal("the page has no such headline")
			}
			checkForged(t, sealed(text), c.known)
		})
	}
}

// TestForgedExports: what was decided is compared whoever wrote the export; a field is neither left out, nor there twice, nor beside
// one that only looks like it.
func TestForgedExports(t *testing.T) {
	r, res := released(t)
	for _, program := range []string{"1.0.0", "2.0.0"} {
		if got := by(t, program, export(t, r, res)); !got.Verified {
			t.Errorf("as exported, by %s: %+v", program, got.Findings)
		}
	}
	set := func(change func(all map[string]any)) func(string) string {
		return func(text string) string {
			var all map[string]any
			if err := json.Unmarshal([]byte(text), &all); err != nil {
				t.Fatal(err)
			}
			change(all)
			out, _ := json.Marshal(all)
			return string(out)
		}
	}
	channel := func(s any) string { return strings.ReplaceAll(s.(string), "Use a mutex", "Use a channel") }
	for name, c := range map[string]struct {
		edit  func(string) string
		known bool
	}{
		"left out": {set(func(all map[string]any) {
			for _, name := range []string{"winner", "outcome", "gate", "answer", "decision", "summary", "score", "beliefs"} {
				delete(all, name)
			}
			all["Winner"], all["verdict"] = "Use a channel", map[string]any{"winner": "B"}
		}), true},
		"no winner":    {set(func(all map[string]any) { delete(all, "winner") }), true},
		"no decision":  {set(func(all map[string]any) { delete(all, "decision"); delete(all, "answer") }), true},
		"another case": {set(func(all map[string]any) { all["WINNER"] = "B" }), true},
		"a ruling":     {set(func(all map[string]any) { all["ruling"] = map[string]any{"option": "B"} }), true},
		"decision": {set(func(all map[string]any) {
			all["decision"], all["answer"] = channel(all["decision"]), channel(all["answer"])
		}), true},
		"answer alone": {set(func(all map[string]any) { all["answer"] = "Use a channel." }), true},
		"summary": {set(func(all map[string]any) {
			all["summary"].(map[string]any)["answer"] = "Use a channel, do not use a mutex."
		}), true},
		"strange field": {set(func(all map[string]any) { all["verdict"] = "Use a channel" }), false},
		"no summary":    {set(func(all map[string]any) { delete(all, "summary") }), false},
		"why":           {set(func(all map[string]any) { all["why"] = "A channel is better." }), false},
	} {
		t.Run(name, func(t *testing.T) { checkForged(t, exportAs(t, r, res, c.edit), c.known) })
	}
	for name, edit := range map[string]func(string) string{
		"first": func(s string) string { return `{"winner":"B",` + s[1:] },
		"last":  func(s string) string { return strings.TrimSuffix(s, "}") + `,"winner":"A"}` },
		"within": func(s string) string {
			return strings.Replace(s, `"summary":{`, `"summary":{"answer":"Use a channel.",`, 1)
		},
	} {
		if _, err := receipt.Open("forged", exportAs(t, r, res, edit)); err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("a key that is there twice, %s: %v", name, err)
		}
	}
}

// TestForgedRecords: a record whose nodes were changed alike is held against what its seats were shown; what its last nodes say is
// held against the rest. The hash is no help here: whoever changed a record computes it again.
func TestForgedRecords(t *testing.T) {
	raw, err := os.ReadFile("testdata/council.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	swap := strings.NewReplacer("use a mutex", "use a channel", "use a channel", "use a mutex", "Use a mutex", "Use a channel", "Use a channel", "Use a mutex")
	for name, edit := range map[string]func(line string) string{
		"options exchanged": func(line string) string {
			if strings.Contains(line, `"type":"node"`) {
				return swap.Replace(line)
			}
			return line
		},
		"decision": func(line string) string {
			if strings.Contains(line, `"kind":"decision"`) {
				return strings.ReplaceAll(line, "**Use a mutex.**", "**Use a channel.**")
			}
			return line
		},
		"exit code": func(line string) string {
			if strings.Contains(line, `"kind":"end"`) {
				return strings.ReplaceAll(line, `"exit_code":12`, `"exit_code":0`)
			}
			return line
		},
		"blocked": func(line string) string {
			if strings.Contains(line, `"kind":"end"`) {
				return strings.ReplaceAll(line, `"exit_code":12`, `"blocked":["c1"],"exit_code":12`)
			}
			return line
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out []string
			changed := false
			for line := range strings.Lines(string(raw)) {
				if strings.Contains(line, `"type":"result","status"`) {
					continue
				}
				out = append(out, edit(line))
				changed = changed || out[len(out)-1] != line
			}
			if got := by(t, "2.0.0", []byte(strings.Join(out, ""))); !changed || len(got.Failed()) == 0 {
				t.Errorf("changed %v: %+v", changed, got.Findings)
			}
		})
	}
}
