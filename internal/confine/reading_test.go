package confine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/socrates-cli/socrates/internal/permission/consent"
)

// What was allowed because it only reads cannot write: neither it nor what it starts, whatever its words hid. It reads, and writes
// to its temporary folder.
func TestWhatOnlyReadsCannotWrite(t *testing.T) {
	p := newPlace(t, map[string]string{"work/a.txt": "a", "work/sub/b.txt": "b", "temp/t": ""})
	p.policy.Temp = []string{filepath.Join(p.home, "temp")}
	script := "cat a.txt sub/b.txt && touch ../temp/x && echo read; echo x > new; echo x > sub/new; rm -f a.txt; mv sub moved; echo x >> sub/b.txt; mkdir -p d"
	if out, _ := p.run(t, consent.Reading, "sh", "-c", script); len(out) < 7 || out[:7] != "abread\n" {
		t.Errorf("it printed %q", out)
	}
	for name, want := range map[string]bool{"a.txt": true, "sub/b.txt": true, "new": false, "sub/new": false, "moved": false, "d": false} {
		if _, err := os.Stat(filepath.Join(p.work, name)); want != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(p.work, "sub/b.txt")); string(text) != "b" {
		t.Errorf("it is %q", text)
	}
	if out, ok := p.run(t, consent.Unasked, "sh", "-c", "echo x > new"); !ok {
		t.Errorf("what may write cannot: %s", out)
	}
}
