package crash_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/crash"
)

func faulty() error { panic("no seat for sk-secret") }

// A fault leaves a report that only the person can read, with what is needed to find its cause and no secret.
func TestReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "crashes")
	crash.Into(dir, func(text string) string { return strings.ReplaceAll(text, "sk-secret", "[redacted]") })
	defer crash.Into("", nil)
	err := crash.Guard(faulty)
	f, ok := errors.AsType[*crash.Fault](err)
	if !ok || f.File == "" || f.File != crash.Last() || !strings.Contains(f.Text, "internal error") || strings.Contains(f.Text, "goroutine") {
		t.Fatalf("%v, %+v", err, f)
	}
	text, err := os.ReadFile(f.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no seat for [redacted]", "crash_test.faulty", "nothing was sent", "command  socrates", "go1.", crash.Issues} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "sk-secret") {
		t.Errorf("the report has a secret:\n%s", text)
	}
	if is, err := os.Stat(f.File); err != nil || is.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others can read it: %v (%v)", is.Mode(), err)
	}
	for range 15 {
		crash.Caught("again")
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*")); len(names) != 10 {
		t.Errorf("%d reports are kept", len(names))
	}
}

// Noted writes a report and lets the fault go on, to where it is caught.
func TestNoted(t *testing.T) {
	crash.Into(t.TempDir(), func(text string) string { return text })
	defer crash.Into("", nil)
	defer func() {
		if fault := recover(); fault != "passing" || crash.Last() == "" {
			t.Errorf("%v was caught, and the report is %q", fault, crash.Last())
		}
	}()
	defer crash.Noted()
	panic("passing")
}

// Where no report can be written, the error has the stack.
func TestWithoutFolder(t *testing.T) {
	if err := crash.Guard(faulty); err == nil || !strings.Contains(err.Error(), "crash_test.faulty") {
		t.Error(err)
	}
	if err := crash.Guard(func() error { return os.ErrExist }); err != os.ErrExist {
		t.Error(err)
	}
}
