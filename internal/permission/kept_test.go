package permission_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission"
	"github.com/socrates-cli/socrates/internal/snapshot"
)

// What no snapshot holds cannot be brought back: removing it is asked about in every mode.
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
}
