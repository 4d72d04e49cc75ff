package permission_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/shell"
	"github.com/socrates-cli/socrates/internal/tool"
)

// TestNeedsWhatWasDecided: a command is let write and read the files it was decided about, not those its words lead to by the
// time it starts.
func TestNeedsWhatWasDecided(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	p.Temp = nil
	outside := t.TempDir()
	put(t, outside, "mine")
	argv := []string{"cp", "a.txt", "docs/c.md"}
	gate := &permission.Gate{Policy: func() permission.Policy { return p }, Record: func(context.Context, permission.Request, permission.Answer, []permission.Grant) error { return nil }}
	pass := gate.Call("bash")
	if pass.Decided(argv, dir) != nil {
		t.Error("what was never decided on has files")
	}
	err := pass.Allow(t.Context(), tool.Act{Effect: tool.Runs, Argv: argv, Dir: dir, Command: &shell.Command{Argv: argv, Dir: dir}})
	if p.Decided = pass.Decided(argv, dir); err != nil || !slices.Contains(p.Decided, shell.Real(filepath.Join(dir, "docs/c.md"))) {
		t.Fatalf("%q, %v", p.Decided, err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "docs/c.md")), os.Symlink(filepath.Join(outside, "mine"), filepath.Join(dir, "docs/c.md"))); err != nil {
		t.Fatal(err)
	}
	if n := p.Needs(argv, dir); len(n.Write) > 0 {
		t.Errorf("it may write %q", n.Write)
	}
	p.Decided = nil
	if n := p.Needs(argv, dir); len(n.Write) != 1 {
		t.Errorf("this tested nothing: %q", n.Write)
	}
}

// TestSecondDecisions: of the commands of a script that was decided on as a whole, those are recorded that bring in text from outside.
func TestSecondDecisions(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	recorded := 0
	gate := &permission.Gate{Policy: func() permission.Policy { return p },
		Record: func(context.Context, permission.Request, permission.Answer, []permission.Grant) error {
			recorded++
			return nil
		}}
	pass := gate.Call("bash")
	script, err := shell.Parse("ls; curl -O https://a.example/x", where(dir))
	if err != nil {
		t.Fatal(err)
	}
	acts := []tool.Act{{Effect: tool.Runs, Script: script, Dir: dir, Text: "ls; curl -O https://a.example/x"}}
	for _, argv := range [][]string{{"ls"}, {"curl", "-O", "https://a.example/x"}} {
		acts = append(acts, tool.Act{Effect: tool.Runs, Argv: argv, Dir: dir, Command: &shell.Command{Argv: argv, Dir: dir}})
	}
	for i, want := range []int{1, 1, 2} {
		if err := pass.Allow(t.Context(), acts[i]); err != nil || recorded != want {
			t.Errorf("act %d: %d decisions are recorded, want %d; %v", i, recorded, want, err)
		}
	}
}

// TestWhatChangedWhileAskedDoesNotRun: a person who says yes has allowed what a script did when they were asked.
func TestWhatChangedWhileAskedDoesNotRun(t *testing.T) {
	p, dir := policy(t, permission.Paranoid)
	for name, c := range map[string]struct {
		during func()
		refuse bool
	}{
		"nothing changes":      {func() {}, false},
		"another file changes": {func() { put(t, dir, "other.sh") }, false},
		"the script changes":   {func() { os.WriteFile(filepath.Join(dir, "run.sh"), []byte("echo two"), 0o600) }, true},
		"the script goes":      {func() { os.Remove(filepath.Join(dir, "run.sh")) }, true},
	} {
		if err := os.WriteFile(filepath.Join(dir, "run.sh"), []byte("echo one"), 0o600); err != nil {
			t.Fatal(err)
		}
		var given []permission.Grant
		gate := &permission.Gate{Policy: func() permission.Policy { return p },
			Ask: func(context.Context, permission.Request) (permission.Answer, error) {
				c.during()
				return permission.Answer{Choice: "session"}, nil
			},
			Record: func(_ context.Context, _ permission.Request, _ permission.Answer, grants []permission.Grant) error {
				given = grants
				return nil
			}}
		script, err := shell.Parse("sh run.sh", where(dir))
		if err != nil {
			t.Fatal(err)
		}
		err = gate.Call("bash").Allow(t.Context(), tool.Act{Effect: tool.Runs, Script: script, Dir: dir, Text: "sh run.sh"})
		if _, refused := errors.AsType[*permission.Refused](err); refused != c.refuse || (len(given) > 0) == c.refuse {
			t.Errorf("%s: %v; granted: %v", name, err, given)
		}
	}
}
