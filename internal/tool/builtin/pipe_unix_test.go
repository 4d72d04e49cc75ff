//go:build unix

package builtin_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/socrates-cli/socrates/internal/llm"
	"github.com/socrates-cli/socrates/internal/project/folder"
	"github.com/socrates-cli/socrates/internal/tool/builtin"
)

// A pipe nobody writes to would hold whoever opens it for ever; the test ends because nobody does.
func TestPipesAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f", "needle\n")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := call(t, dir, "read", `{"path":"pipe"}`)
	if e, ok := errors.AsType[*folder.Error](err); !ok || e.Reason != folder.Irregular {
		t.Errorf("read: %v", err)
	}
	for _, path := range []string{"", "pipe"} {
		if _, err := call(t, dir, "grep", `{"pattern":"needle","path":"`+path+`"}`); err != nil && path == "" {
			t.Errorf("grep: %v", err)
		}
	}
	run(t, dir, "init", "-q")
	if got := text(t, dir, "grep", `{"pattern":"needle"}`); got != "f:1: needle\n" {
		t.Errorf("grep in a repository = %q", got)
	}
	for _, name := range []string{"pipe", "/dev/zero"} { // what another program is about to write
		acts := builtin.Acts(dir, llm.Call{Name: "write", Args: []byte(`{"path":"` + name + `","content":"x"}`)})
		if len(acts) != 1 || acts[0].Text != name {
			t.Errorf("write %s: %+v", name, acts)
		}
	}
	for _, name := range []string{"/proc/self/environ", "/dev/zero"} {
		if out, err := call(t, "/", "read", `{"path":"`+name+`"}`); err == nil {
			t.Errorf("read %s = %.100q", name, out.Text)
		}
	}
}
