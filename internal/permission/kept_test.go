package permission_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/snapshot"
)

// What no snapshot contains cannot be brought back: removing it is asked about in every mode.
func TestRemovingWhatIsNotKept(t *testing.T) {
	p, dir := policy(t, permission.Yolo)
	put(t, dir, "small", "big")
	if err := os.Truncate(filepath.Join(dir, "big"), snapshot.LargestFile+1); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]permission.Verdict{"rm small": permission.Allow, "rm big": permission.Ask, "rm small big": permission.Ask} {
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", script, d.Verdict, d.Reason, want)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "big"), snapshot.LargestFile); err != nil {
		t.Fatal(err)
	}
	if d := p.Script("rm big", where(dir)); d.Verdict != permission.Allow {
		t.Errorf("a file that is just not too large: %s (%s)", d.Verdict, d.Reason)
	}
	broken := errors.New("git is broken")
	p.Ignored = func([]string) ([]string, error) { return nil, broken }
	for _, script := range []string{"rm small", "rm -r docs"} {
		if d := p.Script(script, where(dir)); d.Verdict != permission.Ask {
			t.Errorf("%s, and nobody can say what git ignores: %s (%s)", script, d.Verdict, d.Reason)
		}
	}
}

// How grave a deletion is follows from what it deletes: what /undo restores is no loss, what git ignores or lies elsewhere is.
func TestSeverityByTarget(t *testing.T) {
	p, dir := policy(t, permission.Balanced)
	put(t, dir, "notes/a.md", "notes/b.md", "build/out", "build/sub/out", "inner/.git/HEAD", "inner/x", "AGENTS.md", "links/a.md")
	if err := os.Symlink("/etc", filepath.Join(dir, "links", "etc")); err != nil {
		t.Fatal(err)
	}
	p.Ignored = func(paths []string) (out []string, _ error) {
		for _, path := range paths {
			if filepath.Base(path) == "out" {
				out = append(out, path)
			}
		}
		return out, nil
	}
	for _, c := range []struct {
		script string
		lost   string // what cannot be undone; empty: nothing
		reason string
		want   permission.Verdict
	}{
		{"rm -rf notes", "", "deletes notes with 2 files (/undo restores them)", permission.Ask},
		{"rm notes/a.md", "", "deletes notes/a.md (/undo restores it)", permission.Ask},
		{"rm -r notes/a.md", "", "deletes notes/a.md (/undo restores it)", permission.Ask},
		{"rm -rf nothing", "", "deletes nothing, which does not exist", permission.Ask},
		{"rm -rf build", "deletes build with 2 files that no snapshot contains", "deletes build with 2 files that no snapshot contains", permission.Ask},
		{"rm build/out", "deletes build/out, which git ignores and no snapshot contains", "deletes build/out, which git ignores and no snapshot contains", permission.Ask},
		{"rm -rf notes/a.md build", "deletes build with 2 files that no snapshot contains", "deletes notes/a.md (/undo restores it); deletes build with 2 files that no snapshot contains", permission.Ask},
		{"rm -rf inner", "deletes inner with 1 file that no snapshot contains", "deletes inner with 1 file that no snapshot contains", permission.Ask},
		{"rm -rf links", "", "deletes links with 2 files (/undo restores them)", permission.Ask},
		{"rm -Z notes/a.md", "deletes folders recursively", "deletes folders recursively", permission.Ask},
		{"rm -rf notes $(cat list)", "deletes folders recursively",
			"deletes folders recursively; only known at run time: the output of $(cat list)", permission.Ask},
		{"rm -rf /srv/data/x", "deletes /srv/data/x recursively, which is not in a snapshot",
			"deletes /srv/data/x recursively, which is not in a snapshot", permission.Ask},
		{"rm /srv/data/x", "deletes /srv/data/x, which is not in a snapshot",
			"/srv/data/x is outside the project; deletes /srv/data/x, which is not in a snapshot", permission.Ask},
		{"rm -rf " + filepath.Dir(dir), "", "would erase " + filepath.Dir(dir) + "; never allowed, in any mode", permission.Deny},
		{"rm -rf ~", "", "would erase /home/person; never allowed, in any mode", permission.Deny},
		{"rm -rf /srv", "", "would erase /srv; never allowed, in any mode", permission.Deny},
		{"rm -rf out", "deletes out, which is a link, or its target", "deletes out, which is a link, or its target; /etc is outside the project", permission.Ask},
		{"sudo rm -rf build", "runs as root or another user; /undo cannot revert what it does", "runs as root or another user; /undo cannot revert what it does", permission.Ask},
		{"sudo rm -rf /", "", "would erase /; never allowed, in any mode", permission.Deny},
	} {
		d := p.Script(c.script, where(dir))
		part := d.Parts[0]
		if d.Verdict != c.want || part.Lost != c.lost || part.Reason != c.reason {
			t.Errorf("%s: %s, lost %q, because %q", c.script, d.Verdict, part.Lost, part.Reason)
		}
	}
	p.Mode = permission.Yolo
	for script, want := range map[string]permission.Verdict{"rm -rf notes": permission.Allow, "rm -rf build": permission.Ask, "rm -rf notes build": permission.Ask, "rm -rf .": permission.Ask} {
		if d := p.Script(script, where(dir)); d.Verdict != want {
			t.Errorf("yolo, %s: %s (%s), want %s", script, d.Verdict, d.Reason, want)
		}
	}
}
