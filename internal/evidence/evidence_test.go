package evidence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/debate/verdict"
	"github.com/socrates-cli/socrates/internal/debate"
	"github.com/socrates-cli/socrates/internal/evidence"
)

// A link to the test program called probe is what check commands start in these tests.
func TestMain(m *testing.M) {
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); name == "probe" {
		os.Exit(probe(os.Args[1:]))
	}
	// No look uses a proxy. Nothing listens here, so one that does fails in a way that is seen.
	os.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	os.Unsetenv("NO_PROXY")
	os.Exit(m.Run())
}

func write(t testing.TB, dir, name, body string) string {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
	return full
}

func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip("links need rights here:", err)
	}
}

// look looks once and closes the Looker, which must leave nothing behind.
func look(t testing.TB, l *evidence.Looker, e verdict.Evidence) debate.Observation {
	t.Helper()
	o := l.Look(t.Context(), verdict.Claim{Evidence: e})
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if strings.ContainsAny(o.Detail, "\n\r\x1b") {
		t.Errorf("detail %q is not one clean line", o.Detail)
	}
	return o
}

// expect compares result and grade, and wants each of the words in the detail.
func expect(t testing.TB, o debate.Observation, result string, g verdict.Grade, words ...string) {
	t.Helper()
	if o.Result != result || o.Grade != g {
		t.Errorf("%s, %s (%s), want %s, %s", o.Result, o.Grade, o.Detail, result, g)
	}
	for _, w := range words {
		if !strings.Contains(o.Detail, w) {
			t.Errorf("detail %q does not say %q", o.Detail, w)
		}
	}
}

func TestWhatCannotBeLookedAt(t *testing.T) {
	for _, e := range []verdict.Evidence{{}, {Kind: "none"}, {Kind: "entailment"}, {Kind: "quote"}, {Kind: "quote", File: "f", Quote: "enough of it"},
		{Kind: "command", Command: []string{"probe"}}, {Kind: "command"}, {Kind: "source", URL: "http://127.0.0.1/", Quote: "enough of it"}} {
		expect(t, look(t, &evidence.Looker{}, e), verdict.Skipped, verdict.Nothing)
	}
}
