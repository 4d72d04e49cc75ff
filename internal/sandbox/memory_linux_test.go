package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// A project or a temporary folder may lie in shared memory: it is there for the program, to be written or read as anywhere else, and nothing
// else of what is there is.
func TestInMemory(t *testing.T) {
	memory, err := os.MkdirTemp("/dev/shm", "socrates-test-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(memory) })
	bothWays(t, func(t *testing.T, mounts bool) {
		t.Setenv("TMPDIR", memory)
		p := newPlace(t)
		works, reads := p.rules(), p.rules()
		reads.Write, reads.Protect = nil, nil
		if !mounts {
			works.Deny, works.Watched, reads.Deny, reads.Watched = works.Deny[:1], true, reads.Deny[:1], true
		}
		if out, ok := p.sh(t, &works, `grep package main.go && echo a >new && f=$(mktemp) && echo x >"$f" && test -s "$f"`); !ok {
			t.Error(out)
		}
		if text, err := os.ReadFile(filepath.Join(p.work, "new")); string(text) != "a\n" {
			t.Errorf("it wrote %q, %v", text, err)
		}
		if out, ok := p.sh(t, &reads, `grep package main.go && cat new && ! echo b >new`); !ok {
			t.Error(out)
		}
		if !mounts {
			return
		}
		if out, ok := p.sh(t, &works, `! cat ../notes && ! cat .env && f=$(mktemp -p /dev/shm) && rm "$f"`); !ok {
			t.Error(out)
		}
	})
}
