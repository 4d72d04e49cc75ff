package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm/cli"
	"github.com/socrates-cli/socrates/internal/llm/trouble"
)

// What a text program leaves open: its record may be missing, whole, or of a turn that ended otherwise.
func TestWhatCrushPrints(t *testing.T) {
	record := func(reason, text string) []string {
		return []string{"@", `< {"meta":{"prompt_tokens":7,"completion_tokens":2,"cost":0.5},"messages":[{"role":"user","parts":[{"type":"text","text":"hi"}]},` +
			`{"role":"assistant","model":"m","parts":[{"type":"text","text":"` + text + `"},{"type":"finish","reason":"` + reason + `"}]}]}`}
	}
	none := []string{"@", "! exit 1"}
	for name, c := range map[string]struct {
		run, show []string
		schema    bool
		kind      trouble.Kind
		says      string
	}{
		"whole":                          {[]string{`<< "The answer"`}, record("end_turn", "The answer"), false, "", "The answer"},
		"cut, and the record is whole":   {[]string{`<< "The "`}, record("end_turn", "The answer"), false, "", "The answer"},
		"nothing printed":                {nil, record("end_turn", "The answer"), false, "", "The answer"},
		"no record":                      {[]string{`<< "The answer"`}, none, false, "", "The answer"},
		"no record, cut, no schema":      {[]string{`<< "The "`}, none, false, "", "The"}, // nothing shows it: see crushTalk.end
		"no record, cut, with a schema":  {[]string{`<< "{\"vote\":"`}, none, true, trouble.Malformed, "incomplete answer"},
		"no record, whole, with schema":  {[]string{`<< "{\"vote\":1}"`}, none, true, "", `{"vote":1}`},
		"a character in two pieces":      {[]string{`<< "a\xc3"`, `<< "\xa9b"`}, none, false, "", "aéb"},
		"escape sequences":               {[]string{`<< "\x1b]0;x\afine"`}, record("end_turn", "fine"), false, "", "fine"},
		"it was broken off":              {[]string{`<< "The "`}, record("canceled", "The "), false, trouble.Crash, "canceled"},
		"it failed and exits 0":          {nil, record("error", ""), false, trouble.Crash, "error"},
		"the vendor refused":             {nil, record("content_filter", ""), false, trouble.Refused, ""},
		"nothing said":                   {[]string{`<< "\n"`}, record("end_turn", " "), false, trouble.Empty, ""},
		"it failed":                      {[]string{`! stderr "INFO noise\n\n   ERROR  \n\n  Agent processing failed: unauthorized: no."`, "! exit 1"}, none, false, trouble.Auth, "unauthorized: no."},
		"it failed without a word":       {[]string{"! exit 3"}, none, false, trouble.Crash, "exit status 3"},
		"it tries again, too often":      {repeatedly(3), none, false, trouble.RateLimit, "slow down"},
		"it tries again, and has answer": {append(repeatedly(2), `<< "fine"`), record("end_turn", "fine"), false, "", "fine"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := append([]string{"@", "> "}, append(c.run, c.show...)...)
			req := hi("one")
			if c.schema {
				req.Schema = []byte(`{"type":"object"}`)
			}
			h := listen(t.Context(), acting(t, "crush", script(t, lines...), cli.Options{}), req)
			if c.kind == "" {
				if h.err != nil || h.end.Message.Text() != c.says || !strings.HasSuffix(strings.TrimSpace(h.text), c.says) {
					t.Fatalf("got %q, %+v, %v", h.text, h.end, h.err)
				}
			} else if e := trouble.As(h.err); e == nil || e.Kind != c.kind || !strings.Contains(e.Message, c.says) {
				t.Fatalf("got %q and %v, want %s with %q", h.text, h.err, c.kind, c.says)
			}
		})
	}
}

func repeatedly(n int) (lines []string) {
	for range n {
		lines = append(lines, `! stderr "WARN Provider request failed, retrying retry_delay=5s status_code=429 title=\"too many requests\" message=\"slow down\"\n"`)
	}
	return lines
}

func TestCrushIsKeptOutOfAFolderWithSettingsForIt(t *testing.T) {
	for _, name := range []string{"crush.json", ".crushrc"} {
		req := hi("")
		req.Dir = t.TempDir()
		os.WriteFile(filepath.Join(req.Dir, name), nil, 0o600)
		h := listen(t.Context(), acting(t, "crush", script(t, "@", `<< "fine"`), cli.Options{}), req)
		if e := trouble.As(h.err); e == nil || e.Kind != trouble.BadRequest || !strings.Contains(e.Message, name) {
			t.Errorf("%s: %v", name, h.err)
		}
	}
}

// Of the user's settings only the vendors and models reach crush.
func TestWhatCrushIsTold(t *testing.T) {
	home := t.TempDir()
	os.WriteFile(filepath.Join(home, "crush.json"), []byte(`{"mcp":{"x":{"command":"y"}},"hooks":{},"options":{"disabled_tools":[]},"models":{"large":{"model":"m","provider":"p"}}}`), 0o600)
	told := filepath.Join(t.TempDir(), "told")
	listen(t.Context(), acting(t, "crush", script(t, "@", "! settings "+told), cli.Options{Home: home}), hi(""))
	raw, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{`"bash"`, `"write"`, `"view"`, `"data_directory"`, `"large"`} {
		if !strings.Contains(string(raw), s) {
			t.Errorf("the settings lack %s: %s", s, raw)
		}
	}
	if strings.Contains(string(raw), "mcp\"") || strings.Contains(string(raw), "hooks") {
		t.Errorf("the user's own are in the settings: %s", raw)
	}
}

// A child that outlives crush and holds its pipes keeps nobody waiting, and goes too.
func TestAChildOfCrushKeepsNobodyWaiting(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	child := script(t, "! deaf", "! pid "+pid, "! hang")
	m := acting(t, "crush", script(t, "@", "> ", "! child "+child, `<< "fine"`, "! await "+pid, "! exit 0", "@", "! exit 1"), cli.Options{})
	if h := listen(t.Context(), m, hi("one")); h.err != nil || h.end.Message.Text() != "fine" {
		t.Errorf("got %q, %v", h.text, h.err)
	}
	gone(t, pids(t, pid)...)
}
