package confine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/project/sensitive"
	"github.com/socrates-cli/socrates/internal/shell"
)

// TestEverySecret: what the list of secrets names, entry by entry, the gate denies, tools do not show, and programs cannot read.
func TestEverySecret(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a"})
	var names []string
	for i, pattern := range sensitive.SecretNames() {
		if name := strings.ReplaceAll(pattern, "*", "x"); pattern != ".git" { // git's is read by what needs to know the repository
			names = append(names, fmt.Sprintf("d%d/%s", i, name))
			p.put(t, "work/"+names[len(names)-1], "secret")
		}
	}
	for _, name := range names {
		if !sensitive.Secret(name) {
			t.Errorf("tools show %s", name)
		}
		if d := p.policy.Script("cat "+name, shell.Context{Dir: p.work}); d.Verdict != permission.Deny {
			t.Errorf("the gate: %s: %s, %s", name, d.Verdict, d.Reason)
		}
	}
	out, _ := p.sh(t, "for f in d*/.[a-z]* d*/*; do [ -f $f ] && cat $f 2>/dev/null | grep -q secret && echo $f; done; true")
	if out = strings.TrimSpace(out); out != "" {
		t.Errorf("a program reads %s", out)
	}
}

// TestEverySteeringName: what the list of what steers tools names, entry by entry, no program changes, and one that makes it is told.
func TestEverySteeringName(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a": "a"})
	runGit(t, p.work, "init", "-q")
	var names []string
	for i, name := range sensitive.SteeringNames() {
		name = strings.ReplaceAll(name, "*", "x")
		if !sensitive.Steers(name) {
			t.Errorf("tools write %s", name)
		}
		names = append(names, fmt.Sprintf("d%d/%s", i, name))
	}
	script := ""
	for _, name := range names {
		script += fmt.Sprintf("mkdir -p '%s'; echo x 2>/dev/null >>'%s' && echo '%s'\n", filepath.Dir(name), name, name)
	}
	again := p.keeper.Watch(p.policy)
	if out, _ := p.sh(t, script); strings.Count(out, "\n") != len(names) {
		t.Fatalf("not all were made: %s", out)
	}
	found := again(false)
	for _, name := range names {
		if !slices.ContainsFunc(found, func(c Change) bool { return below(filepath.Join(p.work, name), c.Path) }) {
			t.Errorf("%s is not told", name)
		}
	}
	for _, name := range names {
		if filepath.Base(name) != ".git" {
			p.put(t, "work/"+name, "x")
		}
	}
	p.keeper.Watch(p.policy)
	if out, _ := p.sh(t, script); strings.TrimSpace(out) != "" {
		for line := range strings.Lines(out) {
			if !strings.HasSuffix(line, "/.git\n") { // which is not there
				t.Errorf("a program writes %s", line)
			}
		}
	}
}
